package jobs

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/linkedin/goavro/v2"

	"avro2trevni/internal/exit"
	"avro2trevni/jobs/report"
	"avro2trevni/trevni"
)

// keyed is a table that is sorted by key and by name, and by nothing else.
const keyed = `{"type":"record","name":"keyed","fields":[{"name":"key","type":"long"},
	{"name":"at","type":{"type":"record","name":"place","fields":[{"name":"name","type":"string"},{"name":"ok","type":"boolean"}]}},
	{"name":"none","type":"null"},{"name":"maybe","type":["null","double"]},{"name":"tags","type":{"type":"array","items":"int"}},
	{"name":"u","type":["int","string"]},{"name":"noise","type":"double"}]}`

// writeKeyed writes rows with these keys.
func writeKeyed(t *testing.T, name string, keys ...int) {
	t.Helper()
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w, err := goavro.NewOCFWriter(goavro.OCFConfig{W: f, Schema: keyed, CompressionName: "null"})
	if err != nil {
		t.Fatal(err)
	}
	for len(keys) > 0 {
		var rows []any
		for _, k := range keys[:min(len(keys), 100)] {
			rows = append(rows, map[string]any{
				"key": int64(k), "at": map[string]any{"name": fmt.Sprintf("%012d", k), "ok": k%2 == 0}, "none": nil, "maybe": nil,
				"tags": []any{k, k}, "u": goavro.Union("int", k), "noise": math.Abs(math.Sin(float64(k))),
			})
		}
		if err := w.Append(rows); err != nil {
			t.Fatal(err)
		}
		keys = keys[len(rows):]
	}
}

// upTo returns the keys [from, to), each twice.
func upTo(from, to int) (keys []int) {
	for k := from; k < to; k++ {
		keys = append(keys, k, k)
	}
	return keys
}

// The files are the same whatever the workers and the memory; they differ from those
// without first values in nothing else, and each block's is right.
func TestIndexedFilesAreTheSame(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in")
	if err := os.Mkdir(in, 0o777); err != nil {
		t.Fatal(err)
	}
	writeKeyed(t, filepath.Join(in, "a.avro"), upTo(0, 20000)...)
	for i := range 4 { // small files, in one split
		writeKeyed(t, filepath.Join(in, fmt.Sprintf("b%d.avro", i)), upTo(20000+10*i, 20010+10*i)...)
	}
	var want []report.Output
	for i, c := range []struct {
		workers int
		shuffle int64
	}{{1, 0}, {3, 0}, {1, 256 << 10}, {4, 300 << 10}} {
		o := Options{
			Inputs: []string{in}, Output: filepath.Join(dir, fmt.Sprint("out", i)), Workers: c.workers, Memory: 512 << 20,
			SplitSize: 100_000, BlockSize: 4 << 10, FileSize: 150_000, Index: []string{"at.name", "key"},
		}
		rep, err := convertWith(t, o, c.shuffle)
		if err != nil {
			t.Fatalf("%+v: %v", c, err)
		}
		checkFiles(t, o, rep, 40080)
		if got := strings.Join(rep.Options.Index, " "); got != "key at#name" {
			t.Errorf("the report's index is %q", got)
		}
		if i == 0 {
			want = rep.Outputs
		}
		for k := range want {
			if len(rep.Outputs) != len(want) || rep.Outputs[k] != want[k] {
				t.Fatalf("%+v: outputs differ:\ngot  %+v\nwant %+v", c, rep.Outputs, want)
			}
		}
	}
	if len(want) < 3 {
		t.Errorf("only %d files", len(want))
	}
	for _, out := range want {
		checkIndexed(t, filepath.Join(dir, "out0", out.Path))
	}
}

