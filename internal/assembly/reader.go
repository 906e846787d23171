package assembly

import (
	"errors"
	"fmt"
	"io"
)

// Options are what may be chosen. The zero value is the default.
type Options struct {
	// BatchBytes is after how many bytes [Reader.Read] returns; default 64 KiB.
	BatchBytes int
	// RowBytes is the largest row; default 256 MiB. Levels can make a large row of a small file.
	RowBytes int
}

// Reader puts rows together. One goroutine at a time.
type Reader struct {
	p       *Program
	cursors []cursor
	loops   []loop
	rowMax  int
	bytes   int
	row     int64 // the next row
	err     error // what ended the rows

	out   []byte // the caller's buffer to its capacity, and
	n     int    // how much of it is used, and
	start int    // where the row in work begins, and
	done  int    // rows of this Read before it
	rep   byte   // the register
}

// loop is a list that the walk is inside of.
type loop struct {
	at    int // where the count stands
	count int
	rep   byte // the register before the list
}

// NewReader returns a reader of a program's rows, before the first one. Columns are those of
// [Program.Leaves], in that order; it keeps them, and does not close them.
func NewReader(p *Program, columns []Column, o Options) (*Reader, error) {
	if len(columns) != len(p.needs) {
		return nil, fmt.Errorf("assembly: %d columns of a program of %d", len(columns), len(p.needs))
	}
	r := &Reader{p: p, loops: make([]loop, p.loops), rowMax: o.RowBytes, bytes: o.BatchBytes}
	if r.rowMax <= 0 {
		r.rowMax = 256 << 20
	}
	if r.bytes <= 0 {
		r.bytes = 64 << 10
	}
	for i, c := range columns {
		r.cursors = append(r.cursors, newCursor(&p.leaves[p.needs[i]], c))
	}
	return r, nil
}

// Row returns the number of the row that comes next, from 0.
func (r *Reader) Row() int64 { return r.row }

// Read appends the next rows to dst, one after another in Avro's binary encoding, and returns dst
// and their number: at least one without an error, and at most max, which must be 1 or more;
// fewer if [Options].BatchBytes were appended. After the last row the error is [io.EOF].
//
// What is wrong with rows is an [*Error]; errors of columns are returned as they are. Rows
// before the fault are returned first, without an error. The error stays. Up to 72 bytes of dst's
// capacity after what is returned may be overwritten.
func (r *Reader) Read(dst []byte, max int) (out []byte, rows int, err error) {
	if max < 1 {
		return dst, 0, fmt.Errorf("assembly: Read of %d rows", max)
	}
	base := len(dst)
	r.out, r.n = dst[:cap(dst)], base
	if r.err == nil {
		rows, r.err = r.walk(max, base+r.bytes)
		r.row += int64(rows)
		r.done = 0
	}
	out, r.out = r.out[:r.n], nil
	if rows > 0 {
		return out, rows, nil
	}
	return out, 0, r.err
}

// begin looks for the next row where the first column's batch is used up. The error is io.EOF
// where no column has one.
func (r *Reader) begin() error {
	first := &r.cursors[0]
	more, err := first.more()
	if err != nil || more {
		return r.fault(first, err)
	}
	for i := range r.cursors {
		c := &r.cursors[i]
		if more, err := c.more(); err != nil {
			return r.fault(c, err)
		} else if more {
			return r.fault(c, levelsf("column %q ends before it", first.leaf.Name))
		}
		if err := c.load(); err != nil { // values that no level has
			return r.fault(c, err)
		}
	}
	return io.EOF
}

// fault says where an error was met, unless it is a column's own.
func (r *Reader) fault(c *cursor, err error) error {
	ours := errors.Is(err, ErrLevels) || errors.Is(err, ErrValue) || errors.Is(err, ErrLimit)
	if placed := (*Error)(nil); !ours || errors.As(err, &placed) {
		return err
	}
	return &Error{Column: c.leaf.Name, Row: r.row + int64(r.done), Err: err}
}
