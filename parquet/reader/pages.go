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
	free  bool  // it is not known how many
	page  int   // number of the next page
	head  *PageHeader
}

// Pages returns the pages of the chunk, from the first on, which may be a dictionary page.
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
// the pages before. It reads no body: bytes are read in steps of 256, as headers are. After an
// error it can be called again after Goto only.
func (p *Pages) Next() (*PageHeader, error) {
	if p.free && p.at >= p.chunk.Start+p.chunk.Stored || !p.free && p.left == 0 {
		return nil, io.EOF
	}
	if p.at >= p.chunk.end {
		return nil, p.chunk.fail(p.page, p.at, corruptf("the chunk ends, and %d of its %d entries are missing", p.left, p.chunk.Entries))
	}
	h, err := p.src.header(p.at, p.chunk.end, &p.chunk.group.file.opt)
	if err == nil && h.IsData() && !p.free {
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

// Goto makes Next go on with the page at an offset of the file, which an [OffsetIndex] may have:
// number is the page's, for errors. From then on it returns pages up to the end of the chunk, however many entries
// they have.
func (p *Pages) Goto(at int64, number int) { p.at, p.page, p.free = at, number, true }

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
