package ocf

import (
	"bytes"
	"io"
)

// maxBlockHeader is the largest size of a block's count and size, in bytes.
const maxBlockHeader = 2 * 10

// parseBlock parses the count and size at the start of b; rest is the bytes from
// there to the file's end. It returns the bytes they take.
func parseBlock(b []byte, rest, maxRows int64) (rows, size int64, n int, err error) {
	rows, n = readLong(b)
	if n <= 0 {
		return 0, 0, 0, badLong("count", n)
	}
	size, k := readLong(b[n:])
	if k <= 0 {
		return 0, 0, 0, badLong("size", k)
	}
	n += k
	rest -= int64(n) + SyncSize
	switch {
	case rows < 0:
		err = corruptf("the block claims %d rows", rows)
	case size < 0:
		err = corruptf("the block claims a size of %d bytes", size)
	case size > rest:
		err = cutf("the block claims a size of %d bytes, and the file has %d for it", size, max(rest, 0))
	case rows > maxRows:
		err = limitf("the block claims %d rows, the limit is %d", rows, maxRows)
	}
	return rows, size, n, err
}

func badLong(what string, n int) error {
	if n == 0 {
		return cutf("the file ends in the block's %s", what)
	}
	return corruptf("the block's %s has more than 64 bits", what)
}

// scan returns the offset of the first block at or after start that follows a sync
// marker, r.end if it finds none before it.
func (r *Reader) scan(start int64) (int64, error) {
	for from := start - SyncSize; ; from++ {
		at, err := r.marker(from, r.end-1)
		if at < 0 || err != nil {
			return r.end, err
		}
		if ok, err := r.plausible(at + SyncSize); ok || err != nil {
			return at + SyncSize, err
		}
		from = at
	}
}

// marker returns the offset of the first sync marker that begins at or after from
// and ends at limit or before it; -1 if there is none.
func (r *Reader) marker(from, limit int64) (int64, error) {
	for from <= limit-SyncSize {
		b := r.in.cached(from)
		b = b[:min(int64(len(b)), limit-from)]
		if len(b) < SyncSize { // else what is held is searched first: to move it costs more
			var err error
			if b, err = r.in.peek(from, int(min(int64(len(r.in.store)), limit-from))); err != nil {
				return 0, err
			}
		}
		if found := bytes.Index(b, r.h.Sync[:]); found >= 0 {
			return from + int64(found), nil
		}
		from += int64(len(b)) - SyncSize + 1
	}
	return -1, nil
}

// plausible reports whether a block that is followed by a marker begins at the given
// offset: data may hold the marker, and be followed by anything.
func (r *Reader) plausible(at int64) (bool, error) {
	var b [maxBlockHeader]byte
	head := b[:min(maxBlockHeader, r.in.size-at)]
	if err := r.in.read(head, at); err != nil {
		return false, err
	}
	_, size, n, err := parseBlock(head, r.in.size-at, r.lim.BlockRows)
	if err != nil {
		return false, nil
	}
	mark := b[:SyncSize]
	if err := r.in.read(mark, at+int64(n)+size); err != nil {
		return false, err
	}
	return matchSync(mark, r.h.Sync[:]) == nil, nil
}

// Span is the range of a segment's blocks, from [Reader.First] and [Reader.End] after the
// segment was read. Both are -1 if no block begins in it.
type Span struct{ First, End int64 }

// CheckSpans checks that the spans of a file's segments, in order, leave no byte out
// and have none twice. If they do not, then data held what looks like a block, or a
// block is damaged: only reading the file as one segment tells which. The error is an
// *[Error] of kind [ErrCorrupt] with the offset where no block was found.
func CheckSpans(name string, h *Header, size int64, spans []Span, gaps ...Gap) error {
	at := h.Size
	pass := func() {
		for len(gaps) > 0 && gaps[0].Offset <= at {
			at = max(at, gaps[0].End)
			gaps = gaps[1:]
		}
	}
	for _, s := range spans {
		pass()
		switch {
		case s.First < 0:
			continue
		case s.First != at:
			return place(name, at, at, corruptf("a block should begin here, and the next one was found at %d", s.First))
		}
		at = s.End
	}
	pass()
	if at != size {
		return place(name, at, at, corruptf("no whole block begins here, %d bytes before the end: %w", size-at, io.ErrUnexpectedEOF))
	}
	return nil
}
