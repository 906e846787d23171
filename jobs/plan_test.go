package jobs

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"avro2trevni/internal/exit"
	"avro2trevni/internal/ocf"
	"avro2trevni/internal/storage/storagetest"
	"avro2trevni/internal/units"
	"avro2trevni/jobs/inputs"
)

const fixtures = "../testdata/"

func planOf(list ...string) (*inputs.Plan, error) {
	o := (&Options{Inputs: list, Output: "nowhere"}).withDefaults()
	return newPlan(context.Background(), o, nil)
}

// Inputs whose schemas differ in meaning are refused, with two files and a field;
// those that differ in text alone are not.
func TestOneSchema(t *testing.T) {
	dirs, err := filepath.Glob(fixtures + "mixed/*")
	must(t, err)
	if len(dirs) == 0 {
		t.Fatal("no fixtures")
	}
	for _, dir := range dirs {
		_, err := planOf(dir)
		wantExit(t, err, exit.StatusRefused, "have different schemas: schema: ")
		if n := strings.Count(err.Error(), ".avro"); n != 2 {
			t.Errorf("%s: %v names %d files", dir, err, n)
		}
		if !strings.Contains(err.Error(), ` differs at `) {
			t.Errorf("%s: %v names no field", dir, err)
		}
	}
	p, err := planOf(fixtures + "alike")
	must(t, err)
	if len(p.Inputs) < 2 || p.Inputs[0].Header.Schema == p.Inputs[1].Header.Schema {
		t.Errorf("the fixtures show nothing: %d inputs", len(p.Inputs))
	}
	if p.Schemas.Text != p.Inputs[0].Header.Schema {
		t.Error("the plan's schema isn't the first input's text")
	}
}

// Of several bad headers the first input's is told of, each time.
func TestFirstBadHeader(t *testing.T) {
	good := fixtures + "avro/fastavro-1.13.1-flat.avro"
	bad := []string{"truncated-in-header.avro", "text.avro", "zero-bytes.avro", "magic-only.avro", "no-schema.avro"}
	for i := range bad {
		list := []string{good}
		for j := range bad {
			list = append(list, fixtures+"broken/"+bad[(i+j)%len(bad)])
		}
		for range 20 {
			_, err := planOf(list...)
			if err == nil || !strings.Contains(err.Error(), bad[i]) {
				t.Fatalf("got %v, want one of %s", err, bad[i])
			}
		}
	}
}

func TestBadSchemas(t *testing.T) {
	for name, status := range map[string]int{
		"schema-deep.avro": exit.StatusRefused, "schema-not-json.avro": exit.StatusRefused, "schema-unknown-type.avro": exit.StatusRefused,
		"text.avro": exit.StatusFailed, "codec-unknown.avro": exit.StatusFailed,
	} {
		_, err := planOf(fixtures + "broken/" + name)
		if exit.Code(err) != status || err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: exit %d, want %d: %v", name, exit.Code(err), status, err)
		}
	}
}

// A storage that fails any call makes an error of it, never a smaller plan.
func TestPlanWithEachCallFailing(t *testing.T) {
	data, err := os.ReadFile(fixtures + "avro/fastavro-1.13.1-flat.avro")
	must(t, err)
	m := storagetest.NewMem()
	for _, name := range []string{"/in/a.avro", "/in/b.avro", "/in/sub/c.avro"} {
		m.Write(name, string(data))
	}
	for k := 1; ; k++ {
		f := &storagetest.Fault{FS: m, At: k}
		o := (&Options{Inputs: []string{"/in", "/in/*/*.avro"}, Output: "/out/x", FS: f}).withDefaults()
		p, err := newPlan(context.Background(), o, nil)
		if f.Calls() < k {
			must(t, err)
			if len(p.Inputs) != 3 || p.Duplicates != 1 || p.Bytes != 3*int64(len(data)) {
				t.Errorf("%d inputs, %d duplicates, %d bytes", len(p.Inputs), p.Duplicates, p.Bytes)
			}
			return
		}
		if err == nil && len(p.Inputs) != 3 {
			t.Errorf("call %d: %d inputs, and no error", k, len(p.Inputs))
		}
	}
}

func TestDescribe(t *testing.T) {
	var w bytes.Buffer
	o := &Options{Inputs: []string{fixtures + "avro/fastavro-1.13.1-events.avro", fixtures + "avro/fastavro-1.13.1-events-xz.avro"}, Output: t.TempDir()}
	must(t, Describe(context.Background(), o, &w))
	for _, want := range []string{
		"Inputs: 2 files, ", "events-xz.avro", "xz", "\nSchema, of ", `"name": "Event"`,
		"\nColumns: ", "items[]", "array", "\nSplits: 1 of about 8.0 MiB", "input 1", "\nOutput: ", "codec snappy",
	} {
		if !strings.Contains(w.String(), want) {
			t.Errorf("%q is missing in\n%s", want, w.String())
		}
	}
}

// What is out of the ordinary is told too: other codecs, inputs named again, nothing new.
func TestDescribeTellsAll(t *testing.T) {
	m := storagetest.NewMem()
	put(t, m, "/in/a.avro", 0, 100)
	describe := func(o Options) string {
		var w bytes.Buffer
		o.FS, o.Inputs, o.Output = m, []string{"/in", "/in/a.avro"}, "/out"
		must(t, Describe(t.Context(), &o, &w))
		return w.String()
	}
	got := describe(Options{Codec: "snappy,s=deflate:3", Checksum: "crc32,s=null", SortBy: []string{"id"}})
	for _, want := range []string{"; 1 more were named again", " codec deflate", " checksum null", "Sorted by: id\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
	_, err := addRun(t, m, Options{})
	must(t, err)
	if got := describe(Options{IfExists: IfExistsAppend}); !strings.Contains(got, "Not converted: 1 that") || !strings.HasSuffix(got, "Nothing to do.\n") {
		t.Error(got)
	}
}

// What Convert refuses before it writes anything, Describe refuses alike.
func TestDescribeRefuses(t *testing.T) {
	m := storagetest.NewMem()
	put(t, m, "/in/a.avro", 0, 100)
	_, err := addRun(t, m, Options{})
	must(t, err)
	put(t, m, "/in/b.avro", 100, 200)
	for _, test := range []struct {
		o    Options
		says string
	}{
		{Options{Output: "/out", IfExists: IfExistsAppend, Index: []string{"id"}}, "was made with --index"},
		{Options{Output: "/new", FileSize: units.KiB, Meta: []ocf.Meta{{Key: "k", Value: make([]byte, units.KiB)}}}, "has no room for rows"},
		{Options{Output: "/new", FileSize: units.KiB, SortBy: []string{"id"}, Meta: []ocf.Meta{{Key: "k", Value: make([]byte, units.KiB)}}}, "has no room for rows"},
		{Options{Output: "/new", Memory: 16 * units.MiB}, "is too little for this table"},
	} {
		o := test.o
		o.FS, o.Inputs, o.TempDirs = m, []string{"/in"}, []string{t.TempDir()}
		var w bytes.Buffer
		described := Describe(t.Context(), &o, &w)
		_, err := Convert(t.Context(), &o)
		wantExit(t, err, exit.StatusRefused, test.says)
		if described == nil || described.Error() != err.Error() {
			t.Errorf("Describe says %v, Convert %v", described, err)
		}
	}
}
