package jobs

import (
	"encoding/binary"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cespare/xxhash/v2"
	"github.com/parquet-go/parquet-go/bloom"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"avro2trevni/internal/exit"
	"avro2trevni/internal/storage/storagetest"
	"avro2trevni/jobs/report"
)

// wireFooter returns the footer that a file ends with, as another library reads it.
func wireFooter(t *testing.T, file string) *format.FileMetaData {
	t.Helper()
	end := len(file) - 8
	n := int(binary.LittleEndian.Uint32([]byte(file[end:])))
	f := new(format.FileMetaData)
	must(t, thrift.Unmarshal(new(thrift.CompactProtocol), []byte(file[end-n:end]), f))
	return f
}

// filterOf returns the bloom filter of a chunk, nil if it has none.
func filterOf(t *testing.T, file string, c *format.ColumnChunk) bloom.SplitBlockFilter {
	t.Helper()
	if c.MetaData.BloomFilterOffset == 0 {
		return nil
	}
	at := file[c.MetaData.BloomFilterOffset:]
	at = at[:c.MetaData.BloomFilterLength]
	r := strings.NewReader(at)
	var h format.BloomFilterHeader
	must(t, thrift.NewDecoder(new(thrift.CompactProtocol).NewReader(r)).Decode(&h))
	if int(h.NumBytes) != r.Len() {
		t.Fatalf("a filter of %d bytes, and %d are there", h.NumBytes, r.Len())
	}
	return bloom.MakeSplitBlockFilter([]byte(at[len(at)-r.Len():]))
}

// Row groups have the bloom filters that are wanted, of their values and few others, also where
// a file ends within one; the bytes do not depend on workers, memory or spills.
func TestParquetBloom(t *testing.T) {
	const rows = 16000
	value := func(id int64) []byte { return binary.LittleEndian.AppendUint64(nil, uint64(id)) }
	dir := t.TempDir()
	in := filepath.Join(dir, "in.avro")
	file, _ := blocksOf(t, "null", 0, slices.Repeat([]int{100}, rows/100)...)
	must(t, os.WriteFile(in, file, 0o666))
	var want []report.Output
	spilled := false
	for i, c := range []struct {
		workers int
		shuffle int64
	}{{1, 0}, {3, 0}, {2, 300 << 10}} {
		o := Options{
			Inputs: []string{in}, Output: filepath.Join(dir, fmt.Sprint("out", i)), Format: FormatParquet, Workers: c.workers, Memory: 512 << 20,
			RowGroupSize: 200_000, PageSize: 4 << 10, FileSize: 150_000, Codec: "null", Bloom: []string{"id"}, FooterEvery: 2,
		}
		rep, err := convertWith(t, o, c.shuffle)
		must(t, err)
		spilled = spilled || rep.Run.SpilledBytes > 0
		if want == nil {
			want = rep.Outputs
		}
		if !slices.Equal(rep.Outputs, want) {
			t.Fatalf("%+v: outputs differ:\ngot  %+v\nwant %+v", c, rep.Outputs, want)
		}
	}
	if !spilled || len(want) < 3 {
		t.Errorf("spilled: %v; %d files", spilled, len(want))
	}
	id, wrong := int64(0), 0
	for _, out := range want {
		data, err := os.ReadFile(filepath.Join(dir, "out0", out.Path))
		must(t, err)
		if out.Bytes > 150_000 {
			t.Errorf("%s has %d bytes", out.Path, out.Bytes)
		}
		for _, g := range wireFooter(t, string(data)).RowGroups {
			for c := range g.Columns {
				filter := filterOf(t, string(data), &g.Columns[c])
				if (filter != nil) != (c == 0) {
					t.Fatalf("column %d: filter %v", c, filter != nil)
				}
				if filter == nil {
					continue
				}
				for k := range g.NumRows {
					if !filter.Check(xxhash.Sum64(value(id + k))) {
						t.Fatalf("row %d is not in the filter", id+k)
					}
					if filter.Check(xxhash.Sum64(value(-1 - id - k))) {
						wrong++
					}
				}
			}
			id += g.NumRows
		}
	}
	if id != rows || wrong > rows/25 {
		t.Errorf("%d rows; %d of as many other values seem to be there", id, wrong)
	}
}

