package record

import (
	"fmt"
	"io"
	"iter"
	"math"

	"avro2trevni/internal/schema"
	"avro2trevni/trevni"
)

// Reader reads the rows of a file as Avro records. One goroutine at a time; any
// number of readers may share a [trevni.Reader].
type Reader struct {
	o      Options
	schema string
	p      *program
	all    int64 // rows of the file
	row    int64 // the next row
	left   int64 // rows until a column needs its next block
	err    error // what ended the rows

	cursors []cursor
	loops   []int // elements left of each array that the walk is inside of

	out   []byte // the caller's buffer to its capacity, and
	n     int    // how much of it is used, and
	start int    // where the row in work begins, and
	done  int    // rows of this walk before it, during ReadRows
}

// NewReader returns a reader of f's records, before the first one, with the schema of the
// options, or the file's if o is nil. It reads the descriptors of the needed columns, or,
// if there are only nulls, those of one of their columns.
//
// If the wanted schema does not fit the file's, the error is [ErrMismatch], [ErrNoDefault]
// or [ErrDefault], with the place; if its text is invalid, an error of the parser; if the
// file has no schema [ErrNoSchema], or other columns [ErrColumns].
func NewReader(f *trevni.Reader, o *Options) (*Reader, error) {
	r := &Reader{o: o.withDefaults()}
	if err := r.o.validate(); err != nil {
		return nil, err
	}
	if err := r.compile(f.Header()); err != nil {
		return nil, err
	}
	if f.Header().Rows > math.MaxInt64 {
		return nil, fmt.Errorf("%w: %d rows", ErrColumns, f.Header().Rows)
	}
	r.all = int64(f.Header().Rows)
	r.loops = make([]int, r.p.loops)
	r.cursors = make([]cursor, len(r.p.needs), len(r.p.needs)+1)
	for i, n := range r.p.needs {
		var err error
		if r.cursors[i], err = newCursor(f, n); err != nil {
			return nil, err
		}
	}
	if len(r.cursors) == 0 && len(r.p.nulls) > 0 { // only its descriptors can belie the header's rows
		if _, err := f.Blocks(r.p.nulls[0]); err != nil {
			return nil, err
		}
	}
	if len(r.cursors) == 0 { // for instructions that have no column
		r.cursors = r.cursors[:1]
	}
	return r, nil
}

// compile sets the reader's schema and program.
func (r *Reader) compile(h *trevni.Header) error {
	meta, ok := h.Meta.Get(keySchema)
	if !ok {
		return ErrNoSchema
	}
	file, err := schema.ParseText(string(meta))
	if err != nil {
		return fmt.Errorf("record: schema of the file: %w", err)
	}
	want := file
	r.schema = string(meta)
	if r.o.Schema != "" {
		r.schema = r.o.Schema
		if want, err = schema.ParseText(r.schema); err != nil {
			return fmt.Errorf("record: wanted schema: %w", err)
		}
	}
	r.p, err = compile(want, file.Schema, h)
	return err
}

// Schema returns the JSON text of the schema of the rows.
func (r *Reader) Schema() string { return r.schema }

// NumRows returns the number of rows in the file.
func (r *Reader) NumRows() int64 { return r.all }

// Row returns the number of the row that comes next, from 0.
func (r *Reader) Row() int64 { return r.row }

// ReadRows appends the next rows to dst, one after another in Avro's binary encoding, and
// returns dst and their number: at least one without an error, and at most max, which must
// be 1 or more; fewer if [Options].BatchBytes were appended. After the last row the error
// is io.EOF.
//
// An error of the file's contents is an [*Error] or [*trevni.Error]. Rows before the
// fault are returned first, without an error. The error stays, until
// [Reader.SeekRow]. With room in dst it allocates nothing for a row.
// Up to 72 bytes of dst's capacity after what is returned may be overwritten.
func (r *Reader) ReadRows(dst []byte, max int) (out []byte, rows int, err error) {
	if max < 1 {
		return dst, 0, fmt.Errorf("record: ReadRows of %d rows", max)
	}
	base := len(dst)
	r.out, r.n = dst[:cap(dst)], base
	for r.err == nil && rows < max && r.n-base < r.o.BatchBytes {
		if r.err = r.ready(); r.err == nil {
			var n int
			n, r.err = r.walk(int(min(r.left, int64(max-rows))), base+r.o.BatchBytes)
			rows += n
			r.row += int64(n)
			r.left -= int64(n)
			r.done = 0
		}
	}
	out, r.out = r.out[:r.n], nil
	if rows > 0 {
		return out, rows, nil
	}
	return out, 0, r.err
}

// All returns an iterator over the rows that are left, one at a time, each in Avro's
// binary encoding and good until the next. An error comes last, with no row; the end is
// none. A loop that is left early has not read ahead: the next row follows the last.
//
// [Reader.ReadRows] is faster where the rows' borders do not matter.
func (r *Reader) All() iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		var row []byte
		for {
			var err error
			if row, _, err = r.ReadRows(row[:0], 1); err == io.EOF {
				return
			} else if err != nil {
				yield(nil, err)
				return
			}
			if !yield(row, nil) {
				return
			}
		}
	}
}

// ready loads the blocks of columns that have no row left, and sets how many rows
// there are before that is so again.
func (r *Reader) ready() error {
	if r.left > 0 {
		return nil
	}
	if r.row == r.all {
		return r.close()
	}
	next := r.all - r.row
	for i := range r.p.needs {
		c := &r.cursors[i]
		if c.block < 0 || c.starts[c.block+1] == r.row {
			if err := c.next(); err != nil {
				return r.fault(c, err)
			}
		}
		next = min(next, c.starts[c.block+1]-r.row)
	}
	r.left = next
	return nil
}

// close checks that the last blocks were used to their end, and returns [io.EOF].
func (r *Reader) close() error {
	for i := range r.p.needs {
		if err := r.cursors[i].finished(); err != nil {
			return r.fault(&r.cursors[i], err)
		}
	}
	return io.EOF
}

// fault says where an error was met, unless it knows.
func (r *Reader) fault(c *cursor, err error) error {
	switch err.(type) {
	case *trevni.Error, *Error:
		return err
	}
	e := &Error{Row: r.row + int64(r.done), Err: err}
	if c.file != nil {
		e.Column, e.Block = c.file.Header().Columns[c.column].Name, max(c.block, 0)
	}
	return e
}
