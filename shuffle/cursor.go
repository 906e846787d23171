package shuffle

import "avro2trevni/internal/tuple"

// source is a sorted, immutable run of tuples: a segment or a run file. Its methods
// may be called by several goroutines.
type source interface {
	span() *span
	count() int64
	bytes() (values, notes int64)
	// entry decodes entry i, which is in [0, count).
	entry(i int64, e *entry) error
	// misplaced is the error for an entry that sorts before its predecessor.
	misplaced(i int64) error
	// readValue fills p with the bytes of e's value from off on, unverified.
	readValue(e *entry, off int, p []byte) error
	// readNote fills p with the bytes of e's note from off on, unverified.
	readNote(e *entry, off int, p []byte) error
	// verify compares the checksum of e's value with the one that was stored.
	verify(e *entry, sum uint32) error
	// verifyNote compares the checksum of e's note with the one that was stored.
	verifyNote(e *entry, sum uint32) error
	// seek returns the index of the first entry at or after (col, row).
	seek(col uint32, row tuple.Row) (int64, error)
}

// search is the binary search in entries [low, high) of a source.
func search(s source, low, high int64, col uint32, row tuple.Row) (int64, error) {
	var e entry
	for low < high {
		mid := low + (high-low)/2
		if err := s.entry(mid, &e); err != nil {
			return 0, err
		}
		if tuple.Less(e.col, e.row, col, row) {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low, nil
}

// cursor is a position in a source. A cursor that is not open yet has a lower bound of its
// first key, so that a merge seeks in a source only when it needs it.
type cursor struct {
	src  source
	i, n int64 // the next entry, and the number of them
	row  tuple.Row
	col  uint32
	open bool
}

// load sets the key to that of entry i, which must not be before the last one.
func (c *cursor) load(e *entry) error {
	if err := c.src.entry(c.i, e); err != nil {
		return err
	}
	if c.open && tuple.Less(e.col, e.row, c.col, c.row) {
		return c.src.misplaced(c.i)
	}
	c.col, c.row, c.open = e.col, e.row, true
	return nil
}

// merge is a heap of cursors, the least key first.
type merge []cursor

func (m merge) less(i, j int) bool {
	return tuple.Less(m[i].col, m[i].row, m[j].col, m[j].row)
}

// init orders the heap.
func (m merge) init() {
	for i := len(m)/2 - 1; i >= 0; i-- {
		m.down(i)
	}
}

// down puts cursor i, whose key grew, in its place.
func (m merge) down(i int) {
	for {
		least := i
		for kid := 2*i + 1; kid <= 2*i+2 && kid < len(m); kid++ {
			if m.less(kid, least) {
				least = kid
			}
		}
		if least == i {
			return
		}
		m[i], m[least] = m[least], m[i]
		i = least
	}
}

// drop removes the first cursor.
func (m *merge) drop() {
	h := *m
	last := len(h) - 1
	h[0] = h[last]
	h[last] = cursor{}
	*m = h[:last]
	m.down(0)
}
