package mapper

import "encoding/binary"

// This file has common values that are too long for the words of the walk: ints of 5 bytes, such
// as seconds since 1970; longs of 9 and 10, such as nanoseconds, identifiers and hashes; texts of
// 64 to 8,191 bytes; enums of more than 64 symbols; fixed of 32 bytes and more. They are read here,
// and what is near the end of the source or of a buffer, or wrong, in careful.go.

// longest is the most bytes of a varint of 64 bits.
const longest = 10

// longValue copies the value at pos, which has more bytes than the walk reads at once, and returns how
// many it read; 0, and nothing is done, if it is a case for [Mapper.careful].
//
//go:noinline
func (m *Mapper) longValue(o *op, c *column, src []byte, pos int) int {
	if pos > len(src)-16 || c.n > len(c.buf)-16 {
		return 0
	}
	n := 0
	switch o.code {
	case opLong:
		n = longVarint(src[pos:])
	case opInt:
		n = intVarint(src[pos:])
	case opEnum:
		if v, ok := pair(src[pos:]); ok && v < o.n {
			n = 2
		}
	case opString:
		v, ok := pair(src[pos:])
		if !ok {
			return 0
		}
		return c.copyLong(src, pos, int(v)+2)
	case opFixed:
		return c.fixedLong(src, pos, int64(o.n))
	}
	if n > 0 {
		*(*[16]byte)(c.buf[c.n:]) = *(*[16]byte)(src[pos:])
		c.n += n
	}
	return n
}

// longValueLevels is [Mapper.longValue] for a layout with levels.
//
//go:noinline
func (m *Mapper) longValueLevels(o *op, c *column, src []byte, pos int) int {
	if pos > len(src)-16 || c.n > len(c.buf)-16 {
		return 0
	}
	switch o.code {
	case opInt64:
		if o.null != 0 { // an int's
			return c.int32Long(src, pos, 8)
		}
		return c.int64Long(src, pos)
	case opInt32:
		return c.int32Long(src, pos, 4)
	case opIndex:
		v, ok := pair(src[pos:])
		if !ok || v >= o.n {
			return 0
		}
		binary.LittleEndian.PutUint32(c.buf[c.n:], v)
		c.n += 4
		return 2
	case opText:
		return c.textLong(src, pos)
	case opRaw:
		return c.copyLong(src, pos, int(o.n))
	}
	return 0
}

// longVarint returns the bytes of a varint of 9 or 10 bytes; 0 if it is longer, or more than 64
// bits. Its first eight bytes have been looked at: it goes on after them.
func longVarint(b []byte) int {
	switch {
	case b[8] < 0x80:
		return 9
	case b[9] <= 1:
		return longest
	}
	return 0
}

// intVarint returns 5 for a varint that goes on after four bytes and has at most 32 bits; else 0.
func intVarint(b []byte) int {
	if b[4] <= 0x0f {
		return 5
	}
	return 0
}

// pair returns the value of a varint of two bytes that is not negative.
func pair(b []byte) (v uint32, ok bool) {
	u := uint32(b[0]&0x7f) | uint32(b[1])<<7
	return u >> 1, b[0]&0x81 == 0x80 && b[1] < 0x80
}

// copyLong copies n bytes.
func (c *column) copyLong(src []byte, pos, n int) int {
	if n > len(src)-pos || n > len(c.buf)-c.n {
		return 0
	}
	c.n += copy(c.buf[c.n:], src[pos:pos+n])
	return n
}

// fixedLong copies n bytes with a length of one or two bytes before them.
func (c *column) fixedLong(src []byte, pos int, n int64) int {
	if n >= 1<<13 || int(n) > len(src)-pos || int(n) > len(c.buf)-c.n-2 {
		return 0
	}
	u := uint64(n) << 1
	if c.buf[c.n] = byte(u); u >= 0x80 {
		c.buf[c.n], c.buf[c.n+1] = byte(u)|0x80, byte(u>>7)
		c.n++
	}
	c.n++
	return c.copyLong(src, pos, int(n))
}

// textLong copies a text whose length takes two bytes, its length in 4 bytes before it.
func (c *column) textLong(src []byte, pos int) int {
	v, ok := pair(src[pos:])
	n := int(v)
	if !ok || n+2 > len(src)-pos || n+4 > len(c.buf)-c.n {
		return 0
	}
	binary.LittleEndian.PutUint32(c.buf[c.n:], v)
	c.n += 4
	c.n += copy(c.buf[c.n:], src[pos+2:pos+2+n])
	return n + 2
}

// int64Long copies a varint of 9 or 10 bytes as 8.
func (c *column) int64Long(src []byte, pos int) int {
	b := src[pos : pos+16]
	n := longVarint(b)
	if n == 0 {
		return 0
	}
	w := squeeze(binary.LittleEndian.Uint64(b)&^continuation) | uint64(b[8]&0x7f)<<56
	if n == longest {
		w |= uint64(b[9]) << 63
	}
	binary.LittleEndian.PutUint64(c.buf[c.n:], w>>1^-(w&1))
	c.n += 8
	return n
}

// int32Long copies an int's varint of 5 bytes as 4, or 8.
func (c *column) int32Long(src []byte, pos, width int) int {
	b := src[pos : pos+16]
	n := intVarint(b)
	if n == 0 {
		return 0
	}
	w := squeeze(uint64(binary.LittleEndian.Uint32(b))&^continuation) | uint64(b[4])<<28
	binary.LittleEndian.PutUint64(c.buf[c.n:], w>>1^-(w&1))
	c.n += width
	return n
}

// squeeze joins the low seven bits of eight bytes.
func squeeze(w uint64) uint64 {
	w = w&0x007f007f007f007f | w&0x7f007f007f007f00>>1
	w = w&0x00003fff00003fff | w&0x3fff00003fff0000>>2
	return w&0x000000000fffffff | w&0x0fffffff00000000>>4
}
