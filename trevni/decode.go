package trevni

import (
	"encoding/binary"
	"unsafe"

	"avro2trevni/trevni/block"
	"avro2trevni/trevni/internal/fault"
)

// littleEndian reports whether the machine has numbers as the format has them.
var littleEndian = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// copyWide decodes numbers of fixed width: see batchOf. Where the machine's order of
// bytes is the format's they are copied as they are.
func copyWide[T uint32 | uint64 | float32 | float64](dst []T, b []byte) (n, size int) {
	var v T
	width := int(unsafe.Sizeof(v))
	n = min(len(dst), len(b)/width)
	if n == 0 {
		return 0, 0
	}
	to := unsafe.Slice((*byte)(unsafe.Pointer(&dst[0])), n*width) // #nosec G103 -- dst has n numbers of that width
	copy(to, b)
	if !littleEndian {
		swap(to, width)
	}
	return n, n * width
}

// swap turns round the bytes of each number of a width.
func swap(b []byte, width int) {
	for ; len(b) > 0; b = b[width:] {
		for i, j := 0, width-1; i < j; i, j = i+1, j-1 {
			b[i], b[j] = b[j], b[i]
		}
	}
}

// highs is the bit of each byte of eight that says that more follow.
const highs = 0x8080808080808080

// decodeLongs decodes varints: see batchOf. It looks at 8 bytes at a time.
func decodeLongs(dst []int64, b []byte) (n, size int) {
	at := 0
	for n < len(dst) {
		if len(b)-at >= 8 {
			w := binary.LittleEndian.Uint64(b[at:])
			if w&highs == 0 && len(dst)-n >= 8 {
				d := dst[n : n+8 : n+8]
				for i := range d {
					d[i] = zigzag(w >> (8 * i) & 0x7f)
				}
				n, at = n+8, at+8
				continue
			}
			if v, k := block.GatherLong(w); k > 0 {
				dst[n] = zigzag(v)
				n, at = n+1, at+k
				continue
			}
		}
		v, k := block.ReadLong(b[at:])
		if k <= 0 {
			break
		}
		dst[n] = v
		n, at = n+1, at+k
	}
	return n, at
}

// decodeInts does for ints what decodeLongs does, and stops at one past 32 bits.
func decodeInts(dst []int32, b []byte) (n, size int) {
	at := 0
	for n < len(dst) {
		if len(b)-at >= 8 {
			w := binary.LittleEndian.Uint64(b[at:])
			if w&highs == 0 && len(dst)-n >= 8 {
				d := dst[n : n+8 : n+8]
				for i := range d {
					d[i] = int32(zigzag(w >> (8 * i) & 0x7f))
				}
				n, at = n+8, at+8
				continue
			}
			if v, k := block.GatherLong(w); k > 0 && v>>32 == 0 {
				dst[n] = int32(zigzag(v))
				n, at = n+1, at+k
				continue
			}
		}
		v, k := block.ReadLong(b[at:])
		if k <= 0 || v != int64(int32(v)) {
			break
		}
		dst[n] = int32(v)
		n, at = n+1, at+k
	}
	return n, at
}

// zigzag returns the number that u stands for.
func zigzag(u uint64) int64 { return int64(u>>1) ^ -int64(u&1) }

// decodeBytes decodes strings or bytes in place: see batchOf.
func decodeBytes(dst [][]byte, b []byte) (n, size int) {
	at := 0
	for n < len(dst) {
		if at < len(b) && b[at] < 0x80 && b[at]&1 == 0 {
			end := at + 1 + int(b[at]>>1)
			if end > len(b) {
				break
			}
			dst[n] = b[at+1 : end : end]
			n, at = n+1, end
			continue
		}
		v, k, err := block.ReadBytes(b[at:])
		if err != nil {
			break
		}
		dst[n] = v
		n, at = n+1, at+k
	}
	return n, at
}

// wideInt is the error for an int past 32 bits.
func wideInt(v int64) error { return fault.Corruptf("int %d does not fit 32 bits", v) }
