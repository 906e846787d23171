package parquet

import (
	"errors"
	"fmt"
	"io"
	"math"

	"avro2trevni/internal/tuple"
	"avro2trevni/parquet"
	"avro2trevni/reducer"
)

// Files is how pages become files: a [reducer.Format]. A file has a row group for each split,
// and for each part of a split that its first or last row cuts. Pages are copied; both files of a
// split that is cut have its dictionary pages and bloom filters.
type Files struct {
	schema *parquet.Schema
	o      parquet.WriterOptions
	of     columns
	shape  reducer.Shape
}

var _ reducer.Format = (*Files)(nil)

// pageMemory is what a writer holds of a page, beside its note.
const pageMemory = 512

// NewFiles returns files of a layout's columns, some of which, in ascending order, have bloom
// filters.
func NewFiles(l *Layout, o parquet.WriterOptions, filters []int) (*Files, error) {
	if _, err := parquet.NewWriter(io.Discard, l.Schema, o); err != nil {
		return nil, fmt.Errorf("%w: %w", reducer.ErrOptions, err)
	}
	f := &Files{schema: l.Schema, o: o, of: columns{len(l.Schema.Leaves), filters}, shape: reducer.Shape{BySplit: true, WriterMemory: pageMemory}}
	for _, leaf := range l.Schema.Leaves {
		pages := reducer.Column{Name: leaf.String(), Least: 1, Look: reducer.LookNote}
		dictionary := reducer.Column{Name: leaf.String(), Look: reducer.LookNote}
		f.shape.Columns = append(f.shape.Columns, dictionary, pages)
	}
	for _, leaf := range filters {
		f.shape.Columns = append(f.shape.Columns, reducer.Column{Name: l.Schema.Leaves[leaf].String(), Look: reducer.LookNote})
	}
	return f, nil
}

// Shape implements [reducer.Format].
func (f *Files) Shape() *reducer.Shape { return &f.shape }

// Part implements [reducer.Format]: a part of a split has its whole dictionary and bloom filter;
// a page has no parts.
func (f *Files) Part(t *tuple.Tuple, _ []byte, lo, hi uint32) (reducer.Part, error) {
	if _, has := f.of.of(t.Column); has == dataPages {
		return reducer.Part{}, fmt.Errorf("%w: a page of %d rows cannot be cut at rows %d and %d", reducer.ErrRows, t.Rows, lo, hi)
	}
	return reducer.Part{Values: t.Values, Raw: t.Raw}, nil
}

// NewJoiner implements [reducer.Format].
func (f *Files) NewJoiner() reducer.Joiner { return &joiner{of: f.of} }

// joiner hands on dictionary pages and bloom filters of cut splits, and the notes of all pages.
type joiner struct {
	of          columns
	value, note []byte
	raw         uint32
}

// Pass implements [reducer.Joiner].
func (j *joiner) Pass(t *tuple.Tuple, note, _, _ []byte) (reducer.Noted, error) {
	return reducer.Noted{Note: note}, j.check(t, note)
}

// check reports a note that is not one of its tuple.
func (j *joiner) check(t *tuple.Tuple, note []byte) error {
	_, has := j.of.of(t.Column)
	if has == dictionaries && t.Size == 0 && len(note) == 0 {
		return nil // there is no dictionary
	}
	m, rest, err := parquet.ParseMeta(note)
	switch {
	case err != nil:
		return fmt.Errorf("%w: %w", reducer.ErrRun, err)
	case len(rest) > 0 || m.Stored != int64(t.Size) || has == dataPages && m.Rows != int(t.Rows):
		return fmt.Errorf("%w: a page of %d rows and %d bytes is described as one of %d and %d", reducer.ErrRun, t.Rows, t.Size, m.Rows, m.Stored)
	}
	return nil
}

// Begin implements [reducer.Joiner].
func (j *joiner) Begin(_ int, runs uint32, _ []byte) error {
	if runs != 1 {
		return fmt.Errorf("%w: %d pages cannot be one", reducer.ErrRun, runs)
	}
	return nil
}

