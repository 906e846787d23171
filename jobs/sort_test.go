package jobs

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"avro2trevni/internal/avrotest"
	"avro2trevni/internal/exit"
	"avro2trevni/internal/ocf"
	"avro2trevni/internal/rowsort"
	"avro2trevni/internal/schema"
	"avro2trevni/internal/units"
	"avro2trevni/jobs/memory"
	"avro2trevni/jobs/stages"
	"avro2trevni/record"
	"avro2trevni/trevni"
)

// openTable opens a part file.
func openTable(t *testing.T, name string) *trevni.Reader {
	t.Helper()
	data, err := os.ReadFile(name)
	must(t, err)
	r, err := trevni.NewReader(bytes.NewReader(data), int64(len(data)), nil)
	must(t, err)
	return r
}

// tableRows returns the rows of a part file as Avro has them.
func tableRows(t *testing.T, name string) (rows [][]byte) {
	t.Helper()
	r, err := record.NewReader(openTable(t, name), nil)
	must(t, err)
	for {
		row, _, err := r.ReadRows(nil, 1)
		if err == io.EOF {
			return rows
		}
		must(t, err)
		rows = append(rows, row)
	}
}

// writeAvro writes rows, which are as Avro has them, into a file.
func writeAvro(t *testing.T, name, schema string, rows ...[]byte) {
	t.Helper()
	must(t, os.WriteFile(name, []byte(avroFile(t, schema, rows...)), 0o666))
}

// avroFile returns an Avro file of rows.
func avroFile(t *testing.T, schema string, rows ...[]byte) string {
	t.Helper()
	var file bytes.Buffer
	w, err := ocf.NewWriter(&file, &ocf.WriterOptions{Schema: schema, Codec: "snappy", BlockBytes: 4 << 10})
	must(t, err)
	for _, row := range rows {
		must(t, w.Append(row, 1))
	}
	must(t, w.Close())
	return file.String()
}

// record1 returns a row of a long and a string.
func record1(id int64, text string) []byte {
	row := binary.AppendVarint(nil, id)
	return append(binary.AppendVarint(row, int64(len(text))), text...)
}

const record1Schema = `{"type":"record","name":"r","fields":[{"name":"id","type":"long"},{"name":"text","type":"string"}]}`

// The first column gets first values where it can have them, and rows that are alike stay
// in order.
func TestSortBy(t *testing.T) {
	t.Chdir(t.TempDir())
	writeKeyed(t, "a.avro", append(upTo(500, 900), upTo(100, 700)...)...)
	writeKeyed(t, "b.avro", upTo(0, 400)...)
	s, err := schema.Parse(keyed)
	must(t, err)
	rows := func(name string) [][]byte {
		_, err := Convert(t.Context(), &Options{Inputs: []string{"a.avro", "b.avro"}, Output: name})
		must(t, err)
		return tableRows(t, name)
	}
	in := rows("plain.trv")
	for i, c := range []struct {
		by      []string
		indexed string
	}{
		{[]string{"key"}, "key"},
		{[]string{"at.name:asc", "noise"}, "at#name"},
		{[]string{"noise", "key:desc"}, "noise"},
		{[]string{"key:desc"}, ""},
		{[]string{"at.ok", "key"}, ""},
		{[]string{"maybe"}, ""},
		{[]string{"u"}, ""},
	} {
		name := fmt.Sprintf("out%d.trv", i)
		rep, err := Convert(t.Context(), &Options{Inputs: []string{"a.avro", "b.avro"}, Output: name, SortBy: c.by, BlockSize: 2 << 10, Verify: true})
		must(t, err)
		want := slices.Clone(in)
		avrotest.SortBy(s, want, slices.Collect(func(yield func(string) bool) {
			for _, f := range c.by {
				if !yield(strings.TrimSuffix(f, ":asc")) {
					return
				}
			}
		})...)
		if got := tableRows(t, name); !slices.EqualFunc(got, want, bytes.Equal) {
			t.Errorf("%v: not the rows in order", c.by)
		}
		var indexed []string
		for _, col := range openTable(t, name).Header().Columns {
			if col.FirstValues {
				indexed = append(indexed, col.Name)
			}
		}
		if strings.Join(indexed, " ") != c.indexed {
			t.Errorf("%v: first values of %v, want %q", c.by, indexed, c.indexed)
		}
		if rep.Inputs[0].Rows != 2000 || rep.Inputs[1].Rows != 800 || !slices.Equal(rep.Options.SortBy, c.by) {
			t.Errorf("%v: report %+v, %v", c.by, rep.Inputs, rep.Options.SortBy)
		}
	}
}

