package ocf

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"

	"github.com/golang/snappy"
)

// snappyHistory is how far back copies reach in what encoders write: they all cut
// their input in pieces of 64 KiB, and look for matches within one.
const snappyHistory = 64 << 10

// snappyBuffer is history, and room for what comes next.
const snappyBuffer = 4 * snappyHistory

// snappyDecoder decodes a snappy block (format_description.txt of google/snappy) as a
// stream, which the format was not made for: a copy may reach back to the start. One
// that reaches past the history makes the decoder begin again, and hold the whole.
//
//	buf  |...history...|...not yet read...|      |
//	                   out                n
type snappyDecoder struct {
	w       *window
	in      input
	buf     []byte
	out, n  int
	size    int    // declared bytes of the whole
	before  int    // bytes decoded in front of buf
	literal int    // bytes of a literal still to come
	sum     uint32 // CRC-32 of what was read
	room    int    // taken for the whole, if it was needed
}

// errFar is a copy from before the history.
var errFar = errors.New("snappy: copy from far back")

func (d *snappyDecoder) begin() error {
	d.drop()
	d.in = d.w.src.input()
	if len(d.buf) != snappyBuffer {
		d.buf = make([]byte, snappyBuffer)
	}
	size, err := binary.ReadUvarint(d.in)
	d.out, d.n, d.size, d.before, d.literal, d.sum = 0, 0, int(size), 0, 0, 0
	return err
}

// Read gives what was decoded, and decodes more when nothing is left.
func (d *snappyDecoder) Read(p []byte) (int, error) {
	if d.out == d.n {
		if d.made() == d.size {
			return 0, d.finish()
		}
		if err := d.more(); err != nil {
			return 0, plain(err)
		}
	}
	n := copy(p, d.buf[d.out:d.n])
	d.sum = crc32.Update(d.sum, crc32.IEEETable, p[:n])
	d.out += n
	return n, nil
}

// errSnappy is the error of data that are not snappy's, one by one or at once.
var errSnappy = corruptf("%w", snappy.ErrCorrupt)

// plain makes errSnappy of an error, but for one of memory.
func plain(err error) error {
	if full := (*MemoryError)(nil); errors.As(err, &full) {
		return err
	}
	return errSnappy
}

// more decodes as much as the buffer has room for.
func (d *snappyDecoder) more() error {
	keep := min(d.n, snappyHistory)
	copy(d.buf, d.buf[d.n-keep:d.n])
	d.before += d.n - keep
	d.out, d.n = keep, keep
	for d.made() < d.size && d.n+maxCopy <= len(d.buf) {
		if d.literal == 0 {
			used, err := d.run(d.w.src.ready())
			d.w.src.discard(used)
			if err != nil {
				return d.far(err)
			}
			if used > 0 {
				continue
			}
		}
		if err := d.element(); err != nil {
			return d.far(err)
		}
	}
	if d.made() > d.size {
		return errSnappy
	}
	return nil
}

// made returns the bytes decoded so far.
func (d *snappyDecoder) made() int { return d.before + d.n }

// far turns to the whole if err says that it is needed.
func (d *snappyDecoder) far(err error) error {
	if err == errFar {
		return d.whole()
	}
	return err
}

// maxElement is the largest size of an element without a literal's bytes.
const maxElement = 5

// run decodes elements that lie completely in b, one after another, and returns the bytes
// that they take. It is a fast version of element for the common cases.
func (d *snappyDecoder) run(b []byte) (used int, err error) {
	i, most := 0, min(len(d.buf)-maxCopy, d.size-d.before)
	for i+maxElement <= len(b) && d.n < most && err == nil {
		tag := b[i]
		high := int(tag >> 2)
		switch tag & 3 {
		case tagLiteral:
			n := high + 1
			if high >= 60 || i+1+n > len(b) {
				return i, nil
			}
			d.n += copy(d.buf[d.n:], b[i+1:i+1+n])
			i += 1 + n
		case tagCopy1:
			err = d.copy(high>>3<<8|int(b[i+1]), 4+high&7, nil)
			i += 2
		case tagCopy2:
			err = d.copy(int(b[i+1])|int(b[i+2])<<8, 1+high, nil)
			i += 3
		default:
			return i, nil
		}
	}
	return i, err
}

