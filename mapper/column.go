package mapper

import "avro2trevni/trevni/block"

// column is the buffer of one column: the run that the mapper is filling. It takes three cache
// lines, the walk's fields in the first: a wide table has many, and each row touches all.
type column struct {
	buf     []byte        // the run's bytes are buf[:n]; the rest is room
	n       int           // bytes of the run
	lengths block.Lengths // of an array column
	bits    uint8         // bits used of the packed byte that the next boolean goes into, modulo 8
	repeats bool          // the column has repetition levels
	counted bool          // it may have another number of values than of rows
	mark    int32         // the first mark after the run's first row

	values   int64  // values since the split began, of an array column
	entries  int    // of the run, with levels
	def, rep []byte // levels of the run's entries are those before entries; rep if it repeats

	full  int   // bytes that a run is expected to reach
	most  int   // bytes of the largest buffer that is kept for the next run
	row   int64 // the run's first row, in the split
	first int64 // its first value, of those counted by values
	marks []int // bytes of the run before each mark that fell inside it
	sent  int64 // bytes of the runs sent, as they will stand in a file
}

// slack is how far beyond its end a value may be read and written when it is
// copied: in 8- or 16-byte words, whose surplus the next value overwrites.
const slack = 32

// room makes the buffer at least n bytes, and slack, longer than what it holds.
//
//go:noinline
func (c *column) room(n int) {
	if c.n+n+slack > len(c.buf) {
		c.resize(c.grown(n))
	}
}

// grown returns the size of a buffer that has room for n bytes more.
func (c *column) grown(n int) int {
	size := max(minBuffer, 2*len(c.buf), c.n+n+slack)
	if 2*size > c.full {
		size = max(c.full, c.n+n+slack, len(c.buf)+len(c.buf)/4)
	}
	return size
}

func (c *column) resize(size int) {
	buf := make([]byte, size)
	copy(buf, c.buf[:c.n])
	c.buf = buf
}

// largeBuffer is the size past which a buffer is not kept for the next run: a row as large
// as the one it was made for is rare.
const largeBuffer = 1 << 20

// minBuffer is the size of a column's first buffer: small, for wide tables.
const minBuffer = 512

// add records a length that does not prolong the open run of lengths.
//
//go:noinline
func (c *column) add(n int) {
	c.room(16)
	b := c.lengths.Add(c.buf[:c.n], n)
	c.n = len(b)
	c.buf = b[:cap(b)]
}

// length records the length of an array column's next row, or element of its parent.
func (c *column) length(n int) {
	c.values += int64(n)
	c.bits = 0
	if !c.lengths.Repeat(n) {
		c.add(n)
	}
}

// growRoom is the bytes that growing a length takes beside the values that it moves.
const growRoom = 32

// grow adds more to the last length, n; the values it has so far begin at start.
func (c *column) grow(n, more, start int) {
	c.room(growRoom + c.n - start) // so that Grow does not allocate
	c.values += int64(more)
	b := c.lengths.Grow(c.buf[:c.n], n, more, c.n-start)
	c.n = len(b)
	c.buf = b[:cap(b)]
}

// boolean packs v, 0 or 1: least significant bit first.
func (c *column) boolean(v byte) {
	if c.bits&7 == 0 {
		if c.n >= len(c.buf) {
			c.room(1)
		}
		c.buf[c.n] = v
		c.n++
	} else {
		c.buf[c.n-1] |= v << (c.bits & 7)
	}
	c.bits++
}

// close makes buf[:n] a whole block, and returns it.
func (c *column) close() []byte {
	if c.n+16 > len(c.buf) {
		c.room(16)
	}
	b := c.lengths.Close(c.buf[:c.n])
	c.n = len(b)
	c.buf = b[:cap(b)]
	return b
}

// next makes the column ready for a run that begins at row.
func (c *column) next(row, values int64, mark int) {
	if len(c.buf) > c.most {
		c.buf = nil
	}
	if len(c.def) > c.most {
		c.def, c.rep = nil, nil
	}
	c.n, c.bits, c.entries = 0, 0, 0
	c.lengths.Reset()
	c.row, c.first, c.mark = row, values, int32(mark)
	c.marks = c.marks[:0]
}

// saved is a column's state at a checkpoint, to go back to.
type saved struct {
	n       int
	bits    uint8
	entries int
	values  int64
	lengths block.Lengths
}

func (c *column) save() saved { return saved{c.n, c.bits, c.entries, c.values, c.lengths} }

// restore takes back what was appended since s was saved.
func (c *column) restore(s saved) {
	c.lengths.Rollback(c.buf, s.lengths, s.n)
	c.lengths = s.lengths
	c.n, c.bits, c.entries, c.values = s.n, s.bits, s.entries, s.values
	if c.bits&7 != 0 {
		c.buf[c.n-1] &= 1<<(c.bits&7) - 1
	}
}
