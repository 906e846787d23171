package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

const magic = "PAR1"

// A Writer writes a file from finished pages, front to back:
//
//	"PAR1"
//	row group: column chunk: dictionary page, data pages
//	           ...
//	           bloom filters
//	...
//	column indexes, offset indexes
//	footer, its length (4 bytes, little-endian), "PAR1"
//
// The pages of a row group come column by column. EndRowGroup ends a row group, Close the
// file. After an error the file is of no use, and all calls return that error. It holds what
// index and footer will need: some hundred bytes a chunk, and about forty a page. One goroutine
// at a time.
type Writer struct {
	w      io.Writer
	schema *Schema
	o      WriterOptions
	codecs []format.CompressionCodec // of each column
	err    error
	at     int64 // bytes written
	sizer  *Sizer

	footer  *fileMetaData
	pending []chunkIndexes // of chunks since the last footer, in order
	indexed int            // row groups whose indexes are written

	chunk   *chunkWriter // the column being written, or nil
	next    int          // the column after it
	group   rowGroup     // the row group being written
	filters int          // the first column that may still have a bloom filter
}

// chunkIndexes are a chunk's column index, which may be missing, and offset index.
type chunkIndexes struct{ column, offset []byte }

// NewWriter returns a writer of a file to w, to which nothing is written yet. It does not close
// w.
func NewWriter(w io.Writer, s *Schema, o WriterOptions) (*Writer, error) {
	codecs, err := wireCodecs(o.Codec, o.Codecs, len(s.Leaves))
	if err != nil {
		return nil, err
	}
	footer, err := o.footer(s)
	if err != nil {
		return nil, err
	}
	sizer, err := NewSizer(s, o)
	if err != nil {
		return nil, err
	}
	return &Writer{w: w, schema: s, o: o, codecs: codecs, footer: footer, sizer: sizer}, nil
}

// Size returns a bound of the file's size if it were closed after the pages so far; a
// [Sizer] computes it for pages that are not written.
func (w *Writer) Size() int64 { return w.sizer.Size() }

// Begin writes the bytes before the first page, if that is not done yet. Callers need it
// only if nothing may be written between a page's turn and its bytes.
func (w *Writer) Begin() error {
	if w.err != nil || w.at > 0 {
		return w.err
	}
	return w.write([]byte(magic))
}

// WritePage writes the next page of a row group: of the column of the page before, or of
// the column after it, or of the first. A dictionary page comes before the column's data
// pages. Bloom filters come after the last column's pages. The page goes to the underlying
// writer unchanged, in one Write.
func (w *Writer) WritePage(column int, m Meta, page []byte) error {
	if int64(len(page)) != m.Stored {
		return w.fail(fmt.Errorf("column %d: a page of %d bytes that should have %d", column, len(page), m.Stored))
	}
	if err := w.begin(column, &m); err != nil {
		return err
	}
	return w.write(page)
}

// begin prepares for the bytes of a page.
func (w *Writer) begin(column int, m *Meta) error {
	if w.err != nil {
		return w.err
	}
	if err := w.admit(column, m); err != nil {
		return w.fail(fmt.Errorf("column %d: %w", column, err))
	}
	w.sizer.Add(column, m)
	return nil
}

// CopyPage is [Writer.WritePage] with the page's bytes from a reader: as many as the Meta
// says.
func (w *Writer) CopyPage(column int, m Meta, page io.Reader) error {
	if err := w.begin(column, &m); err != nil {
		return err
	}
	n, err := io.CopyN(w.w, page, m.Stored)
	w.at += n
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return w.fail(fmt.Errorf("%s of column %q: %w", m.Kind, w.schema.Leaves[column], err))
	}
	return nil
}

// fail makes err the writer's error, and returns it.
func (w *Writer) fail(err error) error {
	if w.err == nil {
		w.err = fmt.Errorf("parquet: %w", err)
	}
	return w.err
}

// write writes b.
func (w *Writer) write(b []byte) error {
	n, err := w.w.Write(b)
	w.at += int64(n)
	if err != nil {
		return w.fail(err)
	}
	return nil
}

// admit notes that the page will be written next, and ends the column before if it is the
// first of a column. It is an error if it is not that page's turn.
func (w *Writer) admit(column int, m *Meta) error {
	if err := w.Begin(); err != nil {
		return err
	}
	if m.Kind == BloomFilter {
		return w.admitFilter(column, m)
	}
	if w.chunk == nil || column != w.chunk.leaf.Index {
		if err := w.endColumn(); err != nil {
			return err
		}
		if column != w.next || column >= len(w.schema.Leaves) {
			return fmt.Errorf("a page where column %d of %d is next", w.next, len(w.schema.Leaves))
		}
		if column == 0 {
			w.group = rowGroup{FileOffset: thrift.New(w.at)}
		}
		w.chunk, w.next = newChunkWriter(w.schema.Leaves[column]), column+1
	}
	return w.chunk.add(m, w.at)
}