// Add implements [reducer.Joiner].
func (j *joiner) Add(t *tuple.Tuple, note, value []byte, _, _ uint32) error {
	j.value, j.note, j.raw = append(j.value[:0], value...), append(j.note[:0], note...), t.Raw
	return j.check(t, note)
}

// Finish implements [reducer.Joiner].
func (j *joiner) Finish() ([]byte, uint32, reducer.Noted, error) {
	return j.value, j.raw, reducer.Noted{Note: j.note}, nil
}

// Size implements [reducer.Format]: it writes the file without its pages.
func (f *Files) Size(l *reducer.Laid) int64 {
	var n counter
	w, err := f.newWriter(&n, l)
	for err == nil && len(w.left) > 0 {
		err = w.next(func(leaf int, m parquet.Meta) error { return w.w.CopyPage(leaf, m, nothing{}) })
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		return math.MaxInt64 // Write returns why
	}
	return int64(n)
}

// NewWriter implements [reducer.Format].
func (f *Files) NewWriter(w io.Writer, l *reducer.Laid) (reducer.Writer, error) {
	return f.newWriter(w, l)
}

func (f *Files) newWriter(to io.Writer, l *reducer.Laid) (*writer, error) {
	w, err := parquet.NewWriter(to, f.schema, f.o)
	if err != nil {
		return nil, err
	}
	if err := w.Begin(); err != nil {
		return nil, err
	}
	n := 0
	for c := range f.shape.Columns {
		n += l.Blocks(c)
	}
	left := make([]blockAt, 0, n)
	for c, k := range l.Order() {
		left = append(left, blockAt{uint32(c), uint32(k)})
	}
	return &writer{w: w, of: f.of, l: l, left: left}, nil
}

// writer writes a file's pages as a [parquet.Writer] takes them.
type writer struct {
	w    *parquet.Writer
	of   columns
	l    *reducer.Laid
	left []blockAt // of the blocks to come
}

type blockAt struct{ column, k uint32 }

// WriteBlock implements [reducer.Writer].
func (w *writer) WriteBlock(data []byte) error {
	return w.next(func(leaf int, m parquet.Meta) error { return w.w.WritePage(leaf, m, data) })
}

// next has the next block written, if there is anything to write.
func (w *writer) next(write func(leaf int, m parquet.Meta) error) error {
	if len(w.left) == 0 {
		return errors.New("more pages than were laid out")
	}
	at := w.left[0]
	w.left = w.left[1:]
	b := w.l.Block(int(at.column), int(at.k))
	if b.Size > 0 {
		m, _, err := parquet.ParseMeta(b.Note)
		if err != nil {
			return err
		}
		leaf, _ := w.of.of(at.column)
		if err := write(leaf, m); err != nil {
			return err
		}
	}
	if len(w.left) > 0 && w.l.Block(int(w.left[0].column), int(w.left[0].k)).Row.Split() == b.Row.Split() {
		return nil
	}
	return w.w.EndRowGroup()
}

// Close implements [reducer.Writer].
func (w *writer) Close() error { return w.w.Close() }

// counter counts bytes. A page of nothing it counts without having it.
type counter int64

// Write implements io.Writer.
func (c *counter) Write(b []byte) (int, error) {
	*c += counter(len(b))
	return len(b), nil
}

// ReadFrom implements io.ReaderFrom.
func (c *counter) ReadFrom(r io.Reader) (int64, error) {
	of, ok := r.(*io.LimitedReader)
	if !ok {
		return 0, errors.New("parquet: not a page of a known size")
	}
	n := of.N
	of.N = 0
	*c += counter(n)
	return n, nil
}

// nothing is the bytes of a page that is only counted.
type nothing struct{}

// Read implements io.Reader.
func (nothing) Read([]byte) (int, error) { return 0, io.EOF }
