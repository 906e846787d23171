package jobs

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"avro2trevni/internal/schema"
	"avro2trevni/parquet"
	"avro2trevni/record"
	"avro2trevni/trevni"
)

// What a draw's output holds, and whether it is what it ought to be. Of Parquet files only the
// schema and the number of rows are compared.

// equalFolder compares the rows of a folder.
func (c *crossDraw) equalFolder(got, want []string) error {
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) {
			return fmt.Errorf("%d rows, want %d", len(got), len(want))
		}
		if got[i] != want[i] && c.o.Format != FormatParquet {
			return fmt.Errorf("%d rows, want %d; row %d is %.60x, want %.60x", len(got), len(want), i, got[i], want[i])
		}
	}
	return nil
}

// rowsOf reads the rows of a file, whose schema must be the one that is wanted.
func (c *crossDraw) rowsOf(file string) (rows []string, err error) {
	if c.o.Format == FormatParquet {
		return c.countOf(file)
	}
	f, err := trevni.NewReader(strings.NewReader(file), int64(len(file)), nil)
	if err != nil {
		return nil, err
	}
	text, _ := f.Header().Meta.Get("avro.schema")
	got, err := schema.Parse(string(text))
	if err != nil {
		return nil, err
	}
	want, err := schema.Parse(c.out.text())
	if err != nil {
		return nil, err
	}
	if err := schema.Equal(got, want); err != nil {
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

// countOf returns as many rows as a Parquet file has, whose schema must be the one that is wanted.
// What they hold is not looked at.
func (c *crossDraw) countOf(file string) (rows []string, err error) {
	info, err := parquet.ReadInfo(strings.NewReader(file), int64(len(file)))
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(info.KeyValues, func(kv parquet.KeyValue) bool { return kv.Key == "avro.schema" })
	got, err := schema.Parse(info.KeyValues[i].Value)
	if err != nil {
		return nil, err
	}
	want, err := schema.Parse(c.out.text())
	if err != nil {
		return nil, err
	}
	return make([]string, info.Rows), schema.Equal(got, want)
}
