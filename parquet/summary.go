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
// _common_metadata, with their schema: footers without pages. Some readers plan by them.
//
//	Add, of each file ---> numbers of rows and row groups
//	                            v
//	WriteMetadata          magic, schema, row groups of file after file, the rest of the footer
//
// It reads the footers twice, as the number of row groups stands before them, and holds one
// at a time.
type Summary struct {
	schema *Schema
	o      WriterOptions
	rows   int64
	files  int
	n      int // row groups
}

// NewSummary returns a Summary of files that are written with the schema and the options.
func NewSummary(s *Schema, o WriterOptions) *Summary { return &Summary{schema: s, o: o} }

// ErrSchema is the error for a file whose schema is not that of the summary.
var ErrSchema = errors.New("parquet: another schema")

// Add adds a file by its footer, which a Writer wrote. It is [ErrSchema] if the file has another
// schema.
func (s *Summary) Add(footer []byte) error {
	f, err := s.parse(footer)
	if err != nil {
		return err
	}
	s.rows += f.NumRows
	s.files++
	s.n += len(f.RowGroups)
	return nil
}

func (s *Summary) parse(footer []byte) (*fileMetaData, error) {
	f, err := unmarshalFooter(footer)
	if err != nil {
		return nil, err
	}
	if !reflect.DeepEqual([]format.SchemaElement(f.Schema), s.schema.Root.elements(nil, true)) {
		return nil, ErrSchema
	}
	return f, nil
}

// WriteMetadata writes the file _metadata. file returns the path of the i-th file that was
// added, from the folder of the summary, and its footer again.
func (s *Summary) WriteMetadata(w io.Writer, file func(i int) (path string, footer []byte, err error)) error {
	left := s.n
	return s.write(w, s.rows, s.n, func(w io.Writer) error {
		for i := range s.files {
			path, footer, err := file(i)
			if err != nil {
				return err
			}
			n, err := s.copyGroups(w, path, footer)
			if err != nil {
				return err
			}
			left -= n
		}
		if left != 0 {
			return errors.New("parquet: summary: the files changed meanwhile")
		}
		return nil
	})
}

// copyGroups writes the row groups of a footer, with the path of the file, and returns how many.
func (s *Summary) copyGroups(w io.Writer, path string, footer []byte) (int, error) {
	f, err := s.parse(footer)
	if err != nil {
		return 0, err
	}
	for i := range f.RowGroups {
		group := &f.RowGroups[i]
		group.Ordinal = thrift.Null[int16]{}
		for c := range group.Columns {
			group.Columns[c].FilePath = path
		}
		b, err := marshal(group)
		if err != nil {
			return 0, err
		}
		if _, err := w.Write(b); err != nil {
			return 0, fmt.Errorf("parquet: summary: %w", err)
		}
	}
	return len(f.RowGroups), nil
}

// WriteCommonMetadata writes the file _common_metadata.
func (s *Summary) WriteCommonMetadata(w io.Writer) error {
	return s.write(w, 0, 0, func(io.Writer) error { return nil })
}

// write writes a file of a footer alone. The row groups are put between the fields before and
// after them: in the compact protocol a field's number is the difference to the one before, in
// the first four bits, and a structure ends with a zero.
func (s *Summary) write(w io.Writer, rows int64, n int, groups func(io.Writer) error) error {
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
	c := &counted{w: w}
	if err := c.write(b); err != nil {
		return err
	}
	if err := groups(c); err != nil {
		return err
	}
	back[0] -= rowGroups << 4
	if err := c.write(back); err != nil {
		return err
	}
	size := c.n - int64(len(magic))
	if size > math.MaxInt32 {
		return errors.New("parquet: a summary past 2 GiB")
	}
	return c.write(append(binary.LittleEndian.AppendUint32(nil, uint32(size)), magic...))
}

// counted counts what is written.
type counted struct {
	w io.Writer
	n int64
}

// Write implements io.Writer.
func (c *counted) Write(b []byte) (int, error) {
	n, err := c.w.Write(b)
	c.n += int64(n)
	return n, err
}

func (c *counted) write(b []byte) error {
	if _, err := c.Write(b); err != nil {
		return fmt.Errorf("parquet: summary: %w", err)
	}
	return nil
}