// A column is named as the plan lists it, or by its field; others are refused.
func TestParquetBloomColumns(t *testing.T) {
	const schema = `{"type":"record","name":"r","fields":[{"name":"id","type":"long"},{"name":"text","type":"string"},{"name":"ok","type":"boolean"},` +
		`{"name":"tags","type":{"type":"array","items":["null","string"]}},{"name":"u","type":["int","string"]},{"name":"m","type":{"type":"map","values":{"type":"record","name":"v","fields":[{"name":"x","type":"int"}]}}}]}`
	m := storagetest.NewMem()
	m.Write("/in/a.avro", avroFile(t, schema))
	for name, want := range map[string]string{
		"id": "id", "tags": "tags.list.element", "tags.list.element": "tags.list.element", "m.key": "m.key_value.key", "m.value.x": "m.key_value.value.x",
		"u.member1": "u.member1", "text,id,text": "id text",
	} {
		o := Options{Format: FormatParquet, FS: m, TempDirs: []string{os.TempDir()}, Inputs: []string{"/in"}, Output: "/out", Bloom: strings.Split(name, ",")}
		var plan strings.Builder
		must(t, Describe(t.Context(), &o, &plan))
		var got []string
		for line := range strings.Lines(plan.String()) {
			if strings.Contains(line, "bloom filter") {
				got = append(got, strings.Trim(strings.Fields(line)[1], `"`))
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %q, want %s", name, got, want)
		}
	}
	for name, says := range map[string]string{
		"nothing": `bloom: "nothing": no such column`, "ok": `bloom: column "ok" has booleans`,
		"u": `bloom: "u": several columns are of this field: "u.member0", "u.member1"`, "m": `bloom: "m": no such column`,
	} {
		_, err := parquetRun(t, m, Options{Bloom: []string{name}})
		wantExit(t, err, exit.StatusRefused, says)
	}
}

// checkSummary checks that _metadata has the row groups of all files, as these have them, and
// that _common_metadata has none.
func checkSummary(t *testing.T, all map[string]string) {
	t.Helper()
	sum, common := wireFooter(t, all["/out/_metadata"]), wireFooter(t, all["/out/_common_metadata"])
	at := 0
	rows := int64(0)
	names := slices.Sorted(maps.Keys(all))
	for _, name := range names {
		path, ok := strings.CutPrefix(name, "/out/")
		if !ok || !strings.HasSuffix(path, ".parquet") {
			continue
		}
		f := wireFooter(t, all[name])
		if fmt.Sprint(f.Schema) != fmt.Sprint(sum.Schema) || fmt.Sprint(f.Schema) != fmt.Sprint(common.Schema) {
			t.Errorf("%s has another schema than the summary", path)
		}
		for _, g := range f.RowGroups {
			if at == len(sum.RowGroups) {
				t.Fatalf("%s has row groups that the summary lacks", path)
			}
			s := sum.RowGroups[at]
			at++
			for c := range s.Columns {
				if s.Columns[c].FilePath != path || s.Columns[c].MetaData.DataPageOffset != g.Columns[c].MetaData.DataPageOffset {
					t.Errorf("%s: the summary has column %d at %d of %s", path, c, s.Columns[c].MetaData.DataPageOffset, s.Columns[c].FilePath)
				}
			}
			rows += g.NumRows
		}
	}
	if at != len(sum.RowGroups) || rows != sum.NumRows || common.NumRows != 0 || len(common.RowGroups) != 0 {
		t.Errorf("%d row groups and %d rows; the summary has %d and %d, the other %d", at, rows, len(sum.RowGroups), sum.NumRows, len(common.RowGroups))
	}
}

// A summary describes all files of an output, whatever runs made them, and goes with them.
func TestParquetSummary(t *testing.T) {
	m := storagetest.NewMem()
	put(t, m, "/in/a.avro", 0, 9000)
	with := Options{Summary: true, FileSize: 112 << 10, RowGroupSize: 64 << 10, Codec: "null"}
	run := func(o Options, how string) error {
		o.IfExists = how
		_, err := parquetRun(t, m, o)
		return err
	}
	must(t, run(with, ""))
	checkSummary(t, m.Files())
	wantExit(t, run(with, ""), exit.StatusRefused, "holds")
	first := m.Files()["/out/_metadata"]

	put(t, m, "/in/b.avro", 9000, 12000)
	must(t, run(with, IfExistsAppend))
	checkSummary(t, m.Files())
	if m.Files()["/out/_metadata"] == first || checkParquet(t, m) != 12000 {
		t.Error("the summary is the old one")
	}
	must(t, run(with, IfExistsAppend)) // nothing is new
	checkSummary(t, m.Files())
	without := with
	without.Summary = false
	wantExit(t, run(without, IfExistsAppend), exit.StatusRefused, "was made with --summary true, not none")

	must(t, run(with, IfExistsReplace))
	checkSummary(t, m.Files())
	must(t, run(without, IfExistsReplace))
	if all := m.Files(); all["/out/_metadata"] != "" || all["/out/_common_metadata"] != "" {
		t.Error("the summary of files that are gone is there")
	}

	with.PartitionBy = "id"
	m.Remove("/in/b.avro")
	put(t, m, "/in/a.avro", 0, 7)
	must(t, run(with, IfExistsReplace))
	checkSummary(t, m.Files())
}

// Files of these names that no run wrote stay, unless this one writes such.
func TestParquetSummaryOfOthers(t *testing.T) {
	m := storagetest.NewMem()
	put(t, m, "/in/a.avro", 0, 10)
	m.Write("/out/_metadata", "mine")
	_, err := parquetRun(t, m, Options{Summary: true})
	wantExit(t, err, exit.StatusRefused, "/out/_metadata: jobs: the output exists, and is not listed")
	_, err = parquetRun(t, m, Options{})
	must(t, err)
	put(t, m, "/in/b.avro", 10, 20)
	_, err = parquetRun(t, m, Options{IfExists: IfExistsAppend})
	must(t, err)
	if m.Files()["/out/_metadata"] != "mine" {
		t.Error("a file that no run wrote is gone")
	}
	_, err = parquetRun(t, m, Options{Summary: true, IfExists: IfExistsReplace})
	must(t, err)
	checkSummary(t, m.Files())
}

// A file that is cut short has the row groups up to its last footer.
func TestParquetFooterEvery(t *testing.T) {
	m := storagetest.NewMem()
	in, _ := blocksOf(t, "null", 0, slices.Repeat([]int{100}, 200)...)
	m.Write("/in/a.avro", string(in))
	_, err := parquetRun(t, m, Options{Output: "/one.parquet", RowGroupSize: 64 << 10, FooterEvery: 2})
	must(t, err)
	file := m.Files()["/one.parquet"]
	whole := wireFooter(t, file)
	if len(whole.RowGroups) < 5 {
		t.Fatalf("%d row groups", len(whole.RowGroups))
	}
	third := int(whole.RowGroups[2].FileOffset)
	cut := wireFooter(t, file[:third]) // where the third row group would begin
	if len(cut.RowGroups) != 2 || fmt.Sprint(cut.Schema) != fmt.Sprint(whole.Schema) {
		t.Errorf("%d row groups", len(cut.RowGroups))
	}
}
