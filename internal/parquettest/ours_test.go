package parquettest

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"avro2trevni/internal/avrotest"
	mapping "avro2trevni/internal/format/parquet"
	"avro2trevni/internal/format/parquet/leveltest"
	"avro2trevni/internal/ocf"
	"avro2trevni/internal/schema"
	"avro2trevni/parquet"
)

// A form is a way to write files.
type form struct {
	name     string
	o        mapping.Options
	file     leveltest.File
	fixtures []string // words of their names; none for all
}

// some are words of fixtures' names that together have all shapes and types.
var some = []string{"1.13.1-flat.", "1.13.1-arrays", "1.13.1-maps", "1.13.1-nested", "1.13.1-nulls", "1.13.1-unions", "primitives", "logical", "dremel", "types-snappy", "zero-bytes", "1.13.1-runs.", "booleans"}

var forms = []form{
	{"snappy", mapping.Options{}, leveltest.File{Encoder: parquet.EncoderOptions{Codec: parquet.Codec{Name: "snappy"}}}, nil},
	{"pages", mapping.Options{}, leveltest.File{Group: 70, Page: 9}, some},
	{"modern", mapping.Options{}, leveltest.File{Page: 40, Encoder: parquet.EncoderOptions{Codec: parquet.Codec{Name: "zstd"}, PageVersion: 2, Modern: true}}, some},
	{"plain", mapping.Options{}, leveltest.File{Encoder: parquet.EncoderOptions{Codec: parquet.Codec{Name: "gzip"}, PageVersion: 2, DictionaryBytes: -1}}, some},
	{"all", mapping.Options{Logical: mapping.All}, leveltest.File{}, []string{"logical", "types-snappy"}},
}

// TestReadersOfOurs maps the fixtures and random tables, writes them with package parquet in the
// plain way, in several forms, and has all readers read them.
func TestReadersOfOurs(t *testing.T) {
	var sources []Source
	var how []form
	for _, f := range forms {
		for _, s := range fixtures(t, f.fixtures...) {
			s.Name, s.All = f.name+"-"+s.Name, f.o.Logical == mapping.All
			sources, how = append(sources, s), append(how, f)
		}
	}
	for i, path := range randomTables(t, 30) {
		f := forms[i%4]
		sources, how = append(sources, Source{Name: f.name + "-" + filepath.Base(path), Avro: path}), append(how, f)
	}
	files := Expect(t, t.TempDir(), sources...)
	for i, s := range sources {
		writeOurs(t, files[i].Parquet, s.Avro, how[i].o, how[i].file)
	}
	report := Check(t, files)
	t.Logf("\n%s", report)
	report.Must(t, known)
}

// known is what readers make otherwise of the files of TestReadersOfOurs.
var known = map[string]string{
	// parquet-avro takes no field without a name.
	"parquet-avro snappy-fastavro-1.13.1-default-header":       emptyName,
	"parquet-avro snappy-handmade-unnamed":                     emptyName,
	"parquet-avro snappy-polars-2.1.0-default-csv-header":      emptyName,
	"parquet-avro snappy-polars-2.1.0-default-no-names":        emptyName,
	"parquet-avro snappy-polars-2.1.0-default-odd-names-below": emptyName,
	// A decimal of 64 digits is bytes in Parquet, and a decimal of bytes in the Avro schema.
	"parquet-avro snappy-connect-apicurio-2.6.13-types-snappy": `.any: "n:0", want "x:00"`,
	"parquet-avro pages-connect-apicurio-2.6.13-types-snappy":  `.any: "n:0", want "x:00"`,
	"parquet-avro modern-connect-apicurio-2.6.13-types-snappy": `.any: "n:0", want "x:00"`,
	"parquet-avro plain-connect-apicurio-2.6.13-types-snappy":  `.any: "n:0", want "x:00"`,
	// polars panics at DELTA_BINARY_PACKED in several pages of a required field of an optional
	// group, pyarrow's too.
	"polars modern-fastavro-1.13.1-runs": "validity mask length must match",
	// Spark's vectorized reader does not know BYTE_STREAM_SPLIT.
	"spark modern-connect-apicurio-2.6.13-types-snappy": "Unsupported encoding: BYTE_STREAM_SPLIT",
	"spark modern-fastavro-1.13.1-nested":               "Unsupported encoding: BYTE_STREAM_SPLIT",
	"spark modern-fastavro-1.13.1-unions":               "Unsupported encoding: BYTE_STREAM_SPLIT",
	"spark modern-random-10.avro":                       "Unsupported encoding: BYTE_STREAM_SPLIT",
	// Of what All has beyond Portable: intervals, decimals of 64 digits, and times, which are
	// numbers in Avro.
	"datafusion all-fastavro-1.13.1-logical":                "KeyError",
	"spark all-fastavro-1.13.1-logical":                     "PARQUET_TYPE_ILLEGAL",
	"spark all-connect-apicurio-2.6.13-types-snappy":        "exceeds max precision",
	"polars all-fastavro-1.13.1-logical":                    "month_day_millisecond_interval",
	"parquet-avro all-fastavro-1.13.1-logical":              `.tms: 0, want "time:0"`,
	"duckdb all-connect-apicurio-2.6.13-types-snappy":       `.any: d:0000000000000000 (0), want "n:0"`,
	"polars all-connect-apicurio-2.6.13-types-snappy":       "can't decode Decimal128",
	"parquet-avro all-connect-apicurio-2.6.13-types-snappy": `.time: 0, want "time:0"`,
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

func writeOurs(t *testing.T, path, avro string, o mapping.Options, form leveltest.File) {
	t.Helper()
	rows, data := readAvro(t, avro)
	l, err := mapping.Map(rows, o)
	if err != nil {
		t.Fatalf("%s: %v", avro, err)
	}
	form.Writer.CreatedBy = "test version 1 (build 0)"
	form.Writer.KeyValues = []parquet.KeyValue{{Key: mapping.AvroKey, Value: l.Avro()}}
	var out bytes.Buffer
	if err := form.Write(&out, l.Schema, rows, data); err != nil {
		t.Fatalf("%s: %v", avro, err)
	}
	if err := os.WriteFile(path, out.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
}

// readAvro returns the rows of a file.
func readAvro(t *testing.T, path string) (*schema.Selection, [][]byte) {
	t.Helper()
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	src, size := bytes.NewReader(file), int64(len(file))
	h, err := ocf.ReadHeader(src, size, path, ocf.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	text, err := schema.ParseText(h.Schema)
	if err != nil {
		t.Fatal(err)
	}
	r := ocf.NewReader(ocf.Limits{}, nil)
	defer r.Close()
	if err := r.Open(src, path, size, h, 0, size); err != nil {
		t.Fatal(err)
	}
	var rows [][]byte
	for {
		b, err := r.Next()
		if err == io.EOF {
			return text.All(), rows
		}
		if err != nil {
			t.Fatal(err)
		}
		var data []byte
		for last := false; !last; {
			var window []byte
			if window, last, err = r.Window(0); err != nil {
				t.Fatal(err)
			}
			data = append(data, window...)
		}
		rows = append(rows, leveltest.Split(text.Schema, data, b.Rows)...)
	}
}
