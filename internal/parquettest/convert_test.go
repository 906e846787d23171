package parquettest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"avro2trevni/internal/avrotest"
)

// A form is a way to convert.
type form struct {
	name     string
	flags    []string
	parts    bool     // into a folder
	fixtures []string // words of their names; none for all
}

// some are words of fixtures' names that together have all shapes and types.
var some = []string{"1.13.1-flat.", "1.13.1-arrays", "1.13.1-maps", "1.13.1-nested", "1.13.1-nulls", "1.13.1-unions", "primitives", "logical", "dremel", "types-snappy", "zero-bytes", "1.13.1-runs.", "booleans"}

// large have more than a page in some columns, where pages are small.
var large = []string{"1.13.1-flat-many-blocks", "concat", "airports", "events-many", "big-values"}

var forms = []form{
	{name: "default"},
	{name: "small", flags: []string{"--codec", "null", "--row-group-size", "64KiB", "--page-size", "1KiB"}, fixtures: append(large, some...)},
	{name: "modern", flags: []string{"--encodings", "modern", "--page-version", "2", "--codec", "zstd", "--page-size", "2KiB"}, fixtures: append(large, some...)},
	{name: "gzip", flags: []string{"--page-version", "2", "--codec", "gzip"}, fixtures: some},
	{name: "all", flags: []string{"--logical-types", "all"}, fixtures: []string{"logical", "types-snappy"}},
	{name: "parts", flags: []string{"--format", "parquet", "--row-group-size", "64KiB", "--page-size", "1KiB", "--file-size", "64KiB"}, parts: true, fixtures: []string{"concat", "airports"}},
}

// TestReadersOfConvert converts the fixtures and random tables in several forms, and has all
// readers read the files.
func TestReadersOfConvert(t *testing.T) {
	var sources []Source
	var how []form
	for _, f := range forms {
		for _, s := range fixtures(t, f.fixtures...) {
			s.Name, s.All = f.name+"-"+s.Name, f.name == "all"
			sources, how = append(sources, s), append(how, f)
		}
	}
	for i, path := range randomTables(t, 30) {
		f := forms[i%4]
		sources, how = append(sources, Source{Name: f.name + "-" + filepath.Base(path), Avro: path}), append(how, f)
	}
	files := Expect(t, t.TempDir(), sources...)
	several := 0
	for i, s := range sources {
		files[i].Parts = convert(t, files[i].Parquet, s.Avro, how[i])
		several += min(1, len(files[i].Parts)-1)
	}
	if several < 2 {
		t.Errorf("only %d in several files", several)
	}
	report := Check(t, files)
	t.Logf("\n%s", report)
	report.Must(t, known)
}

// known is what readers make otherwise of the files of TestReadersOfConvert.
var known = map[string]string{
	// parquet-avro takes no field without a name.
	"parquet-avro default-fastavro-1.13.1-default-header":       emptyName,
	"parquet-avro default-handmade-unnamed":                     emptyName,
	"parquet-avro default-polars-2.1.0-default-csv-header":      emptyName,
	"parquet-avro default-polars-2.1.0-default-no-names":        emptyName,
	"parquet-avro default-polars-2.1.0-default-odd-names-below": emptyName,
	// A decimal of 64 digits is bytes in Parquet, and a decimal of bytes in the Avro schema.
	"parquet-avro default-connect-apicurio-2.6.13-types-snappy": `.any: "n:0", want "x:00"`,
	"parquet-avro small-connect-apicurio-2.6.13-types-snappy":   `.any: "n:0", want "x:00"`,
	"parquet-avro modern-connect-apicurio-2.6.13-types-snappy":  `.any: "n:0", want "x:00"`,
	"parquet-avro gzip-connect-apicurio-2.6.13-types-snappy":    `.any: "n:0", want "x:00"`,
	// polars panics at DELTA_BINARY_PACKED in several pages of a required field of an optional
	// group, pyarrow's too.
	"polars modern-fastavro-1.13.1-runs": "validity mask length must match",
	// Spark's vectorized reader does not know BYTE_STREAM_SPLIT.
	"spark modern-connect-apicurio-2.6.13-types-snappy":      byteStreamSplit,
	"spark modern-fastavro-1.13.1-nested":                    byteStreamSplit,
	"spark modern-fastavro-1.13.1-unions":                    byteStreamSplit,
	"spark modern-random-10.avro":                            byteStreamSplit,
	"spark modern-fastavro-1.13.1-events-many-blocks-snappy": byteStreamSplit,
	"spark modern-fastavro-1.13.1-unions-without-maps":       byteStreamSplit,
	"spark modern-polars-2.1.0-airports-snappy":              byteStreamSplit,
	// Of what --logical-types all has beyond portable: intervals, decimals of 64 digits, and
	// times, which are numbers in Avro.
	"datafusion all-fastavro-1.13.1-logical":                "KeyError",
	"spark all-fastavro-1.13.1-logical":                     "PARQUET_TYPE_ILLEGAL",
	"polars all-fastavro-1.13.1-logical":                    "month_day_millisecond_interval",
	"parquet-avro all-fastavro-1.13.1-logical":              `.tms: 0, want "time:0"`,
	"spark all-connect-apicurio-2.6.13-types-snappy":        "exceeds max precision",
	"duckdb all-connect-apicurio-2.6.13-types-snappy":       `.any: d:0000000000000000 (0), want "n:0"`,
	"polars all-connect-apicurio-2.6.13-types-snappy":       "can't decode Decimal128",
	"parquet-avro all-connect-apicurio-2.6.13-types-snappy": `.time: 0, want "time:0"`,
}

const byteStreamSplit = "Unsupported encoding: BYTE_STREAM_SPLIT"

// program builds cmd/convert, once per run of the tests, and returns its path.
var program = sync.OnceValues(func() (string, error) {
	dir, err := unpacked()
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "convert")
	_, err = output(exec.Command("go", "build", "-o", path, "../../cmd/convert"))
	return path, err
})

// convert converts a file and returns the files that it became: parquet, or those of a folder of
// that name without its extension.
func convert(t *testing.T, parquet, avro string, f form) []string {
	t.Helper()
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	to := parquet
	if f.parts {
		to = parquet[:len(parquet)-len(".parquet")]
	}
	if _, err := output(exec.CommandContext(t.Context(), path, slices.Concat(f.flags, []string{avro, to})...)); err != nil {
		t.Fatal(err)
	}
	if !f.parts {
		return []string{parquet}
	}
	parts, err := filepath.Glob(filepath.Join(to, "part-*.parquet")) // in name order
	if err != nil || len(parts) == 0 {
		t.Fatalf("%s: %d parts, %v", to, len(parts), err)
	}
	return parts
}

// randomTables writes n tables of 50 rows.
func randomTables(t *testing.T, n uint64) (paths []string) {
	t.Helper()
	for seed := range n {
		table := avrotest.NewTable(seed)
		file, err := table.File("snappy", table.Rows(50))
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), fmt.Sprintf("random-%d.avro", seed))
		if err := os.WriteFile(path, file, 0o666); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	return paths
}
