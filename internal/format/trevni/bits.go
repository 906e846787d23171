package trevni

// appendBits appends bits [from, to) of src, least significant first in each byte,
// to dst, which holds have bits and zeros up to its last byte's end. The same goes
// for what it returns, with have+to-from bits.
func appendBits(dst []byte, have int, src []byte, from, to int) []byte {
	for from < to {
		n := min(8, to-from)
		b := bitsAt(src, from) & (1<<n - 1)
		if shift := have % 8; shift == 0 {
			dst = append(dst, byte(b))
		} else {
			dst[len(dst)-1] |= byte(b << shift)
			if shift+n > 8 {
				dst = append(dst, byte(b>>(8-shift)))
			}
		}
		have, from = have+n, from+n
	}
	return dst
}

// bitsAt returns at least 8 bits of src from bit i on, as far as src goes.
func bitsAt(src []byte, i int) uint {
	b := uint(src[i/8])
	if i/8+1 < len(src) {
		b |= uint(src[i/8+1]) << 8
	}
	return b >> (i % 8)
}
