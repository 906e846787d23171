package jobs

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"avro2trevni/internal/exit"
	"avro2trevni/internal/storage/storagetest"
	"avro2trevni/internal/units"
	"avro2trevni/jobs/report"
	"avro2trevni/parquet/reader"
)

// infoOf reads the footer of a file.
func infoOf(t *testing.T, file string) *reader.File {
	t.Helper()
	info, err := reader.Open(strings.NewReader(file), int64(len(file)), nil)
	must(t, err)
	return info
}

// parquetRun converts what is in /in to Parquet files in /out.
func parquetRun(t *testing.T, m *storagetest.Mem, o Options) (*report.Report, error) {
	t.Helper()
	o.Format, o.FS, o.Memory, o.TempDirs = FormatParquet, m, 128<<20, []string{os.TempDir()}
	o.Inputs, o.Output = []string{"/in"}, orDefault(o.Output, "/out")
	return Convert(t.Context(), &o)
}

// checkParquet checks that the files of /out are those of its manifest, and have as many rows as
// it says, and returns these.
func checkParquet(t *testing.T, m *storagetest.Mem) (rows int64) {
	t.Helper()
	var rep report.Report
	all := m.Files()
	must(t, json.Unmarshal([]byte(all["/out/_SUCCESS"]), &rep))
	for _, out := range rep.Outputs {
		file := all["/out/"+out.Path]
		if digest(file) != out.XXH64 || int64(len(file)) != out.Bytes {
			t.Fatalf("%s is not the file that is listed", out.Path)
		}
		if info := infoOf(t, file); info.Rows != out.Rows {
			t.Errorf("%s has %d rows, %d are reported", out.Path, info.Rows, out.Rows)
		}
		rows += out.Rows
	}
	if rows != rep.Counters.Rows {
		t.Errorf("%d rows in all files, %d are reported", rows, rep.Counters.Rows)
	}
	if n := left(m); len(n) > 0 {
		t.Errorf("left: %v", n)
	}
	return rows
}

// The bytes of Parquet files follow from inputs and options, whatever the workers, the memory,
// the number of spills and of temporary folders.
func TestSameParquetBytes(t *testing.T) {
	for shape, s := range shapes {
		t.Run(shape, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			in := filepath.Join(dir, "in")
			must(t, os.Mkdir(in, 0o777))
			makeInput(t, filepath.Join(in, "a.avro"), shape, 0, s.rows)
			for i := range 3 { // small files, in one row group
				makeInput(t, filepath.Join(in, fmt.Sprintf("b%d.avro", i)), shape, 10*i, 10*i+7)
			}
			var want []report.Output
			spilled := false
			for i, c := range []struct {
				workers, dirs int
				shuffle       int64
			}{{1, 0, 0}, {2, 0, 0}, {5, 0, 0}, {1, 1, 256 << 10}, {2, 1, 300 << 10}, {3, 3, 1 << 20}} {
				o := Options{
					Inputs: []string{in}, Output: filepath.Join(dir, fmt.Sprint("out", i)), Format: FormatParquet, Workers: c.workers, Memory: 512 << 20,
					RowGroupSize: 150_000, PageSize: 4 << 10, FileSize: 300_000, Codec: "null", Encodings: EncodingsModern,
				}
				for k := range c.dirs {
					o.TempDirs = append(o.TempDirs, filepath.Join(dir, fmt.Sprint("temp", i, k)))
					must(t, os.Mkdir(o.TempDirs[k], 0o777))
				}
				rep, err := convertWith(t, o, c.shuffle)
				if err != nil {
					t.Fatalf("%+v: %v", c, err)
				}
				spilled = spilled || rep.Run.SpilledBytes > 0
				if i == 0 {
					want = rep.Outputs
				}
				if !slices.Equal(rep.Outputs, want) {
					t.Fatalf("%+v: outputs differ:\ngot  %+v\nwant %+v", c, rep.Outputs, want)
				}
			}
			rows := int64(0)
			for _, out := range want {
				file, err := os.ReadFile(filepath.Join(dir, "out0", out.Path))
				must(t, err)
				rows += infoOf(t, string(file)).Rows
			}
			if rows != int64(s.rows+21) {
				t.Errorf("%d rows, want %d", rows, s.rows+21)
			}
			if !spilled {
				t.Error("nothing was spilled: the bound of memory was not tried")
			}
		})
	}
}

