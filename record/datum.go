package record

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"avro2trevni/trevni/block"
)

// datum is a row's bytes, as far as they are not read yet. It keeps its first error; after it
// all values are zero. Each value is read for a column, which the error names.
type datum struct {
	row   int64 // its number
	b     []byte
	empty int // how many more elements of no bytes the row may have
	err   error
}

// maxEmpty is the most elements of no bytes in a row, such as nulls: a few bytes can ask for
// 2^31 of them.
const maxEmpty = 1 << 20

// fail sets the error, unless there is one.
func (d *datum) fail(c *column, format string, args ...any) {
	if d.err == nil {
		d.err = fmt.Errorf("%w: row %d, column %q: %w", ErrDatum, d.row, c.name, fmt.Errorf(format, args...))
	}
	d.b = nil
}

// did takes the error of a column's writer.
func (d *datum) did(err error) {
	if err != nil && d.err == nil {
		d.err = fmt.Errorf("record: row %d: %w", d.row, err)
	}
}

// long reads a varint.
func (d *datum) long(c *column) int64 {
	v, n := block.ReadLong(d.b)
	switch {
	case n == 0:
		d.fail(c, "number is cut short: %w", io.ErrUnexpectedEOF)
		return 0
	case n < 0:
		d.fail(c, "number of more than 64 bits")
		return 0
	}
	d.b = d.b[n:]
	return v
}

// int reads a varint of 32 bits.
func (d *datum) int(c *column) int32 {
	v := d.long(c)
	if v != int64(int32(v)) {
		d.fail(c, "number %d does not fit 32 bits", v)
		return 0
	}
	return int32(v)
}

// below reads a varint that is less than n, of what it says.
func (d *datum) below(c *column, n int, what string) int {
	v := d.long(c)
	if uint64(v) >= uint64(n) {
		d.fail(c, "%s %d of %d", what, v, n)
		return 0
	}
	return int(v)
}

// take reads n bytes, and returns them in place; of an error nil.
func (d *datum) take(c *column, n int64) []byte {
	if uint64(n) > uint64(len(d.b)) {
		d.fail(c, "%d bytes wanted, %d left: %w", n, len(d.b), io.ErrUnexpectedEOF)
		return nil
	}
	v := d.b[:n]
	d.b = d.b[n:]
	return v
}

// bytes reads a length and as many bytes.
func (d *datum) bytes(c *column) []byte {
	n := d.long(c)
	if n < 0 {
		d.fail(c, "negative length %d", n)
		return nil
	}
	return d.take(c, n)
}

// boolean reads a byte that is 0 or 1.
func (d *datum) boolean(c *column) bool {
	b := d.take(c, 1)
	if len(b) == 0 {
		return false
	}
	if b[0] > 1 {
		d.fail(c, "boolean that is %d, neither 0 nor 1", b[0])
	}
	return b[0] == 1
}

// float and double read as many bytes, little-endian.
func (d *datum) float(c *column) float32 {
	b := d.take(c, 4)
	if b == nil {
		return 0
	}
	return math.Float32frombits(binary.LittleEndian.Uint32(b))
}

func (d *datum) double(c *column) float64 {
	b := d.take(c, 8)
	if b == nil {
		return 0
	}
	return math.Float64frombits(binary.LittleEndian.Uint64(b))
}

// count reads how many elements the next block of an array or map has, 0 at its end. empty
// means that they take no bytes.
func (d *datum) count(c *column, empty bool) int {
	n := d.long(c)
	if n < 0 {
		n = -n
		d.long(c) // the block's bytes, for readers that skip it
	}
	switch {
	case d.err != nil:
		return 0
	case uint64(n) > math.MaxInt32:
		d.fail(c, "%d elements in an array or map", uint64(n))
		return 0
	}
	if empty {
		if d.empty -= int(n); d.empty < 0 {
			d.fail(c, "more than %d elements of no bytes in a row", maxEmpty)
			return 0
		}
	}
	return int(n)
}
