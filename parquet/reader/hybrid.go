package reader

import (
	"bytes"
	"encoding/binary"

	"github.com/parquet-go/bitpack"
)

// A hybrid decodes the RLE and bit-packing hybrid (Encodings.md, RLE = 3), a few values at a
// time, however long its runs are:
//
//	| n<<1   varint | value, as many bytes as the width needs |  n times the value
//	| g<<1|1 varint | g * 8 values, width bits each           |  the least significant bit first
//
// Some writers leave out the bytes of values that a last group has too many of.
type hybrid struct {
	src   []byte // what follows the current run
	width uint

	repeated int    // how often value is still to come
	value    uint32 //

	packed []byte // the current run's bytes from the next group on
	groups int    // of eight values, in the run from there on

	group  [8]uint32 // the values of a group that was begun
	used   int       // of the group; 8 if none was begun
	within int       // values in the group
}

// init begins to decode src. A width of 0 is legal: all values are 0.
func (h *hybrid) init(src []byte, width uint) {
	*h = hybrid{src: src, width: width}
}

// next goes to the next run.
func (h *hybrid) next() error {
	head, n := binary.Uvarint(h.src)
	if n <= 0 || head>>1 > 1<<32 {
		return corruptf("runs end too early, or a run has too many values")
	}
	h.src = h.src[n:]
	if head&1 == 0 {
		size := int(h.width+7) / 8
		if len(h.src) < size {
			return corruptf("a run is cut short")
		}
		var word [4]byte
		copy(word[:], h.src[:size])
		h.src = h.src[size:]
		h.repeated, h.value = int(head>>1), binary.LittleEndian.Uint32(word[:])
		if h.width < 32 && h.value>>h.width != 0 {
			return corruptf("a run repeats %d, which has more than %d bits", h.value, h.width)
		}
		return nil
	}
	h.groups = int(head >> 1)
	size := min(uint64(h.groups)*uint64(h.width), uint64(len(h.src)))
	h.packed, h.src = h.src[:size], h.src[size:]
	return nil
}

// take decodes the next group of a packed run into h.group.
func (h *hybrid) take() error {
	w := int(h.width)
	var src [32]byte
	n := copy(src[:w], h.packed)
	h.packed = h.packed[n:]
	h.groups--
	h.used, h.within = 0, 8
	if n < w { // the last group, cut short
		h.within, h.groups = n*8/w, 0
		if h.within == 0 {
			return corruptf("a run of packed values is cut short")
		}
	}
	var bits uint64
	have, at := uint(0), 0
	for i := range h.group {
		for have < h.width {
			bits |= uint64(src[at]) << have
			at, have = at+1, have+8
		}
		h.group[i] = uint32(bits & (1<<h.width - 1))
		bits >>= h.width
		have -= h.width
	}
	return nil
}

// indexes fills dst with the next values.
func (h *hybrid) indexes(dst []int32) error {
	for len(dst) > 0 {
		switch {
		case h.repeated > 0:
			n := min(h.repeated, len(dst))
			for i := range dst[:n] {
				dst[i] = int32(h.value)
			}
			h.repeated -= n
			dst = dst[n:]
		case h.used < h.within:
			n := min(h.within-h.used, len(dst))
			for i, v := range h.group[h.used : h.used+n] {
				dst[i] = int32(v)
			}
			h.used += n
			dst = dst[n:]
		case h.groups > 0:
			n, err := h.unpack(dst)
			if err != nil {
				return err
			}
			dst = dst[n:]
		default:
			if err := h.next(); err != nil {
				return err
			}
		}
	}
	return nil
}

// unpack decodes whole groups into dst, or takes one. It returns how many values are in dst.
func (h *hybrid) unpack(dst []int32) (int, error) {
	w := int(h.width)
	n := min(h.groups, len(dst)/8)
	if w > 0 { // the library reads past the last group
		n = min(n, len(h.packed)/w, (cap(h.packed)-bitpack.PaddingInt32)/w)
	}
	if n < 1 {
		return 0, h.take()
	}
	dst = dst[:8*n]
	if w == 0 {
		clear(dst)
	} else {
		bitpack.Unpack(dst, h.packed, h.width)
		h.packed = h.packed[n*w:]
	}
	h.groups -= n
	return len(dst), nil
}

// levels fills dst with the next values, of at most 8 bits.
func (h *hybrid) levels(dst []byte) error {
	for len(dst) > 0 {
		switch {
		case h.repeated > 0:
			n := min(h.repeated, len(dst))
			fill(dst[:n], byte(h.value))
			h.repeated -= n
			dst = dst[n:]
		case h.used < h.within:
			n := min(h.within-h.used, len(dst))
			for i, v := range h.group[h.used : h.used+n] {
				dst[i] = byte(v)
			}
			h.used += n
			dst = dst[n:]
		case h.groups > 0:
			n := min(h.groups, len(dst)/8, len(h.packed)/max(int(h.width), 1))
			if n == 0 {
				if err := h.take(); err != nil {
					return err
				}
				continue
			}
			unpackBytes(dst[:8*n], h.packed, h.width)
			h.packed = h.packed[n*int(h.width):]
			h.groups -= n
			dst = dst[8*n:]
		default:
			if err := h.next(); err != nil {
				return err
			}
		}
	}
	return nil
}

// eight are the bits of a byte, a byte each.
var eight = func() (t [256]uint64) {
	for b := range t {
		for i := range 8 {
			t[b] |= uint64(b>>i&1) << (8 * i)
		}
	}
	return t
}()

// unpackBytes unpacks values of up to 8 bits into bytes; len(dst) is a multiple of 8.
func unpackBytes(dst, src []byte, width uint) {
	if width == 1 {
		for i := 0; i < len(dst); i += 8 {
			binary.LittleEndian.PutUint64(dst[i:], eight[src[i/8]])
		}
		return
	}
	mask := uint64(1)<<width - 1
	var word [8]byte
	for i := 0; i < len(dst); i += 8 {
		if len(src) < 8 {
			copy(word[:], src)
			src = word[:]
		}
		v := binary.LittleEndian.Uint64(src)
		src = src[width:]
		d := dst[i : i+8]
		for j := range d {
			d[j] = byte(v & mask)
			v >>= width
		}
	}
}

func fill(dst []byte, v byte) {
	for i := range dst {
		dst[i] = v
	}
}

// count returns how often v is in b.
func count(b []byte, v byte) int { return bytes.Count(b, []byte{v}) }
