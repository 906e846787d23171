package reducer

import (
	"fmt"
	"io"
	"sync/atomic"
)

// Pages are what Write writes at a time, but for the last.
const (
	pageBytes = 256 << 10
	pageCount = 3 // one being filled, one being written, one between them
)

// pages collects bytes and writes them a page at a time, while the next page is being
// filled: gathering a file's blocks and writing them each take a CPU. One goroutine;
// close must be called.
//
//	room, Write --> page --full--> goroutine: w.Write
//	                 ^------free------'
type pages struct {
	page   []byte // being filled, of capacity pageBytes
	full   chan []byte
	free   chan []byte
	failed atomic.Pointer[error] // the first error of w
	ended  chan struct{}
}

func newPages(w io.Writer) *pages {
	p := &pages{
		page: make([]byte, 0, pageBytes),
		full: make(chan []byte, pageCount), free: make(chan []byte, pageCount), ended: make(chan struct{}),
	}
	for range pageCount - 1 {
		p.free <- nil // made when it is needed: many files are small
	}
	go p.write(w)
	return p
}

// write writes pages until there are no more. After an error it only gives them back.
func (p *pages) write(w io.Writer) {
	defer close(p.ended)
	for page := range p.full {
		if p.failed.Load() == nil {
			if err := writeAll(w, page); err != nil {
				p.failed.Store(&err)
			}
		}
		p.free <- page[:0]
	}
}

// writeAll writes b, and turns a panic of the writer into an error, for nobody above
// this goroutine could.
func writeAll(w io.Writer, b []byte) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("internal error: %v", r)
		}
	}()
	n, err := w.Write(b)
	if err == nil && n < len(b) {
		err = io.ErrShortWrite
	}
	return err
}

// err returns what writing failed with, so far.
func (p *pages) err() error {
	if e := p.failed.Load(); e != nil {
		return fmt.Errorf("reducer: write: %w", *e)
	}
	return nil
}

// turn hands the page over and takes an empty one.
func (p *pages) turn() error {
	p.full <- p.page
	if p.page = <-p.free; p.page == nil {
		p.page = make([]byte, 0, pageBytes)
	}
	return p.err()
}

// room returns an empty slice with room for n bytes, at most pageBytes, in the page
// itself: what is put there and then written is not copied again.
func (p *pages) room(n int) ([]byte, error) {
	if cap(p.page)-len(p.page) < n {
		if err := p.turn(); err != nil {
			return nil, err
		}
	}
	return p.page[len(p.page):], nil
}

// Write implements io.Writer.
func (p *pages) Write(b []byte) (int, error) {
	if p.holds(b) {
		p.page = p.page[:len(p.page)+len(b)]
		return len(b), nil
	}
	for done := 0; ; {
		n := copy(p.page[len(p.page):cap(p.page)], b[done:])
		p.page = p.page[:len(p.page)+n]
		if done += n; done == len(b) {
			return done, nil
		}
		if err := p.turn(); err != nil {
			return done, err
		}
	}
}

// holds reports whether b stands in the page already, where the next bytes go.
func (p *pages) holds(b []byte) bool {
	rest := p.page[len(p.page):cap(p.page)]
	return len(b) > 0 && len(b) <= len(rest) && &b[0] == &rest[0]
}

// close writes what is left if all is well, waits, and returns the first error. A
// second call does nothing.
func (p *pages) close(well bool) error {
	if p.page != nil {
		if well && len(p.page) > 0 {
			p.full <- p.page
		}
		p.page = nil
		close(p.full)
		<-p.ended
	}
	return p.err()
}
