package reader

import (
	"encoding/binary"

	"github.com/parquet-go/bitpack"
)

// A deltaDecoder decodes DELTA_BINARY_PACKED, a few values at a time:
//
//	block size | miniblocks of a block | values in all | first value       varints, the last zigzag
//	block: least difference | width of each miniblock | miniblocks
//	       zigzag varint      a byte each               packed differences to the least
//
// Miniblocks without values are left out, though their widths are there.
type deltaDecoder struct {
	src    []byte
	left   int // values that are still to come
	first  bool
	last   int64
	least  int64
	minis  int    // of a block
	size   int    // values of a miniblock
	widths []byte // of the block's miniblocks that are still to come
	width  uint
	mini   []byte // of the miniblock, from the next value on
	inMini int    // values in it

	diffs  []int64 // unpacked, from at on
	at     int
	memory []int64
}

// maxMini is the largest size of a miniblock that is decoded, in values. The specification has
// no limit; writers use 32 to 256.
const maxMini = 1 << 20

// unpackAtOnce is how many differences are unpacked at once, a multiple of 8.
const unpackAtOnce = 256

// init begins to decode the values that src begins with.
func (d *deltaDecoder) init(src []byte) error {
	*d = deltaDecoder{src: src, memory: d.memory}
	block, err := d.uvarint()
	if err != nil {
		return err
	}
	minis, err := d.uvarint()
	if err != nil {
		return err
	}
	n, err := d.uvarint()
	if err != nil {
		return err
	}
	if d.last, err = d.varint(); err != nil {
		return err
	}
	if minis == 0 || minis > block || block%minis != 0 || block/minis%8 != 0 || block/minis > maxMini {
		return corruptf("delta blocks of %d values in %d miniblocks", block, minis)
	}
	if n > 1<<31-1 {
		return corruptf("%d values in a page", n)
	}
	d.minis, d.size, d.left, d.first = int(minis), int(block/minis), int(n), true
	return nil
}

func (d *deltaDecoder) uvarint() (uint64, error) {
	v, n := binary.Uvarint(d.src)
	if n <= 0 {
		return 0, corruptf("deltas are cut short")
	}
	d.src = d.src[n:]
	return v, nil
}

func (d *deltaDecoder) varint() (int64, error) {
	v, err := d.uvarint()
	return int64(v>>1) ^ -int64(v&1), err
}

// next fills dst with the next values. Arithmetic wraps.
func (d *deltaDecoder) next(dst []int64) error {
	if len(dst) > d.left {
		return errValues()
	}
	if len(dst) > 0 && d.first {
		dst[0] = d.last
		d.left--
		d.first = false
		dst = dst[1:]
	}
	for len(dst) > 0 {
		if d.at == len(d.diffs) {
			if err := d.unpack(); err != nil {
				return err
			}
		}
		n := min(len(dst), len(d.diffs)-d.at)
		v, least := d.last, d.least
		for i, diff := range d.diffs[d.at : d.at+n] {
			v += diff + least
			dst[i] = v
		}
		d.last = v
		d.at += n
		d.left -= n
		dst = dst[n:]
	}
	return nil
}

// unpack unpacks the next differences.
func (d *deltaDecoder) unpack() error {
	if d.inMini == 0 {
		if err := d.miniblock(); err != nil {
			return err
		}
	}
	n := min(d.inMini, unpackAtOnce)
	if d.memory == nil {
		d.memory = make([]int64, unpackAtOnce)
	}
	d.diffs, d.at = d.memory[:n], 0
	if d.width == 0 {
		clear(d.diffs)
	} else {
		size := n * int(d.width) / 8
		part := d.mini[:min(size, len(d.mini))]
		d.mini = d.mini[len(part):]
		if cap(part)-size < bitpack.PaddingInt64 { // the library reads past the end
			part = append(make([]byte, 0, size+bitpack.PaddingInt64), part...)
		}
		bitpack.Unpack(d.diffs, part, d.width)
	}
	d.inMini -= n
	d.diffs = d.diffs[:min(n, d.left)]
	return nil
}

// miniblock goes to the next miniblock, and the next block after the last. The bytes of a last
// one may end with the values.
func (d *deltaDecoder) miniblock() error {
	if len(d.widths) == 0 {
		var err error
		if d.least, err = d.varint(); err != nil {
			return err
		}
		if d.minis > len(d.src) {
			return corruptf("deltas are cut short")
		}
		d.widths, d.src = d.src[:d.minis], d.src[d.minis:]
	}
	d.width = uint(d.widths[0])
	d.widths = d.widths[1:]
	if d.width > 64 {
		return corruptf("differences of %d bits", d.width)
	}
	size := d.size * int(d.width) / 8
	if d.size >= d.left && len(d.src) < size && len(d.src) >= (d.left*int(d.width)+7)/8 {
		size = len(d.src)
	}
	if size > len(d.src) {
		return corruptf("deltas are cut short")
	}
	d.mini, d.src, d.inMini = d.src[:size], d.src[size:], d.size
	return nil
}

// after returns what follows the values. It must come before the first next.
func (d *deltaDecoder) after() ([]byte, error) {
	skip := *d
	if skip.first && skip.left > 0 {
		skip.left--
	}
	for skip.left > 0 {
		if err := skip.miniblock(); err != nil {
			return nil, err
		}
		skip.left -= min(skip.left, skip.size)
	}
	return skip.src, nil
}

