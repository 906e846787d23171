package block

import (
	"encoding/binary"
	"math/bits"
)

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

// highs has the bit of each byte that says a varint goes on.
const highs = 0x8080808080808080

// GatherLong returns the varint in the low bytes of w, before zigzag, and its bytes, or 0
// where it has more than the 8 of w. For loops over many: [ReadLong] reads one.
//
//	w  .... 1ddddddd 1ddddddd 0ddddddd   its end is the first high bit that is clear
//	-> 7 and 7 bits are joined, then 14 and 14, then 28 and 28
func GatherLong(w uint64) (v uint64, n int) {
	stop := ^w & highs
	if stop == 0 {
		return 0, 0
	}
	w &= stop ^ (stop - 1)
	w = w&0x007f007f007f007f | w&0x7f007f007f007f00>>1
	w = w&0x00003fff00003fff | w&0x3fff00003fff0000>>2
	w = w&0x000000000fffffff | w&0x0fffffff00000000>>4
	return w, (bits.TrailingZeros64(stop) + 1) / 8
}
