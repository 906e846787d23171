package trevni

import (
	"encoding/binary"
	"fmt"
	"math"

	"avro2trevni/trevni/block"
	"avro2trevni/trevni/internal/fault"
)

// ColumnWriter takes a column's values, in the order in which a [ColumnReader] returns them
// row by row: Row, and then the row's values. A row has one value, or in an array column a
// Length and that many values; in a column with a parent it has one of these for each
// element of the parent in the row.
//
// A column's row begins after its parent's row, and before the parent's next row. It may
// get values as soon as the parent has the length that counts them. So the columns of a row
// may be filled one after another, or together, in the order of the values in a nested
// record.
//
// A call out of order, or of another type, is [ErrMisuse]; like every error it ends the
// whole Writer.
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
	given   int    // of the row: lengths, or without an array values
	last    int    // the last length, and
	left    int    // its values that are still to come, and
	begin   int    // where they begin in buf
	count   int    // elements of the row: its lengths together
	before  int    // those of the row before
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
	case p != nil && p.total != c.total+1:
		return c.fail("row %d of its parent %q has not begun, or is past", c.total, p.c.Name)
	case !c.whole():
		return c.fail("row %d is not whole", c.total-1)
	case len(c.buf) >= c.w.opt.BlockSize || c.rows >= maxWriterRows:
		if err := c.flush(); err != nil {
			return err
		}
	}
	c.given, c.before, c.count = 0, c.count, 0
	c.rows++
	c.total++
	return nil
}

// due returns how many lengths, or without an array values, the row has, as far as the
// parent has told.
func (c *ColumnWriter) due() int {
	p := c.parent
	switch {
	case c.total == 0:
		return 0
	case p == nil:
		return 1
	case p.total > c.total: // it is at the next row
		return p.before
	}
	return p.count
}

// whole reports whether the row has all that it is to have.
func (c *ColumnWriter) whole() bool {
	p := c.parent
	return c.left == 0 && c.given == c.due() && (p == nil || p.total > c.total || p.whole())
}

// EndBlock ends the column's block before the next row, even if the block is small, for
// programs that choose the ends of blocks themselves. The previous row must be complete.
// Without a row since the last block it does nothing.
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
	case c.left > 0:
		return c.fail("%d values must be given before the next length", c.left)
	case c.given == c.due():
		return c.fail("no length is left in the row")
	case n < 0 || n > math.MaxInt32:
		return c.fail("length %d is not in 0 to %d", n, math.MaxInt32)
	}
	c.given++
	c.buf, c.bit = c.lengths.Add(c.buf, n), 0
	c.begin = len(c.buf)
	c.last, c.left = n, n
	c.count += n
	return nil
}

// Longer increases the last length, which must not be 0, by n: for programs that learn an
// array's length in parts, as in Avro.
func (c *ColumnWriter) Longer(n int) error {
	switch {
	case c.w.err != nil:
		return c.w.err
	case c.given == 0 || c.last == 0:
		return c.fail("there is no length that could be longer")
	case n < 0 || n > math.MaxInt32-c.last:
		return c.fail("length %d and %d more is not in 0 to %d", c.last, n, math.MaxInt32)
	}
	values := len(c.buf) - c.begin
	c.buf = c.lengths.Grow(c.buf, c.last, n, values)
	c.begin = len(c.buf) - values
	c.last += n
	c.left += n
	c.count += n
	return nil
}

// take reports whether a value of type t may come.
func (c *ColumnWriter) take(t Type) error {
	switch {
	case c.w.err != nil:
		return c.w.err
	case c.c.Type != t:
		return c.fail("its type is %s, not %s", c.c.Type, t)
	case c.c.Array && c.left > 0:
		c.left--
	case !c.c.Array && c.given < c.due():
		c.given++
	default:
		return c.fail("no value is left in the row or length")
	}
	return nil
}

// put takes a value of type t that add appends.
func put[T any](c *ColumnWriter, t Type, v T, add func([]byte, T) []byte) error {
	if err := c.take(t); err != nil {
		return err
	}
	start := len(c.buf)
	c.buf = add(c.buf, v)
	if c.c.FirstValues && start == 0 {
		c.first = append([]byte(nil), c.buf...)
	}
	return nil
}

// append32 and append64 append numbers of fixed width. Methods of binary.LittleEndian as values
// would be allocated at each call.
func append32(dst []byte, v uint32) []byte { return binary.LittleEndian.AppendUint32(dst, v) }
func append64(dst []byte, v uint64) []byte { return binary.LittleEndian.AppendUint64(dst, v) }

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
	if c.bit = (c.bit + 1) % 8; c.c.FirstValues && c.rows == 1 {
		c.first = []byte{c.buf[0]}
	}
	return nil
}

// Int gives a value of an int column.
func (c *ColumnWriter) Int(v int32) error { return put(c, Int, int64(v), block.AppendLong) }

// Long gives a value of a long column.
func (c *ColumnWriter) Long(v int64) error { return put(c, Long, v, block.AppendLong) }

// Fixed32 gives a value of a fixed32 column.
func (c *ColumnWriter) Fixed32(v uint32) error { return put(c, Fixed32, v, append32) }

// Fixed64 gives a value of a fixed64 column.
func (c *ColumnWriter) Fixed64(v uint64) error { return put(c, Fixed64, v, append64) }

// Float gives a value of a float column.
func (c *ColumnWriter) Float(v float32) error {
	return put(c, Float, math.Float32bits(v), append32)
}

// Double gives a value of a double column.
func (c *ColumnWriter) Double(v float64) error {
	return put(c, Double, math.Float64bits(v), append64)
}

// String gives a value of a string column. That it is UTF-8 is not checked.
func (c *ColumnWriter) String(v string) error { return put(c, String, v, appendBytes[string]) }

// Bytes gives a value of a string or a bytes column. v is not kept.
func (c *ColumnWriter) Bytes(v []byte) error { return put(c, c.c.text(), v, appendBytes[[]byte]) }

// finish ends the block after a whole row.
func (c *ColumnWriter) finish() error {
	if !c.whole() {
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
		Rows: c.rows, RawSize: uint32(len(c.buf)), Size: uint32(len(data) - c.sum), FirstValue: c.first,
	})
	c.buf, c.bit, c.rows, c.first = c.buf[:0], 0, 0, nil
	return c.w.keep(c, data)
}

// fail ends the writer with a caller's mistake.
func (c *ColumnWriter) fail(format string, args ...any) error {
	c.w.err = fault.Misusef("column %q: %s", c.c.Name, fmt.Sprintf(format, args...))
	return c.w.err
}
