package colfile

import (
	"errors"
	"fmt"
	"io"
	"sync"

	"avro2trevni/internal/storage"
)

// pageSize is how much of a file is read at a time that is not on this machine: a request
// takes about as long for so much as for less.
const pageSize = 1 << 20

// openRemote opens a file that is not on this machine.
func openRemote(fsys storage.FS, name string) (storage.File, int64, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, 0, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s: not a regular file", name)
	}
	if err != nil {
		return nil, 0, errors.Join(err, f.Close())
	}
	return &paged{File: f, size: info.Size()}, info.Size(), nil
}

// paged is a file whose last page that was read is kept.
type paged struct {
	storage.File
	size int64

	mu   sync.Mutex
	page []byte
	at   int64 // where it begins
}

// ReadAt implements io.ReaderAt. A read as large as a page is passed on.
func (p *paged) ReadAt(b []byte, off int64) (int, error) {
	if len(b) >= pageSize || off < 0 {
		return p.File.ReadAt(b, off)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	n := 0
	for n < len(b) {
		at := off + int64(n)
		if at >= p.size {
			return n, io.EOF
		}
		if at < p.at || at >= p.at+int64(len(p.page)) {
			if err := p.read(at); err != nil {
				return n, err
			}
		}
		n += copy(b[n:], p.page[at-p.at:])
	}
	return n, nil
}

// read reads the page that begins at an offset.
func (p *paged) read(at int64) error {
	page := make([]byte, min(pageSize, p.size-at))
	n, err := p.File.ReadAt(page, at)
	if n < len(page) {
		if err == nil || errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return err
	}
	p.page, p.at = page, at
	return nil
}
