package ocf

import (
	"encoding/binary"
	"hash/crc32"
	"io"

	"github.com/ulikunitz/xz/lzma"
)

// xzBlock is a block's header.
type xzBlock struct {
	length     int   // bytes of the header
	packed     int64 // compressed size, -1 if not told
	size       int64 // decompressed size, -1 if not told
	dictionary int64 // bytes the encoder's dictionary had
}

// Flags of a block's header, and the one filter known.
const (
	xzFilters   = 0x03 // number of filters, less one
	xzReserved  = 0x3c
	xzHasPacked = 0x40
	xzHasSize   = 0x80
	xzLZMA2     = 0x21
)

// parse parses a whole header.
func (h *xzBlock) parse(b []byte) error {
	body := b[:len(b)-4]
	if crc32.ChecksumIEEE(body) != binary.LittleEndian.Uint32(b[len(body):]) {
		return corruptf("xz: a block's header has a wrong CRC-32")
	}
	flags := body[1]
	if flags&(xzFilters|xzReserved) != 0 {
		return corruptf("xz: a block has filters other than LZMA2, or unknown flags: %#x", flags)
	}
	*h = xzBlock{length: len(b), packed: -1, size: -1}
	c := xzCursor{b: body[2:]}
	if flags&xzHasPacked != 0 {
		h.packed = c.number()
	}
	if flags&xzHasSize != 0 {
		h.size = c.number()
	}
	filter, props := c.number(), c.number()
	dictionary := c.byte()
	for !c.bad && len(c.b) > 0 {
		c.bad = c.byte() != 0
	}
	if c.bad || filter != xzLZMA2 || props != 1 {
		return corruptf("xz: a block's header is not one of LZMA2")
	}
	var err error
	if h.dictionary, err = lzma.DecodeDictCap(dictionary); err != nil {
		return corruptf("xz: %w", err)
	}
	return nil
}

// xzCursor reads a header's numbers; bad once one is not there or not a number.
type xzCursor struct {
	b   []byte
	bad bool
}

func (c *xzCursor) byte() byte {
	if len(c.b) == 0 {
		c.bad = true
		return 0
	}
	v := c.b[0]
	c.b = c.b[1:]
	return v
}

// number reads a multibyte integer: at most 9 bytes, 63 bits, no idle bytes.
func (c *xzCursor) number() int64 {
	v, n := binary.Uvarint(c.b[:min(len(c.b), 9)])
	if n <= 0 || n > 1 && c.b[n-1] == 0 {
		c.bad = true
		return 0
	}
	c.b = c.b[n:]
	return int64(v)
}

// tail reads a stream's index after its first byte, and the footer, and checks both
// against the blocks read.
func (d *xzDecoder) tail() error {
	want := []byte{0}
	want = binary.AppendUvarint(want, uint64(len(d.index)))
	for _, r := range d.index {
		want = binary.AppendUvarint(want, uint64(r.unpadded))
		want = binary.AppendUvarint(want, uint64(r.size))
	}
	for len(want)%4 != 0 {
		want = append(want, 0)
	}
	want = binary.LittleEndian.AppendUint32(want, crc32.ChecksumIEEE(want))
	back := uint32(len(want)/4 - 1)
	footer := binary.LittleEndian.AppendUint32(nil, back)
	footer = append(footer, 0, d.check)
	want = binary.LittleEndian.AppendUint32(want, crc32.ChecksumIEEE(footer))
	want = append(append(want, footer...), xzFooter...)
	return d.expect(want[1:])
}

// expect reads len(want) bytes, which must equal want.
func (d *xzDecoder) expect(want []byte) error {
	var b [256]byte
	for len(want) > 0 {
		part := b[:min(len(b), len(want))]
		if err := d.full(part); err != nil {
			return err
		}
		if string(part) != string(want[:len(part)]) {
			return corruptf("xz: the index or footer does not tell the blocks that were read")
		}
		want = want[len(part):]
	}
	return nil
}

// The first byte of an LZMA2 chunk.
const (
	chunkEnd    = 0x00
	chunkPlain  = 0x02 // up to here, from 1: not compressed
	chunkPacked = 0x80 // from here on: compressed
	chunkProps  = 0xc0 // from here on: with a byte of properties
)

// measure returns what the block that begins at start decompresses to, by the sizes
// of its chunks. It fails past the limit, and where there is no chunk.
func (d *xzDecoder) measure() (total int64, err error) {
	end := d.w.r.data + d.w.r.block.Size
	for at := d.start; ; {
		var b [5]byte
		n := min(int64(len(b)), end-at)
		if n <= 0 {
			return 0, io.ErrUnexpectedEOF
		}
		if err := d.w.r.in.read(b[:n], at); err != nil {
			d.w.src.file.err = err
			return 0, err
		}
		size, packed := chunkSizes(b)
		switch {
		case b[0] == chunkEnd:
			return total, nil
		case packed < 0:
			return 0, corruptf("xz: unknown LZMA2 chunk %#x", b[0])
		}
		total += size
		at += packed
		if total > d.w.r.lim.BlockBytes {
			return 0, d.w.overLimit()
		}
	}
}

// chunkSizes returns what a chunk decompresses to and the bytes it takes with its
// header, which are negative for an unknown one.
func chunkSizes(b [5]byte) (size, packed int64) {
	low := int64(b[1])<<8 + int64(b[2]) + 1
	switch {
	case b[0] <= chunkPlain:
		return low, low + 3
	case b[0] < chunkPacked:
		return 0, -1
	}
	size = int64(b[0]&0x1f)<<16 + low
	packed = int64(b[3])<<8 + int64(b[4]) + 1 + 5
	if b[0] >= chunkProps {
		packed++
	}
	return size, packed
}
