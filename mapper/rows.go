package mapper

import (
	"context"
	"errors"
	"io"

	"avro2trevni/internal/ocf"
)

// Rows returns the rows of an Avro file's blocks one by one, unchanged, and the values of
// some columns for each. It runs the program of a [Mapper] over them, and refuses what that
// refuses, with the same errors; it makes no tuples.
//
// Rows that take no bytes ([Program.Hollow]) are refused: there is nothing to give.
type Rows struct {
	m        *Mapper
	wanted   []bool    // columns whose values are asked for
	changing []*column // of those, the ones whose values differ from row to row
	visit    func(row []byte) error
	walked   int // bytes since the columns were emptied
}

// NewRows returns the rows of p, or of programs with the same columns. It gives visit each
// row, which is valid until visit returns, as is what [Rows.Value] returns for one of
// columns. An error of visit ends the walk; one made by [BadRow] is an error of the row.
func NewRows(p *Program, columns []int, o Options, visit func(row []byte) error) *Rows {
	r := &Rows{m: New(p, o, nil, nil), wanted: make([]bool, len(p.columns)), visit: visit}
	for _, i := range columns {
		r.wanted[i] = true
	}
	r.Use(p)
	return r
}

// Use is that of [Mapper].
func (r *Rows) Use(p *Program) {
	r.m.Use(p)
	r.changing = r.changing[:0]
	for i, wanted := range r.wanted {
		if wanted && !p.filled(i) {
			r.changing = append(r.changing, &r.m.cols[i])
		}
	}
	r.empty()
}

// SetRoom is that of [Mapper].
func (r *Rows) SetRoom(room ocf.Memory) { r.m.SetRoom(room) }

// Has reports whether the row has a value in an array column.
func (r *Rows) Has(column int) bool { return r.m.cols[column].values > 0 }

// Value returns the row's value in a column, in Avro's encoding; of a fixed its length is in
// front, as of a string. The row has one value there. Of an array column it is that of a row
// with one element: a branch of a union that is present.
func (r *Rows) Value(column int) []byte {
	c := &r.m.cols[column]
	b := c.buf[:c.n]
	if _, count, n := c.lengths.Run(b); count > 0 {
		return b[len(b)-n:]
	}
	return b
}

// BadRow makes an error of visit one of the row's data, so that it comes as an [Error].
func BadRow(err error) error { return fault{err} }

// empty empties all columns. Those that all rows have alike get that, if they are wanted.
func (r *Rows) empty() {
	for i := range r.m.cols {
		r.m.cols[i].forget()
	}
	p := r.m.p
	for i := range p.fills {
		f := &p.fills[i]
		if !r.wanted[f.column] {
			continue
		}
		for k := range f.puts {
			r.m.put(&f.puts[k])
		}
	}
	r.walked = 0
	r.m.giveBack()
}

// forget empties the buffer of a column, and gives it up if a large row made it large.
func (c *column) forget() {
	if len(c.buf) > c.full {
		c.buf = nil
	}
	c.n, c.bits, c.values = 0, 0, 0
	c.lengths.Reset()
}

// filled reports whether a column gets the same for all rows.
func (p *Program) filled(column int) bool {
	for i := range p.fills {
		if int(p.fills[i].column) == column {
			return true
		}
	}
	return false
}

// Segment gives the rows of the blocks of a segment, and returns how many there were. An
// error of the data is an [Error] with the block and the row in it.
func (r *Rows) Segment(ctx context.Context, blocks Blocks) (rows int64, err error) {
	for {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		b, err := blocks.Next()
		switch {
		case err == io.EOF:
			return rows, nil
		case err != nil:
			return 0, err
		}
		done, err := r.block(ctx, blocks, b.Rows)
		if err != nil {
			return 0, r.m.locate(ctx, err, blocks, b, done)
		}
		rows += done
	}
}

// block gives the rows of the present block, and returns how many it did.
func (r *Rows) block(ctx context.Context, blocks Blocks, rows int64) (done int64, err error) {
	r.m.empty = 0
	if r.m.p.minSize == 0 && rows > 0 {
		return 0, errors.New("mapper: rows of no bytes cannot be given one by one")
	}
	data, last, err := blocks.Window(0)
	if err != nil {
		return 0, err
	}
	pos := 0
	for done < rows {
		if r.walked >= r.m.interval() {
			if err := ctx.Err(); err != nil { // a block may be large
				return done, err
			}
			r.empty()
		}
		end, err := r.walk(data, pos)
		switch {
		case err == errShort && last:
			return done, tooFew(len(data)-pos, rows-done)
		case err == errShort:
			if data, last, err = blocks.Window(len(data) - pos); err != nil {
				return done, err
			}
			pos = 0
			continue
		case err != nil:
			return done, blame(err)
		}
		if err := r.visit(data[pos:end]); err != nil {
			return done, err
		}
		done++
		pos = end
	}
	return done, r.m.ended(blocks, data, pos, last)
}

// walk walks one row, and returns where it ends; errShort if data ends before.
func (r *Rows) walk(data []byte, pos int) (end int, err error) {
	m := r.m
	for _, col := range r.changing {
		col.forget()
	}
	before := m.empty
	m.spent, m.made = 0, 0
	end, _, done, err := m.walk(data, pos, 1, 1)
	if err == nil && done == 0 {
		err = errShort
	}
	if err != nil {
		r.empty()
		m.empty = before
		return pos, err
	}
	r.walked += end - pos + m.spent
	return end, nil
}
