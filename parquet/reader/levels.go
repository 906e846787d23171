package reader

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/parquet-go/parquet-go/format"
)

// A levelDecoder decodes the repetition or definition levels of a page, a few at a time.
type levelDecoder struct {
	most   byte // the largest legal level; if it is 0, there are none
	whole  bool // the levels are all that the runs' bytes are
	old    bool // BIT_PACKED: all levels as one run, the most significant bit first
	runs   hybrid
	packed []byte
	at     int // bits taken of packed
}

// init begins a page's levels, which the front of src has, and returns what follows. In pages
// of version 1 a length is in front of runs.
func (d *levelDecoder) init(src []byte, most int, e format.Encoding, entries int) ([]byte, error) {
	d.most, d.old, d.whole = byte(most), false, false
	if most == 0 {
		return src, nil
	}
	width := bits.Len8(d.most)
	switch e {
	case format.RLE:
		if len(src) < 4 {
			return nil, corruptf("levels are cut short")
		}
		n := binary.LittleEndian.Uint32(src)
		if uint64(n) > uint64(len(src)-4) {
			return nil, corruptf("levels of %d bytes in a page of %d", n, len(src))
		}
		d.runs.init(src[4:4+n], uint(width))
		return src[4+n:], nil
	case format.BitPacked:
		n := (int64(entries)*int64(width) + 7) / 8
		if n > int64(len(src)) {
			return nil, corruptf("levels of %d bytes in a page of %d", n, len(src))
		}
		d.old, d.packed, d.at = true, src[:n], 0
		return src[n:], nil
	}
	return nil, unsupportedf("levels in encoding %s", encodingName(e))
}

// initV2 begins a page's levels of version 2, which are runs. Where all levels are 0 there are
// none, or one run, of no width.
func (d *levelDecoder) initV2(src []byte, most int) {
	d.most, d.old, d.whole = byte(most), false, true
	d.runs.init(src, uint(bits.Len8(d.most)))
	if most == 0 && len(src) > 0 {
		_, n := binary.Uvarint(src)
		d.runs.src = src[max(n, 0):]
	}
}

// next fills dst with the next levels.
func (d *levelDecoder) next(dst []byte) error {
	if d.old {
		d.unpack(dst)
	} else if err := d.runs.levels(dst); err != nil {
		return err
	}
	if all := byte(1<<bits.Len8(d.most) - 1); d.most < all && len(dst) > 0 {
		if m := slices.Max(dst); m > d.most {
			return corruptf("level %d, where the greatest is %d", m, d.most)
		}
	}
	return nil
}

// rest returns how many bytes of a page of version 2 are there after the last level. Version 1
// has a length in the page, where it is checked with the page.
func (d *levelDecoder) rest() int {
	if !d.whole {
		return 0
	}
	return len(d.runs.src)
}

func (d *levelDecoder) unpack(dst []byte) {
	width := bits.Len8(d.most)
	for i := range dst {
		v := byte(0)
		for range width {
			v = v<<1 | d.packed[d.at/8]>>(7-d.at%8)&1
			d.at++
		}
		dst[i] = v
	}
}
