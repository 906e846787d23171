package ocf

import (
	"bytes"
	"errors"
	"io"
)

// Block describes a block as the file has it.
type Block struct {
	Offset int64 // of its first byte, its count's
	Rows   int64 // as it claims: 0 or more, at most Limits.BlockRows
	Size   int64 // bytes of its data in the file, without count, size and marker
}

// Reader reads segments of files, one after another, block by block. It owns its
// buffers and uses them for all. Not for more than one goroutine at a time.
type Reader struct {
	lim  Limits
	mem  Memory
	in   buffer
	win  window
	name string
	h    *Header

	first int64 // offset of the segment's first block, -1 if none begins in it
	pos   int64 // offset of the next block; of the current one's end while in it
	end   int64 // blocks from here on are not ours
	at    int64 // offset of the block tried last, -1 if none was
	gaps  []Gap // known to hold no block, from pos on

	block Block  // the current one
	body  []byte // its data, if the buffer holds them all; its marker is checked then
	data  int64  // offset of its data
	state state
	err   error // the first one, which stays
}

// state is what the reader has of the current block.
type state uint8

const (
	idle    state = iota // no block
	fresh                // none of its data handed out
	partial              // some of it
	whole                // all, checked
)

// NewReader returns a reader within the given limits. It takes memory past
// [Limits.Base] from mem, which may be nil.
func NewReader(lim Limits, mem Memory) *Reader {
	if mem == nil {
		mem = noMemory{}
	}
	r := &Reader{lim: lim.withDefaults(), mem: mem, at: -1}
	r.in.store = make([]byte, r.lim.ReadBytes)
	r.win.init(r)
	return r
}

// Open begins a segment of a file of size bytes with header h: the blocks that begin
// at or after start and before end. From h.Size or before it, they are those from
// the first on; further back the first is found by the marker in front of it, one
// that a block with a marker after it follows. name is for errors. The file must not
// change while it is read. src is not closed.
func (r *Reader) Open(src io.ReaderAt, name string, size int64, h *Header, start, end int64) error {
	if err := r.start(src, name, size, h, end); err != nil {
		return err
	}
	if start <= h.Size {
		r.found(h.Size)
		return nil
	}
	at, err := r.scan(start)
	if err != nil {
		return r.fail(start, start, err)
	}
	r.found(at)
	return nil
}

// start begins a segment whose first block is yet to be found.
func (r *Reader) start(src io.ReaderAt, name string, size int64, h *Header, end int64) error {
	r.release()
	r.name, r.h, r.err, r.state = name, h, nil, idle
	r.end = min(end, size)
	r.in.open(src, size, r.end)
	r.first, r.pos, r.at, r.gaps = -1, r.end, -1, nil
	if err := r.win.setCodec(h.Codec); err != nil {
		return r.fail(-1, 0, err)
	}
	return nil
}

// found sets the first block, if it is one of the segment.
func (r *Reader) found(at int64) {
	if at < r.end {
		r.first, r.pos = at, at
	}
}

// First returns the offset of the segment's first block, -1 if none begins in it.
func (r *Reader) First() int64 { return r.first }

// End returns, once Next has returned io.EOF, the offset after the segment's last
// block: of the next block or the file's end; -1 if no block begins in the segment.
func (r *Reader) End() int64 {
	if r.first < 0 {
		return -1
	}
	return r.pos
}

// Next goes to the next block, whether or not the data of the current one were read,
// and returns io.EOF after the segment's last. The marker after each block is
// checked, before any of its data are handed out where the block fits the buffer.
// What Window returned is no longer good. After another error than io.EOF the reader
// must be opened again.
func (r *Reader) Next() (Block, error) {
	if r.err != nil {
		return Block{}, r.err
	}
	if err := r.leave(); err != nil {
		return Block{}, err
	}
	if len(r.gaps) > 0 && r.pos < r.end {
		r.pass()
	}
	if r.pos >= r.end {
		r.release()
		r.err = io.EOF
		return Block{}, r.err
	}
	at := r.pos
	r.at = at
	if err := r.enter(at); err != nil {
		return Block{}, r.fail(at, at, err)
	}
	if r.body != nil {
		if err := matchSync(r.body[len(r.body):][:SyncSize], r.h.Sync[:]); err != nil {
			return Block{}, r.fail(at, r.pos-SyncSize, err)
		}
	}
	return r.block, nil
}

// leave checks the marker of the current block, if that was not done.
func (r *Reader) leave() error {
	if r.state == fresh && r.body == nil || r.state == partial {
		if err := r.checkSync(); err != nil {
			return r.fail(r.block.Offset, r.pos-SyncSize, err)
		}
	}
	r.state = idle
	return nil
}

// enter makes the block at the given offset the current one.
func (r *Reader) enter(at int64) error {
	b, err := r.in.peek(at, int(min(maxBlockHeader, r.in.size-at)))
	if err != nil {
		return err
	}
	rows, size, n, err := parseBlock(b, r.in.size-at, r.lim.BlockRows)
	if err != nil {
		return err
	}
	r.block = Block{Offset: at, Rows: rows, Size: size}
	r.data, r.body = at+int64(n), nil
	r.pos = r.data + size + SyncSize
	r.win.begin()
	r.state = fresh
	if size > int64(len(r.in.store))-SyncSize {
		return nil
	}
	if b, err = r.in.peek(r.data, int(size)+SyncSize); err != nil {
		return err
	}
	r.body = b[:size]
	return nil
}

// checkSync reads and checks the marker of the current block.
func (r *Reader) checkSync() error {
	b, err := r.in.peek(r.pos-SyncSize, SyncSize)
	if err != nil {
		return err
	}
	return matchSync(b, r.h.Sync[:])
}

func matchSync(got, want []byte) error {
	if !bytes.Equal(got, want) {
		return corruptf("the sync marker after the block is %x, the header's is %x", got, want)
	}
	return nil
}

// failData keeps an error of the current block's data. The marker's goes first, as where
// the block fits the buffer; it is read only now, for sound files take no read for it.
func (r *Reader) failData(err error) error {
	var memory *MemoryError
	var f *fault
	if r.body == nil && (errors.As(err, &f) || errors.As(err, &memory)) {
		if bad := r.checkSync(); bad != nil {
			return r.fail(r.block.Offset, r.pos-SyncSize, bad)
		}
	}
	return r.fail(r.block.Offset, r.block.Offset, err)
}

// fail keeps the error, with its place.
func (r *Reader) fail(block, offset int64, err error) error {
	r.err = place(r.name, block, offset, err)
	r.state = idle
	r.release()
	return r.err
}

// release returns all memory taken past the base.
func (r *Reader) release() { r.win.drop() }

// Close returns the memory taken. The reader may be opened again.
func (r *Reader) Close() {
	r.release()
	r.state, r.err = idle, errUse
}
