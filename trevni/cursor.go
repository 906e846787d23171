package trevni

import (
	"bufio"
	"encoding/binary"
	"io"
)

// cursor reads the parts of a header or of descriptors one after another. It keeps
// its first error, after which it gives zeros: ask once, at the end or before a loop.
type cursor struct {
	r   *bufio.Reader
	at  int64 // offset in the file
	end int64 // nothing is read from there on
	why error // given for what reaches past end
	err error
}

// newCursor returns a cursor over [at, end) of src; to read past end is why.
func newCursor(src io.ReaderAt, at, end int64, buffer int, why error) *cursor {
	s := io.NewSectionReader(src, at, end-at)
	return &cursor{r: bufio.NewReaderSize(s, buffer), at: at, end: end, why: why}
}

// rest returns the bytes before end.
func (c *cursor) rest() uint64 { return uint64(c.end - c.at) }

// fail keeps the first error.
func (c *cursor) fail(err error) {
	if c.err == nil {
		c.err = err
	}
}

// full fills p, or fails and clears it.
func (c *cursor) full(p []byte) {
	if c.err == nil && uint64(len(p)) > c.rest() {
		c.fail(c.why)
	}
	if c.err == nil {
		n, err := io.ReadFull(c.r, p)
		c.at += int64(n)
		if err != nil {
			c.fail(readError(err))
		}
	}
	if c.err != nil {
		clear(p)
	}
}

// readError turns the end of a file shorter than its size into ErrCorrupt, and
// leaves all others.
func readError(err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return corruptf("file is shorter than its size: %w", io.ErrUnexpectedEOF)
	}
	return err
}

func (c *cursor) u32() uint32 {
	var b [4]byte
	c.full(b[:])
	return binary.LittleEndian.Uint32(b[:])
}

func (c *cursor) u64() uint64 {
	var b [8]byte
	c.full(b[:])
	return binary.LittleEndian.Uint64(b[:])
}

// varint appends the varint's bytes to dst, and returns it and the number.
func (c *cursor) varint(dst []byte) ([]byte, int64) {
	start := len(dst)
	for c.err == nil && len(dst)-start < MaxLongLen {
		var b [1]byte
		c.full(b[:])
		if dst = append(dst, b[0]); b[0] < 0x80 {
			break
		}
	}
	v, n := ReadLong(dst[start:])
	if n == 0 && len(dst)-start == MaxLongLen {
		n = -1
	}
	if n <= 0 {
		c.fail(badVarint(n))
	}
	return dst, v
}

// long reads a varint.
func (c *cursor) long() int64 {
	var b [MaxLongLen]byte
	_, v := c.varint(b[:0])
	return v
}

// bytes reads a string or bytes, a length and that many.
func (c *cursor) bytes() []byte {
	n := c.long()
	if n < 0 {
		c.fail(corruptf("negative length %d", n))
	}
	return c.append(nil, n)
}

// append appends the next n bytes to dst.
func (c *cursor) append(dst []byte, n int64) []byte {
	if c.err == nil && uint64(n) > c.rest() {
		c.fail(c.why)
	}
	if c.err != nil || n == 0 {
		return dst
	}
	start := len(dst)
	dst = append(dst, make([]byte, n)...)
	c.full(dst[start:])
	return dst
}
