package jobs

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"avro2trevni/internal/exit"
	"avro2trevni/jobs/memory"
	"avro2trevni/jobs/report"
)

// partitioned converts the files of a folder and returns the rows of each part file.
func partitioned(t *testing.T, o Options) (*report.Report, map[string][][]byte, error) {
	t.Helper()
	o.Inputs, o.Output = []string{"in"}, "out"
	rep, err := Convert(t.Context(), &o)
	files := map[string][][]byte{}
	for _, pattern := range []string{"out/*.trv", "out/*/*.trv"} {
		names, _ := filepath.Glob(pattern)
		for _, name := range names {
			files[strings.TrimPrefix(name, "out/")] = tableRows(t, name)
		}
	}
	return rep, files, err
}

func parted(id int64, part, s string) []byte {
	row := append(binary.AppendVarint(nil, id), 0)
	if part != "null" {
		row = append(row[:len(row)-1], append([]byte{2}, textBytes(part)...)...)
	}
	return append(row, textBytes(s)...)
}

// equalRows compares files by their rows.
func equalRows(t *testing.T, what string, got, want map[string][][]byte) {
	t.Helper()
	if !maps.EqualFunc(got, want, func(a, b [][]byte) bool { return slices.EqualFunc(a, b, bytes.Equal) }) {
		t.Errorf("%s: (-want +got)\n%s", what, cmp.Diff(want, got))
	}
}

// Rows go to the folder of their value, in order; a replacement takes away folders that it
// has nothing for, appending goes on where each folder ends.
func TestPartitionBy(t *testing.T) {
	t.Chdir(t.TempDir())
	must(t, os.Mkdir("in", 0o777))
	writeAvro(t, "in/1.avro", partedSchema, parted(1, "b", "x"), parted(2, "a/1", "y"), parted(3, "null", "z"), parted(4, "b", "w"), parted(5, "", "v"), parted(6, "B", "u"))
	rep, got, err := partitioned(t, Options{PartitionBy: "part", Verify: true})
	must(t, err)
	const none = "part=__HIVE_DEFAULT_PARTITION__/"
	equalRows(t, "first", got, map[string][][]byte{
		"part=B/part-00000.trv":     {parted(6, "B", "u")},
		none + "part-00000.trv":     {parted(3, "null", "z"), parted(5, "", "v")},
		"part=a%2F1/part-00000.trv": {parted(2, "a/1", "y")},
		"part=b/part-00000.trv":     {parted(1, "b", "x"), parted(4, "b", "w")},
	})
	var names []string
	for _, o := range rep.Outputs {
		names = append(names, o.Path)
	}
	if !slices.Equal(names, slices.Sorted(maps.Keys(got))) || rep.Counters.Rows != 6 || rep.Options.PartBy != "part" {
		t.Errorf("report: %v, %+v", names, rep.Counters)
	}
	if _, _, err := partitioned(t, Options{PartitionBy: "part"}); exit.Code(err) != exit.StatusRefused || !strings.Contains(err.Error(), "out holds _SUCCESS: jobs: the output exists") {
		t.Errorf("once more: %v", err)
	}
	if _, err := Compact(t.Context(), &Options{Output: "out"}); exit.Code(err) != exit.StatusRefused || !strings.Contains(err.Error(), "in the folders of partitions") {
		t.Errorf("compacted: %v", err)
	}

	writeAvro(t, "in/2.avro", partedSchema, parted(8, "c", "x"), parted(7, "b", "y"))
	_, got, err = partitioned(t, Options{PartitionBy: "part", IfExists: IfExistsAppend})
	must(t, err)
	if len(got) != 6 || got["part=b/part-00001.trv"] == nil || got["part=c/part-00000.trv"] == nil {
		t.Errorf("appended: %v", slices.Sorted(maps.Keys(got)))
	}
	if _, _, err := partitioned(t, Options{IfExists: IfExistsAppend}); exit.Code(err) != exit.StatusRefused || !strings.Contains(fmt.Sprint(err), "was made with --partition-by part") {
		t.Errorf("appended without partitions: %v", err)
	}

	must(t, os.WriteFile("out/part=b/mine", nil, 0o666))
	must(t, os.Remove("in/1.avro"))
	_, got, err = partitioned(t, Options{PartitionBy: "part", SortBy: []string{"id"}, IfExists: IfExistsReplace})
	must(t, err)
	equalRows(t, "replaced", got, map[string][][]byte{
		"part=b/part-00000.trv": {parted(7, "b", "y")}, "part=c/part-00000.trv": {parted(8, "c", "x")},
	})
	_, got, err = partitioned(t, Options{IfExists: IfExistsReplace})
	must(t, err)
	equalRows(t, "no partitions", got, map[string][][]byte{"part-00000.trv": {parted(8, "c", "x"), parted(7, "b", "y")}})
	left, _ := filepath.Glob("out/part=*/*")
	if dirs, _ := filepath.Glob("out/part=*"); !slices.Equal(left, []string{"out/part=b/mine"}) || len(dirs) != 1 {
		t.Errorf("left: %v, %v", dirs, left)
	}
}

