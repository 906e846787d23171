package jobs

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"avro2trevni/internal/exit"
	"avro2trevni/internal/storage/s3/s3test"
	"avro2trevni/jobs/report"
)

// s3Tree puts files into the bucket and, with the same content, into a local folder.
func s3Tree(t *testing.T, s *s3test.Server, files map[string]string) (local string) {
	t.Helper()
	local = t.TempDir()
	s.Put("bucket/", nil)
	for name, data := range files {
		s.Put("bucket/in/"+name, []byte(data))
		must(t, os.MkdirAll(filepath.Dir(filepath.Join(local, name)), 0o777))
		must(t, os.WriteFile(filepath.Join(local, name), []byte(data), 0o666))
	}
	return local
}

// someFiles are the files of a folder, with names in which the order of keys is not that of
// folders, and some that are no inputs.
func someFiles(t *testing.T) map[string]string {
	all := map[string]string{}
	for i, name := range []string{"a/x.avro", "a-b/x.avro", "a.avro", "b/c/d.avro", "b/c.avro", "z.avro"} {
		file, _ := blocksOf(t, "snappy", int64(1000*i), 50, 40+i, 10)
		all[name] = string(file)
	}
	for _, name := range []string{"_SUCCESS", "a/.hidden.avro", "_temporary/x.avro", "b/notes.txt", "b/half.avro.tmp"} {
		all[name] = "no input"
	}
	return all
}

// outputs returns the part files of a local folder.
func outputs(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	names, err := filepath.Glob(filepath.Join(dir, "part-*"))
	must(t, err)
	for _, name := range names {
		data, err := os.ReadFile(name)
		must(t, err)
		all[filepath.Base(name)] = string(data)
	}
	return all
}

// quick is a folder in memory, where there is one: these tests make many small files, each
// synced; "" is the system's folder.
var quick = func() string {
	const dir = "/dev/shm"
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return ""
	}
	return dir
}()

// s3Job converts to a new local folder.
func s3Job(t *testing.T, o Options) (map[string]string, *report.Report, error) {
	t.Helper()
	o.Memory, o.Workers, o.SplitSize = 128<<20, 2, 1024
	if o.Output == "" {
		dir, err := os.MkdirTemp(quick, "s3")
		must(t, err)
		defer func() { _ = os.RemoveAll(dir) }()
		o.Output = filepath.Join(dir, "out")
	}
	r, err := Convert(t.Context(), &o)
	return outputs(t, o.Output), r, err
}

// Inputs on S3 give the same bytes as those on disk, in both formats, for folders, globs and
// single names.
func TestS3Inputs(t *testing.T) {
	s := s3test.New(t)
	s.Setenv(t)
	local := s3Tree(t, s, someFiles(t))
	for _, format := range []string{"trevni", "parquet"} {
		for _, test := range []struct{ remote, local []string }{
			{[]string{"s3://bucket/in"}, []string{local}},
			{[]string{"s3a://bucket/in/"}, []string{local + "/"}},
			{[]string{"s3://bucket/in/*/*.avro"}, []string{local + "/*/*.avro"}},
			{[]string{"s3://bucket/in/z.avro", "s3://bucket/in/b", "s3://bucket/in"}, []string{local + "/z.avro", local + "/b", local}},
		} {
			want, wantReport, err := s3Job(t, Options{Inputs: test.local, Format: format})
			must(t, err)
			got, r, err := s3Job(t, Options{Inputs: test.remote, Format: format})
			must(t, err)
			if d := cmp.Diff(want, got); d != "" || len(got) == 0 {
				t.Errorf("%s, %v: other bytes", format, test.remote)
			}
			if wantReport.Counters != r.Counters {
				t.Errorf("%v: counters %+v, want %+v", test.remote, r.Counters, wantReport.Counters)
			}
			for _, in := range r.Inputs {
				if !strings.HasPrefix(in.Version, `"`) || !strings.HasPrefix(cmpOr(in.File, in.Path), "s3://bucket/in/") {
					t.Errorf("%+v", in)
				}
			}
		}
	}
}

