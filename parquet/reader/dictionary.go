package reader

import (
	"encoding/binary"
	"math"

	"avro2trevni/parquet"
	"github.com/parquet-go/parquet-go/format"
)

// indexed decodes values that are numbers of a dictionary's.
type indexed struct {
	dict    *dictionary
	runs    hybrid
	indexes []int32
	left    []int32 // decoded, but did not fit the last batch
}

func (d *indexed) init(src []byte, dict *dictionary) error {
	d.dict, d.left = dict, nil
	if len(src) == 0 {
		d.runs.init(nil, 0)
		return nil
	}
	if src[0] > 32 {
		return corruptf("indexes of %d bits", src[0])
	}
	d.runs.init(src[1:], uint(src[0]))
	return nil
}

func (d *indexed) decode(out *output, n int) error {
	if out.Width > 0 {
		n = out.fits(n)
	}
	if len(d.left) == 0 {
		if cap(d.indexes) < n {
			d.indexes = make([]int32, n)
		}
		d.left = d.indexes[:n]
		if err := d.runs.indexes(d.left); err != nil {
			d.left = nil
			return err
		}
		if m := most(d.left); m >= uint32(d.dict.n) {
			d.left = nil
			return corruptf("index %d of a dictionary of %d values", m, d.dict.n)
		}
	}
	take := d.left[:min(n, len(d.left))]
	if out.Width == 0 {
		d.dict.gatherBytes(out, take)
	} else {
		d.dict.gather(out.fixed(len(take)), out.Width, take)
	}
	d.left = d.left[out.N:]
	return nil
}

// rest is 0: some writers leave bytes after the last run.
func (d *indexed) rest() int { return 0 }

// most returns the largest of the indexes.
func most(indexes []int32) uint32 {
	var a, b, c, d uint32
	for len(indexes) >= 4 {
		a, b = max(a, uint32(indexes[0])), max(b, uint32(indexes[1]))
		c, d = max(c, uint32(indexes[2])), max(d, uint32(indexes[3]))
		indexes = indexes[4:]
	}
	for _, ix := range indexes {
		a = max(a, uint32(ix))
	}
	return max(a, b, c, d)
}

// A dictionary has the values of a dictionary page.
type dictionary struct {
	n       int
	data    []byte // with roomAfter
	offsets []uint32
	longest int      // bytes of the longest byte array
	fours   []uint32 // the values, where they have 4 bytes
	eights  []uint64 // or 8
}

// init takes the values out of a dictionary page's body, which it keeps.
func (d *dictionary) init(src []byte, n int, leaf *Node) error {
	d.n = n
	switch {
	case leaf.Type == parquet.Boolean:
		bits, out := plainBits{src: src}, output{limit: math.MaxInt, data: d.data}
		if n > 8*len(src) {
			return corruptf("%d bytes for %d booleans", len(src), n)
		}
		out.begin(1)
		if n == 0 {
			return nil
		}
		err := bits.decode(&out, n)
		d.data = out.Data
		return err
	case leaf.Type == parquet.ByteArray:
		return d.initBytes(src)
	case int64(n)*int64(leaf.Width()) != int64(len(src)):
		return corruptf("%d bytes for %d values of %d bytes", len(src), n, leaf.Width())
	}
	switch leaf.Width() {
	case 4:
		d.fours = sizedTo(d.fours, n)
		for i := range d.fours {
			d.fours[i] = binary.LittleEndian.Uint32(src[4*i:])
		}
	case 8:
		d.eights = sizedTo(d.eights, n)
		for i := range d.eights {
			d.eights[i] = binary.LittleEndian.Uint64(src[8*i:])
		}
	default:
		d.data = append(d.data[:0], src...)
	}
	return nil
}

// sizedTo returns n numbers of memory, or of more if it is too little.
func sizedTo[T any](memory []T, n int) []T {
	if cap(memory) < n {
		return make([]T, n)
	}
	return memory[:n]
}

