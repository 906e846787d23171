package parquettest

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"avro2trevni/internal/exit"
	"avro2trevni/internal/ocf"
	"avro2trevni/internal/units"
	"avro2trevni/jobs"
	"avro2trevni/mapper"
	"avro2trevni/record"
	"avro2trevni/trevni"
)

// A way is options that change which rows there are, or which files.
type way struct {
	name   string
	o      jobs.Options
	source string // path
	files  int    // least files that come of it
}

// ways are the ways of TestReadersOfRows.
func ways(t *testing.T) []way {
	const book, mixed = "../../testdata/avro/fastavro-1.13.1-address-book.avro", "../../testdata/mixed/"
	large := largeFile(t, 6000)
	return []way{
		{name: "files", o: jobs.Options{FileSize: 128 * units.KiB, RowGroupSize: 64 * units.KiB, PageSize: 4 * units.KiB, Codec: "null"}, source: large, files: 3},
		{name: "cut", o: jobs.Options{FileSize: 160 * units.KiB, RowGroupSize: 300 * units.KiB, Encodings: jobs.EncodingsModern, Codec: "null"}, source: large, files: 2},
		{name: "projected", o: jobs.Options{Columns: []string{"contacts.name", "owner"}}, source: book},
		{name: "excluded", o: jobs.Options{Exclude: []string{"contacts.name"}}, source: book},
		{name: "merged", o: jobs.Options{Schema: "merge"}, source: mixed + "field-added"},
		{name: "merged-in-order", o: jobs.Options{Schema: "merge"}, source: mixed + "field-order"},
		{name: "sorted", o: jobs.Options{SortBy: []string{"text:desc", "id"}, RowGroupSize: 64 * units.KiB}, source: large},
		{name: "sorted-by-number", o: jobs.Options{SortBy: []string{"id:desc"}, PageSize: units.KiB, Encodings: jobs.EncodingsModern}, source: large},
		{name: "parted", o: jobs.Options{PartitionBy: "few", SortBy: []string{"text"}, RowGroupSize: 64 * units.KiB}, source: large, files: 5},
	}
}

// largeFile makes a file that becomes several row groups, files and pages, with columns that are
// null throughout, at times, and never, and lists that go on over pages.
func largeFile(t *testing.T, n int) string {
	t.Helper()
	const schema = `{"type":"record","name":"columns","fields":[{"name":"id","type":"long"},{"name":"few","type":"int"},{"name":"text","type":"string"},
		{"name":"score","type":["null","double"]},{"name":"never","type":["null","string"]},{"name":"flag","type":["boolean","null"]},
		{"name":"list","type":{"type":"array","items":["null",{"type":"record","name":"item","fields":[{"name":"key","type":{"type":"fixed","name":"key","size":3}},{"name":"tags","type":{"type":"array","items":"string"}}]}]}},
		{"name":"by","type":{"type":"map","values":["int","string","null"]}}]}`
	table := rand.New(rand.NewPCG(1, 0))
	words := []string{"", "alpha", "bravo", "é", strings.Repeat("long ", 20), "\U0001f600"}
	word := func() string { return words[table.IntN(len(words))] }
	var rows [][]byte
	for i := range n {
		row := binary.AppendVarint(binary.AppendVarint(nil, int64(i)), int64(table.IntN(5)))
		row = text(row, fmt.Sprintf("%s%x", word(), table.Uint64()>>table.IntN(64)))
		if row = binary.AppendVarint(row, int64(i%3&1)); i%3 == 1 {
			row = append(row, fmt.Sprintf("%08d", i)...)
		}
		row = binary.AppendVarint(row, 0)
		if row = binary.AppendVarint(row, int64(i/100%2)); i/100%2 == 0 {
			row = append(row, byte(i%2))
		}
		if items := table.IntN(4); items > 0 {
			row = binary.AppendVarint(row, int64(items))
			for range items {
				if table.IntN(3) == 0 {
					row = binary.AppendVarint(row, 0)
					continue
				}
				row = append(binary.AppendVarint(row, 1), "key"...)
				for range table.IntN(3) {
					row = text(binary.AppendVarint(row, 1), word())
				}
				row = binary.AppendVarint(row, 0)
			}
		}
		row = binary.AppendVarint(row, 0)
		for k := range table.IntN(3) {
			row = text(binary.AppendVarint(row, 1), fmt.Sprint(k))
			switch b := table.IntN(3); b {
			case 0:
				row = binary.AppendVarint(binary.AppendVarint(row, 0), int64(i))
			case 1:
				row = text(binary.AppendVarint(row, 1), word())
			default:
				row = binary.AppendVarint(row, 2)
			}
		}
		rows = append(rows, binary.AppendVarint(row, 0))
	}
	return avroFile(t, schema, rows...)
}

