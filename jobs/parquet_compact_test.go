package jobs

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"avro2trevni/internal/colsum"
	"avro2trevni/internal/exit"
	"avro2trevni/internal/format/parquet"
	"avro2trevni/internal/storage/storagetest"
	"avro2trevni/internal/units"
	"avro2trevni/jobs/report"
)

// sumsOf returns the digests of a file's columns, as another library reads them.
func sumsOf(t *testing.T, name, file string) []colsum.Column {
	t.Helper()
	f, err := parquet.Format{}.Open(strings.NewReader(file), name, int64(len(file)))
	must(t, err)
	sums, err := f.Sums(func(int64) {})
	must(t, err)
	return sums
}

// sumsIn returns the digests of the columns of all files of /out, in their order.
func sumsIn(t *testing.T, all map[string]string) (sums []colsum.Column) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if !strings.HasPrefix(name, "/out/part-") {
			continue
		}
		for c, sum := range sumsOf(t, name, all[name]) {
			if len(sums) == c {
				sums = append(sums, colsum.Column{})
			}
			sums[c] = sums[c].Then(sum)
		}
	}
	return sums
}

// compactParquet compacts /out, verifying what it makes.
func compactParquet(t *testing.T, m *storagetest.Mem, o Options) (*report.Report, error) {
	t.Helper()
	o.Output, o.FS, o.TempDirs, o.Memory, o.Verify = "/out", m, []string{os.TempDir()}, 256<<20, true
	return Compact(t.Context(), &o)
}

// Small Parquet files are merged: the same rows in fewer files, with fewer row groups, for any
// workers; the summary describes what is there then.
func TestParquetCompact(t *testing.T) {
	for _, o := range []Options{
		{}, {Summary: true, Bloom: []string{"id"}, Encodings: EncodingsModern, PageVersion: 2, Codec: "zstd"},
		{Summary: true, FooterEvery: 1, RowGroupSize: 64 * units.KiB, PageSize: 2 * units.KiB, Codec: "null", FileSize: 300 * units.KiB},
	} {
		m := storagetest.NewMem()
		const runs, rows = 9, 2200
		for i := range runs {
			in, _ := blocksOf(t, "null", int64(rows*i), slices.Repeat([]int{100}, rows/100)...)
			m.Write(fmt.Sprintf("/in/%d.avro", i), string(in))
			o := o
			o.IfExists = IfExistsAppend
			_, err := parquetRun(t, m, o)
			must(t, err)
		}
		before := sumsIn(t, m.Files())
		var plan strings.Builder
		must(t, DescribeCompact(t.Context(), &Options{Output: "/out", FS: m}, &plan))
		if !strings.Contains(plan.String(), "part-00000.parquet") {
			t.Errorf("%s", plan.String())
		}
		var made map[string]string
		for _, workers := range []int{1, 3} {
			now := m.Crash(false)
			rep, err := compactParquet(t, now, Options{Workers: workers})
			must(t, err)
			all := now.Files()
			if made == nil {
				made = all
			}
			if rep.Run.Compacted.Files < 2 || !rep.Run.Verified || checkParquet(t, now) != runs*rows {
				t.Errorf("%+v: %+v", o, rep.Run)
			}
			groups := 0
			for name, file := range all {
				if strings.HasSuffix(name, ".parquet") {
					groups += len(infoOf(t, file).RowGroups)
				}
				if strings.HasSuffix(name, ".parquet") && file != made[name] {
					t.Errorf("%s: other bytes with %d workers", name, workers)
				}
			}
			if groups >= runs && o.RowGroupSize == 0 {
				t.Errorf("%d row groups of %d runs", groups, runs)
			}
			if !slices.Equal(sumsIn(t, all), before) {
				t.Error("the rows are not as before")
			}
			if o.Summary {
				checkSummary(t, all)
			}
			if _, err := addRun(t, now, Options{Format: FormatParquet}); o.Summary {
				wantExit(t, err, exit.StatusRefused, "was made with")
			}
		}
	}
}

// A file that is larger than a row group is read in pieces: its row groups stay of that size.
func TestParquetCompactPieces(t *testing.T) {
	m := storagetest.NewMem()
	const rows = 20000
	for i := range 2 {
		in, _ := blocksOf(t, "null", int64(rows*i), slices.Repeat([]int{100}, rows/100)...)
		m.Write(fmt.Sprintf("/in/%d.avro", i), string(in))
		_, err := parquetRun(t, m, Options{IfExists: IfExistsAppend, RowGroupSize: 64 * units.KiB, Codec: "null"})
		must(t, err)
	}
	first := len(infoOf(t, m.Files()["/out/part-00000.parquet"]).RowGroups)
	before := sumsIn(t, m.Files())
	_, err := compactParquet(t, m, Options{})
	must(t, err)
	all := m.Files()
	if groups := len(infoOf(t, all["/out/part-00000.parquet"]).RowGroups); first < 3 || groups < first || groups > 2*first+2 || all["/out/part-00001.parquet"] != "" {
		t.Errorf("two files of %d row groups became one of %d", first, groups)
	}
	if !slices.Equal(sumsIn(t, all), before) {
		t.Error("the rows are not as before")
	}
}

