package record

import (
	"fmt"
	"slices"

	"avro2trevni/trevni"
	"avro2trevni/trevni/block"
)

// SeekRow makes row the next one, counted from 0; the number of rows is the end. A row that
// does not exist is [ErrRange]. An earlier error of the reader is cleared.
//
// Each column reads the block that has the row. A column under an array also needs the
// number of elements between its block's first row and the wanted row, so the array's
// column is read from there on: one or two blocks of it in most files. Blocks that the
// reader already has are not read again.
func (r *Reader) SeekRow(row int64) error {
	if row < 0 || row > r.all {
		return fmt.Errorf("%w: %d of %d", ErrRange, row, r.all)
	}
	r.row, r.left, r.err = row, 0, nil
	if row == r.all {
		for i := range r.p.needs {
			r.cursors[i].block = -1
		}
		return nil
	}
	r.err = r.seek(row)
	return r.err
}

// seek moves each column's cursor to a row.
func (r *Reader) seek(row int64) error {
	marks := r.marks(row)
	counts := make([][]int64, len(marks))
	for i := range marks {
		c := &r.cursors[i]
		units := marks[i] // in a column without parent a row is a value, or a length
		if p := c.parent; p >= 0 {
			units = pick(marks[p], counts[p], marks[i])
		}
		var err error
		if counts[i], err = c.follow(marks[i], units); err != nil {
			return r.fault(c, err)
		}
	}
	return nil
}

// marks returns for each cursor the rows, in order, that its way to a row leads by:
// where its blocks begin, from the one that the cursors under it need, and the rows
// that those go by.
func (r *Reader) marks(row int64) [][]int64 {
	marks := make([][]int64, len(r.p.needs))
	for i := len(marks) - 1; i >= 0; i-- {
		c := &r.cursors[i]
		m := append(marks[i], row)
		first, last := c.at(slices.Min(m)), c.at(row)
		for b := first; b <= last; b++ {
			if c.blocks[b].Rows > 0 {
				m = append(m, c.starts[b])
			}
		}
		slices.Sort(m)
		marks[i] = slices.Compact(m)
		if p := c.parent; p >= 0 {
			marks[p] = append(marks[p], marks[i]...)
		}
	}
	return marks
}

// pick returns those of counts, which are at rows, that are at the rows in some.
func pick(rows, counts, some []int64) []int64 {
	out := make([]int64, 0, len(some))
	for i, row := range rows {
		if len(out) < len(some) && row == some[len(out)] {
			out = append(out, counts[i])
		}
	}
	return out
}

// follow moves from mark to mark, at each of which that many units (values, or
// lengths) have gone by, and returns how many values had at each.
func (c *cursor) follow(marks, units []int64) ([]int64, error) {
	counts := make([]int64, len(marks))
	for k, row := range marks {
		if b := c.at(row); k == 0 || b != c.block {
			if k > 0 {
				if err := c.finished(); err != nil {
					return nil, err
				}
			}
			if err := c.enter(b); err != nil {
				return nil, err
			}
		}
		if k+1 < len(marks) {
			n, err := c.skip(units[k+1] - units[k])
			if err != nil {
				return nil, err
			}
			counts[k+1] = counts[k] + n
		}
	}
	return counts, nil
}

// skip passes over n values, or in an array column n lengths with their values, and
// returns the number of values. All must be in the present block.
func (c *cursor) skip(n int64) (int64, error) {
	if !c.array {
		return n, c.skipValues(n)
	}
	values := int64(0)
	for n > 0 {
		if c.run == 0 {
			length, count, size, err := block.ReadLength(c.rest())
			if err != nil {
				return 0, err
			}
			c.pos += size
			c.run, c.one = count, length
		}
		k := min(n, int64(c.run))
		if err := c.skipRun(int(k)); err != nil {
			return 0, err
		}
		n -= k
		values += k * int64(c.one)
	}
	return values, nil
}

// skipRun passes over the values of k lengths of the present run.
func (c *cursor) skipRun(k int) error {
	n := k * c.one
	if c.typ == trevni.Boolean && k > 1 {
		n *= 8 // a byte each
	}
	size, err := block.SkipValues(c.rest(), c.typ, n)
	if err != nil {
		return err
	}
	c.run -= k
	c.pos += size
	return nil
}

// skipValues passes over n values of a column without lengths.
func (c *cursor) skipValues(n int64) error {
	if n > 8*int64(c.end-c.pos) {
		return errCut
	}
	if c.typ == trevni.Boolean {
		at := int64(c.bit) + n
		if at > 8*int64(c.end-c.pos) {
			return errCut
		}
		c.pos, c.bit = c.pos+int(at/8), uint(at%8)
		return nil
	}
	size, err := block.SkipValues(c.rest(), c.typ, int(n))
	c.pos += size
	return err
}
