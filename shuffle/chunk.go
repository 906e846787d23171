package shuffle

import (
	"sort"

	"avro2trevni/internal/tuple"
)

// segmentCost is the number of bytes that a segment is charged in its chunk, for its struct
// and a merge's cursor.
const segmentCost = 256

// chunk is a piece of memory that values and notes fill from the front and entries
// from the back:
//
//	| value note | value note | ...  free  ... | entries | cost | sealed entries | cost |
//	0                         pos              top       sealed                       len
//
// Bytes below pos and from sealed on never change again until the chunk is freed;
// one writer owns the rest.
type chunk struct {
	buf    []byte
	pos    int
	top    int
	sealed int

	refs int  // segments and merges that read it; guarded by Shuffle.mu
	held bool // a writer still writes to it; guarded by Shuffle.mu
}

func (c *chunk) reset() { c.pos, c.top, c.sealed = 0, len(c.buf), len(c.buf) }

// room is the bytes free for one tuple's value and note.
func (c *chunk) room() int { return c.top - segmentCost - entrySize - c.pos }

// chunkFor is the bytes of a chunk that has room for n bytes of value and note.
func chunkFor(n int64) int64 { return n + entrySize + segmentCost }

// push adds an entry.
func (c *chunk) push(e *entry) {
	c.top -= entrySize
	e.encode(c.buf[c.top : c.top+entrySize])
}

// seal sorts the entries since the last seal into a segment; nil if there are none.
func (c *chunk) seal() *segment {
	if c.top == c.sealed {
		return nil
	}
	s := &segment{chunk: c, entries: entries(c.buf[c.top:c.sealed])}
	if !sort.IsSorted(s.entries) {
		sort.Sort(s.entries)
	}
	var e entry
	for i := range s.entries.Len() {
		e.decode(s.entries.at(i))
		s.box.add(&e, i == 0)
		s.values += int64(e.size)
		s.notes += int64(e.note)
	}
	c.top -= segmentCost
	c.sealed = c.top
	return s
}

// segment is a sorted run of tuples in memory: a source.
type segment struct {
	chunk   *chunk
	entries entries
	box     span
	values  int64 // bytes of the values
	notes   int64 // bytes of the notes
}

func (s *segment) span() *span                  { return &s.box }
func (s *segment) count() int64                 { return int64(s.entries.Len()) }
func (s *segment) bytes() (values, notes int64) { return s.values, s.notes }

func (s *segment) entry(i int64, e *entry) error {
	e.decode(s.entries.at(int(i)))
	return nil
}

func (s *segment) readValue(e *entry, off int, p []byte) error {
	copy(p, s.chunk.buf[int(e.off)+off:])
	return nil
}

func (s *segment) readNote(e *entry, off int, p []byte) error {
	copy(p, s.chunk.buf[int(e.noteOff)+off:])
	return nil
}

// misplaced is not called: this package sorted the entries.
func (s *segment) misplaced(int64) error { return ErrCorrupt }

func (s *segment) verify(*entry, uint32) error     { return nil }
func (s *segment) verifyNote(*entry, uint32) error { return nil }

func (s *segment) seek(col uint32, row tuple.Row) (int64, error) {
	return search(s, 0, s.count(), col, row)
}
