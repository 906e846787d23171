package shuffle

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
)

// runWriter writes a run file from tuples in order. Values, notes and index are written at
// the same time, each to its part of the file, whose offset follows from the totals. So
// only the fences are kept until the end.
type runWriter struct {
	path    string
	totals  totals
	values  region
	notes   region
	index   region
	n       int64
	box     span
	block   []byte // the index block being filled
	fences  []byte
	stride  int64
	fencing int64 // index blocks until the next fence
}

// region is a buffered part of a file, written front to back.
type region struct {
	f    File
	path string
	buf  []byte // with what is not written yet
	off  int64  // of buf[0] in the file
}

// room returns up to n bytes of free buffer, at least one; fill advances over them.
func (r *region) room(n int) ([]byte, error) {
	if len(r.buf) == cap(r.buf) {
		if err := r.flush(); err != nil {
			return nil, err
		}
	}
	return r.buf[len(r.buf):min(cap(r.buf), len(r.buf)+n)], nil
}

func (r *region) fill(n int) { r.buf = r.buf[:len(r.buf)+n] }

// flush writes the buffer.
func (r *region) flush() error {
	if len(r.buf) == 0 {
		return nil
	}
	n, err := r.f.WriteAt(r.buf, r.off)
	if err == nil && n < len(r.buf) {
		err = fmt.Errorf("wrote %d of %d bytes", n, len(r.buf))
	}
	if err != nil {
		return &writeError{r.path, err}
	}
	r.off += int64(n)
	r.buf = r.buf[:0]
	return nil
}

// writeError is a failure to write a run file: elsewhere it may succeed.
type writeError struct {
	path string
	err  error
}

// Error names the file and the cause.
func (e *writeError) Error() string {
	return fmt.Sprintf("shuffle: write run file %s: %v", e.path, e.err)
}

// Unwrap returns the cause.
func (e *writeError) Unwrap() error { return e.err }

// size returns the size of a run file, in bytes, with the given contents.
func (t totals) size(plan budget) int64 {
	foot := footer{n: t.count, values: t.values, notes: t.notes}
	fences := ceil(foot.blocks(), ceil(foot.blocks(), int64(plan.fences)))
	return foot.index() + foot.blocks()*blockSize + fences*fenceSize + footerSize
}

func newRunWriter(f File, path string, t totals, plan budget) *runWriter {
	foot := footer{n: t.count, values: t.values, notes: t.notes}
	part := func(off int64, size int) region {
		return region{f: f, path: path, off: off, buf: make([]byte, 0, size)}
	}
	return &runWriter{
		path: path, totals: t, stride: ceil(foot.blocks(), int64(plan.fences)),
		values: part(0, int(clamp(t.values, 1, int64(plan.write)))),
		notes:  part(t.values, blockSize),
		index:  part(foot.index(), blockSize),
		block:  make([]byte, 0, blockSize),
	}
}

// add copies a tuple from a source.
func (w *runWriter) add(src source, e *entry) error {
	out := *e
	out.off = uint64(w.values.off) + uint64(len(w.values.buf))
	out.noteOff = uint64(w.notes.off) + uint64(len(w.notes.buf))
	var err error
	if out.sum, err = w.values.copyFrom(e, int(e.size), src.readValue); err != nil {
		return err
	}
	if err := src.verify(e, out.sum); err != nil {
		return err
	}
	if out.noteSum, err = w.notes.copyFrom(e, int(e.note), src.readNote); err != nil {
		return err
	}
	if err := src.verifyNote(e, out.noteSum); err != nil {
		return err
	}
	return w.entry(&out)
}

// copyFrom copies n bytes that read returns piece by piece, and returns their checksum.
func (r *region) copyFrom(e *entry, n int, read func(e *entry, off int, p []byte) error) (sum uint32, err error) {
	for off := 0; off < n; {
		p, err := r.room(n - off)
		if err != nil {
			return 0, err
		}
		if err := read(e, off, p); err != nil {
			return 0, err
		}
		sum = crc32.Update(sum, castagnoli, p)
		r.fill(len(p))
		off += len(p)
	}
	return sum, nil
}

// entry adds an entry to the index.
func (w *runWriter) entry(e *entry) error {
	if len(w.block) == 0 {
		w.fence(e)
	}
	w.box.add(e, w.n == 0)
	w.n++
	w.block = w.block[:len(w.block)+entrySize]
	e.encode(w.block[len(w.block)-entrySize:])
	if len(w.block) == perBlock*entrySize {
		return w.endBlock()
	}
	return nil
}

// fence keeps the key of every stride-th block's first entry.
func (w *runWriter) fence(e *entry) {
	if w.fencing == 0 {
		w.fences = binary.LittleEndian.AppendUint32(w.fences, e.col)
		w.fences = binary.LittleEndian.AppendUint64(w.fences, uint64(e.row))
		w.fencing = w.stride
	}
	w.fencing--
}

// endBlock writes the index block.
func (w *runWriter) endBlock() error {
	used := len(w.block)
	b := w.block[:blockSize]
	clear(b[used:])
	binary.LittleEndian.PutUint32(b[blockNum:], uint32(ceil(w.n, perBlock)-1))
	binary.LittleEndian.PutUint32(b[blockCRC:], crc32.Checksum(b[:blockCRC], castagnoli))
	w.block = b[:0]
	return w.index.write(b)
}

// write buffers b.
func (r *region) write(b []byte) error {
	for len(b) > 0 {
		p, err := r.room(len(b))
		if err != nil {
			return err
		}
		r.fill(copy(p, b))
		b = b[len(p):]
	}
	return nil
}

// finish writes what is buffered, the fences and the footer, and returns the file's
// size. The file stays open.
func (w *runWriter) finish() (int64, error) {
	if w.n != w.totals.count {
		return 0, fmt.Errorf("shuffle: run file %s got %d of %d tuples", w.path, w.n, w.totals.count)
	}
	if len(w.block) > 0 {
		if err := w.endBlock(); err != nil {
			return 0, err
		}
	}
	if err := w.index.write(w.appendFooter(w.fences)); err != nil {
		return 0, err
	}
	for _, r := range []*region{&w.values, &w.notes, &w.index} {
		if err := r.flush(); err != nil {
			return 0, err
		}
	}
	return w.index.off, nil
}

func (w *runWriter) appendFooter(b []byte) []byte {
	sum := crc32.Checksum(b, castagnoli)
	fences := uint32(len(b) / fenceSize)
	start := len(b)
	le := binary.LittleEndian
	b = le.AppendUint64(b, uint64(w.n))
	b = le.AppendUint64(b, uint64(w.totals.values))
	b = le.AppendUint64(b, uint64(w.totals.notes))
	b = le.AppendUint64(b, uint64(w.box.minRow))
	b = le.AppendUint64(b, uint64(w.box.end))
	b = le.AppendUint32(b, w.box.minCol)
	b = le.AppendUint32(b, w.box.maxCol)
	b = le.AppendUint32(b, uint32(w.stride))
	b = le.AppendUint32(b, fences)
	b = le.AppendUint32(b, sum)
	b = le.AppendUint32(b, crc32.Checksum(b[start:], castagnoli))
	return append(b, magic...)
}
