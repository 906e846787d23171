package mapper

import (
	"encoding/binary"
	"math"
	"testing"
)

// The quick way to read a number and the plain one agree, on numbers, on padded ones,
// and on bytes that are none.
func TestNumber64(t *testing.T) {
	check := func(src []byte) {
		t.Helper()
		v, n, err := number64(src, 0)
		want, wantN, wantErr := varint(src, 0)
		if v != want || n != wantN || err != wantErr {
			t.Errorf("%x: got %d, %d bytes, %v; want %d, %d, %v", src, v, n, err, want, wantN, wantErr)
		}
	}
	for shift := range 64 {
		for _, v := range []int64{1 << shift, -1 << shift, 1<<shift - 1, math.MinInt64 >> shift} {
			b := binary.AppendVarint(nil, v)
			for _, more := range []string{"", "\x00\x00\x00\x00\x00\x00\x00\x00", "\xff\xff\xff\xff\xff\xff\xff\xff", "\x7f\x80\x01\x80\x00\x00\x00\x00"} {
				check(append(b[:len(b):len(b)], more...))
			}
		}
	}
	for n := range 12 {
		b := make([]byte, n)
		for i := range b {
			b[i] = 0x80
		}
		check(b)
		check(append(b, 0))
		check(append(b, 1, 0, 0, 0, 0, 0, 0, 0, 0))
	}
}