// admitFilter is admit for a bloom filter.
func (w *Writer) admitFilter(column int, m *Meta) error {
	if w.chunk != nil && w.next == len(w.schema.Leaves) {
		if err := w.endColumn(); err != nil {
			return err
		}
	}
	if w.chunk != nil || len(w.group.Columns) != len(w.schema.Leaves) || column < w.filters || column >= len(w.schema.Leaves) {
		return errors.New("a bloom filter where there should be none")
	}
	w.filters = column + 1
	meta := &w.group.Columns[column].MetaData
	meta.BloomFilterOffset, meta.BloomFilterLength = thrift.New(w.at), thrift.New(int32(m.Stored))
	return nil
}

// endColumn ends the column being written, if there is one.
func (w *Writer) endColumn() error {
	c := w.chunk
	if c == nil {
		return nil
	}
	w.chunk = nil
	if len(c.pages) == 0 {
		return fmt.Errorf("column %q has no data page", c.leaf)
	}
	if len(w.group.Columns) > 0 && c.sum.rows != w.group.NumRows {
		return fmt.Errorf("column %q has %d rows, the columns before it have %d", c.leaf, c.sum.rows, w.group.NumRows)
	}
	indexes, err := c.indexes()
	if err != nil {
		return err
	}
	meta := c.metaData(w.codecs[c.leaf.Index])
	w.pending = append(w.pending, indexes)
	w.group.NumRows = c.sum.rows
	w.group.TotalByteSize += meta.TotalUncompressedSize
	w.group.Columns = append(w.group.Columns, columnChunk{MetaData: meta})
	return nil
}

// EndRowGroup ends the row group. All columns must have had pages, of the same number of rows.
func (w *Writer) EndRowGroup() error {
	if w.err != nil {
		return w.err
	}
	if err := w.endColumn(); err != nil {
		return w.fail(err)
	}
	if len(w.group.Columns) != len(w.schema.Leaves) {
		return w.fail(fmt.Errorf("a row group of %d columns, the schema has %d", len(w.group.Columns), len(w.schema.Leaves)))
	}
	stored := int64(0)
	for i := range w.group.Columns {
		stored += w.group.Columns[i].MetaData.TotalCompressedSize
	}
	w.group.TotalCompressedSize = thrift.New(stored)
	w.group.SortingColumns = w.o.sorting()
	if n := len(w.footer.RowGroups); n <= math.MaxInt16 {
		w.group.Ordinal = thrift.New(int16(n))
	}
	w.footer.RowGroups = append(w.footer.RowGroups, w.group)
	w.footer.NumRows += w.group.NumRows
	w.group, w.next, w.filters = rowGroup{}, 0, 0
	w.sizer.EndRowGroup()
	if n := w.o.FooterEvery; n > 0 && len(w.footer.RowGroups)%n == 0 {
		return w.writeFooter()
	}
	return nil
}

// Close writes indexes and footer. A row group that is not ended is an error. Closing twice is
// one, too.
func (w *Writer) Close() error {
	if w.err != nil {
		return w.err
	}
	if w.chunk != nil || len(w.group.Columns) > 0 {
		return w.fail(errors.New("closed within a row group"))
	}
	if err := w.Begin(); err != nil {
		return err
	}
	if w.indexed < len(w.footer.RowGroups) || len(w.footer.RowGroups) == 0 {
		if err := w.writeFooter(); err != nil {
			return err
		}
	}
	w.err = errors.New("parquet: the file is closed")
	return nil
}

// writeFooter writes the indexes that are not yet written, and a footer.
func (w *Writer) writeFooter() error {
	columns := len(w.schema.Leaves)
	at := func(i int) *columnChunk { return &w.footer.RowGroups[w.indexed+i/columns].Columns[i%columns] }
	for i, indexes := range w.pending {
		if indexes.column == nil {
			continue
		}
		at(i).ColumnIndexOffset, at(i).ColumnIndexLength = thrift.New(w.at), thrift.New(int32(len(indexes.column)))
		if err := w.write(indexes.column); err != nil {
			return err
		}
	}
	for i, indexes := range w.pending {
		at(i).OffsetIndexOffset, at(i).OffsetIndexLength = thrift.New(w.at), thrift.New(int32(len(indexes.offset)))
		if err := w.write(indexes.offset); err != nil {
			return err
		}
	}
	w.pending, w.indexed = nil, len(w.footer.RowGroups)
	footer, err := marshal(w.footer)
	if err != nil {
		return w.fail(err)
	}
	if len(footer) > math.MaxInt32 {
		return w.fail(errors.New("a footer past 2 GiB"))
	}
	footer = binary.LittleEndian.AppendUint32(footer, uint32(len(footer)))
	return w.write(append(footer, magic...))
}
