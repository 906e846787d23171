package jobs

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"avro2trevni/internal/exit"
	"avro2trevni/internal/storage"
	"avro2trevni/internal/storage/s3"
	"avro2trevni/internal/storage/s3/s3test"
	"avro2trevni/jobs/publish"
)

// onS3 returns the bucket lab of versitygw, to which jobs in this process then write.
func onS3(t *testing.T) *s3.FS {
	t.Helper()
	server := s3test.NewReal(t)
	server.Setenv(t)
	server.Bucket(t, "lab")
	f, err := s3.New(t.Context(), "s3://lab", &s3.Options{})
	must(t, err)
	return f
}

// published returns the files of an output on S3 that readers see, and checks that no run has
// left anything else.
func publishedOn(t *testing.T, f *s3.FS, out string) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	must(t, f.List(out, func(below string, info fs.FileInfo) error {
		if !publish.IsPublishedName(below) {
			if below != publish.LockName {
				t.Errorf("%s: left %s", out, below)
			}
			return nil
		}
		data, _, err := f.Load(storage.Join(out, below), info.Size())
		files[below] = data
		return err
	}))
	must(t, f.Pending(out, func(k storage.Ticket) error {
		t.Errorf("left an upload of %s", k.Name)
		return nil
	}))
	return files
}

// Every fixture, from and to a server of others, becomes the files that it becomes locally,
// in both formats; what is refused locally is refused.
func TestFixturesOnS3(t *testing.T) {
	f := onS3(t)
	fixtures, err := filepath.Glob(filepath.Join("..", "testdata", "avro", "*.avro"))
	must(t, err)
	files, dir := 0, t.TempDir()
	for i, fixture := range fixtures {
		data, err := os.ReadFile(fixture)
		must(t, err)
		in := fmt.Sprintf("s3://lab/in/%d/%s", i, filepath.Base(fixture))
		_, err = f.Swap(in, storage.None, data)
		must(t, err)
		for _, format := range []string{FormatTrevni, FormatParquet} {
			local, remote := filepath.Join(dir, fmt.Sprint(format, i)), fmt.Sprintf("s3://lab/out/%s%d", format, i)
			_, localErr := Convert(t.Context(), &Options{Inputs: []string{fixture}, Output: local, Format: format, Memory: 128 << 20})
			_, err := Convert(t.Context(), &Options{Inputs: []string{in}, Output: remote, Format: format, Memory: 128 << 20})
			if exit.Code(err) != exit.Code(localErr) {
				t.Errorf("%s, %s: %v; locally %v", fixture, format, err, localErr)
			}
			if err != nil {
				continue
			}
			got := publishedOn(t, f, remote)
			if got[publish.SuccessName] == nil {
				t.Errorf("%s, %s: no %s", fixture, format, publish.SuccessName)
			}
			delete(got, publish.SuccessName)
			for name, data := range got {
				if want, err := os.ReadFile(filepath.Join(local, name)); err != nil || !bytes.Equal(data, want) {
					t.Errorf("%s, %s: %s differs: %v", fixture, format, name, err)
				}
				files++
			}
		}
	}
	if files < len(fixtures) {
		t.Errorf("%d fixtures made %d files", len(fixtures), files)
	}
	t.Logf("%d fixtures, %d equal files", len(fixtures), files)
}

// All that may be done with an output is done on S3, one after the other, as it is locally.
func TestOutputsOnS3(t *testing.T) {
	f, dir := onS3(t), t.TempDir()
	for i := range 3 {
		makeInput(t, filepath.Join(dir, fmt.Sprint(i, ".avro")), "flat", 20_000*i, 20_000*(i+1))
	}
	for _, step := range []struct {
		name string
		o    Options
		ins  []string
		same bool // whether the names of files are those of a local output
	}{
		{"fail", Options{}, []string{"0.avro"}, true},
		{"append", Options{IfExists: IfExistsAppend}, []string{"0.avro", "1.avro"}, true},
		{"replace", Options{IfExists: IfExistsReplace, Verify: true}, []string{"2.avro", "1.avro"}, false},
		{"append to what was replaced", Options{IfExists: IfExistsAppend}, []string{"2.avro", "1.avro", "0.avro"}, false},
		{"sort", Options{IfExists: IfExistsReplace, SortBy: []string{"id:desc"}}, []string{"0.avro"}, false},
	} {
		for _, format := range []string{FormatTrevni, FormatParquet} {
			o := step.o
			o.Format, o.FileSize, o.Memory = format, 128<<10, 128<<20
			for _, in := range step.ins {
				o.Inputs = append(o.Inputs, filepath.Join(dir, in))
			}
			o.Output = filepath.Join(dir, format)
			_, err := Convert(t.Context(), &o)
			must(t, err)
			want := map[string]bool{} // contents: after a replacement the names differ
			for _, name := range must2(filepath.Glob(filepath.Join(o.Output, "part-*")))(t) {
				want[string(must2(os.ReadFile(name))(t))] = true
			}
			o.Output = "s3://lab/" + format
			_, err = Convert(t.Context(), &o)
			must(t, err)
			got := publishedOn(t, f, o.Output)
			if len(got) != len(want)+1 || len(want) < 2 {
				t.Errorf("%s, %s: %d files, locally %d", step.name, format, len(got)-1, len(want))
			}
			for name, data := range got {
				if name != publish.SuccessName && !want[string(data)] {
					t.Errorf("%s, %s: no local file is like %s", step.name, format, name)
				}
				if plain := strings.Count(name, "-") < 2; name != publish.SuccessName && plain != step.same {
					t.Errorf("%s, %s: the name %s", step.name, format, name)
				}
			}
		}
	}
}

func must2[T any](v T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		must(t, err)
		return v
	}
}

// Storage that ignores conditions is refused, and the text says which; with a lock elsewhere
// it is not.
func TestStorageThatIgnoresConditions(t *testing.T) {
	in := filepath.Join(t.TempDir(), "a.avro")
	makeInput(t, in, "flat", 0, 100)
	for _, test := range []struct {
		ignore s3test.Ignore
		exit   int
		says   string
	}{
		{s3test.Ignore{}, exit.StatusDone, ""},
		{s3test.Ignore{Put: true}, exit.StatusRefused, "a write to a name that must be free; the replacing of a version that is not there. Two runs"},
		{s3test.Ignore{Complete: true}, exit.StatusRefused, "the end of an upload to a name that must be free; the end of an upload in place of"},
		{s3test.Ignore{Delete: true}, exit.StatusDone, ""},
	} {
		s := s3test.New(t)
		s.Setenv(t)
		s.Set(func(s *s3test.Server) { s.Ignore = test.ignore })
		s.Put("bucket/x", nil)
		o := Options{Inputs: []string{in}, Output: "s3://bucket/out", S3Lease: time.Second}
		_, err := Convert(t.Context(), &o)
		wantExit(t, err, test.exit, test.says)
		o.S3Lock, o.IfExists = S3LockExternal, IfExistsReplace
		_, err = Convert(t.Context(), &o)
		must(t, err)
		f, err := s3.New(t.Context(), "s3://bucket", &s3.Options{})
		must(t, err)
		if got := publishedOn(t, f, "s3://bucket/out"); len(got) != 2 {
			t.Errorf("%+v: %d files", test.ignore, len(got))
		}
	}
}
