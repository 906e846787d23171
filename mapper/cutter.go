package mapper

import (
	"context"
	"fmt"
	"io"
)

// Cutter cuts rows out of an Avro file's blocks, as they are written there, each with its
// sort key. It runs the program of a [Mapper] over them, and refuses what that does, with
// the same errors; what the columns get is looked at for the key, and forgotten.
//
// Rows that take no bytes ([Program.Hollow]) are refused: there is nothing to cut out.
type Cutter struct {
	// Longest is the bytes of the longest value so far of the column that the key watches.
	Longest int

	m      *Mapper
	key    *Key
	used   []bool // columns that tell the key
	row    func(key, row []byte) error
	buf    []byte // the key
	walked int    // bytes since the columns were emptied
}

// NewCutter returns a cutter of rows of p, or of programs with the same columns. It
// gives row each row and its key, which are valid until row returns; an error of row ends
// the cutting.
func NewCutter(p *Program, key *Key, o Options, row func(key, row []byte) error) *Cutter {
	o.Sum = false
	c := &Cutter{m: New(p, o, nil), key: key, used: make([]bool, len(p.columns)), row: row}
	for _, i := range key.used {
		c.used[i] = true
	}
	c.Use(p)
	return c
}

// Use makes p the program of the segments to come.
func (c *Cutter) Use(p *Program) {
	c.m.Use(p)
	c.empty()
}

// empty empties all columns. Those of the key that all rows have alike get that.
func (c *Cutter) empty() {
	for i := range c.m.cols {
		c.m.cols[i].forget()
	}
	p := c.m.p
	for i := range p.fills {
		f := &p.fills[i]
		if !c.used[f.column] {
			continue
		}
		for k := range f.puts {
			c.m.put(&f.puts[k])
		}
	}
	c.walked = 0
	c.m.giveBack()
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

// Segment cuts the rows out of the blocks of a segment, and returns how many there were.
// An error of the data is an [Error] with the block and the row in it.
func (c *Cutter) Segment(ctx context.Context, blocks Blocks) (rows int64, err error) {
	var changing []*column // of the key, from row to row
	for i, used := range c.used {
		if used && !c.m.p.filled(i) {
			changing = append(changing, &c.m.cols[i])
		}
	}
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
		done, err := c.block(ctx, blocks, b.Rows, changing)
		if err != nil {
			return 0, c.m.locate(err, b, done)
		}
		rows += done
	}
}

// block cuts the rows out of the present block, and returns how many it did.
func (c *Cutter) block(ctx context.Context, blocks Blocks, rows int64, changing []*column) (done int64, err error) {
	c.m.empty = 0
	if c.m.p.minSize == 0 && rows > 0 {
		return 0, fmt.Errorf("mapper: rows that take no bytes %w", ErrKey)
	}
	data, last, err := blocks.Window(0)
	if err != nil {
		return 0, err
	}
	pos := 0
	for done < rows {
		if c.walked >= c.m.interval() {
			if err := ctx.Err(); err != nil { // a block may be large
				return done, err
			}
			c.empty()
		}
		end, err := c.cutRow(data, pos, changing)
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
		if c.buf, err = c.key.append(c.buf[:0], c.m.cols); err != nil {
			return done, fault{err}
		}
		if i := c.key.Watch; i >= 0 {
			c.Longest = max(c.Longest, len(c.key.columns[i].n.value(c.m.cols)))
		}
		if err := c.row(c.buf, data[pos:end]); err != nil {
			return done, err
		}
		done++
		pos = end
	}
	return done, c.m.ended(blocks, data, pos, last)
}

// cutRow walks one row, and returns where it ends; errShort if data ends before.
func (c *Cutter) cutRow(data []byte, pos int, changing []*column) (end int, err error) {
	m := c.m
	for _, col := range changing {
		col.forget()
	}
	before := m.empty
	m.spent, m.made = 0, 0
	end, _, done, err := m.walk(data, pos, 1, 1)
	if err == nil && done == 0 {
		err = errShort
	}
	if err != nil {
		c.empty()
		m.empty = before
		return pos, err
	}
	c.walked += end - pos + m.spent
	return end, nil
}