// With the least memory that is accepted the bytes are those with plenty, whether rows are sorted
// or not.
func TestParquetLeastMemory(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in.avro")
	makeInput(t, in, "nested", 0, 12000)
	for _, sort := range [][]string{nil, {"id:desc"}} {
		var want []report.Output
		for i, memory := range []int64{1 << 30, 16 << 20} {
			o := Options{
				Inputs: []string{in}, Output: filepath.Join(dir, fmt.Sprint(len(sort), i)), Format: FormatParquet, Memory: memory, Workers: 1 + 2*i,
				FileSize: units.MiB, RowGroupSize: 256 * units.KiB, Codec: "zstd", SortBy: sort, TempDirs: []string{dir},
			}
			rep, err := Convert(t.Context(), &o)
			for tries := 0; err != nil && tries < 300 && strings.Contains(err.Error(), "needs at least"); tries++ {
				o.Memory += units.MiB
				rep, err = Convert(t.Context(), &o)
			}
			must(t, err)
			t.Logf("sorted by %q, %d bytes of memory", sort, o.Memory)
			if i == 0 {
				want = rep.Outputs
			}
			if !slices.Equal(rep.Outputs, want) {
				t.Errorf("sorted by %q, with %d bytes of memory:\ngot  %+v\nwant %+v", sort, o.Memory, rep.Outputs, want)
			}
		}
	}
}

// noise makes a file of rows that are hard to compress, of about so many bytes each.
func noise(t *testing.T, rows, size int) string {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	all := make([][]byte, rows)
	for i := range all {
		text := make([]byte, size)
		for k := range text {
			text[k] = byte(' ' + r.IntN(90))
		}
		all[i] = record1(int64(i), string(text))
	}
	return avroFile(t, record1Schema, all...)
}

// No file is larger than it may be, and where there is room for 20 stations, all but the last are
// full.
func TestParquetFileSize(t *testing.T) {
	m := storagetest.NewMem()
	m.Write("/in/a.avro", noise(t, 70_000, 100))
	for _, o := range []Options{
		{FileSize: 2 * units.MiB},
		{FileSize: 2 * units.MiB, RowGroupSize: units.MiB, Codec: "zstd", Encodings: EncodingsModern, PageVersion: 2},
		{FileSize: 3 * units.MiB, RowGroupSize: 64 * units.KiB, PageSize: 8 * units.KiB},
		{FileSize: 2 * units.MiB, SortBy: []string{"text"}},
	} {
		o.IfExists = IfExistsReplace
		rep, err := parquetRun(t, m, o)
		must(t, err)
		if rows := checkParquet(t, m); rows != 70_000 {
			t.Errorf("%d rows", rows)
		}
		if len(rep.Outputs) < 3 {
			t.Errorf("only %d files", len(rep.Outputs))
		}
		for i, out := range rep.Outputs {
			full := float64(out.Bytes) / float64(o.FileSize)
			if full > 1 || full < 0.95 && i < len(rep.Outputs)-1 {
				t.Errorf("%+v: file %d of %d is %.1f%% full", o, i, len(rep.Outputs), 100*full)
			}
		}
	}
}

// Dictionaries leave room in small files: each value comes three times, so that those of a row
// group would be larger than a file.
func TestParquetFileSizeWithDictionaries(t *testing.T) {
	const schema = `{"type":"record","name":"r","fields":[{"name":"a","type":"string"},{"name":"b","type":"string"},{"name":"c","type":"string"},{"name":"d","type":"string"}]}`
	var rows [][]byte
	for i := range 60_000 {
		k := uint64(i/300*100 + i%100)
		var row []byte
		for c := range uint64(4) {
			v := fmt.Sprintf("%016x%016x", (k+1)*0x9e3779b97f4a7c15, (k+c)*0xc2b2ae3d27d4eb4f)
			row = append(append(row, byte(2*len(v))), v...)
		}
		rows = append(rows, row)
	}
	m := storagetest.NewMem()
	m.Write("/in/a.avro", avroFile(t, schema, rows...))
	for _, size := range []int64{units.MiB, 2 * units.MiB} {
		rep, err := parquetRun(t, m, Options{FileSize: size, IfExists: IfExistsReplace})
		must(t, err)
		for i, out := range rep.Outputs {
			full := float64(out.Bytes) / float64(size)
			if full > 1 || full < 0.85 && i < len(rep.Outputs)-1 || len(rep.Outputs) < 2 {
				t.Errorf("--file-size %d: file %d of %d is %.1f%% full", size, i, len(rep.Outputs), 100*full)
			}
		}
	}
}

// A row that is larger than a file may be gets one of its own, and is counted.
func TestParquetLargeRow(t *testing.T) {
	m := storagetest.NewMem()
	large := strings.Repeat("0123456789abcdef", 20_000)
	m.Write("/in/a.avro", avroFile(t, record1Schema, record1(1, "a"), record1(2, large), record1(3, "b")))
	rep, err := parquetRun(t, m, Options{FileSize: 100 * units.KiB, Codec: "null"})
	must(t, err)
	if rows := checkParquet(t, m); rows != 3 || rep.Counters.OversizeFiles != 1 {
		t.Errorf("%d rows; %+v", rows, rep.Counters)
	}
	for _, out := range rep.Outputs {
		if (out.Bytes > 100*units.KiB) != (out.Rows == 1 && out.Bytes > int64(len(large))) {
			t.Errorf("%+v", out)
		}
	}
}

