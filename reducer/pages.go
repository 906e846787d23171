package reducer

import (
	"fmt"
	"io"
	"sync"
	"sync/atomic"
)

// pageBytes is what Write writes at a time, but for the last page.
const pageBytes = 256 << 10

// WriteMemory returns the bytes of a Write's pages with that many readers.
func WriteMemory(readers int) int64 { return int64(pageCount(readers)) * pageBytes }

// pageCount is one page being laid out, one being written, and one for each reader.
func pageCount(readers int) int { return max(readers, 1) + 2 }

// pages collects bytes and writes them a page at a time. Some bytes are only given
// their place, a gap: a reader puts them there, while the next pages are being laid out
// and those before are written. For what a file is made of lies scattered over memory
// that the processor has long lost sight of, and gathering it takes as long as writing
// it. One goroutine; close must be called.
//
//	room, gap, Write --> page --full--> readers: fill --> goroutine: w.Write
//	                      ^--------------------free-----------------'
type pages struct {
	page *page      // being laid out
	size int64      // bytes written to it
	work chan *page // with gaps, to the readers
	full chan *page // in order, to the writer
	free chan *page

	failed  atomic.Pointer[error] // the first error
	readers sync.WaitGroup
	ended   chan struct{}
}

// page is some bytes of the file, of capacity pageBytes.
type page struct {
	b      []byte
	gaps   []gap
	filled chan struct{} // told when there are no gaps any more
}

// gap is the place of a block in a page.
type gap struct {
	dst           []byte
	column, block int
}

// filler puts blocks where they belong, from front to back. One goroutine.
type filler interface {
	fill([]gap) error
	close() error
}

// newPages returns pages that are written to w, with gaps filled by the readers; if
// there are none there must be no gaps.
func newPages(w io.Writer, readers ...filler) *pages {
	n := pageCount(len(readers))
	p := &pages{
		work: make(chan *page, n), full: make(chan *page, n), free: make(chan *page, n),
		ended: make(chan struct{}),
	}
	for range n - 1 {
		p.free <- nil // made when it is needed: many files are small
	}
	p.page = newPage()
	for _, r := range readers {
		p.readers.Go(func() { p.read(r) })
	}
	go p.write(w)
	return p
}

func newPage() *page {
	return &page{b: make([]byte, 0, pageBytes), filled: make(chan struct{}, 1)}
}

// read fills the gaps of pages until there are no more. After an error, its own or
// another's, it leaves them as they are.
func (p *pages) read(r filler) {
	for page := range p.work {
		if p.failed.Load() == nil {
			p.fail(r.fill(page.gaps))
		}
		page.filled <- struct{}{}
	}
	p.fail(r.close())
}

// write writes pages until there are no more. After an error it only gives them back.
func (p *pages) write(w io.Writer) {
	defer close(p.ended)
	for page := range p.full {
		<-page.filled
		if p.failed.Load() == nil {
			p.fail(writeAll(w, page.b))
		}
		page.b, page.gaps = page.b[:0], page.gaps[:0]
		p.free <- page
	}
}

// writeAll writes b, and turns a panic of the writer into an error, because no caller
// this goroutine could.
func writeAll(w io.Writer, b []byte) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("internal error: %v", r)
		}
		if err != nil {
			err = fmt.Errorf("reducer: write: %w", err)
		}
	}()
	n, err := w.Write(b)
	if err == nil && n < len(b) {
		err = io.ErrShortWrite
	}
	return err
}

// fail keeps the first error.
func (p *pages) fail(err error) {
	if err != nil {
		p.failed.CompareAndSwap(nil, &err)
	}
}

// err returns what failed first, so far.
func (p *pages) err() error {
	if e := p.failed.Load(); e != nil {
		return *e
	}
	return nil
}

// send hands the page over.
func (p *pages) send() {
	if len(p.page.gaps) > 0 {
		p.work <- p.page
	} else {
		p.page.filled <- struct{}{}
	}
	p.full <- p.page
}

// turn hands the page over and takes an empty one.
func (p *pages) turn() error {
	p.send()
	if p.page = <-p.free; p.page == nil {
		p.page = newPage()
	}
	return p.err()
}

// handOver hands the page over if it has gaps, so that these are filled whatever the
// caller waits for next.
func (p *pages) handOver() error {
	if len(p.page.gaps) == 0 {
		return p.err()
	}
	return p.turn()
}

// room returns an empty slice with room for n bytes, at most pageBytes, in the page
// itself: what is put there and then written is not copied again.
func (p *pages) room(n int) ([]byte, error) {
	if cap(p.page.b)-len(p.page.b) < n {
		if err := p.turn(); err != nil {
			return nil, err
		}
	}
	return p.page.b[len(p.page.b):], nil
}

// gap returns room for a block of n bytes, at most pageBytes, which a reader is going
// to put there, and which must be written next, as it is.
func (p *pages) gap(column, block, n int) ([]byte, error) {
	b, err := p.room(n)
	if err != nil {
		return nil, err
	}
	b = b[:n:n]
	p.page.gaps = append(p.page.gaps, gap{dst: b, column: column, block: block})
	return b, nil
}

// Write implements io.Writer.
func (p *pages) Write(b []byte) (int, error) {
	p.size += int64(len(b))
	if p.holds(b) {
		p.page.b = p.page.b[:len(p.page.b)+len(b)]
		return len(b), nil
	}
	for done := 0; ; {
		page := p.page
		n := copy(page.b[len(page.b):cap(page.b)], b[done:])
		page.b = page.b[:len(page.b)+n]
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
	rest := p.page.b[len(p.page.b):cap(p.page.b)]
	return len(b) > 0 && len(b) <= len(rest) && &b[0] == &rest[0]
}

// close writes what is left if all is well, waits, and returns the first error. A
// second call does nothing.
func (p *pages) close(well bool) error {
	if p.page != nil {
		if well && len(p.page.b) > 0 {
			p.send()
		}
		p.page = nil
		close(p.work)
		close(p.full)
		p.readers.Wait()
		<-p.ended
	}
	return p.err()
}
