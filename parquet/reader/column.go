package reader

import (
	"fmt"
	"io"
)

// A Column reads a chunk: its levels and values in order. It has state: one goroutine at a time.
type Column struct {
	chunk  *Chunk
	pages  *Pages
	dec    *Decoder
	inPage bool
	rows   int64 // rows that have begun, those left out included
	before int64 // rows, when the page began
	skip   int64 // rows to leave out
	drop   bool  // entries up to the next row's start are left out, when skip rows are
	omit   bool  // no values
	err    error // the first, for good
}

// Column returns the reader of a leaf's values in the row group, from its first row on. It
// reads nothing yet.
func (g *RowGroup) Column(leaf int) (*Column, error) { return g.Chunks[leaf].Column() }

// Column returns the reader of the chunk's values.
func (c *Chunk) Column() (*Column, error) {
	pages, err := c.Pages()
	if err != nil {
		return nil, err
	}
	o := &c.group.file.opt
	pages.src.ahead = o.ReadAhead
	dec, err := NewDecoder(c.Leaf, c.Codec, o)
	if err != nil {
		return nil, err
	}
	return &Column{chunk: c, pages: pages, dec: dec}, nil
}

// Reset makes c read another chunk, from its first row on, as [Chunk.Column] would, and use its memory
// again. After an error it keeps nothing of the old chunk either.
func (c *Column) Reset(chunk *Chunk) error {
	pages, err := chunk.Pages()
	if err != nil {
		c.err = err
		return err
	}
	pages.src.ahead, pages.src.room = chunk.group.file.opt.ReadAhead, c.pages.src.room
	c.dec.reset(chunk)
	*c = Column{chunk: chunk, pages: pages, dec: c.dec}
	return nil
}

// ColumnFrom returns the reader of the chunk's values from a row of the row group on: the first
// batch begins with it. It reads the offset index, if there is one, and later only the pages
// from that row on, and the dictionary. Without the index it reads headers of the pages before, and bodies
// where the headers do not say how many rows a page has.
func (c *Chunk) ColumnFrom(row int64) (*Column, error) {
	if row < 0 || row > c.group.Rows {
		return nil, fmt.Errorf("parquet: row %d of a row group of %d", row, c.group.Rows)
	}
	col, err := c.Column()
	if err != nil || row == 0 {
		return col, err
	}
	col.skip, col.drop = row, true
	x, err := c.Offsets()
	if err != nil {
		return nil, err
	}
	if x == nil || len(x.Pages) == 0 {
		return col, nil
	}
	page := x.find(row)
	if x.Pages[page].FirstRow == 0 {
		return col, nil
	}
	if c.Start < x.Pages[0].Offset {
		if err := col.dictionary(); err != nil {
			return nil, err
		}
	}
	col.pages.Goto(x.Pages[page].Offset, page)
	col.rows = x.Pages[page].FirstRow
	col.skip -= col.rows
	return col, nil
}

// dictionary reads the chunk's first page, which is in front of the data pages.
func (c *Column) dictionary() error {
	c.pages.src.ahead = headerRoom
	defer func() { c.pages.src.ahead = c.chunk.group.file.opt.ReadAhead }()
	h, err := c.pages.Next()
	if err != nil || h.Kind != DictionaryPage {
		return err
	}
	return c.body(h)
}

// OmitValues makes the following batches have levels alone: no values. Of pages of version 2
// only their headers and levels are read then, whose checksums cannot be compared; of pages of columns
// without levels only headers; of other pages of version 1 all. It must come before the first
// Next.
func (c *Column) OmitValues() {
	c.omit, c.dec.noValues = true, true
	c.pages.src.ahead = headerRoom
}

// Row returns the number of rows of the row group that begin before the next batch: where that
// begins with a row, the row's number.
func (c *Column) Row() int64 { return c.rows }

// Next returns the next entries in b, and [io.EOF] after the last. b's memory is used again by
// the next call. After an error all calls return it.
func (c *Column) Next(b *Batch) error {
	if c.err == nil {
		c.err = c.next(b)
	}
	if c.err != nil {
		*b = Batch{}
	}
	return c.err
}