func (d *dictionary) initBytes(src []byte) error {
	if d.n > len(src)/4 {
		return corruptf("%d bytes for %d values", len(src), d.n)
	}
	if cap(d.data) < len(src)+roomAfter {
		d.data = make([]byte, len(src)+roomAfter)
	}
	d.offsets, d.data, d.longest = sizedTo(d.offsets, d.n+1), d.data[:0], 0
	d.offsets[0] = 0
	for i := range d.n {
		if len(src) < 4 {
			return corruptf("a dictionary of %d values ends after %d", d.n, i)
		}
		size := binary.LittleEndian.Uint32(src)
		if uint64(size) > uint64(len(src)-4) {
			return corruptf("a value of %d bytes, %d before the dictionary's end", size, len(src)-4)
		}
		d.data = append(d.data, src[4:4+size]...)
		d.longest = max(d.longest, int(size))
		d.offsets[i+1] = uint32(len(d.data))
		src = src[4+size:]
	}
	return nil
}

// gather puts values of fixed width into dst. All indexes are legal.
func (d *dictionary) gather(dst []byte, width int, indexes []int32) {
	switch width {
	case 4:
		for _, ix := range indexes {
			binary.LittleEndian.PutUint32(dst, d.fours[ix])
			dst = dst[4:]
		}
	case 8:
		for _, ix := range indexes {
			binary.LittleEndian.PutUint64(dst, d.eights[ix])
			dst = dst[8:]
		}
	default:
		for i, ix := range indexes {
			copy(dst[i*width:(i+1)*width], d.data[int(ix)*width:])
		}
	}
}

// gatherBytes adds byte arrays, as many as fit. All indexes are legal.
func (d *dictionary) gatherBytes(out *output, indexes []int32) {
	out.room(len(indexes))
	if d.longest <= shortBytes && len(indexes)*d.longest <= out.limit {
		d.gatherShort(out, indexes)
		return
	}
	data := d.data[:cap(d.data)]
	dst, at := out.Data[:cap(out.data)], len(out.Data)
	for _, ix := range indexes {
		from, to := int(d.offsets[ix]), int(d.offsets[ix+1])
		size := to - from
		if at+size+roomAfter > len(dst) || at+size > out.limit {
			out.Data = dst[:at]
			if !out.grow(size) {
				break
			}
			dst = out.Data[:cap(out.data)]
		}
		if size <= 16 && from+16 <= len(data) {
			*(*[16]byte)(dst[at:]) = *(*[16]byte)(data[from:])
		} else {
			copy(dst[at:], data[from:to])
		}
		at += size
		out.Offsets = append(out.Offsets, uint32(at))
		out.N++
	}
	out.Data = dst[:at]
}

// shortBytes is what two copies of constant size move.
const shortBytes = 32

// gatherShort is gatherBytes where all values are short, and fit.
func (d *dictionary) gatherShort(out *output, indexes []int32) {
	out.grow(len(indexes) * d.longest)
	data, dst, at := d.data[:cap(d.data)], out.Data[:cap(out.data)], uint32(0)
	ends := out.Offsets[1 : len(indexes)+1]
	for i, ix := range indexes {
		from, to := d.offsets[ix], d.offsets[ix+1]
		*(*[16]byte)(dst[at:]) = *(*[16]byte)(data[from:])
		if to-from > 16 {
			*(*[16]byte)(dst[at+16:]) = *(*[16]byte)(data[from+16:])
		}
		at += to - from
		ends[i] = at
	}
	out.Data, out.Offsets, out.N = dst[:at], out.Offsets[:len(indexes)+1], len(indexes)
}

// isIndexed reports whether an encoding's values are indexes of a dictionary.
func isIndexed(e parquet.Encoding) bool {
	return e == parquet.RLEDictionary || format.Encoding(e) == plainDictionary
}
