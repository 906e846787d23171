package trevni

import (
	"fmt"
	"math"

	"avro2trevni/trevni/block"
)

// FileSize returns the exact size in bytes of the file that NewBlockWriter would write from
// h and the blocks of each column, and the error that it would return.
func FileSize(h *Header, blocks [][]Block) (int64, error) {
	l, err := layout(h, blocks)
	if err != nil {
		return 0, err
	}
	return l.size, nil
}

// plan is where everything in a file stands.
type plan struct {
	header  []byte     // up to the columns' offsets
	starts  []int64    // of each column
	columns []resolved // the same
	size    int64      // of the file
}

// layout checks what is to be written and lays it out.
func layout(h *Header, blocks [][]Block) (*plan, error) {
	columns, err := writable(h, len(blocks))
	if err != nil {
		return nil, fmt.Errorf("trevni: header: %w", err)
	}
	l := &plan{header: h.append(nil), columns: columns}
	at := int64(len(l.header)) + startSize*int64(len(h.Columns))
	for i := range h.Columns {
		l.starts = append(l.starts, at)
		n, err := columnSize(&h.Columns[i], columns[i].coding.Checksum, blocks[i], h.Rows)
		if err != nil {
			return nil, fmt.Errorf("trevni: column %q: %w", h.Columns[i].Name, err)
		}
		at += n
	}
	l.size = at
	return l, nil
}

// writable reports whether a header with n columns of blocks may be written.
func writable(h *Header, n int) ([]resolved, error) {
	if n != len(h.Columns) {
		return nil, fmt.Errorf("%d columns, and blocks of %d", len(h.Columns), n)
	}
	if n > math.MaxInt32 {
		return nil, fmt.Errorf("%d columns do not fit 32 bits", n)
	}
	if h.Rows > math.MaxInt64 {
		return nil, fmt.Errorf("%d rows do not fit 63 bits", h.Rows)
	}
	if err := h.checkMeta(); err != nil {
		return nil, err
	}
	return h.check()
}

// columnSize returns the bytes of a column: count, descriptors and blocks.
func columnSize(c *Column, sum Checksum, blocks []Block, rows uint64) (int64, error) {
	if len(blocks) > math.MaxInt32 {
		return 0, fmt.Errorf("%d blocks do not fit 32 bits", len(blocks))
	}
	size, have := int64(blockCountSize), uint64(0)
	for i := range blocks {
		b := &blocks[i]
		if err := c.checkBlock(b); err != nil {
			return 0, fmt.Errorf("block %d: %w", i, err)
		}
		size += descriptorSize + int64(len(b.FirstValue)) + int64(b.Size) + int64(sum.Size())
		have += uint64(b.Rows)
	}
	if have != rows {
		return 0, fmt.Errorf("%d rows in blocks, %d in the file", have, rows)
	}
	return size, nil
}

// checkBlock reports what the format does not allow in a block of the column.
func (c *Column) checkBlock(b *Block) error {
	switch {
	case b.Rows > block.MaxRows:
		return fmt.Errorf("%d rows are more than %d", b.Rows, block.MaxRows)
	case b.RawSize > block.MaxRaw || b.Size > block.MaxRaw:
		return fmt.Errorf("%d bytes, compressed %d, are more than %d", b.RawSize, b.Size, block.MaxRaw)
	}
	if least, most := c.rawBounds(b.Rows); uint64(b.RawSize) < least || uint64(b.RawSize) > most {
		return fmt.Errorf("%d bytes cannot be %d rows of %s", b.RawSize, b.Rows, c.Type)
	}
	return c.checkFirst(b.FirstValue)
}

// rawBounds returns the least and the most bytes of a block of that many rows.
func (c *Column) rawBounds(rows uint32) (least, most uint64) {
	n := uint64(rows)
	if !c.plain() {
		return 0, block.MaxRaw
	}
	if w, ok := c.Type.Width(); ok {
		return n * uint64(w), n * uint64(w)
	}
	if c.Type == Boolean {
		return (n + 7) / 8, (n + 7) / 8
	}
	return n, block.MaxRaw
}

// checkFirst reports whether first is what a descriptor of the column holds.
func (c *Column) checkFirst(first []byte) error {
	if !c.FirstValues {
		if len(first) > 0 {
			return fmt.Errorf("first value in a column without them")
		}
		return nil
	}
	n, err := block.SkipValues(first, c.Type, 1)
	if err == nil && n != len(first) {
		err = fmt.Errorf("%d bytes after it", len(first)-n)
	}
	if err == nil && c.Type == Int {
		if v, _ := block.ReadLong(first); v != int64(int32(v)) {
			err = wideInt(v)
		}
	}
	if err != nil {
		return fmt.Errorf("first value: %w", err)
	}
	return nil
}