func cmpOr(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// A folder is one listing, and no object is asked for but for its header and its data.
func TestS3Requests(t *testing.T) {
	s := s3test.New(t)
	s.Setenv(t)
	n := 2000
	if v, err := strconv.Atoi(os.Getenv("S3_OBJECTS")); err == nil {
		n = v
	}
	file, _ := blocksOf(t, "snappy", 0, 5)
	s.Put("bucket/", nil)
	for i := range n {
		s.Put(fmt.Sprintf("bucket/in/%03d/%06d.avro", i/1000, i), file)
	}
	o := (&Options{Inputs: []string{"s3://bucket/in"}, Output: filepath.Join(t.TempDir(), "out"), Memory: 1 << 30})
	var plan bytes.Buffer
	must(t, Describe(t.Context(), o, &plan))
	// One page says that there is such a folder, after the object of that name was not found.
	want := map[string]int{"HeadObject": 1, "ListObjectsV2": 1 + (n+999)/1000, "GetObject": n}
	if d := cmp.Diff(want, s.Count()); d != "" {
		t.Errorf("planning %d objects (-want +got):\n%s", n, d)
	}
	if n > 2000 {
		return
	}
	s.Forget()
	_, err := Convert(t.Context(), o)
	must(t, err)
	want["GetObject"] = 2 * n // header; data
	if d := cmp.Diff(want, s.Count()); d != "" {
		t.Errorf("converting %d objects (-want +got):\n%s", n, d)
	}
}

// A file is read in one request for each split of it.
func TestS3RequestsOfLargeFile(t *testing.T) {
	s := s3test.New(t)
	s.Setenv(t)
	file, _ := blocksOf(t, "null", 0, repeat(500, 200)...)
	s.Put("bucket/a.avro", file)
	const split = 256 << 10
	o := &Options{Inputs: []string{"s3://bucket/a.avro"}, Output: filepath.Join(t.TempDir(), "out"), Memory: 64 << 20, SplitSize: split}
	r, err := Convert(t.Context(), o)
	must(t, err)
	if n := s.Count()["GetObject"]; int64(n) > 1+r.Counters.Splits || r.Counters.Splits < 4 {
		t.Errorf("%d requests for %d splits: %v", n, r.Counters.Splits, s.Requests())
	}
}

func repeat(n, times int) []int {
	all := make([]int, times)
	for i := range all {
		all[i] = n
	}
	return all
}

// What goes wrong with any one request changes nothing.
func TestS3Faults(t *testing.T) {
	s := s3test.New(t)
	s.Setenv(t)
	s3Tree(t, s, someFiles(t))
	o := Options{Inputs: []string{"s3://bucket/in"}}
	want, _, err := s3Job(t, o)
	must(t, err)
	calls := len(s.Requests())
	for name, fault := range map[string]s3test.Fault{
		"503": {Status: 503}, "lost": {Lost: true}, "reset": {Reset: true}, "short": {Short: true}, "stall": {Stall: true},
	} {
		o.S3.Stall = 0
		if fault.Stall {
			o.S3.Stall = 500 * time.Millisecond
		}
		for k := 1; k <= calls; k += stride(calls) {
			s.Forget()
			s.Set(func(s *s3test.Server) {
				s.On = func(n int, _ *http.Request) *s3test.Fault {
					if n == k {
						return &fault
					}
					return nil
				}
			})
			got, _, err := s3Job(t, o)
			if err != nil || !maps.Equal(got, want) {
				t.Errorf("%s at request %d of %d: %v", name, k, calls, err)
			}
		}
	}
}

// An input that changes while it is read, or goes, ends the job with 75.
func TestS3InputChanges(t *testing.T) {
	for _, test := range []struct {
		change func(s *s3test.Server, data []byte)
		says   string
	}{
		{func(s *s3test.Server, data []byte) {
			s.Put("bucket/in/z.avro", append(data[:len(data)-1:len(data)-1], 'x'))
		}, "changed while it was read"},
		{func(s *s3test.Server, data []byte) { s.Remove("bucket/in/z.avro") }, "it is gone"},
	} {
		s := s3test.New(t)
		s.Setenv(t)
		all := someFiles(t)
		s3Tree(t, s, all)
		gets := 0
		s.On = func(_ int, r *http.Request) *s3test.Fault {
			if strings.HasSuffix(r.URL.Path, "z.avro") && r.Method == http.MethodGet {
				if gets++; gets == 2 { // after its header
					test.change(s, []byte(all["z.avro"]))
				}
			}
			return nil
		}
		out := filepath.Join(t.TempDir(), "out")
		_, _, err := s3Job(t, Options{Inputs: []string{"s3://bucket/in"}, Output: out})
		wantExit(t, err, exit.StatusRetry, test.says)
		if _, err := os.Stat(filepath.Join(out, "_SUCCESS")); err == nil {
			t.Error("something was published")
		}
	}
}

// A run that appends compares ETags: another one is another file, though header, size and
// name are the same; the same one is the same file, whenever it was written.
func TestS3Append(t *testing.T) {
	s := s3test.New(t)
	s.Setenv(t)
	file, _ := blocksOf(t, "null", 0, 50)
	s.Put("bucket/in/a.avro", file)
	o := Options{Inputs: []string{"s3://bucket/in"}, Output: filepath.Join(t.TempDir(), "out"), IfExists: IfExistsAppend}
	_, _, err := s3Job(t, o)
	must(t, err)
	s.Put("bucket/in/a.avro", file) // again
	_, r, err := s3Job(t, o)
	must(t, err)
	if r.Run.Appended.Unchanged != 1 {
		t.Errorf("converted again: %+v", r.Run.Appended)
	}
	other := bytes.Clone(file)
	other[len(other)-20] ^= 1 // a value
	s.Put("bucket/in/a.avro", other)
	_, _, err = s3Job(t, o)
	wantExit(t, err, exit.StatusRefused, "changed since it was converted: its ETag was")
	data, err := os.ReadFile(filepath.Join(o.Output, "_SUCCESS"))
	must(t, err)
	var manifest struct {
		Inputs []struct{ Version string }
	}
	must(t, json.Unmarshal(data, &manifest))
	if len(manifest.Inputs) != 1 || len(manifest.Inputs[0].Version) != 34 {
		t.Errorf("%+v", manifest)
	}
}

// A service that stays away is a reason to try again later.
func TestS3Away(t *testing.T) {
	s := s3test.New(t)
	s.Setenv(t)
	s3Tree(t, s, someFiles(t))
	s.On = func(n int, _ *http.Request) *s3test.Fault {
		if n > 5 {
			return &s3test.Fault{Status: 503}
		}
		return nil
	}
	o := Options{Inputs: []string{"s3://bucket/in"}}
	o.S3.Patience = time.Millisecond
	_, _, err := s3Job(t, o)
	wantExit(t, err, exit.StatusRetry, "SlowDown")
}

// Keys that are no names are refused, unless they are left out.
func TestS3OddKeys(t *testing.T) {
	s := s3test.New(t)
	s.Setenv(t)
	s3Tree(t, s, someFiles(t))
	s.Put("bucket/in/b//x.avro", []byte("an empty part"))
	s.Put("bucket/in/folder/", nil)
	_, _, err := s3Job(t, Options{Inputs: []string{"s3://bucket/in"}})
	wantExit(t, err, exit.StatusRefused, "b//x.avro: an object whose key has an empty part")
	_, _, err = s3Job(t, Options{Inputs: []string{"s3://bucket/in"}, ExcludeFiles: []string{"b//x.avro"}})
	must(t, err)
}

// Storage that is not served is refused by name, with what to use.
func TestNotServed(t *testing.T) {
	for _, test := range []struct {
		o    Options
		says string
	}{
		{Options{Inputs: []string{"gs://b/a.avro"}, Output: "out"}, "Google Cloud Storage is not supported: copy the files with gcloud"},
		{Options{Inputs: []string{"abfss://c@a.dfs.core.windows.net/a.avro"}, Output: "out"}, "Azure storage is not supported"},
		{Options{Inputs: []string{"s3n://b/a.avro"}, Output: "out"}, "write s3:// instead"},
		{Options{Inputs: []string{"https://b.s3.amazonaws.com/a.avro"}, Output: "out"}, "an object of S3 is named s3://bucket/key"},
		{Options{Inputs: []string{"ftp://b/a.avro"}, Output: "out"}, "only local paths, hdfs:// and s3:// names"},
		{Options{Inputs: []string{"s3:///a.avro"}, Output: "out"}, "names no bucket"},
		{Options{Inputs: []string{"s3://b/a.avro"}, Output: "hdfs://h/out", Engine: EngineHadoop}, "engine hadoop: s3://b/a.avro: reads and writes HDFS only"},
		{Options{Inputs: []string{"hdfs://h/a.avro"}, Output: "s3a://b/out", Engine: EngineHadoop}, "engine hadoop: s3a://b/out"},
	} {
		wantExit(t, test.o.Validate(), exit.StatusUsage, test.says)
	}
}
