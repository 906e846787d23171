package shuffle

import (
	"fmt"
	"hash/crc32"
	"slices"

	"avro2trevni/internal/tuple"
)

// Scanner returns a column's tuples in row order. It is for one goroutine, and holds
// nothing that a writer could wait for. At any time its data may move from memory to a
// file, or from one file to another; the scanner then finds its position again.
type Scanner struct {
	s        *Shuffle
	col      uint32
	from, to tuple.Row
	version  uint64
	placed   bool // the cursors are those of version
	merge    merge
	cur      entry
	src      source // of cur; nil before the first tuple, and after it was released
	begun    bool   // there was a tuple
	scratch  entry
	note     []byte // read if they are asked for
	done     bool
	err      error
}

// Scan returns a scanner over the tuples of a column that hold rows of [from, to), in
// row order.
func (s *Shuffle) Scan(col uint32, from, to tuple.Row) *Scanner {
	return &Scanner{s: s, col: col, from: from, to: to, done: from >= to}
}

// Next moves to the next tuple, and reports whether there is one. If there is none,
// [Scanner.Err] returns the failure, if it is one.
func (sc *Scanner) Next() bool {
	if sc.err != nil || sc.done {
		return false
	}
	sc.s.sources.RLock()
	defer sc.s.sources.RUnlock()
	err := sc.place()
	if err == nil {
		err = sc.advance()
	}
	sc.err = err
	return err == nil && !sc.done
}

// Tuple returns the current tuple without its Value and Note.
func (sc *Scanner) Tuple() tuple.Tuple {
	e := &sc.cur
	return tuple.Tuple{
		Column: e.col, Row: e.row, Rows: e.rows, Values: e.values, Raw: e.raw, Size: e.size,
	}
}

// Note returns the current tuple's note, valid until the next call of Note. What was on
// disk is verified. It must follow a Next that returned true.
func (sc *Scanner) Note() ([]byte, error) {
	var err error
	sc.note, err = sc.read("Note", sc.note[:0], func(dst []byte) ([]byte, error) {
		return readAll(sc.src, &sc.cur, dst, int(sc.cur.note), source.readNote, source.verifyNote)
	})
	return sc.note, err
}

// Value appends the current tuple's value to dst and returns it. What was on disk is
// verified. It must follow a Next that returned true.
func (sc *Scanner) Value(dst []byte) ([]byte, error) {
	return sc.read("Value", dst, func(dst []byte) ([]byte, error) {
		return readAll(sc.src, &sc.cur, dst, int(sc.cur.size), source.readValue, source.verify)
	})
}

// read appends a part of the current tuple to dst, from its current source.
func (sc *Scanner) read(what string, dst []byte, all func([]byte) ([]byte, error)) ([]byte, error) {
	if sc.err != nil {
		return dst, sc.err
	}
	if sc.done || !sc.begun {
		return dst, fmt.Errorf("shuffle: %s of column %d without a tuple", what, sc.col)
	}
	sc.s.sources.RLock()
	defer sc.s.sources.RUnlock()
	err := sc.place()
	if err == nil && sc.src == nil {
		err = sc.gone(sc.cur.row)
	}
	if err == nil {
		dst, err = all(dst)
	}
	sc.err = err
	return dst, err
}

// readAll appends n bytes that belong to e to dst, verified.
func readAll(src source, e *entry, dst []byte, n int, read func(source, *entry, int, []byte) error, verify func(source, *entry, uint32) error) ([]byte, error) {
	start := len(dst)
	dst = slices.Grow(dst, n)[:start+n]
	if n == 0 {
		return dst, nil
	}
	if err := read(src, e, 0, dst[start:]); err != nil {
		return dst[:start], err
	}
	if _, ok := src.(*segment); ok {
		return dst, nil // data that never left memory has no checksum
	}
	if err := verify(src, e, crc32.Checksum(dst[start:], castagnoli)); err != nil {
		return dst[:start], err
	}
	return dst, nil
}

// Err returns the failure that ended the scan, if any.
func (sc *Scanner) Err() error { return sc.err }

