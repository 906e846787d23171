package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// Footer returns the footer of a file of size bytes that r reads, for [Summary.Add]. A file that
// has none is [ErrCorrupt].
func Footer(r io.ReaderAt, size int64) ([]byte, error) {
	var tail [8]byte
	if size < int64(len(magic)+len(tail)) {
		return nil, fmt.Errorf("%w: %d bytes are too few", ErrCorrupt, size)
	}
	if _, err := r.ReadAt(tail[:], size-int64(len(tail))); err != nil {
		return nil, fmt.Errorf("parquet: footer: %w", err)
	}
	n := int64(binary.LittleEndian.Uint32(tail[:]))
	if string(tail[4:]) != magic || n > size-int64(len(magic)+len(tail)) {
		return nil, fmt.Errorf("%w: it does not end in a footer", ErrCorrupt)
	}
	footer := make([]byte, n)
	if _, err := r.ReadAt(footer, size-int64(len(tail))-n); err != nil {
		return nil, fmt.Errorf("parquet: footer: %w", err)
	}
	return footer, nil
}

// A Summary makes the files _metadata, with the row groups of all files of a folder, and
// _common_metadata, with their schema: footers without pages. Some readers plan by them. It
// holds about 150 bytes a chunk.
type Summary struct {
	schema *Schema
	o      WriterOptions
	rows   int64
	n      int    // row groups
	groups []byte // the row groups, one after the other
}

// NewSummary returns a Summary of files that are written with the schema and the options.
func NewSummary(s *Schema, o WriterOptions) *Summary { return &Summary{schema: s, o: o} }

// Add adds a file by its footer, which a Writer wrote. The path is from the folder of the
// summary. It is an error if the file has another schema.
func (s *Summary) Add(path string, footer []byte) error {
	var f fileMetaData
	if err := thrift.Unmarshal(&compact, footer, &f); err != nil {
		return fmt.Errorf("parquet: %s: footer: %w", path, err)
	}
	if !reflect.DeepEqual([]format.SchemaElement(f.Schema), s.schema.Root.elements(nil, true)) {
		return fmt.Errorf("parquet: %s has another schema", path)
	}
	for i := range f.RowGroups {
		group := &f.RowGroups[i]
		group.Ordinal = thrift.Null[int16]{}
		for c := range group.Columns {
			group.Columns[c].FilePath = path
		}
		b, err := marshal(group)
		if err != nil {
			return err
		}
		s.groups = append(s.groups, b...)
		s.rows += group.NumRows
		s.n++
	}
	return nil
}

// Memory returns the bytes that the summary holds.
func (s *Summary) Memory() int64 { return int64(cap(s.groups)) }

// WriteMetadata writes the file _metadata.
func (s *Summary) WriteMetadata(w io.Writer) error { return s.write(w, s.rows, s.n, s.groups) }

// WriteCommonMetadata writes the file _common_metadata.
func (s *Summary) WriteCommonMetadata(w io.Writer) error { return s.write(w, 0, 0, nil) }

// write writes a file of a footer alone. The row groups are put between the fields before and
// after them: in the compact protocol a field's number is the difference to the one before, in
// the first four bits, and a structure ends with a zero.
func (s *Summary) write(w io.Writer, rows int64, n int, groups []byte) error {
	const rowGroups = 4 // the field's number
	f, err := s.o.footer(s.schema)
	if err != nil {
		return err
	}
	front, err := marshal(&fileMetaDataFront{Version: f.Version, Schema: f.Schema, NumRows: rows})
	if err != nil {
		return err
	}
	back, err := marshal(&fileMetaDataBack{KeyValueMetadata: f.KeyValueMetadata, CreatedBy: f.CreatedBy, ColumnOrders: f.ColumnOrders})
	if err != nil {
		return err
	}
	b := append([]byte(magic), front[:len(front)-1]...)
	b = append(b, 1<<4|byte(thrift.LIST))
	if n < 15 {
		b = append(b, byte(n<<4)|byte(thrift.STRUCT))
	} else {
		b = binary.AppendUvarint(append(b, 15<<4|byte(thrift.STRUCT)), uint64(n))
	}
	back[0] -= rowGroups << 4
	size := int64(len(b)-len(magic)) + int64(len(groups)) + int64(len(back))
	if size > math.MaxInt32 {
		return errors.New("parquet: a summary past 2 GiB")
	}
	back = append(binary.LittleEndian.AppendUint32(back, uint32(size)), magic...)
	for _, part := range [...][]byte{b, groups, back} {
		if _, err := w.Write(part); err != nil {
			return fmt.Errorf("parquet: summary: %w", err)
		}
	}
	return nil
}