// The low bits of a tag, and the largest number of bytes that a copy makes.
const (
	tagLiteral = iota
	tagCopy1
	tagCopy2
	tagCopy4
	maxCopy = 64
)

// element decodes an element, or a literal as far as there is room.
func (d *snappyDecoder) element() error {
	if d.literal > 0 {
		return d.literals()
	}
	tag, err := d.in.ReadByte()
	if err != nil {
		return err
	}
	high := int(tag >> 2)
	switch tag & 3 {
	case tagLiteral:
		if high >= 60 {
			if high, err = d.number(high - 59); err != nil {
				return err
			}
		}
		d.literal = high + 1
		return d.literals()
	case tagCopy1:
		low, err := d.number(1)
		return d.copy(high>>3<<8|low, 4+high&7, err)
	case tagCopy2:
		offset, err := d.number(2)
		return d.copy(offset, 1+high, err)
	}
	offset, err := d.number(4)
	return d.copy(offset, 1+high, err)
}

// number reads a little-endian number of some bytes.
func (d *snappyDecoder) number(bytes int) (n int, err error) {
	for i := range bytes {
		b, err := d.in.ReadByte()
		if err != nil {
			return 0, err
		}
		n |= int(b) << (8 * i)
	}
	return n, nil
}

// literals reads bytes of a literal.
func (d *snappyDecoder) literals() error {
	n := min(d.literal, len(d.buf)-d.n)
	if _, err := io.ReadFull(d.in, d.buf[d.n:d.n+n]); err != nil {
		return err
	}
	d.literal -= n
	d.n += n
	return nil
}

// copy repeats length bytes from offset before the end, unless err. They overlap if
// length is larger: what was just written is repeated then.
func (d *snappyDecoder) copy(offset, length int, err error) error {
	made := d.made()
	switch {
	case err != nil:
		return err
	case offset <= 0 || offset > made:
		return errSnappy
	case offset > d.n:
		return errFar
	}
	end := d.n + length
	for d.n < end {
		d.n += copy(d.buf[d.n:end], d.buf[d.n-offset:d.n])
	}
	return nil
}

// whole decodes the block again, as a whole, and continues at the current position. Bytes
// that were decoded up to the far copy are returned only then.
func (d *snappyDecoder) whole() error {
	read := d.before + d.out
	packed := int(d.w.r.block.Size)
	if err := d.w.room.acquire(packed + d.size); err != nil {
		return err
	}
	d.room = packed + d.size
	in := make([]byte, packed)
	if err := readFull(d.w.r.in.src, in, d.w.r.data); err != nil {
		d.w.src.file.err = err
		return err
	}
	all, err := snappy.Decode(make([]byte, d.size), in[:packed-snappySum])
	if err != nil {
		return err
	}
	d.w.src.skip(snappySum)
	d.buf, d.out, d.n, d.before, d.literal = all, read, d.size, 0, 0
	return nil
}

// finish checks that the data end here, and the checksum.
func (d *snappyDecoder) finish() error {
	if d.w.src.rest() != snappySum {
		return errSnappy
	}
	var b [snappySum]byte
	if _, err := io.ReadFull(d.in, b[:]); err != nil {
		return io.ErrUnexpectedEOF
	}
	return checkSnappy(d.sum, b[:])
}

func (d *snappyDecoder) drop() {
	if d.room > 0 {
		d.buf = nil
		d.w.room.release(d.room)
		d.room = 0
	}
}

// checkSnappy compares a CRC-32 with the block's; io.EOF if they are the same.
func checkSnappy(got uint32, stored []byte) error {
	if want := binary.BigEndian.Uint32(stored); got != want {
		return corruptf("snappy: the CRC-32 of the data is %08x, the block's is %08x", got, want)
	}
	return io.EOF
}