// Many partitions, files in each, sorted: the same bytes for any workers and memory.
func TestPartitionsAreTheSame(t *testing.T) {
	t.Chdir(t.TempDir())
	must(t, os.Mkdir("in", 0o777))
	var rows [][]byte
	want := map[string][][]byte{}
	for i := range int64(20_000) {
		part := fmt.Sprint("p", i*i%37)
		row := parted(i*7919%20_011, part, strings.Repeat(fmt.Sprint(i*i), int(i%9)))
		rows = append(rows, row)
		want["part="+part] = append(want["part="+part], row)
	}
	writeAvro(t, "in/1.avro", partedSchema, rows[:15_000]...)
	writeAvro(t, "in/2.avro", partedSchema, rows[15_000:]...)
	var first map[string]string
	for _, workers := range []int{1, 3} {
		o := Options{PartitionBy: "part", IfExists: IfExistsReplace, FileSize: 6 << 10, BlockSize: 1 << 10, SplitSize: 8 << 10, Workers: workers}
		if workers > 1 {
			o.SplitSize = 8 << 10
			o.divide = func(m *memory.Share) { m.Chunks, m.Runs, m.Merge = 100<<10, 500<<10, 1 }
		}
		rep, got, err := partitioned(t, o)
		must(t, err)
		all, sums := map[string][][]byte{}, map[string]string{}
		for _, name := range slices.Sorted(maps.Keys(got)) {
			all[filepath.Dir(name)] = append(all[filepath.Dir(name)], got[name]...)
		}
		for _, out := range rep.Outputs {
			sums[out.Path] = out.XXH64
		}
		equalRows(t, fmt.Sprint(workers, " workers"), all, want)
		if first == nil {
			first = sums
		}
		if !maps.Equal(first, sums) || len(sums) < 2*len(want) {
			t.Errorf("%d workers: other bytes, or too few files: %d of %d", workers, len(sums), len(first))
		}
	}
}

func TestPartitionByRefused(t *testing.T) {
	t.Chdir(t.TempDir())
	must(t, os.Mkdir("in", 0o777))
	long := strings.Repeat("n", 260)
	text := `{"type":"record","name":"r","fields":[{"name":"id","type":"long"},{"name":"d","type":"double"},{"name":"list","type":{"type":"array","items":"int"}},
		{"name":"u","type":["int","string"]},{"name":"dec","type":{"type":"bytes","logicalType":"decimal","precision":4}},{"name":"s","type":"string"}]}`
	row := func(id int64, s string) []byte {
		return append(append(binary.AppendVarint(nil, id), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 7), textBytes(s)...)
	}
	writeAvro(t, "in/a.avro", text, row(1, "a"), row(2, long), row(3, "c"))
	for _, c := range []struct {
		o    Options
		exit int
		want string
	}{
		{Options{Output: "out.trv", PartitionBy: "id"}, exit.StatusUsage, "the output is one file"},
		{Options{PartitionBy: "id", MaxPartitions: -1}, exit.StatusUsage, "max partitions -1: must be at least 1"},
		{Options{PartitionBy: "nope"}, exit.StatusRefused, `partition by: rows cannot be sorted by it: there is no "nope"`},
		{Options{PartitionBy: "d"}, exit.StatusRefused, `"d" is of type double`},
		{Options{PartitionBy: "dec"}, exit.StatusRefused, `"dec" is a decimal`},
		{Options{PartitionBy: "list"}, exit.StatusRefused, "is, or is in, a type array"},
		{Options{PartitionBy: "u"}, exit.StatusRefused, `"u" is of several types`},
		{Options{PartitionBy: "s"}, exit.StatusFailed, `in/a.avro: bytes 0 to`},
		{Options{PartitionBy: "s"}, exit.StatusFailed, `for its value of "s" would have`},
		{Options{PartitionBy: "id", MaxPartitions: 2}, exit.StatusRefused, "more than 2 partitions"},
	} {
		o := c.o
		o.Inputs, o.Output = []string{"in"}, orDefault(o.Output, "out")
		_, err := Convert(t.Context(), &o)
		if exit.Code(err) != c.exit || !strings.Contains(fmt.Sprint(err), c.want) {
			t.Errorf("%+v: exit %d, %v; want %d, %s", c.o, exit.Code(err), err, c.exit, c.want)
		}
		if c.exit != exit.StatusFailed && c.o.MaxPartitions != 2 { // which shows only when the rows are read
			if err := Describe(t.Context(), &o, io.Discard); exit.Code(err) != c.exit {
				t.Errorf("%+v: described: %v", c.o, err)
			}
		}
		if _, err := os.Stat("out"); err == nil {
			t.Errorf("%+v: something was written", c.o)
		}
	}
}

// Inputs without rows have no partitions: there is only _SUCCESS, to which others are
// appended.
func TestPartitionsOfNothing(t *testing.T) {
	t.Chdir(t.TempDir())
	must(t, os.Mkdir("in", 0o777))
	writeAvro(t, "in/1.avro", partedSchema)
	o := Options{PartitionBy: "part", IfExists: IfExistsAppend}
	rep, got, err := partitioned(t, o)
	must(t, err)
	if len(got) > 0 || len(rep.Outputs) > 0 {
		t.Errorf("%v, %v", got, rep.Outputs)
	}
	writeAvro(t, "in/2.avro", partedSchema, parted(1, "a", "s"))
	_, got, err = partitioned(t, o)
	must(t, err)
	equalRows(t, "appended", got, map[string][][]byte{"part=a/part-00000.trv": {parted(1, "a", "s")}})
}

// A link in the place of a partition's folder is not followed.
func TestPartitionLink(t *testing.T) {
	t.Chdir(t.TempDir())
	must(t, os.Mkdir("in", 0o777))
	writeAvro(t, "in/1.avro", partedSchema, parted(1, "a", "s"))
	must(t, os.MkdirAll("out", 0o777))
	must(t, os.Symlink("..", "out/part=a"))
	_, _, err := partitioned(t, Options{PartitionBy: "part"})
	if exit.Code(err) != exit.StatusRefused || !strings.Contains(err.Error(), "part=a: is a link") {
		t.Error(err)
	}
}
