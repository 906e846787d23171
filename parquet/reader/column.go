package reader

import (
	"errors"
	"io"
)

// Pages goes over the pages of a chunk. It has state: one goroutine at a time.
type Pages struct {
	chunk *Chunk
	src   source
	at    int64
	left  int64 // entries that are still to come
	page  int   // number of the next page
	head  *PageHeader
}

// Pages returns the pages of the chunk, from the first on.
func (c *Chunk) Pages() (*Pages, error) {
	if c.missing != nil {
		return nil, c.fail(-1, c.Start, c.missing)
	}
	f := c.group.file
	return &Pages{chunk: c, src: source{r: f.r, ahead: headerRoom}, at: c.Start, left: c.Entries}, nil
}

// fail returns the error with its place.
func (c *Chunk) fail(page int, at int64, err error) error {
	var placed *Error
	if errors.As(err, &placed) {
		return err
	}
	return &Error{Path: c.group.file.opt.Path, Column: c.Leaf.String(), RowGroup: c.group.Index, Page: page, Offset: at, Err: err}
}

// Next returns the header of the next page, and [io.EOF] when the chunk's entries were all in
// the pages before. It reads no body: bytes are read in steps of 256, as headers are.
func (p *Pages) Next() (*PageHeader, error) {
	if p.left == 0 {
		return nil, io.EOF
	}
	h, err := p.src.header(p.at, p.chunk.end, &p.chunk.group.file.opt)
	if err == nil && h.IsData() {
		if p.left -= int64(h.Entries); p.left < 0 {
			err = corruptf("more entries than the footer's %d", p.chunk.Entries)
		}
	}
	if err != nil {
		return nil, p.chunk.fail(p.page, p.at, err)
	}
	p.head, p.at = h, h.End()
	p.page++
	return h, nil
}

// Number returns the number of the page that Next returned last, among the chunk's pages.
func (p *Pages) Number() int { return p.page - 1 }

// Body returns the body of the page that Next returned last, as it is stored, valid until the
// next call.
func (p *Pages) Body() ([]byte, error) { return p.body(p.head.Stored) }

// body returns the first n bytes of it.
func (p *Pages) body(n int) ([]byte, error) {
	b, err := p.src.bytes(p.head.Offset+int64(p.head.Length), n, p.chunk.end)
	if err != nil {
		return nil, p.fail(err)
	}
	return b, nil
}

// fail returns the error with the place of the page that Next returned last.
func (p *Pages) fail(err error) error { return p.chunk.fail(p.page-1, p.head.Offset, err) }

// A Column reads a chunk: its levels and values in order. It has state: one goroutine at a time.
type Column struct {
	chunk   *Chunk
	pages   *Pages
	dec     *Decoder
	inPage  bool
	rows    int64 // rows that have begun
	skip    int64 // rows to leave out before the next batch
	partial bool  // it did not begin with the chunk's first page
	err     error // the first, for good
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
			continue
		}
		if err == nil {
			err = c.note(b)
		}
		if err != nil {
			return c.pages.fail(err)
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

// page goes to the next data page.
func (c *Column) page() error {
	for {
		h, err := c.pages.Next()
		if err == io.EOF {
			return c.end()
		}
		if err != nil {
			return err
		}
		body, err := c.pages.Body()
		if err != nil {
			return err
		}
		if err := c.dec.Page(h, body); err != nil {
			return c.pages.fail(err)
		}
		if h.IsData() {
			c.inPage = true
			return nil
		}
	}
}

// end returns io.EOF if all rows were there.
func (c *Column) end() error {
	if c.rows != c.chunk.group.Rows {
		return c.chunk.fail(-1, c.chunk.Start, corruptf("%d rows, where the row group has %d", c.rows, c.chunk.group.Rows))
	}
	return io.EOF
}