// Files whose rows are sorted in each run are sorted together.
func TestParquetCompactSorted(t *testing.T) {
	m := storagetest.NewMem()
	for i := range 3 {
		put(t, m, fmt.Sprintf("/in/%d.avro", i), 100*i, 100*i+100)
		_, err := parquetRun(t, m, Options{IfExists: IfExistsAppend, SortBy: []string{"id:desc"}})
		must(t, err)
	}
	_, err := compactParquet(t, m, Options{})
	must(t, err)
	all := m.Files()

	one := storagetest.NewMem()
	put(t, one, "/in/a.avro", 0, 300)
	_, err = parquetRun(t, one, Options{SortBy: []string{"id:desc"}})
	must(t, err)
	if !slices.Equal(sumsIn(t, all), sumsIn(t, one.Files())) || all["/out/part-00001.parquet"] != "" {
		t.Error("the rows are not those of one run")
	}
}

// Every fixture is read back by another library as it was written, however it was written.
func TestParquetVerify(t *testing.T) {
	fixtures, err := filepath.Glob("../testdata/avro/*.avro")
	if err != nil || len(fixtures) < 30 {
		t.Fatalf("%d fixtures: %v", len(fixtures), err)
	}
	for i, name := range fixtures {
		t.Run(filepath.Base(name), func(t *testing.T) {
			t.Parallel()
			var want []colsum.Column
			for k, o := range []Options{
				{}, {PageSize: units.KiB, PageVersion: 2, Encodings: EncodingsModern, Codec: "zstd", SplitSize: units.KiB},
				{PageSize: units.KiB, Codec: []string{"gzip", "null"}[i%2], SplitSize: units.KiB},
			} {
				o.Inputs, o.Output = []string{name}, filepath.Join(t.TempDir(), fmt.Sprint(k, ".parquet"))
				o.InvalidUTF8, o.LogicalTypes, o.Verify, o.Workers = InvalidBinary, LogicalAll, true, 1+k
				rep, err := Convert(t.Context(), &o)
				must(t, err)
				if !rep.Run.Verified {
					t.Error("not verified")
				}
				file, err := os.ReadFile(o.Output)
				must(t, err)
				sums := sumsOf(t, o.Output, string(file))
				if want == nil {
					want = sums
				}
				if !slices.Equal(sums, want) {
					t.Errorf("%+v: other digests of the same rows", o)
				}
			}
		})
	}
}

// A value, a null, or a list that ends elsewhere changes a digest.
func TestParquetDigests(t *testing.T) {
	const schema = `{"type":"record","name":"r","fields":[{"name":"l","type":{"type":"array","items":["null","string"]}},{"name":"b","type":"boolean"},{"name":"e","type":{"type":"enum","name":"s","symbols":["x","yy"]}}]}`
	base := []string{"\x04\x02\x02a\x00\x00\x01\x00", "\x02\x02\x02b\x00\x00\x02"}
	seen := map[string]string{}
	for what, rows := range map[string][]string{
		"base":    base,
		"value":   {"\x04\x02\x02c\x00\x00\x01\x00", base[1]},
		"null":    {"\x04\x00\x02\x02a\x00\x01\x00", base[1]},
		"list":    {"\x02\x02\x02a\x00\x01\x00", "\x04\x00\x02\x02b\x00\x00\x02"},
		"boolean": {"\x04\x02\x02a\x00\x00\x00\x00", base[1]},
		"enum":    {"\x04\x02\x02a\x00\x00\x01\x02", base[1]},
		"order":   {base[1], base[0]},
	} {
		m := storagetest.NewMem()
		var all [][]byte
		for _, row := range rows {
			all = append(all, []byte(row))
		}
		m.Write("/in/a.avro", avroFile(t, schema, all...))
		_, err := parquetRun(t, m, Options{Verify: true})
		must(t, err)
		sums := fmt.Sprint(sumsIn(t, m.Files()))
		if other, ok := seen[sums]; ok {
			t.Errorf("%s has the digests of %s", what, other)
		}
		seen[sums] = what
	}
}
