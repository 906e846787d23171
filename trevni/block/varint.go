package block

import "encoding/binary"

// MaxLongLen is the most bytes that [AppendLong] appends.
const MaxLongLen = binary.MaxVarintLen64

// AppendLong appends v as the format writes ints, longs and lengths, a zigzag
// varint (section Primitive Values), and returns dst.
func AppendLong(dst []byte, v int64) []byte {
	return binary.AppendVarint(dst, v)
}

// ReadLong decodes the zigzag varint at the start of b and returns it and its bytes,
// n. Where there is none, v is 0 and n tells why: 0 if b ends inside it, negative
// if it doesn't fit 64 bits, as of [binary.Varint].
func ReadLong(b []byte) (v int64, n int) {
	if len(b) > 0 && b[0] < 0x80 {
		return int64(b[0]>>1) ^ -int64(b[0]&1), 1
	}
	return binary.Varint(b)
}

// longLen returns the bytes of v as AppendLong writes it.
func longLen(v int64) int {
	u := uint64(v)<<1 ^ uint64(v>>63)
	n := 1
	for ; u >= 0x80; u >>= 7 {
		n++
	}
	return n
}
