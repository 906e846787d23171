package shuffle

import (
	"fmt"
	"math"

	"avro2trevni/internal/tuple"
)

// noteRoom is what Buffer reserves for a note after the value, in bytes.
const noteRoom = 512

// Writer adds tuples to a [Shuffle]. Its methods are for one goroutine. A writer that
// failed stays failed.
type Writer struct {
	s        *Shuffle
	cur      *chunk
	reserved int  // bytes at cur.pos that the last Buffer returned
	oversize bool // this writer is the shuffle's oversize writer; see [Shuffle.acquire]
	counted  bool // this writer is among Shuffle.writers
	err      error
}

// NewWriter returns a writer, which takes no memory before its first tuple and a
// chunk from then on until [Writer.Close].
func (s *Shuffle) NewWriter() *Writer { return &Writer{s: s} }

// Buffer returns a slice of length 0 and capacity n for the next tuple's value, in the
// writer's chunk. It is valid until the writer's next call. It may spill to make room; a
// buffer larger than a chunk may wait for another writer's to be added. The error is
// [ErrMemory] if n bytes can never be available.
func (w *Writer) Buffer(n int) ([]byte, error) {
	w.reserved = 0
	if w.err != nil {
		return nil, w.err
	}
	if n < 0 {
		return nil, fmt.Errorf("shuffle: Buffer of %d bytes", n)
	}
	if w.cur == nil || w.cur.room()-noteRoom < n {
		if err := w.turn(min(int64(n), maxMemory) + noteRoom); err != nil {
			return nil, w.fail(err)
		}
	}
	w.reserved = n
	return w.cur.buf[w.cur.pos : w.cur.pos : w.cur.pos+n], nil
}

// Add adds a tuple, whose Size is the length of its Value. A value that was built by
// appending to the last Buffer is used in place; any other value is copied, and so is the
// note. The error is [ErrTuple] for a tuple of no rows or a false Size, and leaves the
// writer usable; any other is the shuffle's failure.
func (w *Writer) Add(t tuple.Tuple) error {
	if w.err != nil {
		return w.err
	}
	if err := check(&t); err != nil {
		return err
	}
	if err := w.place(&t); err != nil {
		return w.fail(err)
	}
	c := w.cur
	e := entry{
		col: t.Column, row: t.Row, rows: t.Rows, values: t.Values, raw: t.Raw, size: t.Size,
		off: uint64(c.pos), noteOff: uint64(c.pos + len(t.Value)), note: uint32(len(t.Note)),
	}
	c.pos += len(t.Value)
	c.pos += copy(c.buf[c.pos:], t.Note)
	c.push(&e)
	w.reserved = 0
	if w.oversize {
		return w.fail(w.turnIn(false))
	}
	return nil
}

// check reports what is wrong with a tuple.
func check(t *tuple.Tuple) error {
	switch {
	case t.Rows == 0:
		return fmt.Errorf("%w: column %d row %v: no rows", ErrTuple, t.Column, t.Row)
	case t.End() < t.Row:
		return fmt.Errorf("%w: column %d row %v: %d rows pass the last row number", ErrTuple, t.Column, t.Row, t.Rows)
	case int64(t.Size) != int64(len(t.Value)):
		return fmt.Errorf("%w: column %d row %v: size %d of a value of %d bytes", ErrTuple, t.Column, t.Row, t.Size, len(t.Value))
	case int64(len(t.Note)) > math.MaxUint32:
		return fmt.Errorf("%w: column %d row %v: a note of %d bytes", ErrTuple, t.Column, t.Row, len(t.Note))
	}
	return nil
}

// place moves the value to the chunk's pos, with room for the note after it.
func (w *Writer) place(t *tuple.Tuple) error {
	n := len(t.Value) + len(t.Note)
	inPlace := w.inPlace(t.Value)
	switch {
	case w.cur != nil && w.cur.room() >= n:
		if inPlace {
			return nil
		}
	case inPlace:
		return w.move(t, n)
	default:
		if err := w.turn(int64(n)); err != nil {
			return err
		}
	}
	copy(w.cur.buf[w.cur.pos:], t.Value)
	return nil
}

// inPlace reports whether v is in the buffer that was returned last.
func (w *Writer) inPlace(v []byte) bool {
	return len(v) > 0 && len(v) <= w.reserved && &v[0] == &w.cur.buf[w.cur.pos]
}

// move takes a second chunk for a value in the first one, because its note does not fit
// after it.
func (w *Writer) move(t *tuple.Tuple, n int) error {
	next, err := w.s.acquire(w, chunkFor(int64(n)))
	if err != nil {
		return err
	}
	copy(next.buf, t.Value)
	old := w.cur
	w.cur = next
	return w.s.handOver(w, old, false)
}

// turn hands the chunk over and takes one with room for n bytes.
func (w *Writer) turn(n int64) error {
	if err := w.turnIn(false); err != nil {
		return err
	}
	c, err := w.s.acquire(w, chunkFor(n))
	if err != nil {
		return err
	}
	w.cur = c
	return nil
}

// turnIn hands over what the chunk holds; with keep it keeps the rest of the chunk.
func (w *Writer) turnIn(keep bool) error {
	c := w.cur
	w.reserved = 0
	if c == nil {
		return nil
	}
	if !keep {
		w.cur = nil
	}
	return w.s.handOver(w, c, keep)
}

// Seal hands over all that was added: scanners made from now on see it. The writer
// keeps the rest of its chunk. Seal may spill.
func (w *Writer) Seal() error {
	if w.err != nil {
		return w.err
	}
	keep := w.cur != nil && !w.oversize && w.cur.room()-segmentCost > len(w.cur.buf)/16
	return w.fail(w.turnIn(keep))
}

// Close seals the writer and releases its chunk. It returns the writer's failure, if there
// was one; a second call does nothing.
func (w *Writer) Close() error {
	if w.err != nil {
		err := w.err
		if w.err == errWriterClosed {
			err = nil
		}
		w.err = errWriterClosed
		return err
	}
	err := w.turnIn(false)
	w.s.leave(w)
	w.err = errWriterClosed
	return err
}

var errWriterClosed = fmt.Errorf("%w: writer", ErrClosed)

// fail keeps the first failure.
func (w *Writer) fail(err error) error {
	if err != nil && w.err == nil {
		w.err = err
		w.s.leave(w)
	}
	return err
}