// avroFile writes a file of rows.
func avroFile(t *testing.T, schema string, rows ...[]byte) string {
	t.Helper()
	var file bytes.Buffer
	w, err := ocf.NewWriter(&file, &ocf.WriterOptions{Schema: schema, BlockBytes: 4000})
	must(t, err)
	for _, row := range rows {
		must(t, w.Append(row, 1))
	}
	must(t, w.Close())
	name := filepath.Join(t.TempDir(), "in.avro")
	must(t, os.WriteFile(name, file.Bytes(), 0o666))
	return name
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestReadersOfRows converts with options that change the rows or share them out among files,
// and has all readers read what comes of it. The rows that are expected are those that a job with
// such options writes to Trevni files.
func TestReadersOfRows(t *testing.T) {
	var sources []Source
	var parts [][]string
	for _, w := range ways(t) {
		s, p := w.make(t)
		sources, parts = append(sources, s...), append(parts, p...)
	}
	s, p := octets(t)
	files := Expect(t, t.TempDir(), append(sources, s)...)
	for i, p := range append(parts, p) {
		files[i].Parts = p
	}
	report := Check(t, files)
	t.Logf("\n%s", report)
	report.Must(t, nil)
}

// make converts to Parquet, and to Trevni. It returns for each folder a source of Trevni's rows,
// and the Parquet files.
func (w *way) make(t *testing.T) (sources []Source, parts [][]string) {
	t.Helper()
	dir := t.TempDir()
	files, err := convertTo(t, w.o, jobs.FormatParquet, w.source, filepath.Join(dir, "parquet"))
	if err != nil {
		t.Fatalf("%s: %v", w.name, err)
	}
	if len(files) < w.files {
		t.Errorf("%s: only %d files", w.name, len(files))
	}
	o := jobs.Options{Columns: w.o.Columns, Exclude: w.o.Exclude, Schema: w.o.Schema, SortBy: w.o.SortBy, PartitionBy: w.o.PartitionBy}
	same, err := convertTo(t, o, jobs.FormatTrevni, w.source, filepath.Join(dir, "trevni"))
	if err != nil {
		t.Fatalf("%s: %v", w.name, err)
	}
	rest := len(files)
	for i, file := range same { // one a folder
		folder, err := filepath.Rel(filepath.Join(dir, "trevni"), filepath.Dir(file))
		must(t, err)
		var of []string
		for _, f := range files {
			if filepath.Dir(f) == filepath.Join(dir, "parquet", folder) {
				of = append(of, f)
			}
		}
		rest -= len(of)
		sources = append(sources, Source{Name: fmt.Sprint(w.name, i), Avro: asAvro(t, file)})
		parts = append(parts, of)
	}
	if rest != 0 {
		t.Fatalf("%s: files in other folders than those of Trevni: %q", w.name, files)
	}
	return sources, parts
}

// convertTo converts a source into a folder, and returns the files that it got.
func convertTo(t *testing.T, o jobs.Options, format, source, folder string) (files []string, err error) {
	t.Helper()
	o.Format, o.Inputs, o.Output = format, []string{source}, folder
	rep, err := jobs.Convert(t.Context(), &o)
	if err != nil {
		return nil, err
	}
	for _, out := range rep.Outputs {
		files = append(files, filepath.Join(folder, out.Path))
	}
	return files, nil
}

// asAvro writes the rows of a Trevni file as Avro.
func asAvro(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	must(t, err)
	f, err := trevni.NewReader(bytes.NewReader(data), int64(len(data)), nil)
	must(t, err)
	schema, _ := f.Header().Meta.Get("avro.schema")
	r, err := record.NewReader(f, nil)
	must(t, err)
	var rows [][]byte
	for {
		row, n, err := r.ReadRows(nil, 1)
		if err == io.EOF {
			return avroFile(t, string(schema), rows...)
		}
		must(t, err)
		if n > 0 {
			rows = append(rows, row)
		}
	}
}

// octets converts strings that are not UTF-8 with --invalid-utf8 binary; the rows that are
// expected are those with bytes in their place.
func octets(t *testing.T) (Source, []string) {
	t.Helper()
	schema := `{"type":"record","name":"r","fields":[{"name":"s","type":"string"},{"name":"o","type":["null","string"]},{"name":"l","type":{"type":"array","items":"string"}}]}`
	var rows [][]byte
	for i := range 300 {
		row := text(nil, "\xff\xfe"[i%3:]+fmt.Sprint(i%7))
		row = text(binary.AppendVarint(row, 1), "caf\xe9")
		rows = append(rows, append(text(binary.AppendVarint(row, 1), "\x00\x80"), 0))
	}
	o := jobs.Options{InvalidUTF8: jobs.InvalidBinary, Codec: "zstd"}
	files, err := convertTo(t, o, jobs.FormatParquet, avroFile(t, schema, rows...), filepath.Join(t.TempDir(), "out"))
	must(t, err)
	return Source{Name: "octets", Avro: avroFile(t, strings.ReplaceAll(schema, `"string"`, `"bytes"`), rows...)}, files
}

// A recursive schema has no Parquet file: it is refused, with the path, and nothing is left.
func TestRecursiveIsRefused(t *testing.T) {
	paths, err := filepath.Glob("../../testdata/refused/recursive-*.avro")
	must(t, err)
	if len(paths) == 0 {
		t.Fatal("no fixtures")
	}
	for _, in := range paths {
		dir := t.TempDir()
		_, err := jobs.Convert(t.Context(), &jobs.Options{Inputs: []string{in}, Output: filepath.Join(dir, "out.parquet")})
		if exit.Code(err) != exit.StatusRefused || !errors.Is(err, mapper.ErrRecursive) || !strings.Contains(err.Error(), in) || !strings.Contains(err.Error(), "contains itself at") {
			t.Errorf("%s: %v", in, err)
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Errorf("%s: left %v, %v", in, left, err)
		}
	}
}
