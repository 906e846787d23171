package assembly

import (
	"encoding/binary"
	"encoding/hex"
	"math"
)

// value writes the next value, which is there.
func (r *Reader) value(o *op, c *cursor) error {
	b, err := c.next()
	if err != nil {
		return err
	}
	switch o.code {
	case opBoolean:
		return valuef("boolean that is %d, neither 0 nor 1", b[0])
	case opLong:
		return r.long(int64(binary.LittleEndian.Uint64(b)))
	case opText:
		return r.text(b)
	case opRaw:
		return r.copy(b)
	case opConvert:
		return r.convert(&r.p.converts[o.n], b)
	}
	return levelsf("%d bytes of a value of %d", len(b), c.width)
}

// long appends a varint.
func (r *Reader) long(v int64) error {
	r.n += binary.PutVarint(r.out[r.n:r.n+binary.MaxVarintLen64], v)
	return nil
}

// text appends a length and bytes.
func (r *Reader) text(b []byte) error {
	_ = r.long(int64(len(b)))
	return r.copy(b)
}

// convert writes a value that is not in the leaf as Avro has it.
func (r *Reader) convert(to *conversion, b []byte) error {
	le := binary.LittleEndian
	switch w := len(b); {
	case to.value == Bytes:
		return r.text(b)
	case to.value == Fixed && w == to.size:
		return r.copy(b)
	case to.value == Empty && w == 0:
		return nil
	case to.value == Empty:
		return valuef("%d bytes of a fixed of none", w)
	case to.value == Symbol:
		i := to.symbols.find(b)
		if i < 0 {
			return valuef("%.100q is no symbol of the enum", b)
		}
		return r.long(int64(i))
	case to.value == Uint && w == 4:
		return r.long(int64(le.Uint32(b)))
	case to.value == Half && w == 2:
		return r.copy(le.AppendUint32(nil, half(le.Uint16(b))))
	case to.value == UUID && w == 16:
		return r.uuid(b)
	case to.value == IntDecimal && w == 4:
		return r.decimal(to, binary.BigEndian.AppendUint32(nil, le.Uint32(b)))
	case to.value == IntDecimal && w == 8:
		return r.decimal(to, binary.BigEndian.AppendUint64(nil, le.Uint64(b)))
	case to.value == UintDecimal && w == 8:
		return r.decimal(to, binary.BigEndian.AppendUint64([]byte{0}, le.Uint64(b)))
	case to.value == BigDecimal:
		return r.decimal(to, b)
	}
	return levelsf("a value of %d bytes where there is no such", len(b))
}

// decimal writes a number, big-endian in two's complement: in no more bytes than it takes, or in
// those of a fixed.
func (r *Reader) decimal(to *conversion, b []byte) error {
	for len(b) > 1 && (b[0] == 0 && b[1] < 0x80 || b[0] == 0xff && b[1] >= 0x80) {
		b = b[1:]
	}
	if to.size == 0 {
		return r.text(b)
	}
	if len(b) > to.size {
		return valuef("a decimal of %d bytes in a fixed of %d", len(b), to.size)
	}
	if err := r.reserve(to.size + room); err != nil {
		return err
	}
	sign := byte(0)
	if len(b) > 0 && b[0] >= 0x80 {
		sign = 0xff
	}
	for range to.size - len(b) {
		r.out[r.n] = sign
		r.n++
	}
	r.n += copy(r.out[r.n:], b)
	return nil
}

// uuid writes the text of a UUID.
func (r *Reader) uuid(b []byte) error {
	var text [36]byte
	at := 0
	for i, k := range [...]int{4, 2, 2, 2, 6} {
		if i > 0 {
			text[at] = '-'
			at++
		}
		at += hex.Encode(text[at:], b[:k])
		b = b[k:]
	}
	return r.text(text[:])
}

// half returns the bits of a float of 32 bits that is a float of 16.
func half(h uint16) uint32 {
	sign, exponent, fraction := uint32(h>>15)<<31, uint32(h>>10&0x1f), uint32(h&0x3ff)
	switch exponent {
	case 0: // zero, and numbers below 2^-14
		return sign | math.Float32bits(float32(fraction)/(1<<24))
	case 0x1f: // infinite, NaN
		return sign | 0xff<<23 | fraction<<13
	}
	return sign | (exponent+112)<<23 | fraction<<13
}
