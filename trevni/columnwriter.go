package trevni

import (
	"encoding/binary"
	"fmt"
	"math"

	"avro2trevni/trevni/block"
)

// ColumnWriter takes a column's values, in the order in which a [ColumnReader] gives
// them row by row: Row, and then what the row has; that is one value, or in an array
// column Length and as many values, and in a column with a parent one of these for
// each element that the parent has in the row. The parent's row must be given before,
// and its next one after.
//
// A call out of order, or of another type, is [ErrMisuse]; as every error it ends the
// whole [Writer].
type ColumnWriter struct {
	w       *Writer
	c       *Column
	parent  *ColumnWriter
	enc     *block.Encoder
	sum     int    // bytes of a block's checksum
	buf     []byte // the open block
	lengths block.Lengths
	bit     uint   // of the last byte, for the next boolean; 0: another byte
	rows    uint32 // in the open block
	total   uint64 // rows
	due     int    // lengths, or without an array values, that the row still takes
	values  int    // of the last length that are still to come
	count   int    // values of the row
	first   []byte
	blocks  []Block
	data    []piece
	spilled int // of data
}

// Row begins the next row.
func (c *ColumnWriter) Row() error {
	p := c.parent
	switch {
	case c.w.err != nil:
		return c.w.err
	case c.due > 0 || c.values > 0:
		return c.fail("row %d is not whole", c.total-1)
	case p != nil && (p.total != c.total+1 || p.due > 0 || p.values > 0):
		return c.fail("row %d of its parent %q is not whole, or past", c.total, p.c.Name)
	case len(c.buf) >= c.w.opt.BlockSize || c.rows >= maxWriterRows:
		if err := c.flush(); err != nil {
			return err
		}
	}
	c.due, c.count = 1, 0
	if p != nil {
		c.due = p.count
	}
	c.rows++
	c.total++
	return nil
}

// EndBlock ends the column's block before the next row, however small it is, so that
// another begins there: for programs that know better where. The row before must be
// whole. Without a row since the last block it does nothing.
func (c *ColumnWriter) EndBlock() error {
	if c.w.err != nil {
		return c.w.err
	}
	return c.finish()
}

// Length gives the number of values that come next, 0 to 2^31 - 1.
func (c *ColumnWriter) Length(n int) error {
	switch {
	case c.w.err != nil:
		return c.w.err
	case !c.c.Array:
		return c.fail("it has no lengths")
	case c.values > 0:
		return c.fail("%d values must be given before the next length", c.values)
	case c.due == 0:
		return c.fail("no length is left in the row")
	case n < 0 || n > math.MaxInt32:
		return c.fail("length %d is not in 0 to %d", n, math.MaxInt32)
	}
	c.due--
	c.buf, c.bit = c.lengths.Add(c.buf, n), 0
	c.values = n
	c.count += n
	return nil
}

// take tells whether a value of type t may come.
func (c *ColumnWriter) take(t Type) error {
	left := &c.due
	if c.c.Array {
		left = &c.values
	}
	switch {
	case c.w.err != nil:
		return c.w.err
	case c.c.Type != t:
		return c.fail("its type is %s, not %s", c.c.Type, t)
	case *left == 0:
		return c.fail("no value is left in the row or length")
	}
	*left--
	return nil
}

// put takes a value of type t whose bytes are appended by add.
func put[T any](c *ColumnWriter, t Type, v T, add func([]byte, T) []byte) error {
	if err := c.take(t); err != nil {
		return err
	}
	start := len(c.buf)
	c.buf = add(c.buf, v)
	if c.c.Values && start == 0 {
		c.first = append([]byte(nil), c.buf...)
	}
	return nil
}

// Null gives a value of a null column.
func (c *ColumnWriter) Null() error { return c.take(Null) }

// Boolean gives a value of a boolean column.
func (c *ColumnWriter) Boolean(v bool) error {
	if err := c.take(Boolean); err != nil {
		return err
	}
	if c.bit == 0 {
		c.buf = append(c.buf, 0)
	}
	if v {
		c.buf[len(c.buf)-1] |= 1 << c.bit
	}
	if c.bit = (c.bit + 1) % 8; c.c.Values && c.rows == 1 {
		c.first = []byte{c.buf[0]}
	}
	return nil
}

// Int gives a value of an int column.
func (c *ColumnWriter) Int(v int32) error { return put(c, Int, int64(v), block.AppendLong) }

// Long gives a value of a long column.
func (c *ColumnWriter) Long(v int64) error { return put(c, Long, v, block.AppendLong) }

// Fixed32 gives a value of a fixed32 column.
func (c *ColumnWriter) Fixed32(v uint32) error {
	return put(c, Fixed32, v, binary.LittleEndian.AppendUint32)
}

// Fixed64 gives a value of a fixed64 column.
func (c *ColumnWriter) Fixed64(v uint64) error {
	return put(c, Fixed64, v, binary.LittleEndian.AppendUint64)
}

// Float gives a value of a float column.
func (c *ColumnWriter) Float(v float32) error {
	return put(c, Float, math.Float32bits(v), binary.LittleEndian.AppendUint32)
}

// Double gives a value of a double column.
func (c *ColumnWriter) Double(v float64) error {
	return put(c, Double, math.Float64bits(v), binary.LittleEndian.AppendUint64)
}

// String gives a value of a string column. That it is UTF-8 is not checked.
func (c *ColumnWriter) String(v string) error { return put(c, String, v, appendBytes[string]) }

// Bytes gives a value of a string or a bytes column. v is not kept.
func (c *ColumnWriter) Bytes(v []byte) error { return put(c, c.c.text(), v, appendBytes[[]byte]) }

// finish ends the block behind a whole row.
func (c *ColumnWriter) finish() error {
	if c.due > 0 || c.values > 0 {
		return c.fail("row %d is not whole", c.total-1)
	}
	if c.rows == 0 {
		return nil
	}
	return c.flush()
}

// flush makes a block of the rows since the last.
func (c *ColumnWriter) flush() error {
	c.buf = c.lengths.Close(c.buf)
	data, err := c.enc.Append(c.w.block[:0], c.buf)
	if err != nil {
		c.w.err = err
		return err
	}
	c.w.block = data
	c.blocks = append(c.blocks, Block{
		Rows: c.rows, Raw: uint32(len(c.buf)), Size: uint32(len(data) - c.sum), First: c.first,
	})
	c.buf, c.bit, c.rows, c.first = c.buf[:0], 0, 0, nil
	return c.w.keep(c, data)
}

// fail ends the writer with a caller's mistake.
func (c *ColumnWriter) fail(format string, args ...any) error {
	c.w.err = misusef("column %q: %s", c.c.Name, fmt.Sprintf(format, args...))
	return c.w.err
}
