package ocf

import (
	"errors"
	"fmt"
	"io"
)

// aheadBytes is how far a buffer reads past the end of its segment: the last block
// begins before it and ends after it.
const aheadBytes = 64 << 10

// buffer holds a stretch of a file, and moves over it in large reads.
type buffer struct {
	src   io.ReaderAt
	size  int64  // the file's bytes
	end   int64  // no use to read far past it
	store []byte // fixed length, what one read gets at most
	off   int64  // offset in the file of the first byte held
	held  []byte // store[:n]
}

// open turns to another file or part of it. Nothing is held then.
func (b *buffer) open(src io.ReaderAt, size, end int64) {
	b.src, b.size, b.end = src, size, end
	b.off, b.held = 0, b.store[:0]
}

// cached returns the bytes held from off on.
func (b *buffer) cached(off int64) []byte {
	if off < b.off || off >= b.off+int64(len(b.held)) {
		return nil
	}
	return b.held[off-b.off:]
}

// peek returns n bytes at off, which must lie in the file; n is at most the size of store.
// The bytes are valid until the next peek.
func (b *buffer) peek(off int64, n int) ([]byte, error) {
	if have := b.cached(off); len(have) >= n {
		return have[:n], nil
	}
	want := max(int64(n), min(int64(len(b.store)), b.size-off, b.end+aheadBytes-off))
	kept := copy(b.store, b.cached(off))
	b.off, b.held = off, b.store[:kept]
	if err := readFull(b.src, b.store[kept:want], off+int64(kept)); err != nil {
		return nil, err
	}
	b.held = b.store[:want]
	return b.held[:n], nil
}

// read fills p from off on: from what is held, or past it.
func (b *buffer) read(p []byte, off int64) error {
	if held := b.cached(off); len(held) >= len(p) {
		copy(p, held)
		return nil
	}
	return readFull(b.src, p, off)
}

// readFull fills p from off on, or fails: readers may return fewer bytes than asked
// without being at the end, and the end must not come before all is read.
func readFull(src io.ReaderAt, p []byte, off int64) error {
	for n := 0; n < len(p); {
		k, err := src.ReadAt(p[n:], off+int64(n))
		n += k
		switch {
		case n >= len(p):
		case errors.Is(err, io.EOF):
			return fmt.Errorf("the file has become shorter: it ends at %d now: %w", off+int64(n), io.ErrUnexpectedEOF)
		case err != nil:
			return fmt.Errorf("read at %d: %w", off+int64(n), err)
		case k == 0:
			return fmt.Errorf("read at %d: %w", off+int64(n), io.ErrNoProgress)
		}
	}
	return nil
}
