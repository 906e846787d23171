package block

import (
	"fmt"
	"slices"

	"avro2trevni/trevni/internal/fault"

	"github.com/golang/snappy"
	"github.com/klauspost/compress/s2"
)

// snappyCodec is the raw block format of Snappy, with neither framing nor CRC.
// Blocks are encoded by s2 in Snappy's format, which is faster and denser than what
// golang/snappy does, and decoded by golang/snappy, which takes no extension.
type snappyCodec struct{ better bool }

func (snappyCodec) Name() string            { return "snappy" }
func (snappyCodec) MaxEncodedLen(n int) int { return s2.MaxEncodedLen(n) }

func (c snappyCodec) Encode(dst, src []byte) ([]byte, error) {
	most := s2.MaxEncodedLen(len(src))
	if most < 0 {
		return dst, fmt.Errorf("trevni: snappy: block of %d bytes is too large", len(src))
	}
	dst = slices.Grow(dst, most)
	room := dst[len(dst):cap(dst)]
	if c.better {
		return dst[:len(dst)+len(s2.EncodeSnappyBetter(room, src))], nil
	}
	return dst[:len(dst)+len(s2.EncodeSnappy(room, src))], nil
}

// snappyMost is the most that Snappy can expand a byte, rounded up: a copy of 64
// bytes takes 3.
const snappyMost = 22

// Decode checks the size that the block itself declares before making room for it.
func (snappyCodec) Decode(dst, src []byte, size int) ([]byte, error) {
	n, err := snappy.DecodedLen(src)
	switch {
	case err != nil:
		return dst, fault.Corruptf("%w", err)
	case n != size:
		return dst, fault.Corruptf("snappy: block of %d bytes, its descriptor says %d", n, size)
	case n/snappyMost > len(src):
		return dst, fault.Corruptf("snappy: %d bytes cannot hold %d", len(src), n)
	}
	dst = slices.Grow(dst, n)
	out, err := snappy.Decode(dst[len(dst):len(dst)+n], src)
	if err != nil {
		return dst, fault.Corruptf("%w", err)
	}
	return dst[:len(dst)+len(out)], nil
}
