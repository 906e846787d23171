package parquettest

import (
	"bytes"
	"encoding/binary"
	"flag"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"avro2trevni/internal/format/parquet/leveltest"
	"avro2trevni/internal/ocf"
	"avro2trevni/internal/schema"
)

// TestReadersOfLines has all readers read a file for each line of the mapping's table: 60 rows of
// the type, with its least and greatest values.
func TestReadersOfLines(t *testing.T) {
	dir := t.TempDir()
	var sources []Source
	for i, line := range leveltest.Lines {
		text := `{"type":"record","name":"n.Top","fields":[{"name":"f","type":` + line.Avro + `}]}`
		path := filepath.Join(dir, fmt.Sprintf("%d.avro", i))
		writeRows(t, path, text, &values{rand.New(rand.NewPCG(uint64(i), 7))})
		name := fileName(line)
		sources = append(sources, Source{Name: name, Avro: path})
		if line.All != "" {
			sources = append(sources, Source{Name: name + "-all", Avro: path, All: true})
		}
	}
	files := Expect(t, dir, sources...)
	for i, s := range sources {
		f := form{flags: []string{"--page-size", "1KiB"}}
		if s.All {
			f.flags = append(f.flags, "--logical-types", "all")
		}
		convert(t, files[i].Parquet, s.Avro, f)
	}
	report := Check(t, files)
	t.Logf("\n%s", report)
	known := map[string]string{}
	for _, h := range habits {
		known[h.reader+" "+h.line] = h.says
	}
	report.Must(t, known)
}

// writeRows writes an Avro file of 60 rows.
func writeRows(t *testing.T, path, text string, v *values) {
	t.Helper()
	s, err := schema.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	w, err := ocf.NewWriter(&file, &ocf.WriterOptions{Schema: text})
	if err != nil {
		t.Fatal(err)
	}
	for range 60 {
		if err := w.Append(v.append(nil, s), 1); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, file.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
}

// values makes values of any schema, as Avro writes them.
type values struct{ *rand.Rand }

func (r *values) append(dst []byte, s *schema.Schema) []byte {
	switch s.Kind {
	case schema.Record:
		for _, f := range s.Fields {
			dst = r.append(dst, f.Type)
		}
	case schema.Union:
		i := r.IntN(len(s.Branches))
		return r.append(binary.AppendVarint(dst, int64(i)), s.Branches[i])
	case schema.Array, schema.Map:
		if n := r.IntN(4); n > 0 {
			dst = binary.AppendVarint(dst, int64(n))
			for i := range n {
				if s.Kind == schema.Map {
					dst = text(dst, fmt.Sprint("key", i))
				}
				dst = r.append(dst, s.Items)
			}
		}
		dst = append(dst, 0)
	default:
		dst = r.simple(dst, s)
	}
	return dst
}

func text(dst []byte, s string) []byte {
	return append(binary.AppendVarint(dst, int64(len(s))), s...)
}

func (r *values) simple(dst []byte, s *schema.Schema) []byte {
	switch s.Kind {
	case schema.Boolean:
		dst = append(dst, byte(r.IntN(2)))
	case schema.Int, schema.Long:
		dst = binary.AppendVarint(dst, r.number(s))
	case schema.Float:
		dst = binary.LittleEndian.AppendUint32(dst, math.Float32bits(float32(r.real())))
	case schema.Double:
		dst = binary.LittleEndian.AppendUint64(dst, math.Float64bits(r.real()))
	case schema.Enum:
		dst = binary.AppendVarint(dst, int64(r.IntN(len(s.Symbols))))
	case schema.String:
		dst = text(dst, []string{"", "a", "Grüße", "日本", "\x00", "😀"}[r.IntN(6)])
	case schema.Bytes, schema.Fixed:
		b := r.octets(s)
		if s.Kind == schema.Bytes {
			dst = binary.AppendVarint(dst, int64(len(b)))
		}
		dst = append(dst, b...)
	}
	return dst
}

// number returns a number of a type, the least and the greatest among them: of dates and
// timestamps, those of the years 1 to 9999, which all readers have.
func (r *values) number(s *schema.Schema) int64 {
	bound := int64(math.MaxInt64)
	switch name := s.Logical.Name; {
	case name == "date":
		bound = 719162
	case strings.HasPrefix(name, "time-millis"):
		return r.Int64N(86_400_000)
	case strings.HasPrefix(name, "time-micros"):
		return r.Int64N(86_400_000_000)
	case strings.HasSuffix(name, "-millis"):
		bound = 719162 * 86_400_000
	case strings.HasSuffix(name, "-micros"):
		bound = 719162 * 86_400_000_000
	case s.Kind == schema.Int:
		bound = math.MaxInt32
	}
	switch r.IntN(8) {
	case 0:
		return bound
	case 1:
		return -bound
	case 2:
		if s.Logical.Name == "" {
			return -bound - 1
		}
	case 3, 4:
		return r.Int64N(3) - 1
	}
	return r.Int64N(bound)
}

func (r *values) real() float64 {
	return []float64{0, math.Copysign(0, -1), math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat32, 1.5, -0.1}[r.IntN(8)]
}

// octets returns bytes; those of a decimal are a number of as many digits as there may be, or
// fewer.
func (r *values) octets(s *schema.Schema) []byte {
	size := r.IntN(20)
	if s.Kind == schema.Fixed {
		size = int(s.Size)
	}
	b := make([]byte, size)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	if s.Logical.Name != "decimal" {
		return b
	}
	v := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(r.IntN(s.Logical.Precision+1))), nil)
	v.Sub(v, big.NewInt(1))
	if s.Kind == schema.Bytes {
		size = v.BitLen()/8 + 1 + r.IntN(2)
	}
	if r.IntN(2) == 0 && v.Sign() > 0 {
		v.Sub(new(big.Int).Lsh(big.NewInt(1), uint(8*size)), v)
	}
	return v.FillBytes(make([]byte, size))
}