// checkIndexed compares first values with the blocks that they are of.
func checkIndexed(t *testing.T, name string) {
	t.Helper()
	file, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	r, err := trevni.NewReader(bytes.NewReader(file), int64(len(file)), nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range r.Header().Columns {
		if indexed := c.Name == "key" || c.Name == "at#name"; c.FirstValues != indexed {
			t.Errorf("%s: column %q: first values %t", name, c.Name, c.FirstValues)
		}
		blocks, err := r.Blocks(i)
		if err != nil {
			t.Fatal(err)
		}
		for k, b := range blocks {
			raw, err := r.ReadBlock(i, k, nil)
			if err != nil {
				t.Fatal(err)
			}
			if c.FirstValues && (len(b.FirstValue) == 0 || !bytes.HasPrefix(raw, b.FirstValue)) {
				t.Errorf("%s: column %q block %d: first value %x", name, c.Name, k, b.FirstValue)
			}
		}
	}
}

// A row that is not in order is named with its file, wherever it stands, and nothing
// is left of the output.
func TestUnsortedInputs(t *testing.T) {
	out := func(keys []int, row, key int) []int { keys[row] = key; return keys }
	for _, tt := range []struct {
		name  string
		files [][]int
		index string
		want  string // %s stands for the folder
	}{
		{"within a run", [][]int{out(upTo(0, 1000), 7, 1)}, "key", `a.avro: row 7: jobs: column is not sorted: "key" is less`},
		{"by string", [][]int{out(upTo(0, 1000), 7, 1)}, "at#name", `a.avro: row 7: jobs: column is not sorted: "at#name"`},
		{"in a later split", [][]int{out(upTo(0, 9000), 17001, 3)}, "key", "a.avro: row 17001: "},
		{"the first of a later input", [][]int{upTo(0, 9000), upTo(10, 30)}, "key", "b.avro: row 0: "},
		{"in the last of small inputs", [][]int{upTo(0, 9), upTo(9, 20), upTo(20, 30), out(upTo(30, 60), 50, 53)}, "key", "d.avro: row 50: "},
		{"after an input in several splits", [][]int{upTo(0, 9000), out(upTo(9000, 15000), 11111, 0)}, "key", "b.avro: row 11111: "},
		{"doubles", [][]int{upTo(0, 10)}, "noise", `a.avro: row 6: jobs: column is not sorted: "noise"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			var in []string
			for i, keys := range tt.files {
				in = append(in, filepath.Join(dir, string(rune('a'+i))+".avro"))
				writeKeyed(t, in[i], keys...)
			}
			for _, fileSize := range []int64{0, 60_000} {
				o := Options{Inputs: in, Output: filepath.Join(dir, "out"), SplitSize: 100_000, BlockSize: 4 << 10, FileSize: fileSize, Index: []string{tt.index}}
				_, err := Convert(t.Context(), &o)
				wantExit(t, err, exit.StatusFailed, filepath.Join(dir, tt.want))
				if _, err := os.Stat(o.Output); !os.IsNotExist(err) {
					t.Errorf("output is left: %v", err)
				}
			}
		})
	}
}

// Columns that cannot have first values are refused before anything is written, in a
// dry run too.
func TestIndexIsRefused(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "a.avro")
	writeKeyed(t, in, 1, 2, 3)
	for name, want := range map[string]string{
		"nothing":      `index: "nothing": no such column`,
		"at#ok":        `index: column "at#ok", boolean: Avro's Java implementation misreads`,
		"none":         `index: column "none", null: nulls have no order`,
		"maybe":        `index: column "maybe/double", double: the format has no first values for arrays`,
		"tags":         `index: column "tags[]", int: the format`,
		"u":            `index: "u": several columns are of this field: "u/int", "u/string"`,
		"maybe/double": `the format has no first values for`,
	} {
		o := Options{Inputs: []string{in}, Output: filepath.Join(dir, "out"), Index: []string{"key", name}}
		_, err := Convert(t.Context(), &o)
		wantExit(t, err, exit.StatusRefused, want)
		wantExit(t, Describe(t.Context(), &o, new(bytes.Buffer)), exit.StatusRefused, want)
		if _, err := os.Stat(o.Output); !os.IsNotExist(err) {
			t.Errorf("%s: output is left: %v", name, err)
		}
	}
	o := Options{Inputs: []string{in}, Output: filepath.Join(dir, "out"), Index: []string{""}}
	wantExit(t, o.Validate(), exit.StatusUsage, "index: the name is empty")
	o.Index = []string{"at.name"}
	var plan bytes.Buffer
	if err := Describe(t.Context(), &o, &plan); err != nil || !strings.Contains(plan.String(), "\"at#name\"       string   first values\n") {
		t.Errorf("%v: the plan is\n%s", err, plan.String())
	}
	if _, err := Convert(t.Context(), &o); err != nil {
		t.Error(err)
	}
}

// A file whose data look like another block is read rightly, before its order is judged.
func TestIndexAndFalseMarkers(t *testing.T) {
	in := filepath.Join("..", "testdata", "avro", "handmade-false-block-in-data.avro")
	o := Options{Inputs: []string{in}, Output: filepath.Join(t.TempDir(), "out")}
	one, err := Convert(t.Context(), &o)
	if err != nil {
		t.Fatal(err)
	}
	o.Index = []string{"id"}
	for size := int64(1 << 10); size < one.Inputs[0].Size; size += 511 {
		o.SplitSize, o.Output = size, filepath.Join(t.TempDir(), "out")
		if rep, err := Convert(t.Context(), &o); err != nil || rep.Counters.Rows != one.Counters.Rows {
			t.Errorf("in splits of %d: %v", size, err)
		}
	}
}
