package trevni

import (
	"fmt"
	"io"

	"avro2trevni/trevni/internal/fault"
)

// ColumnReader reads a column's values in batches, from the first on: ReadLongs and similar
// methods fill a slice with the next values. In an array column ReadLengths reads how many
// values each row has, or, with a parent, each of the parent's elements; without it only
// the values are read.
//
//	plain:  ReadLongs ReadLongs ... io.EOF
//	array:  ReadLengths ReadLongs | ReadLengths ReadLongs | ... io.EOF
//	        ReadLongs ReadLongs ... io.EOF                  the values alone
//
// [Values] and [Sequences] are iterators of the same.
//
// A read returns n > 0 and no error, or 0 and an error; io.EOF at the end. The slice is
// filled, except at the column's end; ReadBytes, ReadLengths and the values of ReadLengths
// also stop at the end of a block. An empty slice reads nothing. Values before an invalid
// one are returned, and its error by the next call. The slices belong to the caller, and
// are not kept. For columns of type null or boolean that have a parent, and are not arrays,
// the parent's lengths are read too, because their own blocks do not have the number of
// values.
//
// The first call decides whether lengths are read; later calls of the other kind are
// [ErrMisuse]. SeekRow and SeekRows go to any row, and then either kind is allowed again.
// An error stays: all later calls except these two return it. A ColumnReader is for one
// goroutine.
type ColumnReader struct {
	blockReader
	c     *Column
	index *index
	block int    // the next block
	rows  uint32 // of the current block, up to to
	raw   []byte // the current block
	at    int    // in raw
	bit   uint   // in the byte before at; 0: booleans take another byte

	lengths int // left of the current run of lengths
	length  int // of each in it
	err     error

	mode         mode
	span         int   // values that stand one after the other at at
	blockLeft    int64 // lengths, or without an array values, of the block after span
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
	byValue              // lengths passed over
	byLength             // lengths and values
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

// nextBlock checks that the current block was used up, and loads the next.
func (c *ColumnReader) nextBlock() error {
	switch {
	case c.rowsPastEnd > 0:
		c.err = io.EOF
		return c.err
	case c.lengths > 0:
		return c.corrupt(fault.Corruptf("%d lengths more than rows", c.lengths))
	case c.at < len(c.raw):
		return c.corrupt(fault.Corruptf("%d bytes after the last value", len(c.raw)-c.at))
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

// corrupt keeps an error of the current block's contents.
func (c *ColumnReader) corrupt(err error) error {
	b := max(c.block-1, 0)
	c.err = c.error(c.index, b, fault.Corruptf("byte %d decompressed: %w", c.at, err))
	return c.err
}

// misuse returns an error for a caller's mistake, which is not kept.
func (c *ColumnReader) misuse(format string, args ...any) error {
	return fault.Misusef("column %q: %s", c.c.Name, fmt.Sprintf(format, args...))
}
