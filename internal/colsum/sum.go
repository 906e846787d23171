package colsum

import "hash/crc32"

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Sum is the digest of some bytes.
type Sum struct {
	CRC uint32 // CRC-32C
	Len int64  // bytes
}

// Write adds bytes at the end.
func (s *Sum) Write(p []byte) {
	s.CRC = crc32.Update(s.CRC, castagnoli, p)
	s.Len += int64(len(p))
}

// Then returns the digest of the bytes of s followed by those of t.
func (s Sum) Then(t Sum) Sum {
	if t.Len == 0 {
		return s
	}
	return Sum{CRC: multiply(power(t.Len), s.CRC) ^ t.CRC, Len: s.Len + t.Len}
}

// Repeat returns the digest of n times the bytes of s.
func (s Sum) Repeat(n int64) (all Sum) {
	for ; n > 0; n >>= 1 {
		if n&1 == 1 {
			all = all.Then(s)
		}
		s = s.Then(s)
	}
	return all
}

// polynomial is Castagnoli's, bits reversed: x^0 is the highest bit.
const polynomial = 0x82f63b78

// multiply returns the product of two polynomials modulo the CRC's.
func multiply(a, b uint32) (p uint32) {
	for m := uint32(1) << 31; m != 0; m >>= 1 {
		if a&m != 0 {
			p ^= b
		}
		low := b & 1
		b >>= 1
		b ^= polynomial & -low
	}
	return p
}

// squares are x^8, x^16, x^32, ..., modulo the polynomial: a byte each, two, four.
var squares = func() (t [63]uint32) {
	t[0] = 1 << (31 - 8)
	for i := 1; i < len(t); i++ {
		t[i] = multiply(t[i-1], t[i-1])
	}
	return t
}()

// power returns x^(8n): the effect of n following bytes on a CRC.
func power(n int64) uint32 {
	p := uint32(1) << 31
	for i := 0; n > 0; i, n = i+1, n>>1 {
		if n&1 == 1 {
			p = multiply(squares[i], p)
		}
	}
	return p
}
