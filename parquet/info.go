package parquet

import (
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go/encoding/thrift"
)

// ErrCorrupt is the error for a file that is not whole, or no Parquet file at all.
var ErrCorrupt = errors.New("parquet: damaged file")

// Info is what a file's footer says of it as a whole.
type Info struct {
	Rows      int64
	RowGroups int
	Leaves    int // columns
	KeyValues []KeyValue
}

// ReadInfo reads the footer of a file of size bytes. An error of what the file holds is
// [ErrCorrupt], others are those of r. It holds a few times what the footer has in bytes.
func ReadInfo(r io.ReaderAt, size int64) (*Info, error) {
	b, err := Footer(r, size)
	if err != nil {
		return nil, err
	}
	var f fileMetaData
	if err := unmarshal(b, &f); err != nil {
		return nil, fmt.Errorf("%w: footer: %w", ErrCorrupt, err)
	}
	info := &Info{Rows: f.NumRows, RowGroups: len(f.RowGroups)}
	for i := range f.Schema {
		if f.Schema[i].Type.Valid {
			info.Leaves++
		}
	}
	for _, kv := range f.KeyValueMetadata {
		info.KeyValues = append(info.KeyValues, KeyValue{Key: kv.Key, Value: kv.Value})
	}
	return info, nil
}

// unmarshal decodes thrift. Whatever the bytes are, it does not panic.
func unmarshal(b []byte, v any) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%v", p)
		}
	}()
	return thrift.Unmarshal(&compact, b, v)
}
