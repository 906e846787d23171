package ocf

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"hash/crc64"
	"io"

	"github.com/ulikunitz/xz/lzma"
)

// xzDictionary is what the base has room for: the dictionary of xz's default preset.
const xzDictionary = 8 << 20

// xzDecoder reads xz streams (The .xz File Format 1.1.0). The library decodes LZMA2; this
// package reads the container, because the library would allocate the dictionary that a
// block declares, up to 4 GiB, for each block.
//
//	stream: header 12 | block ... | index | footer 12
//	block:  header | LZMA2 chunks, 0 | padding to 4 | check
type xzDecoder struct {
	w     *window
	in    input
	check byte      // what kind of check, from the stream's header
	sum   hash.Hash // of the block in work, nil without check
	lzma  io.Reader // of the block in work, nil between blocks
	room  int       // taken for its dictionary
	start int64     // offset of its data in the file
	size  int64     // it has decompressed to, so far
	head  xzBlock
	index []xzRecord // of the stream's blocks so far
}

// xzRecord is what a stream's index tells of a block.
type xzRecord struct{ unpadded, size int64 }

var (
	xzMagic  = []byte("\xfd7zXZ\x00")
	xzFooter = []byte("YZ")
)

// xzHeaderSize is the bytes of a stream's header, and of its footer.
const xzHeaderSize = 12

func (d *xzDecoder) begin() error {
	d.in = d.w.src.input()
	d.lzma, d.index = nil, d.index[:0]
	return d.header()
}

// Read reads blocks, streams and the padding after them, to the end of the input.
func (d *xzDecoder) Read(p []byte) (int, error) {
	for {
		if d.lzma == nil {
			if err := d.next(); err != nil {
				return 0, err
			}
		}
		if d.lzma == nil {
			continue
		}
		n, err := d.lzma.Read(p)
		d.size += int64(n)
		if d.sum != nil {
			d.sum.Write(p[:n])
		}
		if err == io.EOF {
			err = d.finish()
		}
		if n > 0 || err != nil {
			return n, err
		}
	}
}

// header reads a stream's header.
func (d *xzDecoder) header() error {
	var b [xzHeaderSize]byte
	if err := d.full(b[:]); err != nil {
		return err
	}
	if !bytes.Equal(b[:6], xzMagic) {
		return corruptf("xz: the data begin with %x instead of %x", b[:6], xzMagic)
	}
	if crc32.ChecksumIEEE(b[6:8]) != binary.LittleEndian.Uint32(b[8:]) {
		return corruptf("xz: the stream's header has a wrong CRC-32")
	}
	d.check = b[7]
	sum, err := newXZSum(d.check)
	if b[6] != 0 {
		err = corruptf("xz: unknown stream flags %x", b[6:8])
	}
	d.sum = sum
	return err
}

// newXZSum returns the hash of a check by its number.
func newXZSum(check byte) (hash.Hash, error) {
	switch check {
	case 0:
		return nil, nil
	case 1:
		return crc32.NewIEEE(), nil
	case 4:
		return crc64.New(crc64.MakeTable(crc64.ECMA)), nil
	case 10:
		return sha256.New(), nil
	}
	return nil, corruptf("xz: unknown check %d", check)
}

// next begins the next block, or reads the index and footer and what follows.
func (d *xzDecoder) next() error {
	first, err := d.in.ReadByte()
	if err != nil {
		return err
	}
	if first != 0 {
		return d.block(first)
	}
	if err := d.tail(); err != nil {
		return err
	}
	d.index = d.index[:0]
	return d.skipPadding()
}

// skipPadding reads zeros, a multiple of four, and another stream's header; io.EOF if
// there is none.
func (d *xzDecoder) skipPadding() error {
	for {
		b := d.w.src.peek(4)
		switch {
		case len(b) == 0:
			return io.EOF
		case !bytes.Equal(b, []byte{0, 0, 0, 0}):
			return d.header()
		}
		var zeros [4]byte
		if err := d.full(zeros[:]); err != nil {
			return err
		}
	}
}

// block reads a block's header, whose first byte is first, and makes lzma ready. The
// dictionary is never larger than the decompressed block, whose size is the sum of its
// chunks.
func (d *xzDecoder) block(first byte) error {
	b := make([]byte, (int(first)+1)*4)
	b[0] = first
	if err := d.full(b[1:]); err != nil {
		return err
	}
	if err := d.head.parse(b); err != nil {
		return err
	}
	d.start, d.size = d.w.src.offset(d.w.r), 0
	size, err := d.measure()
	if err != nil {
		return err
	}
	capacity := int(max(min(d.head.dictionary, size), lzma.MinDictCap))
	if err := d.reserve(capacity); err != nil {
		return err
	}
	if d.sum != nil {
		d.sum.Reset()
	}
	d.lzma, err = lzma.Reader2Config{DictCap: capacity}.NewReader2(d.in)
	return err
}

// reserve takes memory for a dictionary past the base.
func (d *xzDecoder) reserve(capacity int) error {
	d.drop()
	if capacity <= xzDictionary {
		return nil
	}
	if err := d.w.room.acquire(capacity); err != nil {
		return err
	}
	d.room = capacity
	return nil
}

func (d *xzDecoder) drop() {
	d.lzma = nil
	if d.room > 0 {
		d.w.room.release(d.room)
		d.room = 0
	}
}

// finish checks a block that was read to its end.
func (d *xzDecoder) finish() error {
	d.lzma = nil
	packed := d.w.src.offset(d.w.r) - d.start
	if h := &d.head; h.packed >= 0 && h.packed != packed || h.size >= 0 && h.size != d.size {
		return corruptf("xz: a block's sizes are not those its header has")
	}
	var pad [3]byte
	if err := d.zeros(pad[:-packed&3]); err != nil {
		return err
	}
	unpadded := int64(d.head.length) + packed
	if d.sum != nil {
		var got [sha256.Size]byte
		b := got[:d.sum.Size()]
		if err := d.full(b); err != nil {
			return err
		}
		if !bytes.Equal(b, xzSum(d.sum, d.check)) {
			return corruptf("xz: a block's checksum is wrong")
		}
		unpadded += int64(len(b))
	}
	d.index = append(d.index, xzRecord{unpadded, d.size})
	return nil
}

// xzSum returns the hash's sum as xz has it: CRCs are little-endian.
func xzSum(h hash.Hash, check byte) []byte {
	b := h.Sum(nil)
	if check != 10 {
		for i, j := 0, len(b)-1; i < j; i, j = i+1, j-1 {
			b[i], b[j] = b[j], b[i]
		}
	}
	return b
}

// zeros reads bytes that must be zero.
func (d *xzDecoder) zeros(b []byte) error {
	err := d.full(b)
	for _, c := range b {
		if c != 0 {
			return corruptf("xz: padding is not zero")
		}
	}
	return err
}

// full reads b; an early end is io.ErrUnexpectedEOF.
func (d *xzDecoder) full(b []byte) error {
	_, err := io.ReadFull(d.in, b)
	if errors.Is(err, io.EOF) {
		return fmt.Errorf("xz: the data end early: %w", io.ErrUnexpectedEOF)
	}
	return err
}
