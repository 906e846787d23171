package parquet

import (
	"errors"

	"avro2trevni/internal/colsum"
	"avro2trevni/internal/exit"
	"avro2trevni/internal/format"
	"avro2trevni/internal/ocf"
	"avro2trevni/parquet"
)

// file is a finished file whose footer is read.
type file struct {
	info *parquet.Info
	path string
}

var _ format.File = (*file)(nil)

// ErrRows is returned where a file's rows are needed.
var ErrRows = errors.New("the rows of Parquet files cannot be read back")

// Schema implements [format.File].
func (f *file) Schema() string {
	for _, kv := range f.info.KeyValues {
		if kv.Key == schemaKey {
			return kv.Value
		}
	}
	return ""
}

// Meta implements [format.File].
func (f *file) Meta() (all []ocf.Meta) {
	for _, kv := range f.info.KeyValues {
		all = append(all, ocf.Meta{Key: kv.Key, Value: []byte(kv.Value)})
	}
	return all
}

// Rows implements [format.File].
func (f *file) Rows() int64 { return f.info.Rows }

// Columns implements [format.File].
func (f *file) Columns() int { return f.info.Leaves }

// Held implements [format.File].
func (f *file) Held() (int64, error) { return 0, f.unreadable() }

// Read implements [format.File].
func (f *file) Read() (format.Rows, error) { return nil, f.unreadable() }

// Sums implements [format.File].
func (f *file) Sums(func(int64)) ([]colsum.Column, error) { return nil, f.unreadable() }

// GoesOn implements [format.File]: no column must ascend.
func (f *file) GoesOn(map[int][]byte) (bool, error) { return true, nil }

func (f *file) unreadable() error { return exit.Refused("%s: %w", f.path, ErrRows) }
