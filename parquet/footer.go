package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go/encoding/thrift"
)

// ErrCorrupt is the error for a file that is not whole, or no Parquet file at all.
var ErrCorrupt = errors.New("parquet: damaged file")

// Footer is what a file's footer says of it as a whole.
type Footer struct {
	Rows      int64
	RowGroups int
	Leaves    int // columns
	KeyValues []KeyValue
}

// maxFooter is the most bytes of a footer that is read.
const maxFooter = 1 << 30

// ReadFooter reads the footer of a file of so many bytes. An error of what the file holds is
// [ErrCorrupt], others are those of r. It holds about as much again as the footer has bytes.
func ReadFooter(r io.ReaderAt, size int64) (*Footer, error) {
	const tail = 4 + int64(len(magic))
	if size < int64(len(magic))+tail {
		return nil, fmt.Errorf("%w: %d bytes are too few", ErrCorrupt, size)
	}
	var end [tail]byte
	if err := readAt(r, end[:], size-tail); err != nil {
		return nil, err
	}
	n := int64(binary.LittleEndian.Uint32(end[:]))
	switch {
	case string(end[4:]) != magic:
		return nil, fmt.Errorf("%w: it ends in %q, not %q", ErrCorrupt, end[4:], magic)
	case n > size-int64(len(magic))+tail || n > maxFooter:
		return nil, fmt.Errorf("%w: a footer of %d bytes in a file of %d", ErrCorrupt, n, size)
	}
	b := make([]byte, n)
	if err := readAt(r, b, size-tail-n); err != nil {
		return nil, err
	}
	var f fileMetaData
	if err := unmarshal(b, &f); err != nil {
		return nil, fmt.Errorf("%w: footer: %w", ErrCorrupt, err)
	}
	footer := &Footer{Rows: f.NumRows, RowGroups: len(f.RowGroups)}
	for i := range f.Schema {
		if !f.Schema[i].NumChildren.Valid {
			footer.Leaves++
		}
	}
	for _, kv := range f.KeyValueMetadata {
		footer.KeyValues = append(footer.KeyValues, KeyValue{Key: kv.Key, Value: kv.Value})
	}
	return footer, nil
}

// unmarshal decodes thrift. Whatever the bytes are, it does not panic.
func unmarshal(b []byte, v any) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%v", p)
		}
	}()
	return thrift.Unmarshal(new(thrift.CompactProtocol), b, v)
}

// readAt fills b.
func readAt(r io.ReaderAt, b []byte, at int64) error {
	n, err := r.ReadAt(b, at)
	if n == len(b) {
		return nil
	}
	if err == nil || errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("parquet: read %d bytes at %d: %w", len(b), at, err)
}