func (c *Column) next(b *Batch) error {
	for {
		if !c.inPage {
			if err := c.page(); err != nil {
				return err
			}
		}
		err := c.dec.Next(b)
		if err == io.EOF {
			c.inPage = false
			if err = c.pageRows(); err == nil {
				continue
			}
		} else if err == nil {
			err = c.note(b)
		}
		if err != nil {
			return c.pages.fail(err)
		}
		if c.drop {
			c.trim(b)
		}
		if b.N > 0 {
			return nil
		}
	}
}

// note counts the rows of a batch.
func (c *Column) note(b *Batch) error {
	if c.rows == 0 && b.N > 0 && b.Rep != nil && b.Rep[0] != 0 {
		return corruptf("the first entry has repetition level %d", b.Rep[0])
	}
	c.rows += int64(b.rows())
	if c.rows > c.chunk.group.Rows {
		return corruptf("more rows than the row group's %d", c.chunk.group.Rows)
	}
	return nil
}

// pageRows reports a page of version 2 that had other rows than its header says: those before a
// row that is sought are left out by that number.
func (c *Column) pageRows() error {
	h := c.pages.head
	if n := c.rows - c.before; h.Kind == DataPageV2 && n != int64(h.Rows) {
		return corruptf("%d rows begin in the page, %d by its header", n, h.Rows)
	}
	return nil
}

// trim removes the entries of rows that are left out.
func (c *Column) trim(b *Batch) {
	n := b.N
	if b.Rep == nil {
		n = int(min(int64(b.N), c.skip))
		c.skip -= int64(n)
	} else {
		for i, level := range b.Rep {
			if level != 0 {
				continue
			}
			if c.skip == 0 {
				n = i
				break
			}
			c.skip--
		}
	}
	values := n
	if b.Def != nil {
		values = count(b.Def[:n], byte(c.chunk.Leaf.MaxDef))
		b.Def = b.Def[n:]
	}
	if b.Rep != nil {
		b.Rep = b.Rep[n:]
	}
	if !c.omit {
		b.Values.from(values)
	}
	if b.N -= n; b.N > 0 {
		c.drop = false
	}
}

// page goes to the next data page with rows that are wanted.
func (c *Column) page() error {
	for {
		if c.pages.free && c.rows == c.chunk.group.Rows {
			return io.EOF
		}
		h, err := c.pages.Next()
		if err == io.EOF {
			return c.end()
		}
		if err != nil {
			return err
		}
		if c.passes(h) {
			continue
		}
		if err := c.body(h); err != nil {
			return err
		}
		if h.IsData() {
			c.inPage, c.before = true, c.rows
			return nil
		}
	}
}

// passes reports whether a page has only rows that are left out, as far as its header says, or is of no use.
func (c *Column) passes(h *PageHeader) bool {
	rows := int64(h.Entries)
	switch {
	case h.Kind == DictionaryPage:
		return c.omit
	case !h.IsData():
		return true
	case h.Kind == DataPageV2:
		rows = int64(h.Rows)
	case c.chunk.Leaf.MaxRep > 0:
		return false
	}
	if !c.drop || rows > c.skip || c.rows+rows > c.chunk.group.Rows {
		return false
	}
	c.skip -= rows
	c.rows += rows
	return true
}

// body reads a page's body, or of it what is wanted, and begins to decode it.
func (c *Column) body(h *PageHeader) error {
	var body []byte
	var err error
	n := h.Stored
	if c.omit && (h.Kind == DataPageV2 || c.chunk.Leaf.MaxDef == 0) {
		n = h.RepBytes + h.DefBytes
	}
	if n > 0 {
		if body, err = c.pages.body(n); err != nil {
			return err
		}
	}
	if n < h.Stored {
		c.dec.levelsAlone(h, body)
		return nil
	}
	if err := c.dec.Page(h, body); err != nil {
		return c.pages.fail(err)
	}
	return nil
}

// end returns io.EOF if all rows were there.
func (c *Column) end() error {
	if c.rows != c.chunk.group.Rows {
		return c.chunk.fail(-1, c.chunk.Start, corruptf("%d rows, where the row group has %d", c.rows, c.chunk.group.Rows))
	}
	return io.EOF
}