// An output is appended to, replaced by one of another format and back, and empty if there is
// nothing to convert.
func TestParquetOverRuns(t *testing.T) {
	m := storagetest.NewMem()
	put(t, m, "/in/a.avro", 0, 100)
	_, err := parquetRun(t, m, Options{})
	must(t, err)
	first := files(m)["/out/part-00000.parquet"]
	put(t, m, "/in/b.avro", 100, 250)
	_, err = parquetRun(t, m, Options{IfExists: IfExistsAppend})
	must(t, err)
	if rows := checkParquet(t, m); rows != 250 || files(m)["/out/part-00000.parquet"] != first {
		t.Errorf("%d rows, and the first file changed or did not", rows)
	}
	_, err = addRun(t, m, Options{Format: FormatTrevni})
	wantExit(t, err, exit.StatusRefused, "/out")
	_, err = parquetRun(t, m, Options{IfExists: IfExistsAppend, Codec: "zstd"})
	wantExit(t, err, exit.StatusRefused, "--codec snappy, not zstd")
	_, err = Convert(t.Context(), &Options{Inputs: []string{"/in"}, Output: "/out", IfExists: IfExistsReplace, FS: m, TempDirs: []string{os.TempDir()}})
	must(t, err)
	if ids, _ := shown(t, m, "/out"); len(ids) != 250 || len(files(m)) != 4 {
		t.Errorf("%d rows, %v", len(ids), keys(files(m)))
	}
	_, err = parquetRun(t, m, Options{IfExists: IfExistsReplace})
	must(t, err)
	if rows := checkParquet(t, m); rows != 250 || len(files(m)) != 4 {
		t.Errorf("%d rows, %v", rows, keys(files(m)))
	}
}

// Inputs without rows make a file without rows; no inputs make none.
func TestParquetOfNothing(t *testing.T) {
	m := storagetest.NewMem()
	put(t, m, "/in/none.avro", 0, 0)
	_, err := parquetRun(t, m, Options{})
	must(t, err)
	if rows := checkParquet(t, m); rows != 0 {
		t.Errorf("%d rows", rows)
	}
	_, err = parquetRun(t, m, Options{Output: "/one.parquet"})
	must(t, err)
	if info := infoOf(t, m.Files()["/one.parquet"]); info.Rows != 0 || len(info.RowGroups) != 0 || len(info.Schema.Leaves) != 2 {
		t.Errorf("%+v", info)
	}
}

// Damage is skipped as with Trevni: the same rows are left.
func TestParquetSkipsDamage(t *testing.T) {
	for _, policy := range []string{CorruptSkipBlock, CorruptSkipFile} {
		m := storagetest.NewMem()
		a, spans := blocksOf(t, "snappy", 0, 50, 50, 50)
		a[spans[1].from+20]++
		m.Write("/in/a.avro", string(a))
		put(t, m, "/in/b.avro", 200, 300)
		_, err := parquetRun(t, m, Options{})
		wantExit(t, err, exit.StatusFailed, "/in/a.avro")
		if got := files(m); len(got) != 2 {
			t.Errorf("there is %v", keys(got))
		}
		rep, err := parquetRun(t, m, Options{OnCorrupt: policy})
		wantExit(t, err, exit.StatusSome, "")
		want := map[string]int64{CorruptSkipBlock: 200, CorruptSkipFile: 100}[policy]
		if rows := checkParquet(t, m); rows != want || rep.Counters.SkippedBytes == 0 {
			t.Errorf("%s: %d rows, want %d; %+v", policy, rows, want, rep.Counters)
		}
	}
}

// A value that has no place in its column ends the job, with file, row and column; nothing is left.
func TestParquetValues(t *testing.T) {
	const decimals = `{"type":"record","name":"r","fields":[{"name":"id","type":"long"},{"name":"text","type":{"type":"bytes","logicalType":"decimal","precision":4,"scale":2}}]}`
	for name, c := range map[string]struct {
		schema, bad, says string
	}{
		"text":    {record1Schema, "caf\xe9", "not UTF-8"},
		"decimal": {decimals, "\x01\x00\x00", "digits"},
	} {
		for _, sort := range [][]string{nil, {"id:desc"}, {"text", "id"}} {
			m := storagetest.NewMem()
			var rows [][]byte
			for i := range 500 {
				text := "ab"
				if c.schema == decimals {
					text = "\x12\x34"
				}
				if i == 333 {
					text = c.bad
				}
				rows = append(rows, record1(int64(i), text))
			}
			m.Write("/in/a.avro", avroFile(t, c.schema, rows[:100]...))
			m.Write("/in/b.avro", avroFile(t, c.schema, rows[100:]...))
			_, err := parquetRun(t, m, Options{SortBy: sort, Workers: 2})
			wantExit(t, err, exit.StatusFailed, c.says)
			if !strings.Contains(err.Error(), `"text"`) || !strings.Contains(err.Error(), "/in/b.avro: row 233: ") {
				t.Errorf("%s, sorted by %q: %v", name, sort, err)
			}
			if got := files(m); len(got) != 2 {
				t.Errorf("%s: there is %v", name, keys(got))
			}
		}
	}
}

