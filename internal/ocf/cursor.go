package ocf

import (
	"encoding/binary"
	"errors"
	"math"
)

// errShort means that the bytes end inside the value that is read.
var errShort = errors.New("short")

// cursor reads a header. It keeps its first error, and then reads zeros.
type cursor struct {
	b    []byte
	at   int // offset of the next byte
	item int // offset of the thing read last, where an error lies
	err  error
}

// long reads a zigzag varint.
func (c *cursor) long() int64 {
	if c.err != nil {
		return 0
	}
	c.item = c.at
	v, n := readLong(c.b[c.at:])
	switch {
	case n == 0:
		c.err = errShort
	case n < 0:
		c.err = corruptf("a number has more than 64 bits")
	default:
		c.at += n
	}
	return v
}

// count reads the number of entries in a block of the map, and the block's size where
// the number is negative.
func (c *cursor) count() int64 {
	n := c.long()
	if n >= 0 {
		return n
	}
	if n == math.MinInt64 {
		c.err = corruptf("the metadata have %d entries", n)
		return 0
	}
	if size := c.long(); size < 0 && c.err == nil {
		c.err = corruptf("a block of metadata has %d bytes", size)
	}
	return -n
}

// bytes reads a length and as many bytes, which alias the buffer.
func (c *cursor) bytes() []byte {
	n := c.long()
	if n < 0 && c.err == nil {
		c.err = corruptf("a string has a length of %d", n)
	}
	return c.take(n)
}

// take reads n bytes, which alias the buffer.
func (c *cursor) take(n int64) []byte {
	if c.err != nil {
		return nil
	}
	if n > int64(len(c.b)-c.at) {
		c.err = errShort
		return nil
	}
	c.item = c.at
	c.at += int(n)
	return c.b[c.item:c.at]
}

// readLong decodes the zigzag varint at the start of b and returns its size: 0 if b
// ends first, negative if it has more than 64 bits.
func readLong(b []byte) (int64, int) {
	return binary.Varint(b)
}
