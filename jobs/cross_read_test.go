package jobs

import (
	"fmt"
	"io"
	"strings"

	"avro2trevni/internal/assembly"
	"avro2trevni/internal/format/parquet/records"
	"avro2trevni/internal/schema"
	"avro2trevni/parquet/reader"
	"avro2trevni/record"
	"avro2trevni/trevni"
)

// What a draw's output holds, and whether it is what it ought to be.

// equalFolder compares the rows of a folder.
func (c *crossDraw) equalFolder(got, want []string) error {
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) {
			return fmt.Errorf("%d rows, want %d", len(got), len(want))
		}
		if got[i] != want[i] {
			return fmt.Errorf("%d rows, want %d; row %d is %.60x, want %.60x", len(got), len(want), i, got[i], want[i])
		}
	}
	return nil
}

// rowsOf reads the rows of a file, whose schema must be the one that is wanted.
func (c *crossDraw) rowsOf(file string) (rows []string, err error) {
	if c.o.Format == FormatParquet {
		return c.rowsOfParquet(file)
	}
	f, err := trevni.NewReader(strings.NewReader(file), int64(len(file)), nil)
	if err != nil {
		return nil, err
	}
	text, _ := f.Header().Meta.Get("avro.schema")
	if err := c.equalSchema(string(text)); err != nil {
		return nil, err
	}
	r, err := record.NewReader(f, nil)
	if err != nil {
		return nil, err
	}
	for {
		row, n, err := r.ReadRows(nil, 1)
		if err == io.EOF {
			return rows, nil
		}
		if err != nil {
			return nil, err
		}
		if n > 0 {
			rows = append(rows, string(row))
		}
	}
}

// rowsOfParquet is rowsOf for a Parquet file: its rows as they are assembled from its columns.
func (c *crossDraw) rowsOfParquet(file string) (rows []string, err error) {
	f, err := reader.Open(strings.NewReader(file), int64(len(file)), nil)
	if err != nil {
		return nil, err
	}
	t, err := records.Open(f, "")
	if err != nil {
		return nil, err
	}
	if err := c.equalSchema(t.Schema()); err != nil {
		return nil, err
	}
	r, err := t.Rows("", assembly.Options{})
	for err == nil {
		var row []byte
		if row, _, err = r.ReadRows(nil, 1); err == nil {
			rows = append(rows, string(row))
		}
	}
	if err == io.EOF {
		err = nil
	}
	return rows, err
}

// equalSchema returns how a file's schema differs from the one that is wanted.
func (c *crossDraw) equalSchema(text string) error {
	got, err := schema.Parse(text)
	if err != nil {
		return err
	}
	want, err := schema.Parse(c.out.text())
	if err != nil {
		return err
	}
	return schema.Equal(got, want)
}