func TestSortByRefused(t *testing.T) {
	t.Chdir(t.TempDir())
	writeKeyed(t, "a.avro", upTo(0, 10)...)
	writeAvro(t, "hollow.avro", `{"type":"record","name":"r","fields":[{"name":"f","type":{"type":"fixed","name":"f0","size":0}}]}`, nil, nil)
	for _, c := range []struct {
		in   string
		by   string
		exit int
		want string
	}{
		{"a.avro", "", exit.StatusUsage, "the name is empty"},
		{"a.avro", "key:down", exit.StatusUsage, "must be asc or desc"},
		{"a.avro", "key,key:desc", exit.StatusUsage, `"key" is given twice`},
		{"a.avro", "tags", exit.StatusRefused, `"tags" is, or is in, a type array`},
		{"a.avro", "at", exit.StatusRefused, `"at" is a record: name its fields`},
		{"a.avro", "none", exit.StatusRefused, "nothing to compare"},
		{"a.avro", "nope", exit.StatusRefused, `there is no "nope"; there are key, at`},
		{"hollow.avro", "f", exit.StatusRefused, "its rows take no bytes"},
	} {
		o := &Options{Inputs: []string{c.in}, Output: "out", SortBy: strings.Split(c.by, ",")}
		_, err := Convert(t.Context(), o)
		if exit.Code(err) != c.exit || !strings.Contains(fmt.Sprint(err), c.want) {
			t.Errorf("%q: exit %d, %v; want %d, %s", c.by, exit.Code(err), err, c.exit, c.want)
		}
		if err := Describe(t.Context(), o, io.Discard); exit.Code(err) != c.exit {
			t.Errorf("%q: described: %v", c.by, err)
		}
		if _, err := os.Stat("out"); err == nil {
			t.Errorf("%q: something was written", c.by)
		}
	}
}

// A column that --index names, and the order does not sort, is refused when that shows; a
// value too long for first values is no reason to fail if nobody asked for them.
func TestSortByAndIndex(t *testing.T) {
	t.Chdir(t.TempDir())
	long := strings.Repeat("z", 5000)
	writeAvro(t, "a.avro", record1Schema, record1(3, "b"), record1(2, long), record1(1, "a"))
	convert := func(index ...string) error {
		_, err := Convert(t.Context(), &Options{Inputs: []string{"a.avro"}, Output: "out.trv", IfExists: IfExistsReplace, SortBy: []string{"text"}, Index: index})
		return err
	}
	must(t, convert())
	if openTable(t, "out.trv").Header().Columns[1].FirstValues {
		t.Error("a column with a long value has first values")
	}
	if err := convert("text"); err == nil || !strings.Contains(err.Error(), "too long") {
		t.Errorf("asked for, and too long: %v", err)
	}
	if err := convert("id"); !errors.Is(err, stages.ErrUnsorted) || !strings.Contains(err.Error(), `"id" does not ascend in the order that the rows are sorted to`) {
		t.Errorf("not sorted: %v", err)
	}
}

// Rows of 50 MB are sorted within a memory that holds few of them, and keys of 50 MB are
// refused, with their place.
func TestSortLarge(t *testing.T) {
	if testing.Short() {
		t.Skip("large")
	}
	t.Chdir(t.TempDir())
	text := strings.Repeat("large and dull ", 50<<20/15)
	var rows [][]byte
	for _, id := range []int64{5, 3, 4, 1, 2} {
		rows = append(rows, record1(id, text[int(id):]))
	}
	writeAvro(t, "a.avro", record1Schema, rows...)
	o := Options{Inputs: []string{"a.avro"}, Output: "out.trv", SortBy: []string{"id"}, Memory: 800 << 20, TempDirs: []string{t.TempDir()}}
	_, err := Convert(t.Context(), &o)
	must(t, err)
	r, err := openTable(t, "out.trv").Column(0)
	must(t, err)
	for want := int64(1); want <= 5; want++ {
		var id [1]int64
		if _, err := r.ReadLongs(id[:]); err != nil || id[0] != want {
			t.Fatalf("row %d: %d, %v", want, id[0], err)
		}
	}
	o.SortBy, o.IfExists = []string{"text"}, IfExistsReplace
	_, err = Convert(t.Context(), &o)
	if !errors.Is(err, rowsort.ErrLongKey) || !strings.Contains(err.Error(), "a.avro: bytes 0 to ") || !strings.Contains(err.Error(), "row 0 of that range") {
		t.Errorf("a key of 50 MB: %v", err)
	}
}