// deltaInts decodes integers in DELTA_BINARY_PACKED.
type deltaInts struct {
	deltas deltaDecoder
	some   []int64
}

func (d *deltaInts) decode(out *output, n int) error {
	dst := out.fixed(n)
	d.some = ints(d.some, out.N)
	if err := d.deltas.next(d.some); err != nil {
		return err
	}
	if out.Width == 4 {
		for i, v := range d.some {
			binary.LittleEndian.PutUint32(dst[4*i:], uint32(v))
		}
		return nil
	}
	for i, v := range d.some {
		binary.LittleEndian.PutUint64(dst[8*i:], uint64(v))
	}
	return nil
}

// rest is 0: the last miniblock is filled up.
func (d *deltaInts) rest() int { return 0 }

// ints returns n numbers of memory, or of more if it is too little.
func ints(memory []int64, n int) []int64 {
	if cap(memory) < n {
		return make([]int64, n)
	}
	return memory[:n]
}

// deltaLengths decodes DELTA_LENGTH_BYTE_ARRAY: the lengths of all values, then their bytes.
type deltaLengths struct {
	lengths deltaDecoder
	some    []int64 // lengths of values that did not fit the last batch
	memory  []int64
	src     []byte
}

func (d *deltaLengths) init(src []byte) error {
	d.some = nil
	if err := d.lengths.init(src); err != nil {
		return err
	}
	var err error
	d.src, err = d.lengths.after()
	return err
}

func (d *deltaLengths) decode(out *output, n int) error {
	if len(d.some) == 0 {
		d.memory = ints(d.memory, n)
		d.some = d.memory
		if err := d.lengths.next(d.some); err != nil {
			d.some = nil
			return err
		}
	}
	some := d.some[:min(n, len(d.some))]
	out.room(len(some))
	for _, size := range some {
		if size < 0 || size > int64(len(d.src)) {
			return corruptf("a value of %d bytes, %d before the page's end", size, len(d.src))
		}
		if !out.put(d.src[:size]) {
			break
		}
		d.src = d.src[size:]
	}
	d.some = d.some[out.N:]
	return nil
}

func (d *deltaLengths) rest() int { return len(d.src) }

// deltaBytes decodes DELTA_BYTE_ARRAY: of each value the length of what it shares with the one
// before, in DELTA_BINARY_PACKED, then the rest of all values, in DELTA_LENGTH_BYTE_ARRAY.
type deltaBytes struct {
	prefixes, suffixes deltaDecoder
	somePre, someSuf   []int64
	preMemory          []int64
	sufMemory          []int64
	src                []byte
	last               []byte // the last value of the last batch
}

func (d *deltaBytes) init(src []byte) error {
	d.somePre, d.someSuf, d.last = nil, nil, d.last[:0]
	if err := d.prefixes.init(src); err != nil {
		return err
	}
	src, err := d.prefixes.after()
	if err != nil {
		return err
	}
	if err := d.suffixes.init(src); err != nil {
		return err
	}
	d.src, err = d.suffixes.after()
	return err
}

func (d *deltaBytes) decode(out *output, n int) error {
	if len(d.somePre) == 0 {
		d.preMemory, d.sufMemory = ints(d.preMemory, n), ints(d.sufMemory, n)
		if err := d.prefixes.next(d.preMemory); err != nil {
			return err
		}
		if err := d.suffixes.next(d.sufMemory); err != nil {
			return err
		}
		d.somePre, d.someSuf = d.preMemory, d.sufMemory
	}
	err := d.join(out, min(n, len(d.somePre)))
	d.somePre, d.someSuf = d.somePre[out.N:], d.someSuf[out.N:]
	return err
}

// join makes the next values, n or as many as fit.
func (d *deltaBytes) join(out *output, n int) error {
	fixed := out.Width
	if fixed > 0 {
		n = out.fits(n)
		out.grow(min(n*fixed, out.limit))
	} else {
		out.room(n)
	}
	last := d.last
	for i := range n {
		pre, suf := d.somePre[i], d.someSuf[i]
		if pre < 0 || pre > int64(len(last)) {
			return corruptf("a value shares %d bytes with one of %d", pre, len(last))
		}
		if suf < 0 || suf > int64(len(d.src)) {
			return corruptf("a value of %d more bytes, %d before the page's end", suf, len(d.src))
		}
		if fixed > 0 && pre+suf != int64(fixed) {
			return corruptf("a value of %d bytes, where all have %d", pre+suf, fixed)
		}
		if pre+suf > 1<<31-1 {
			return corruptf("a value of %d bytes", pre+suf)
		}
		if !out.grow(int(pre + suf)) {
			break
		}
		at := len(out.Data)
		out.Data = append(append(out.Data, last[:pre]...), d.src[:suf]...)
		d.src = d.src[suf:]
		last = out.Data[at:]
		if out.N++; fixed == 0 {
			out.Offsets = append(out.Offsets, uint32(len(out.Data)))
		}
	}
	d.last = append(d.last[:0], last...)
	return nil
}

func (d *deltaBytes) rest() int { return len(d.src) }
