package ocf

import (
	"errors"
	"fmt"
	"io"
)

// firstWindow is what a window's buffer begins with; it doubles up to
// Limits.WindowBytes as blocks need it.
const firstWindow = 256 << 10

// window holds decompressed bytes of the current block.
//
//	block  |.......................|unread|new.......|............|
//	        handed out, done with  '------- data ----'
type window struct {
	r     *Reader
	dec   decoder
	codec string
	src   source
	room  reserve
	base  []byte // the buffer within the base, grows up to Limits.WindowBytes
	big   []byte // one taken from Memory, or nil
	took  int    // what was taken for it
	data  []byte // what was handed out last
	total int64  // bytes of the block decompressed so far
	cut   bool   // the decoder is at work on the current block
}

func (w *window) init(r *Reader) {
	w.r = r
	w.room.mem = r.mem
	w.base = make([]byte, min(firstWindow, r.lim.WindowBytes))
}

// setCodec makes the decoder of a codec ready, unless it is already.
func (w *window) setCodec(codec string) error {
	if w.codec == codec {
		return nil
	}
	dec, err := newDecoder(codec, w)
	if err != nil {
		return err
	}
	w.dec, w.codec = dec, codec
	return nil
}

// begin forgets the block before.
func (w *window) begin() { w.data, w.total, w.cut = nil, 0, false }

// drop returns all memory taken past the base.
func (w *window) drop() {
	w.begin()
	if w.dec != nil {
		w.dec.drop()
	}
	w.big, w.took = nil, 0
	w.room.releaseAll()
}

// Window returns decompressed bytes of the current block, and whether they reach its
// end. The first call, with unread 0, returns the block's start. Each further call
// keeps the last unread bytes of what was returned before in front, and adds more
// after; so a caller that read nothing gets a larger window. A call may add nothing,
// and only tell that the end was reached. A call after the end adds nothing.
//
// A window is about Limits.WindowBytes; blocks that decompress to less come in one. A
// larger one is taken from Memory: because the caller needs it, or for a block of codec
// snappy of up to eight windows, which is decoded at once.
// last means that the block was checked to its end: checksum, compressed data, marker.
//
// If a block has several faults, the error is that of the marker, else that of the data,
// whatever the buffers. A caller that finds a fault in the rows must read the rest of the
// block, to know that the block itself has none.
//
// The bytes are good until the next call of a method. They are the reader's: not to
// be written to. unread may not be more than what was returned before.
func (r *Reader) Window(unread int) (data []byte, last bool, err error) {
	switch {
	case r.err != nil && r.err != io.EOF:
		return nil, false, r.err
	case r.state == idle:
		return nil, false, errUse
	case r.state == whole:
		r.win.data = r.win.data[len(r.win.data)-unread:]
		return r.win.data, true, nil
	}
	last, err = r.win.fill(unread)
	if err != nil {
		return nil, false, r.failData(err)
	}
	r.state = partial
	if last {
		if r.body == nil {
			if err := r.checkSync(); err != nil {
				return nil, false, r.fail(r.block.Offset, r.pos-SyncSize, err)
			}
		}
		r.state = whole
	}
	return r.win.data, last, nil
}

// fill makes the next window.
func (w *window) fill(unread int) (last bool, err error) {
	switch {
	case w.codec == "null" && w.r.body != nil:
		w.data = w.r.body
		return true, nil
	case !w.cut:
		if d, ok := w.dec.(atOnce); ok {
			if last, err = d.atOnce(); last || err != nil {
				return last, err
			}
		}
		if err := w.start(); err != nil {
			return false, err
		}
	}
	buf, n, err := w.makeRoom(unread)
	if err != nil {
		return false, err
	}
	for !last {
		if n == len(buf) {
			if len(buf) >= w.r.lim.WindowBytes {
				break
			}
			buf = w.growBase(buf)
		}
		n, last, err = w.read(buf, n)
		if err != nil {
			return false, err
		}
	}
	w.data = buf[:n]
	return last, nil
}

// start sets the decoder on the block's data. A window that the block before made
// grow is not kept: it was for a row that rarely is followed by one of its size.
func (w *window) start() error {
	w.cut = true
	if w.big != nil {
		w.room.release(w.took)
		w.big, w.took = nil, 0
	}
	w.src.open(w.r)
	return w.explain(w.dec.begin())
}

// makeRoom returns a buffer with the unread bytes in front, their number, and at least
// as much room after them.
func (w *window) makeRoom(unread int) ([]byte, int, error) {
	keep := w.data[len(w.data)-unread:]
	buf := w.base
	if w.big != nil {
		buf = w.big
	}
	if unread <= len(buf)/2 || len(buf) < w.r.lim.WindowBytes {
		return buf, copy(buf, keep), nil
	}
	size := 2 * len(buf)
	if total := w.declared(); total > 0 { // no more than there is, and some to find the end in
		size = int(min(int64(size), int64(unread)+total-w.total+minWindow))
		if size <= len(buf) {
			return buf, copy(buf, keep), nil
		}
	}
	if unread > maxWindow/2 {
		return nil, 0, limitf("a window of more than %d bytes is needed", maxWindow)
	}
	return w.grow(size, keep)
}