// Damage is skipped as it is without sorting, and no row that is sorted is of it.
func TestSortSkipsDamage(t *testing.T) {
	t.Chdir(t.TempDir())
	data, spans := blocksOf(t, "snappy", 0, 50, 50, 50, 50)
	data[spans[2].from+20]++
	must(t, os.WriteFile("a.avro", data, 0o666))
	rep, err := Convert(t.Context(), &Options{Inputs: []string{"a.avro"}, Output: "out.trv", SortBy: []string{"id:desc"}, OnCorrupt: CorruptSkipBlock})
	if exit.Code(err) != exit.StatusSome {
		t.Fatal(err)
	}
	if rep.Counters.Rows != 150 || rep.Counters.SkippedRows != 50 || rep.Inputs[0].Rows != 150 {
		t.Errorf("%+v", rep.Counters)
	}
	rows := tableRows(t, "out.trv")
	for i, want := 0, int64(199); want >= 0; want-- {
		if want >= 100 && want < 150 {
			continue
		}
		if id, _ := binary.Varint(rows[i]); id != want {
			t.Fatalf("row %d is of %d, want %d", i, id, want)
		}
		i++
	}
}

// Temporary files of the sort count among those that are limited, and are gone after it.
func TestSortTempLimit(t *testing.T) {
	t.Chdir(t.TempDir())
	must(t, os.Mkdir("tmp", 0o777))
	var rows [][]byte
	for i := range int64(300_000) {
		rows = append(rows, record1(i*7919%300_007, fmt.Sprintf("%x", i*i*i*2654435761)))
	}
	writeAvro(t, "a.avro", record1Schema, rows...)
	o := Options{Inputs: []string{"a.avro"}, Output: "out", SortBy: []string{"id"}, TempDirs: []string{"tmp"}, Workers: 2}
	o.divide = func(m *memory.Share) {
		m.Chunks, m.Runs = 2*rowsort.LeastMemory, rowsort.LeastShuffle(2)
	}
	rep, err := Convert(t.Context(), &o)
	must(t, err)
	if rep.Run.SpilledBytes == 0 || rep.Run.TempBytes == 0 {
		t.Errorf("nothing was spilled: %+v", rep.Run)
	}
	o.IfExists, o.TempLimit = IfExistsReplace, units.MiB
	if _, err := Convert(t.Context(), &o); err == nil || !strings.Contains(err.Error(), "--temp-limit") {
		t.Errorf("with a limit: %v", err)
	}
	if left, _ := filepath.Glob("tmp/*"); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// Runs that append sort what they add, with the same flags; a compaction sorts what it
// merges.
func TestSortAppendCompact(t *testing.T) {
	t.Chdir(t.TempDir())
	convert := func(by ...string) error {
		_, err := Convert(t.Context(), &Options{Inputs: []string{"in"}, Output: "out", IfExists: IfExistsAppend, SortBy: by})
		return err
	}
	must(t, os.Mkdir("in", 0o777))
	writeAvro(t, "in/1.avro", record1Schema, record1(3, "c"), record1(1, "a"), record1(3, "b"))
	must(t, convert("id"))
	writeAvro(t, "in/2.avro", record1Schema, record1(2, "y"), record1(4, "z"), record1(1, "x"))
	if err := convert(); exit.Code(err) != exit.StatusRefused || !strings.Contains(err.Error(), "was made with --sort-by") {
		t.Errorf("appended without the order: %v", err)
	}
	must(t, convert("id"))
	if got, want := tableRows(t, "out/part-00001.trv"), [][]byte{record1(1, "x"), record1(2, "y"), record1(4, "z")}; !slices.EqualFunc(got, want, bytes.Equal) {
		t.Errorf("appended: %q", got)
	}
	_, err := Compact(t.Context(), &Options{Output: "out"})
	must(t, err)
	want := [][]byte{record1(1, "a"), record1(1, "x"), record1(2, "y"), record1(3, "c"), record1(3, "b"), record1(4, "z")}
	if got := tableRows(t, "out/part-00000.trv"); !slices.EqualFunc(got, want, bytes.Equal) {
		t.Errorf("compacted: %q", got)
	}
	if !openTable(t, "out/part-00000.trv").Header().Columns[0].FirstValues {
		t.Error("compacted: no first values")
	}
}