// What is not to be had is refused by its name.
func TestParquetRefusals(t *testing.T) {
	tests := []struct {
		change func(o *Options)
		says   string // empty: legal
	}{
		{func(o *Options) {}, ""},
		{func(o *Options) { o.Codec, o.PageVersion, o.PageSize, o.RowGroupSize = "zstd:3", 2, 2048, 64<<10 }, ""},
		{func(o *Options) { o.Encodings, o.LogicalTypes, o.InvalidUTF8 = "modern", "all", "binary" }, ""},
		{func(o *Options) { o.Verify = true }, ""},
		{func(o *Options) { o.Bloom, o.Summary, o.FooterEvery = []string{"id"}, true, 3 }, ""},
		{func(o *Options) { o.Bloom = []string{""} }, "bloom: the name is empty"},
		{func(o *Options) { o.FooterEvery = -1 }, "footer every -1: must be at least 1"},
		{func(o *Options) { o.Summary, o.Output = true, "x.parquet" }, "summary: x.parquet is one file"},
		{func(o *Options) { o.Format, o.Bloom = FormatTrevni, []string{"id"} }, "bloom: works only with --format parquet"},
		{func(o *Options) { o.Format, o.Summary = FormatTrevni, true }, "summary: works only"},
		{func(o *Options) { o.Format, o.FooterEvery = FormatTrevni, 1 }, "footer every: works only"},
		{func(o *Options) { o.Index = []string{"id"} }, "index"},
		{func(o *Options) { o.Engine = EngineHadoop }, "must be an hdfs:// name"},
		{func(o *Options) { o.Engine, o.Output = EngineHadoop, "hdfs://n/out" }, ""},
		{func(o *Options) { o.BlockSize = 4096 }, "block size"},
		{func(o *Options) { o.Checksum = "null" }, `checksum "null"`},
		{func(o *Options) { o.Codec = "deflate" }, `codec "deflate"`},
		{func(o *Options) { o.Codec = "snappy,text=null" }, ""},
		{func(o *Options) { o.Codec = "snappy,text=deflate" }, `codec "deflate"`},
		{func(o *Options) { o.PageVersion = 3 }, "page version 3: must be 1 or 2"},
		{func(o *Options) { o.PageSize = 1 }, "page size"},
		{func(o *Options) { o.RowGroupSize = 1 }, "row group size"},
		{func(o *Options) { o.Encodings = "new" }, `encodings "new": must be compatible or modern`},
		{func(o *Options) { o.LogicalTypes = "none" }, `logical types "none": must be portable or all`},
		{func(o *Options) { o.InvalidUTF8 = "drop" }, `invalid utf8 "drop": must be fail or binary`},
		{func(o *Options) { o.Output = "x.trv" }, "x.trv"},
		{func(o *Options) { o.Format = "orc" }, `format "orc": must be trevni or parquet`},
		{func(o *Options) { o.Format, o.Output = FormatTrevni, "x.parquet" }, "x.parquet"},
		{func(o *Options) { o.Format, o.RowGroupSize = FormatTrevni, 1<<20 }, "row group size: works only with --format parquet"},
		{func(o *Options) { o.Format, o.PageSize = FormatTrevni, 1<<20 }, "page size: works only"},
		{func(o *Options) { o.Format, o.PageVersion = "", 1 }, "page version: works only"},
		{func(o *Options) { o.Format, o.Encodings = "", "modern" }, "encodings: works only"},
		{func(o *Options) { o.Format, o.LogicalTypes = "", "all" }, "logical types: works only"},
		{func(o *Options) { o.Format, o.InvalidUTF8 = "", "binary" }, "invalid utf8: works only"},
		{func(o *Options) { o.Format, o.Codec = "", "zstd" }, `codec "zstd"`},
	}
	for _, test := range tests {
		o := &Options{Inputs: []string{"in"}, Output: "out", Format: FormatParquet}
		test.change(o)
		status := exit.StatusUsage
		if test.says == "" {
			status = exit.StatusDone
		}
		wantExit(t, o.Validate(), status, test.says)
	}
}
