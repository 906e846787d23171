package run

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"avro2trevni/trevni"
)

type parquetRow struct {
	ID    int64   `parquet:"id"`
	Count int32   `parquet:"count"`
	Price float64 `parquet:"price"`
	Ratio float32 `parquet:"ratio"`
	Flag  bool    `parquet:"flag"`
	State *string `parquet:"state,optional"`
	Note  *string `parquet:"note,optional"`
	Hash  []byte  `parquet:"hash"`
}

func parquetRows(n int) []parquetRow {
	rows := make([]parquetRow, n)
	for i := range rows {
		text := strings.Repeat("ab", i%5)
		rows[i] = parquetRow{
			ID: int64(i) << 33, Count: int32(-i), Price: float64(i) / 4, Ratio: float32(i) / 8, Flag: i%3 == 0,
			State: &text, Note: &text, Hash: []byte{byte(i), 0xff},
		}
		if i%4 == 1 {
			rows[i].Note = nil
		}
	}
	return rows
}

// writeParquet writes rows into a file of DIR/out.
func writeParquet[T any](t *testing.T, dir, name string, rows []T) {
	t.Helper()
	if err := os.MkdirAll(filepath.Join(dir, "out"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := parquet.WriteFile(filepath.Join(dir, "out", name), rows); err != nil {
		t.Fatal(err)
	}
}

// trevniOf writes the same rows as a conversion from Avro has them: state not
// nullable, note nullable.
func trevniOf(t *testing.T, rows []parquetRow) string {
	t.Helper()
	h := &trevni.Header{Columns: []trevni.Column{
		{Name: "id", Type: trevni.Long}, {Name: "count", Type: trevni.Int}, {Name: "price", Type: trevni.Double},
		{Name: "ratio", Type: trevni.Float}, {Name: "flag", Type: trevni.Boolean}, {Name: "state", Type: trevni.String},
		{Name: "note/string", Type: trevni.String, Array: true}, {Name: "hash", Type: trevni.Bytes},
	}}
	path := filepath.Join(t.TempDir(), "a.trv")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	b, err := trevni.NewWriter(f, h, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		for i := range h.Columns {
			b.Column(i).Row()
		}
		b.Column(0).Long(r.ID)
		b.Column(1).Int(r.Count)
		b.Column(2).Double(r.Price)
		b.Column(3).Float(r.Ratio)
		b.Column(4).Boolean(r.Flag)
		b.Column(5).String(*r.State)
		if r.Note == nil {
			b.Column(6).Length(0)
		} else {
			b.Column(6).Length(1)
			b.Column(6).String(*r.Note)
		}
		b.Column(7).Bytes(r.Hash)
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestParquetAnswer holds two files of Parquet, one table, against the same rows in
// one of Trevni, and against rows that differ in one place.
func TestParquetAnswer(t *testing.T) {
	rows := parquetRows(3000)
	want, err := readAnswer(trevniOf(t, rows))
	if err != nil {
		t.Fatal(err)
	}
	text := "other"
	for name, test := range map[string]struct {
		change func([]parquetRow)
		errs   string
	}{
		"same":   {func([]parquetRow) {}, ""},
		"long":   {func(r []parquetRow) { r[2999].ID++ }, "column 0"},
		"double": {func(r []parquetRow) { r[7].Price = 1 }, "column 2"},
		"bit":    {func(r []parquetRow) { r[1500].Flag = !r[1500].Flag }, "column 4"},
		"string": {func(r []parquetRow) { r[5].State = &text }, "column 5"},
		"null":   {func(r []parquetRow) { r[8].Note = nil }, "column 6"},
		"moved":  {func(r []parquetRow) { r[4].Note, r[5].Note = r[5].Note, r[4].Note }, "column 6"},
	} {
		t.Run(name, func(t *testing.T) {
			changed := parquetRows(3000)
			test.change(changed)
			dir := t.TempDir()
			writeParquet(t, dir, "part-0.parquet", changed[:1000])
			writeParquet(t, dir, "part-1.parquet", changed[1000:])
			got, err := readAnswer(filepath.Join(dir, "out"))
			if err != nil {
				t.Fatal(err)
			}
			err = want.Same(got)
			if test.errs == "" && err != nil || test.errs != "" && (err == nil || !strings.Contains(err.Error(), test.errs)) {
				t.Errorf("compared: %v, want %q", err, test.errs)
			}
		})
	}
}

func TestParquetRefuses(t *testing.T) {
	dir := t.TempDir()
	writeParquet(t, dir, "a.parquet", []struct{ Inner struct{ A int64 } }{{}})
	if _, err := readAnswer(filepath.Join(dir, "out")); err == nil || !strings.Contains(err.Error(), "Inner is nested") {
		t.Errorf("a nested field: error %v", err)
	}
	if _, err := readAnswer(t.TempDir()); err == nil || !strings.Contains(err.Error(), "no files of a table") {
		t.Errorf("an empty folder: error %v", err)
	}
}
