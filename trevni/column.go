package trevni

import (
	"fmt"
	"io"

	"avro2trevni/trevni/block"
)

// ColumnReader reads a column's values from the first on, in one of two ways.
//
// By row: call NextRow for each row, and then take exactly what the row has: one
// value; in an array column NextLength and as many values; in a column with a parent
// a value, or a length and its values, for each element that the parent has in the
// row.
//
//	plain:  NextRow NextLong | NextRow NextLong | ...
//	array:  NextRow NextLength(2) NextLong NextLong | NextRow NextLength(0) | ...
//
// In batches, which is many times as fast: ReadLongs and its like fill a slice with
// the values that come next, of as many rows as there are.
//
//	plain:  ReadLongs ReadLongs ... io.EOF
//	array:  ReadLengths ReadLongs | ReadLengths ReadLongs | ... io.EOF
//	        ReadLongs ReadLongs ... io.EOF                  the values alone
//
// A batch read returns n > 0 and no error, or 0 and an error; io.EOF at the end. The
// slice is filled but at the column's end; ReadBytes, ReadLengths and the values that
// belong to ReadLengths stop at a block's end too. An empty slice reads nothing.
// Values before one that is bad are returned, and its error by the next call. The
// slices are the caller's, and not kept. In columns of type null or boolean that have a
// parent, and are no arrays, the parent's lengths are read too: their own blocks do
// not tell how many values they hold.
//
// The first call decides between the two ways; one of the other is [ErrMisuse].
// SeekRow and SeekRows go anywhere, and then either way is open again. An error
// stays: all later calls but these return it. One goroutine.
type ColumnReader struct {
	blockReader
	c     *Column
	index *index
	block int    // the next block
	rows  uint32 // left in the current block
	raw   []byte // the current block
	at    int    // in raw
	bit   uint   // in the byte before at; 0: booleans take another byte

	lengths    int // left of the current run of lengths
	length     int // of each in it
	lengthsDue int // lengths that the current row must still take, if its column has no parent
	values     int // that must be taken before the next length or row
	err        error

	mode         mode
	span         int   // in batches: values that stand one after the other at at
	blockLeft    int64 // in batches: lengths, or without an array values, of the block after span
	lengthsGiven int64 // byLength: of blockLeft, lengths that the caller was given

	to          uint64        // the row at which reading ends
	rowsPastEnd uint32        // rows of the block from to on
	loaded      bool          // raw is the block before block
	parent      *ColumnReader // of the parent, where its lengths are needed
	countedTo   uint64        // the row that count went to, where it is another's parent
}

// mode is the way in which a ColumnReader is read.
type mode uint8

const (
	unset    mode = iota // nothing was read
	byRow                // NextRow and so on
	byValue              // in batches, lengths passed over
	byLength             // in batches, lengths and values
)

// Column returns a reader of column i, before its first row.
func (r *Reader) Column(i int) (*ColumnReader, error) {
	x, err := r.indexOf(i)
	if err != nil {
		return nil, err
	}
	br, err := r.newBlockReader(i)
	if err != nil {
		return nil, err
	}
	return &ColumnReader{
		blockReader: *br, c: &r.header.Columns[i], index: x, to: r.header.Rows,
	}, nil
}

// NextRow goes to the next row, whose predecessor must have been taken whole.
// Behind the last it returns io.EOF.
func (c *ColumnReader) NextRow() error {
	if c.err != nil {
		return c.err
	}
	if c.mode != byRow {
		if c.mode != unset {
			return c.misuse("it is read in batches")
		}
		c.mode = byRow
	}
	if c.values > 0 || c.lengthsDue > 0 {
		return c.misuse("row %d has more to take", c.row()-1)
	}
	for c.rows == 0 {
		if err := c.nextBlock(); err != nil {
			return err
		}
	}
	c.rows--
	if c.c.plain() {
		c.values = 1
	} else if c.c.Parent == "" {
		c.lengthsDue = 1
	}
	return nil
}

// row returns the number of the row that NextRow would go to.
func (c *ColumnReader) row() uint64 {
	if c.block == 0 {
		return 0
	}
	return c.index.first[c.block-1] + uint64(c.index.blocks[c.block-1].Rows-c.rowsPastEnd-c.rows)
}

// nextBlock checks that the current block was used up, and loads the next.
func (c *ColumnReader) nextBlock() error {
	switch {
	case c.rowsPastEnd > 0:
		c.err = io.EOF
		return c.err
	case c.lengths > 0:
		return c.corrupt(corruptf("%d lengths more than rows", c.lengths))
	case c.at < len(c.raw):
		return c.corrupt(corruptf("%d bytes behind the last value", len(c.raw)-c.at))
	case c.block == len(c.index.blocks) || c.to < c.r.header.Rows && c.index.first[c.block] >= c.to:
		c.err = io.EOF
		return c.err
	}
	return c.load(c.block)
}

// load goes to the start of block b, which is not read again if it is the current
// one.
func (c *ColumnReader) load(b int) error {
	if !c.loaded || c.block != b+1 {
		c.loaded = false
		raw, err := c.read(c.index, b, c.raw[:0])
		if err != nil {
			c.err = err
			return err
		}
		c.raw, c.loaded = raw, true
	}
	rows := c.index.blocks[b].Rows
	c.block, c.at, c.bit, c.lengths = b+1, 0, 0, 0
	c.rows = uint32(min(uint64(rows), c.to-c.index.first[b]))
	c.rowsPastEnd = rows - c.rows
	return nil
}

// NextLength returns how many values come next. Only in array columns.
func (c *ColumnReader) NextLength() (int, error) {
	switch {
	case c.err != nil:
		return 0, c.err
	case !c.c.Array:
		return 0, c.misuse("it has no lengths")
	case c.values > 0:
		return 0, c.misuse("%d values must be taken before the next length", c.values)
	case c.c.Parent == "" && c.lengthsDue == 0 || c.block == 0 || c.mode != byRow:
		return 0, c.misuse("no length is left in the row")
	}
	if c.lengths == 0 {
		length, count, n, err := block.ReadLength(c.raw[c.at:])
		if err != nil {
			return 0, c.corrupt(err)
		}
		c.length, c.lengths, c.at = length, count, c.at+n
	}
	c.lengths--
	c.bit = 0
	c.values = c.length
	c.lengthsDue = 0
	return c.length, nil
}

// take prepares for a value of type t, and tells whether one may be taken.
func (c *ColumnReader) take(t Type) error {
	switch {
	case c.err != nil:
		return c.err
	case c.c.Type != t:
		return c.misuse("its type is %s, not %s", c.c.Type, t)
	case c.values > 0:
		c.values--
	case c.c.Array || c.c.plain() || c.block == 0 || c.mode != byRow:
		return c.misuse("no value is left in the row or length")
	}
	return nil
}

// fixed returns the next n bytes.
func (c *ColumnReader) fixed(n int) ([]byte, error) {
	if len(c.raw)-c.at < n {
		return nil, c.corrupt(corruptf("%d bytes wanted: %w", n, io.ErrUnexpectedEOF))
	}
	c.at += n
	return c.raw[c.at-n : c.at], nil
}

// corrupt keeps an error of the current block's contents.
func (c *ColumnReader) corrupt(err error) error {
	b := max(c.block-1, 0)
	c.err = c.error(c.index, b, corruptf("byte %d decompressed: %w", c.at, err))
	return c.err
}

// misuse returns an error for a caller's mistake, which is not kept.
func (c *ColumnReader) misuse(format string, args ...any) error {
	return misusef("column %q: %s", c.c.Name, fmt.Sprintf(format, args...))
}
