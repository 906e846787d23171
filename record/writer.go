package record

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"

	"avro2trevni/internal/schema"
	"avro2trevni/internal/shred"
	"avro2trevni/trevni"
	"avro2trevni/trevni/block"
)

// WriterOptions are the options of a writer. The zero value, and nil, are the defaults.
type WriterOptions struct {
	// Codec compresses the blocks: null, snappy, snappy:better, deflate, or deflate:1 to
	// deflate:9. Default snappy.
	Codec string
	// Checksum is of each block: null, crc32, or crc-32, which Java cannot read. Default crc32.
	Checksum string
	// Meta is metadata of the file. Keys that begin with "trevni." or "avro." are refused.
	Meta trevni.Metadata
	// BlockSize, Memory and TempDir are those of [trevni.WriterOptions].
	BlockSize int
	Memory    int64
	TempDir   string
}

// Writer makes a Trevni file from rows in Avro's binary encoding, which any Avro library
// writes and a [Reader] returns. The columns are those that the Java implementation makes
// from the schema. The file's metadata has the schema, so a Reader can read the rows.
//
// Close or Abort must be called. A writer that failed stays failed: then Close writes
// nothing, and returns the error. A Writer is for one goroutine.
type Writer struct {
	to      io.Writer
	header  trevni.Header
	w       *trevni.Writer
	columns []*column
	put     put
	rows    int64
	err     error
}

// NewWriter returns a writer of rows of a schema, given as JSON text. o may be nil. Nothing
// is written to w before Close: see [trevni.Writer] for what is held until then.
//
// An invalid text is an error of the parser. A recursive schema is [ErrRecursive], and one
// of more than 100,000 columns [ErrTooWide].
func NewWriter(w io.Writer, text string, o *WriterOptions) (*Writer, error) {
	if o == nil {
		o = new(WriterOptions)
	}
	t, err := schema.ParseText(text)
	if err != nil {
		return nil, fmt.Errorf("record: schema: %w", err)
	}
	if text, err = t.All().JSON(); err != nil { // as Java's reader takes it
		return nil, fmt.Errorf("record: schema: %w", err)
	}
	s := shredder{open: map[*schema.Schema]bool{}}
	rw := &Writer{to: w}
	if rw.put, _, err = s.value(shred.Top(t.Schema), nil); err != nil {
		return nil, err
	}
	if len(s.columns) > maxColumns {
		return nil, errTooWide
	}
	rw.columns, rw.header.Columns = s.columns, s.header
	level, err := rw.describe(text, o)
	if err != nil {
		return nil, err
	}
	rw.w, err = trevni.NewWriter(w, &rw.header, &trevni.WriterOptions{
		Level: level, BlockSize: o.BlockSize, Memory: o.Memory, TempDir: o.TempDir,
	})
	if err != nil {
		return nil, err
	}
	for i, c := range rw.columns {
		c.ColumnWriter = rw.w.Column(i)
	}
	return rw, nil
}

// describe sets the file's metadata, and returns the codec's level.
func (w *Writer) describe(text string, o *WriterOptions) (level string, err error) {
	codec, err := block.ParseCodec(cmp.Or(o.Codec, "snappy"))
	if err != nil {
		return "", err
	}
	checksum, err := block.ParseChecksum(cmp.Or(o.Checksum, "crc32"))
	if err != nil {
		return "", err
	}
	h := &w.header
	h.Meta = trevni.Metadata{{Key: keySchema, Value: []byte(text)}}
	for _, p := range o.Meta {
		if trevni.ReservedKey(p.Key) || strings.HasPrefix(p.Key, "avro.") {
			return "", fmt.Errorf("record: WriterOptions.Meta has the key %q, which is reserved", p.Key)
		}
		h.Meta = append(h.Meta, p)
	}
	h.SetCodec(codec.Name)
	h.SetChecksum(checksum)
	return codec.Level, nil
}

// Write writes a row, which is not kept. Bytes that are not exactly one row of the schema
// are [ErrDatum].
func (w *Writer) Write(row []byte) error { return w.WriteRows(row, 1) }

// WriteRows writes n rows, one after another, as [Reader.ReadRows] returns them. They are
// not kept. Bytes that are not n rows of the schema are [ErrDatum].
func (w *Writer) WriteRows(rows []byte, n int) error {
	d := datum{b: rows}
	for range n {
		if w.err == nil {
			w.row(&d)
		}
	}
	if w.err == nil && len(d.b) > 0 {
		w.fail(fmt.Errorf("%w: %d bytes after the last of %d rows", ErrDatum, len(d.b), n))
	}
	return w.err
}

// row writes the next row of d.
func (w *Writer) row(d *datum) {
	for _, c := range w.columns {
		if err := c.Row(); err != nil {
			w.fail(err)
			return
		}
	}
	d.row, d.empty = w.rows, maxEmpty
	if w.put(d); d.err != nil {
		w.fail(d.err)
		return
	}
	w.rows++
}

// fail ends the writer.
func (w *Writer) fail(err error) {
	w.err = errors.Join(err, w.w.Abort())
}

// NumRows returns the number of rows written.
func (w *Writer) NumRows() int64 { return w.rows }

// Close writes the file. It does not close the underlying writer; after an error the output
// of that is not a valid file.
func (w *Writer) Close() error {
	if w.err != nil {
		return w.err
	}
	w.err = w.finish()
	if w.err != nil {
		return w.err
	}
	w.err = errClosed
	return nil
}

// Abort discards all rows, and writes nothing. After Close it does nothing.
func (w *Writer) Abort() error {
	if w.err == nil {
		w.err = errClosed
	}
	return w.w.Abort()
}

// finish writes the file. One without columns has its rows counted in the header alone.
func (w *Writer) finish() error {
	if len(w.columns) > 0 {
		return w.w.Close()
	}
	w.header.Rows = uint64(w.rows)
	out, err := trevni.NewBlockWriter(w.to, &w.header, nil)
	if err != nil {
		return err
	}
	return out.Close()
}

var errClosed = errors.New("record: writer is closed")