// rowShare is how many times a large window's size is taken for it: it is made for a row
// that must be whole, and a consumer makes as much of it, and more as buffers grow.
const rowShare = 3

// grow replaces the large window by one of size bytes that begins with those kept.
func (w *window) grow(size int, keep []byte) ([]byte, int, error) {
	extra := rowShare*size - w.took + len(w.big) // the old window is held until it is copied
	if err := w.room.acquire(extra); err != nil {
		return nil, 0, w.rowError(err)
	}
	grown := make([]byte, size)
	n := copy(grown, keep)
	if w.big != nil {
		w.room.release(len(w.big))
	}
	w.big, w.took = grown, rowShare*size
	return grown, n, nil
}

// declared returns the decompressed size of the block, 0 if it isn't known beforehand.
func (w *window) declared() int64 {
	switch d := w.dec.(type) {
	case *nullDecoder:
		return w.r.block.Size
	case *snappyDecoder:
		return int64(d.size)
	}
	return 0
}

// rowError sets the largest possible size of a row of the block, and the memory for it; or
// it returns the fault of the block, whose row may only seem large.
func (w *window) rowError(err error) error {
	var e *MemoryError
	if !errors.As(err, &e) {
		return err
	}
	most := int64(1) // times the row that the window comes to
	e.Row = w.declared()
	if w.codec != "null" {
		n, bad := w.length()
		if f := (*fault)(nil); errors.As(bad, &f) {
			return bad
		}
		if e.Row == 0 {
			most, e.Row = 2, n
		}
	}
	e.Need = max(e.Need, w.room.taken-int64(w.took)+(most*rowShare+1)*(e.Row+minWindow))
	return err
}

// length reads the block to its end and returns its decompressed size, or how far it can
// be read. No window is good afterwards.
func (w *window) length() (n int64, err error) {
	for last := false; !last && err == nil; {
		_, last, err = w.read(w.base, 0)
	}
	return w.total, err
}

// maxWindow is the largest window: what 32-bit sizes hold.
const maxWindow = 1<<31 - 1

// growBase returns a larger base buffer with the same contents.
func (w *window) growBase(full []byte) []byte {
	w.base = make([]byte, min(2*len(full), w.r.lim.WindowBytes))
	copy(w.base, full)
	return w.base
}

// read adds what the decoder has to the n bytes of buf, and checks at the end that
// it used all the block's data.
func (w *window) read(buf []byte, n int) (int, bool, error) {
	for range 100 {
		k, err := w.dec.Read(buf[n:])
		w.total += int64(k)
		switch {
		case w.total > w.r.lim.BlockBytes && w.codec != "null":
			return n, false, w.overLimit()
		case err == io.EOF:
			return n + k, true, w.checkEnd()
		case err != nil:
			return n, false, w.explain(err)
		case k > 0:
			return n + k, false, nil
		}
	}
	return n, false, io.ErrNoProgress
}

// overLimit is the error for a block larger than Limits.BlockBytes.
func (w *window) overLimit() error {
	return limitf("the block decompresses to more than the limit of %d bytes", w.r.lim.BlockBytes)
}

// checkEnd checks that the compressed data end where the block's data do. Behind
// those of deflate anything may follow, as for Java: fastavro leaves most of zlib's
// checksum there.
func (w *window) checkEnd() error {
	if n := w.src.rest(); n > 0 && w.codec != "deflate" {
		return corruptf("%d bytes follow the end of the block's %s data", n, w.codec)
	}
	return nil
}

// explain tells the file's failing from the data's: the decoder returns both.
func (w *window) explain(err error) error {
	if err == nil {
		return nil // and no allocation: the variables below escape
	}
	var f *fault
	var full *MemoryError
	switch {
	case w.src.file.err != nil:
		return w.src.file.err
	case errors.As(err, &f):
		return f
	case errors.As(err, &full):
		return full
	case err == io.EOF:
		err = io.ErrUnexpectedEOF
	}
	return corruptf("%s: %w", w.codec, err)
}

// reserve takes memory and knows how much.
type reserve struct {
	mem   Memory
	taken int64
}

// MemoryError is Memory's refusal.
type MemoryError struct {
	Need int64 // what one reader has to be granted for the block, at the most
	Row  int64 // the most bytes of a row, if it was one that is too large, else 0
	err  error
}

func (e *MemoryError) Error() string {
	return fmt.Sprintf("%d bytes for a large block: %v", e.Need, e.err)
}

// Unwrap returns what Memory said.
func (e *MemoryError) Unwrap() error { return e.err }

func (m *reserve) acquire(n int) error {
	if err := m.mem.Acquire(int64(n)); err != nil {
		return &MemoryError{Need: m.taken + int64(n), err: err}
	}
	m.taken += int64(n)
	return nil
}

func (m *reserve) release(n int) {
	m.mem.Release(int64(n))
	m.taken -= int64(n)
}

func (m *reserve) releaseAll() {
	if m.taken > 0 {
		m.release(int(m.taken))
	}
}

// make returns n bytes, acquired.
func (m *reserve) make(n int) ([]byte, error) {
	if err := m.acquire(n); err != nil {
		return nil, err
	}
	return make([]byte, n), nil
}
