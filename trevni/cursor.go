package trevni

import (
	"encoding/binary"
	"fmt"
	"io"

	"avro2trevni/trevni/block"
	"avro2trevni/trevni/internal/fault"
)

// cursor reads the parts of a header or of descriptors one after another. It keeps
// its first error, after which it gives zeros: ask once, at the end or before a loop.
//
// What is asked for is read together with what is known to follow it, and nothing
// else: no byte is read that belongs to something else, nor twice, and the reads are
// few all the same. The parsers know from counts and lengths how much must follow:
//
//	| 17 bytes | count: 38 a column at least | length: that many more | ... | starts |
//	  read 1     read 2                        read 3                  by then all is known
type cursor struct {
	src   io.ReaderAt
	buf   []byte // read, not yet taken
	room  []byte // buf is part of it
	at    int64  // offset in the file of what is taken next
	least int64  // bytes that follow at, at the least
	end   int64  // nothing is read from there on
	why   error  // given for what reaches past end
	err   error
}

// cursorRoom is the most bytes that a cursor reads before they are asked for.
const cursorRoom = 64 << 10

// newCursor returns a cursor over [at, end) of src, where at least least bytes are
// to be read; to read past end is why.
func newCursor(src io.ReaderAt, at, end, least int64, why error) *cursor {
	return &cursor{src: src, at: at, end: end, least: least, why: why}
}

// atLeast tells that n bytes follow, or more.
func (c *cursor) atLeast(n int64) { c.least = max(c.least, n) }

// rest returns the bytes before end.
func (c *cursor) rest() uint64 { return uint64(c.end - c.at) }

// fail keeps the first error.
func (c *cursor) fail(err error) {
	if c.err == nil {
		c.err = err
	}
}

// need returns the next n bytes, at most cursorRoom, and zeros if it fails. They are
// valid until the next call.
func (c *cursor) need(n int) []byte {
	if c.err == nil && uint64(n) > c.rest() {
		c.fail(c.why)
	}
	if c.err == nil && len(c.buf) < n {
		c.fetch(n)
	}
	if c.err != nil {
		return make([]byte, n)
	}
	p := c.buf[:n]
	c.skip(n)
	return p
}

// fetch reads until the buffer has n bytes, and what is known to follow them.
func (c *cursor) fetch(n int) {
	size := max(n, int(min(c.least, c.end-c.at, cursorRoom)))
	room := c.room
	if cap(room) < size {
		room = make([]byte, size)
	}
	room = room[:size]
	have := copy(room, c.buf)
	got, err := c.src.ReadAt(room[have:], c.at+int64(have))
	c.room, c.buf = room, room[:have+got]
	if len(c.buf) < n {
		c.fail(readError(err))
	}
}

// skip goes on by n bytes, those that are buffered first.
func (c *cursor) skip(n int) {
	c.buf = c.buf[min(n, len(c.buf)):]
	c.at += int64(n)
	c.least = max(0, c.least-int64(n))
}

// full fills p, which may be of any length.
func (c *cursor) full(p []byte) {
	if len(p) <= cursorRoom {
		copy(p, c.need(len(p)))
		return
	}
	n := copy(p, c.buf)
	c.skip(n)
	got, err := c.src.ReadAt(p[n:], c.at)
	c.skip(got)
	if got < len(p)-n {
		c.fail(readError(err))
	}
}

// readError turns the end of a file shorter than its size into ErrCorrupt, and
// leaves all others.
func readError(err error) error {
	if err == nil { // against the contract of io.ReaderAt, as some storage does
		return fmt.Errorf("short read: %w", io.ErrUnexpectedEOF)
	}
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return fault.Corruptf("file is shorter than its size: %w", io.ErrUnexpectedEOF)
	}
	return err
}

func (c *cursor) u32() uint32 { return binary.LittleEndian.Uint32(c.need(4)) }

func (c *cursor) u64() uint64 { return binary.LittleEndian.Uint64(c.need(8)) }

// varint appends the varint's bytes to dst, and returns it and the number.
func (c *cursor) varint(dst []byte) ([]byte, int64) {
	start := len(dst)
	for c.err == nil && len(dst)-start < block.MaxLongLen {
		b := c.need(1)[0]
		if dst = append(dst, b); b < 0x80 {
			break
		}
	}
	v, n := block.ReadLong(dst[start:])
	if n <= 0 { // if it was cut short, c has its error already
		c.fail(fault.Corruptf("number of more than 64 bits"))
	}
	return dst, v
}

// long reads a varint.
func (c *cursor) long() int64 {
	var b [block.MaxLongLen]byte
	_, v := c.varint(b[:0])
	return v
}

// bytes reads a string or bytes, a length and that many, after which after bytes
// follow or more.
func (c *cursor) bytes(after int64) []byte {
	n := c.long()
	if n < 0 {
		c.fail(fault.Corruptf("negative length %d", n))
	}
	return c.append(nil, n, after)
}

// append appends the next n bytes to dst, after which after bytes follow or more.
func (c *cursor) append(dst []byte, n, after int64) []byte {
	if c.err == nil && uint64(n) > c.rest() {
		c.fail(c.why)
	}
	if c.err != nil || n == 0 {
		return dst
	}
	c.atLeast(n + after)
	start := len(dst)
	dst = append(dst, make([]byte, n)...)
	c.full(dst[start:])
	return dst
}
