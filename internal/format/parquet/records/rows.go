package records

import (
	"errors"
	"fmt"
	"io"

	"avro2trevni/internal/assembly"
	"avro2trevni/parquet/reader"
)

// Rows are the rows of a file, row group by row group. One goroutine at a time.
type Rows struct {
	t     *Table
	p     *assembly.Program
	o     assembly.Options
	group int // the row group that r reads, -1: none yet
	r     *assembly.Reader
	row   int64
	first int64 // the row that r began with
	err   error // what ended the rows, until SeekRow
}

// Rows returns the rows, before the first one, with the wanted schema: "" is the file's. It
// reads nothing yet. A schema that is no projection of the file's is [ErrSchema].
func (t *Table) Rows(want string, o assembly.Options) (*Rows, error) {
	p, err := t.project(want)
	if err != nil {
		return nil, err
	}
	return &Rows{t: t, p: p, o: o, group: -1}, nil
}

// Leaves returns the numbers of the leaves that are read.
func (r *Rows) Leaves() []int { return r.p.Leaves() }

// Row returns the number of the row that comes next, from 0.
func (r *Rows) Row() int64 { return r.row }

// column is a chunk's levels and values.
type column struct {
	c *reader.Column
	b reader.Batch
}

// Next implements [assembly.Column].
func (c *column) Next(b *assembly.Batch) error {
	if err := c.c.Next(&c.b); err != nil {
		return err
	}
	v := &c.b.Values
	*b = assembly.Batch{N: c.b.N, Rep: c.b.Rep, Def: c.b.Def, Values: assembly.Values{N: v.N, Width: v.Width, Data: v.Data, Offsets: v.Offsets}}
	return nil
}

// open begins row group i, at a row of the file.
func (r *Rows) open(i int, row int64) error {
	g := r.t.f.RowGroups[i]
	var columns []assembly.Column
	for _, leaf := range r.p.Leaves() {
		c, err := g.Chunks[leaf].ColumnFrom(row - g.First)
		if err != nil {
			return err
		}
		columns = append(columns, &column{c: c})
	}
	a, err := assembly.NewReader(r.p, columns, r.o)
	r.r, r.group, r.first = a, i, row
	return err
}

// ReadRows appends the next rows to dst, one after another in Avro's binary encoding, and returns
// dst and their number: at least one without an error, and at most max, which must be 1 or more;
// fewer at the end of a row group, or when BatchBytes were appended. After the last row the
// error is [io.EOF].
//
// Errors about the file's contents are a [*reader.Error], or of rows an [*assembly.Error] with
// the number of the row in the file. Rows before the fault are returned first. The error stays,
// until [Rows.SeekRow].
func (r *Rows) ReadRows(dst []byte, max int) (out []byte, rows int, err error) {
	for r.err == nil {
		if r.r == nil {
			if r.group+1 == len(r.t.f.RowGroups) {
				r.err = io.EOF
				break
			}
			if r.err = r.open(r.group+1, r.row); r.err != nil {
				break
			}
		}
		var n int
		dst, n, err = r.r.Read(dst, max)
		r.row += int64(n)
		if n > 0 {
			return dst, n, nil
		}
		r.err = r.end(err)
	}
	return dst, 0, r.err
}

// end ends a row group, or says where in the file an error is.
func (r *Rows) end(err error) error {
	g := r.t.f.RowGroups[r.group]
	if err == io.EOF && r.row == g.First+g.Rows {
		r.r = nil
		return nil
	}
	var at *assembly.Error
	switch {
	case err == io.EOF:
		return r.t.placed(fmt.Errorf("row group %d ends at row %d instead of %d", r.group, r.row, g.First+g.Rows))
	case errors.As(err, &at):
		return r.t.placed(&assembly.Error{Column: at.Column, Row: at.Row + r.first, Err: at.Err})
	}
	return err
}

// placed names the file, and makes an error of levels or values one of a file that is not whole.
func (t *Table) placed(err error) error {
	if t.path != "" {
		err = fmt.Errorf("%s: %w", t.path, err)
	}
	if errors.Is(err, assembly.ErrLimit) {
		return err
	}
	return corrupt{err}
}

// corrupt is an error that is also [reader.ErrCorrupt], which its text does not say.
type corrupt struct{ error }

func (corrupt) Is(target error) bool { return target == reader.ErrCorrupt }
func (c corrupt) Unwrap() error      { return c.error }

// SeekRow makes row the next one; the number of rows is the end. Pages before it are not read, if
// the file has offset indexes.
func (r *Rows) SeekRow(row int64) error {
	if row < 0 || row > r.t.f.Rows {
		return fmt.Errorf("row %d of %d", row, r.t.f.Rows)
	}
	if r.err == nil && r.r != nil && row == r.row {
		return nil
	}
	r.err, r.r, r.row, r.group = nil, nil, row, len(r.t.f.RowGroups)-1
	for i, g := range r.t.f.RowGroups {
		if row < g.First+g.Rows {
			r.group = i - 1
			break
		}
	}
	return nil
}