// Close ends the scan. It returns the scan's failure, like Err.
func (sc *Scanner) Close() error {
	sc.done, sc.merge, sc.src, sc.note = true, nil, nil, nil
	return sc.err
}

// place makes sure that the cursors point into the current sources. The caller holds
// sources.
func (sc *Scanner) place() error {
	s := sc.s
	if s.closed {
		return ErrClosed
	}
	if sc.placed && sc.version == s.version {
		return nil
	}
	sc.version, sc.placed = s.version, true
	if !sc.begun {
		if sc.from < s.released {
			return sc.gone(sc.from)
		}
		return sc.collect(sc.from)
	}
	if next := sc.cur.end(); next <= s.released {
		sc.src = nil
		if next < s.released {
			return sc.gone(next)
		}
		return sc.collect(next)
	}
	return sc.refind()
}

func (sc *Scanner) gone(row tuple.Row) error {
	return fmt.Errorf("%w: column %d row %v, up to %v", ErrReleased, sc.col, row, sc.s.released)
}

// refind finds the current tuple again, and places the cursors after it.
func (sc *Scanner) refind() error {
	if err := sc.collect(sc.cur.row); err != nil {
		return err
	}
	old := sc.cur
	sc.begun = false // so that the current tuple does not overlap itself
	if err := sc.advance(); err != nil {
		return err
	}
	e := &sc.cur
	if sc.done || e.row != old.row || e.rows != old.rows || e.size != old.size {
		sc.done = false
		return fmt.Errorf("%w: column %d row %v has changed", ErrOverlap, sc.col, old.row)
	}
	return nil
}

// collect makes a cursor, not yet open, for each source that may hold rows at or after a
// row.
func (sc *Scanner) collect(from tuple.Row) error {
	sc.merge = sc.merge[:0]
	sc.from = from
	s := sc.s
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.runs {
		sc.consider(r)
	}
	for _, g := range s.segs {
		sc.consider(g)
	}
	sc.merge.init()
	return nil
}

func (sc *Scanner) consider(src source) {
	if b := src.span(); b.meets(sc.col, sc.from, sc.to) {
		sc.merge = append(sc.merge, cursor{src: src, n: src.count(), col: sc.col, row: b.minRow})
	}
}

// advance makes the least tuple the current one, or sets done.
func (sc *Scanner) advance() error {
	for len(sc.merge) > 0 {
		c := &sc.merge[0]
		if !c.open {
			if err := sc.open(c); err != nil {
				return err
			}
			continue
		}
		return sc.pop(c)
	}
	sc.done = true
	return nil
}

// open seeks the first tuple of the scan in the first cursor's source.
func (sc *Scanner) open(c *cursor) (err error) {
	e := &sc.scratch
	if c.i, err = c.src.seek(sc.col, sc.from); err != nil {
		return err
	}
	if c.i > 0 {
		if err := c.src.entry(c.i-1, e); err != nil {
			return err
		}
		if e.col == sc.col && e.end() > sc.from {
			c.i--
		}
	}
	return sc.settle(c)
}

// settle loads the first cursor's next entry, and puts it in its place, or drops it if
// it has no further tuples of the scan.
func (sc *Scanner) settle(c *cursor) error {
	if c.i == c.n {
		sc.merge.drop()
		return nil
	}
	if err := c.load(&sc.scratch); err != nil {
		return err
	}
	if c.col != sc.col || c.row >= sc.to {
		sc.merge.drop()
		return nil
	}
	sc.merge.down(0)
	return nil
}

// pop takes the first cursor's entry.
func (sc *Scanner) pop(c *cursor) error {
	e := &sc.scratch
	if err := c.src.entry(c.i, e); err != nil {
		return err
	}
	if sc.begun && e.row < sc.cur.end() {
		return fmt.Errorf("%w: column %d rows %v to %v and %v to %v",
			ErrOverlap, sc.col, sc.cur.row, sc.cur.end(), e.row, e.end())
	}
	sc.cur, sc.src, sc.begun = *e, c.src, true
	c.i++
	return sc.settle(c)
}
