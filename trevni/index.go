package trevni

import (
	"io"
	"sort"

	"avro2trevni/trevni/internal/fault"
)

// index is a column's descriptors, and what follows from them.
type index struct {
	blocks []Block
	at     []int64  // each block's offset in the file, and after them the column's end
	first  []uint64 // each block's first row
}

// readIndex reads the descriptors of column i and checks them against the column's
// metadata, the file's rows and the bytes that the column has.
func (r *Reader) readIndex(i int) (*index, error) {
	c := &r.columns[i]
	why := fault.Corruptf("column ends inside its descriptors: %w", io.ErrUnexpectedEOF)
	least := int64(blockCountSize)
	if r.header.Rows > 0 { // in a block or more
		least += r.header.Columns[i].leastDescriptor()
	}
	p := newCursor(r.src, c.start, c.end, least, why)
	x := &index{}
	x.parse(p, &r.header.Columns[i], &r.opt)
	x.place(p, c, r.header.Rows)
	if p.err != nil {
		return nil, &Error{Path: r.opt.Path, Column: r.header.Columns[i].Name, Block: -1, Offset: p.at, Err: p.err}
	}
	return x, nil
}

// leastDescriptor returns the least bytes of a descriptor.
func (c *Column) leastDescriptor() int64 {
	if !c.FirstValues {
		return descriptorSize
	}
	if w, ok := c.Type.Width(); ok {
		return descriptorSize + int64(w)
	}
	return descriptorSize + 1
}

// parse reads count and descriptors.
func (x *index) parse(p *cursor, c *Column, opt *ReaderOptions) {
	n := p.u32()
	switch {
	case p.err != nil:
	case uint64(n)*descriptorSize > p.rest():
		p.fail(fault.Corruptf("%d blocks in the %d bytes left", n, p.rest()))
	case uint64(n) > uint64(opt.MaxBlocks):
		p.fail(fault.Limitf("%d blocks; the limit is %d", n, opt.MaxBlocks))
	default:
		x.blocks = make([]Block, 0, n)
	}
	var firsts []byte
	for b := 0; p.err == nil && b < int(n); b++ {
		after := int64(int(n)-b-1) * c.leastDescriptor()
		p.atLeast(c.leastDescriptor() + after)
		block := Block{Rows: p.u32(), RawSize: p.u32(), Size: p.u32()}
		if c.FirstValues {
			start := len(firsts)
			firsts = p.value(firsts, c.Type, after)
			block.FirstValue = firsts[start:len(firsts):len(firsts)]
		}
		if p.err == nil {
			p.fail(c.bounded(&block, b, opt))
		}
		x.blocks = append(x.blocks, block)
	}
}

// bounded checks a block that was read against column and limits.
func (c *Column) bounded(b *Block, i int, opt *ReaderOptions) error {
	if err := c.checkBlock(b); err != nil {
		return fault.Corruptf("descriptor of block %d: %w", i, err)
	}
	most := uint64(opt.MaxBlockRaw)
	if uint64(b.RawSize) > most || uint64(b.Size) > most+most/8+1024 {
		return fault.Limitf("block %d of %d bytes, compressed %d; the limit is %d", i, b.RawSize, b.Size, most)
	}
	return nil
}

// value appends the next value of type t to dst, as it stands; after bytes follow it
// or more.
func (c *cursor) value(dst []byte, t Type, after int64) []byte {
	switch t {
	case Boolean:
		return c.append(dst, 1, after)
	case Int, Long:
		dst, _ = c.varint(dst)
		return dst
	case String, Bytes:
		dst, n := c.varint(dst)
		if n < 0 {
			c.fail(fault.Corruptf("negative length %d", n))
		}
		return c.append(dst, n, after)
	}
	w, _ := t.Width()
	return c.append(dst, int64(w), after)
}

// place computes where blocks and rows begin.
func (x *index) place(p *cursor, c *column, rows uint64) {
	if p.err != nil {
		return
	}
	at, row := p.at, uint64(0)
	x.at, x.first = make([]int64, len(x.blocks)+1), make([]uint64, len(x.blocks))
	for i := range x.blocks {
		x.at[i], x.first[i] = at, row
		row += uint64(x.blocks[i].Rows)
		size := int64(x.blocks[i].Size) + int64(c.coding.Checksum.Size())
		if size > c.end-at {
			p.fail(fault.Corruptf("block %d at %d ends at %d, its column at %d", i, at, at+size, c.end))
			return
		}
		at += size
	}
	x.at[len(x.blocks)] = at
	if row != rows {
		p.fail(fault.Corruptf("%d rows in the column's blocks, %d in the file", row, rows))
	}
}

// blockOf returns the block that has a row, or the number of blocks if none has.
func (x *index) blockOf(row uint64) int {
	return sort.Search(len(x.blocks), func(b int) bool { return x.first[b]+uint64(x.blocks[b].Rows) > row })
}
