package trevni

import (
	"io"
	"math"

	"avro2trevni/trevni/internal/fault"
)

// SeekRow makes row the next to be read, counted from 0. It reads one block of the column,
// unless it is the current one, and no other blocks of the column. In a column with a
// parent it also reads the parents' blocks that hold the same rows. To go to the row after
// the last is legal: the next read returns io.EOF.
func (c *ColumnReader) SeekRow(row uint64) error { return c.SeekRows(row, c.r.header.Rows) }

// SeekRows does what SeekRow does with from, and ends reading with io.EOF at row to. Blocks
// from there on are not read. Rows beyond the file's are [ErrMisuse], and so is a from
// greater than to.
func (c *ColumnReader) SeekRows(from, to uint64) error {
	if from > to || to > c.r.header.Rows {
		return c.misuse("rows %d to %d are not among its %d", from, to, c.r.header.Rows)
	}
	c.err, c.mode, c.to, c.span, c.lengthsGiven = nil, unset, to, 0, 0
	if from == to {
		c.err = io.EOF
		return nil
	}
	x := c.index
	b := x.blockOf(from)
	if err := c.load(b); err != nil {
		return err
	}
	if err := c.pass(x.first[b], from); err != nil {
		return err
	}
	end := x.first[b] + uint64(c.rows)
	c.rows = uint32(end - from)
	return c.measure(from, end)
}

// pass passes over the rows before row, which is in the current block, whose first
// row is first.
func (c *ColumnReader) pass(first, row uint64) error {
	n, err := c.units(first, row)
	if err != nil {
		return err
	}
	c.blockLeft = unknown
	if c.c.Array {
		_, err = c.walk(n, false)
		return err
	}
	for n > 0 {
		c.span = int(min(n, math.MaxInt32))
		n -= int64(c.span)
		if err := c.skip(); err != nil {
			return err
		}
	}
	c.span = 0
	return nil
}

// measure sets left for rows [from, to) of the block, as far as it must be known.
func (c *ColumnReader) measure(from, to uint64) (err error) {
	c.blockLeft = unknown
	told := c.c.Array || c.c.Type != Null && c.c.Type != Boolean
	if c.c.Parent == "" || c.rowsPastEnd > 0 || !told {
		c.blockLeft, err = c.units(from, to)
	}
	return err
}

// units returns the lengths, or without an array the values, of rows [from, to): one
// a row, or one an element of the parent.
func (c *ColumnReader) units(from, to uint64) (int64, error) {
	if c.c.Parent == "" || from == to {
		return int64(to - from), nil
	}
	if c.parent == nil {
		up, err := c.r.Column(c.r.columns[c.col].parent)
		if err != nil {
			c.err = err
			return 0, err
		}
		up.countedTo = math.MaxUint64
		c.parent = up
	}
	n, err := c.parent.count(from, to)
	c.err = err
	return n, err
}

// count returns the values that the array column has in rows [from, to), and stays
// after them, so that to count on from there reads nothing twice.
func (c *ColumnReader) count(from, to uint64) (int64, error) {
	if c.err != nil || c.countedTo != from {
		c.countedTo = math.MaxUint64
		if err := c.SeekRow(from); err != nil {
			return 0, err
		}
	}
	n, err := c.units(from, to)
	if err != nil {
		return 0, err
	}
	sum, err := c.walk(n, true)
	if err == nil {
		c.countedTo = to
	}
	return sum, err
}

// walk passes over n sequences of an array column, in further blocks too if cross is
// true, and returns the number of their values. It leaves the mode unset.
func (c *ColumnReader) walk(n int64, cross bool) (sum int64, err error) {
	c.mode, c.lengthsGiven = byLength, n
	for c.span > 0 || c.lengthsGiven > 0 {
		switch {
		case c.span > 0:
			if sum > math.MaxInt64-int64(c.span) {
				return 0, c.corrupt(fault.Corruptf("values are past 63 bits"))
			}
			sum += int64(c.span)
			err = c.skip()
			c.span = 0
		case !c.over():
			err = c.sequences()
		case cross:
			err = c.enter()
		default:
			err = c.corrupt(fault.Corruptf("%d lengths are missing: %w", c.lengthsGiven, io.ErrUnexpectedEOF))
		}
		if err == io.EOF {
			err = c.corrupt(fault.Corruptf("%d lengths are missing: %w", c.lengthsGiven, io.ErrUnexpectedEOF))
		}
		if err != nil {
			return 0, err
		}
	}
	c.mode = unset
	return sum, nil
}