// A habit is what a reader makes otherwise of a line of the table.
type habit struct {
	reader, line string // the line's name as a file's
	says         string // a part of what is told of it
	told         string // in the documentation
}

// habits are all there are. But for the first they are of types that are written only where all
// logical types are asked for.
var habits = []habit{
	{"parquet-avro", "decimal-of-39-digits", `.f: "n:-9.99", want "x:fc19"`, "gives the decimal that the Avro schema has"},
	{"duckdb", "decimal-of-39-digits-all", `(-9.99), want "n:-9.99"`, "gives a double"},
	{"polars", "decimal-of-39-digits-all", "can't decode Decimal128", "refuses the column"},
	{"spark", "decimal-of-39-digits-all", "exceeds max precision", "refuses the file"},
	{"parquet-avro", "time-millis-all", `.f: 52769416, want "time:52769416000000"`, ""}, // a number, as always in Avro
	{"spark", "time-millis-all", "PARQUET_TYPE_ILLEGAL", "refuses the file"},
	{"parquet-avro", "time-micros-all", `.f: 37406490620, want "time:37406490620000"`, ""},
	{"spark", "time-micros-all", "UNSUPPORTED_TIME_TYPE", "refuses the file"},
	{"parquet-avro", "timestamp-nanos-all", `.f: 8564372121520476192, want "ts:8564372121520476192Z"`, ""},
	{"spark", "timestamp-nanos-all", "PARQUET_TYPE_ILLEGAL", "refuses the file"},
	{"parquet-avro", "local-timestamp-nanos-all", `.f: 5981698153492441149, want "ts:5981698153492441149"`, ""},
	{"spark", "local-timestamp-nanos-all", "PARQUET_TYPE_ILLEGAL", "refuses the file"},
	{"spark", "uuid-on-fixed-all", "PARQUET_TYPE_ILLEGAL", "refuses the file"},
	{"polars", "duration-all", "month_day_millisecond_interval", "panics"},
	{"datafusion", "duration-all", "KeyError", "gives what its Python package cannot hold"},
	{"spark", "duration-all", "PARQUET_TYPE_NOT_SUPPORTED", "refuses the file"},
}

// fileName returns a line's name as a file's.
func fileName(line leveltest.Line) string {
	return strings.NewReplacer(" ", "-", ",", "").Replace(line.Name)
}

// TestLinesAreDocumented holds the table of the documentation to this one.
func TestLinesAreDocumented(t *testing.T) {
	const path = "../../docs/parquet.md"
	const begin, end = "<!-- table: internal/parquettest, TestLinesAreDocumented -update-mapping -->\n", "<!-- end of table -->\n"
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), begin)
	old, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s has no place for the table", path)
	}
	table := lineTable()
	if old == table {
		return
	}
	if !*updateMapping {
		t.Fatalf("%s has another table; -update-mapping writes it", path)
	}
	if err := os.WriteFile(path, []byte(before+begin+table+end+after), 0o644); err != nil {
		t.Fatal(err)
	}
}

// titles has readers' names as they write them.
var titles = strings.NewReplacer("duckdb", "DuckDB", "datafusion", "DataFusion", "spark", "Spark")

var updateMapping = flag.Bool("update-mapping", false, "write the table of docs/parquet.md anew")

// lineTable returns the table in Markdown.
func lineTable() string {
	var b strings.Builder
	b.WriteString("\n| Avro | Parquet | with `all` | readers that differ |\n| --- | --- | --- | --- |\n")
	for _, line := range leveltest.Lines {
		all := ""
		if line.All != "" {
			all = "`" + line.All + "`"
		}
		var said []string
		for _, h := range habits {
			if name := fileName(line); h.told != "" && (h.line == name || h.line == name+"-all") {
				if all != "" && h.line == name {
					h.told += ", of the second column"
				}
				said = append(said, titles.Replace(h.reader)+" "+h.told)
			}
		}
		fmt.Fprintf(&b, "| %s | `%s` | %s | %s |\n", line.Name, line.Portable, all, strings.Join(said, "; "))
	}
	return b.String() + "\n"
}
