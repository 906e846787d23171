package jobs

import (
	"maps"
	"path/filepath"
	"testing"

	"avro2trevni/internal/units"
)

// One partition and one file of Parquet: the bytes are the local engine's, for all fixtures that
// have columns.
func TestHadoopMakesTheSameParquet(t *testing.T) {
	fixtures, err := filepath.Glob("../testdata/avro/*.avro")
	if err != nil || len(fixtures) < 30 {
		t.Fatalf("%d fixtures: %v", len(fixtures), err)
	}
	for i, name := range fixtures {
		t.Run(filepath.Base(name), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			o := Options{
				Inputs: []string{name}, Output: filepath.Join(dir, "local"), Format: FormatParquet, SplitSize: units.KiB,
				PageSize: units.KiB, PageVersion: 1 + i%2, FooterEvery: i % 3, InvalidUTF8: InvalidBinary, LogicalTypes: LogicalAll, Encodings: EncodingsModern,
			}
			r, err := Convert(t.Context(), &o)
			if err != nil {
				t.Fatal(err)
			}
			o.Output = filepath.Join(dir, "hadoop")
			o.Hadoop.Partitions = 1
			h, err := onSimulated(t, o, simulated{retry: true})
			if err != nil {
				t.Fatal(err)
			}
			if h.Counters.Rows != r.Counters.Rows || len(h.Outputs) != 1 {
				t.Errorf("%d rows in %d files, locally %d", h.Counters.Rows, len(h.Outputs), r.Counters.Rows)
			}
			if local := contents(t, filepath.Join(dir, "local")); len(local) == 0 || !maps.Equal(contents(t, o.Output), local) {
				t.Error("the bytes differ")
			}
		})
	}
}

// Several partitions make the rows of the local engine, in its order, in files that are not
// larger than they may be; each ends with a row group. Bloom filters and summaries are there.
func TestHadoopParquetFiles(t *testing.T) {
	for shape := range shapes {
		t.Run(shape, func(t *testing.T) {
			t.Parallel()
			dir := writeShape(t, shape, 5)
			o := Options{
				Inputs: []string{dir}, Output: filepath.Join(t.TempDir(), "out"), Format: FormatParquet, RowGroupSize: 64 * units.KiB,
				FileSize: 400 * units.KiB, Codec: "null", Summary: true,
			}
			o.Hadoop.Partitions = 2
			rep, err := onSimulated(t, o, simulated{})
			must(t, err)
			rows, groups := int64(0), 0
			for _, out := range rep.Outputs {
				f := wireFooter(t, contents(t, o.Output)[out.Path])
				rows, groups = rows+f.NumRows, groups+len(f.RowGroups)
				if out.Bytes > o.FileSize || f.NumRows != out.Rows {
					t.Errorf("%+v: %d rows", out, f.NumRows)
				}
			}
			if rows != rep.Counters.Rows || rows == 0 || groups < len(rep.Outputs) || len(rep.Summaries) != 2 {
				t.Errorf("%d rows in %d row groups; %+v", rows, groups, rep.Counters)
			}
		})
	}
}
