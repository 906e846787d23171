package record

import (
	"encoding/binary"
	"slices"
	"sort"

	"avro2trevni/trevni"
	"avro2trevni/trevni/block"
)

// slack is how far after a block's end a value may be read when it is copied in
// words: what is there is never used.
const slack = 40

// cursor is the present block of a column, and how far it is used.
type cursor struct {
	buf []byte // the block, and slack
	pos int    // of the next byte to use
	end int    // of the block
	run int    // lengths left of a run of equal ones
	one int    // each of them: 0 or 1
	bit uint   // of the byte at pos, the next boolean

	need
	file   *trevni.Reader
	blocks []trevni.Block
	starts []int64 // the first row of each block, and the number of all
	block  int     // number of the present block, -1: none
}

// newCursor returns a cursor before the first block of a column.
func newCursor(f *trevni.Reader, n need) (cursor, error) {
	blocks, err := f.Blocks(n.column)
	if err != nil {
		return cursor{}, err
	}
	starts := make([]int64, len(blocks)+1)
	for i := range blocks {
		starts[i+1] = starts[i] + int64(blocks[i].Rows)
	}
	return cursor{need: n, file: f, blocks: blocks, starts: starts, block: -1, buf: make([]byte, slack)}, nil
}

// load reads block b and stands at its first row. The block that was there need not
// have been used to its end.
func (c *cursor) load(b int) error {
	c.block = -1
	buf := c.buf[:0]
	if need := int(c.blocks[b].RawSize) + slack; need > cap(buf) && (need <= 1<<20 || need/64 <= int(c.blocks[b].Size)) {
		buf = make([]byte, 0, need) // a larger claim is for the decoder to believe
	}
	buf, err := c.file.ReadBlock(c.column, b, buf)
	if err != nil {
		return err
	}
	c.end = len(buf)
	buf = slices.Grow(buf, slack)
	c.buf = buf[:c.end+slack]
	c.block = b
	c.rewind()
	return nil
}

// rewind goes back to the block's first row.
func (c *cursor) rewind() { c.pos, c.bit, c.run = 0, 0, 0 }

// enter stands at the first row of block b, which is read unless it is the present
// one.
func (c *cursor) enter(b int) error {
	if c.block != b {
		return c.load(b)
	}
	c.rewind()
	return nil
}

// next goes to the next block that has rows, the present one being used up.
func (c *cursor) next() error {
	if err := c.finished(); err != nil {
		return err
	}
	for b := c.block + 1; b < len(c.blocks); b++ {
		if c.blocks[b].Rows > 0 {
			return c.load(b)
		}
		if c.blocks[b].RawSize > 0 {
			c.block = b
			return corruptf("%d bytes in a block of no rows", c.blocks[b].RawSize)
		}
	}
	return corruptf("rows end before the header's")
}

// finished checks that the present block was used to its last byte.
func (c *cursor) finished() error {
	end := c.pos
	if c.bit > 0 {
		end++
	}
	switch {
	case c.block < 0:
		return nil
	case c.run > 0:
		return corruptf("%d lengths are left after the block's last row", c.run)
	case end != c.end:
		return corruptf("%d bytes are left after the block's last row", c.end-end)
	}
	return nil
}

// at returns the number of the block that has a row.
func (c *cursor) at(row int64) int {
	return sort.Search(len(c.blocks), func(i int) bool { return c.starts[i+1] > row })
}

// rest is what is left of the block.
func (c *cursor) rest() []byte { return c.buf[c.pos:c.end] }

// length takes the next length of an array column.
func (c *cursor) length() (int, error) {
	if c.run > 0 {
		c.run--
		return c.one, nil
	}
	n, count, size, err := block.ReadLength(c.rest())
	if err != nil {
		return 0, err
	}
	c.pos += size
	c.run, c.one = count-1, n
	return n, nil
}

// aligned makes the next boolean start a fresh byte.
func (c *cursor) aligned() {
	if c.bit > 0 {
		c.bit = 0
		c.pos++
	}
}

// size returns the bytes of the next n values of an array column.
func (c *cursor) size(n int) (int, error) {
	if c.typ == trevni.Int {
		return sizeInts(c.rest(), n)
	}
	return block.SkipValues(c.rest(), c.typ, n)
}

// sizeInts returns the bytes of n ints, which must fit 32 bits.
func sizeInts(b []byte, n int) (int, error) {
	at := 0
	for range n {
		if at < len(b) && b[at] < 0x80 {
			at++
			continue
		}
		v, size := block.ReadLong(b[at:])
		if size <= 0 {
			return 0, errLong(size)
		}
		if !isInt(v, size) {
			return 0, errInt
		}
		at += size
	}
	return at, nil
}

// isInt reports whether a varint of n bytes is an Avro int: one of 32 bits, in no more
// bytes than any of those takes. Avro's readers refuse one that is padded to more.
func isInt(v int64, n int) bool { return v == int64(int32(v)) && n <= maxIntLen }

// maxIntLen is the bytes of the longest int.
const maxIntLen = binary.MaxVarintLen32

var errInt = corruptf("number of more than 32 bits in an int")
