package trevni

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// piece is a block's bytes, in memory or in the spill.
type piece struct {
	data []byte // nil in the spill
	at   int64
	size int
}

// spillFile is what is done with a temporary file. To close it removes it.
type spillFile interface {
	io.ReaderAt
	io.WriterAt
	io.Closer
}

// spill is a temporary file of blocks, made at the first that is stored.
type spill struct {
	create func() (spillFile, error)
	f      spillFile
	end    int64
	buf    []byte
}

// store moves a piece to the file.
func (s *spill) store(p *piece) error {
	if s.f == nil {
		f, err := s.create()
		if err != nil {
			return fmt.Errorf("trevni: temporary file: create: %w", err)
		}
		s.f = f
	}
	if _, err := s.f.WriteAt(p.data, s.end); err != nil {
		return fmt.Errorf("trevni: temporary file: write: %w", err)
	}
	p.data, p.at = nil, s.end
	s.end += int64(p.size)
	return nil
}

// load returns a piece's bytes, valid until the next call.
func (s *spill) load(p piece) ([]byte, error) {
	if p.data != nil || p.size == 0 {
		return p.data, nil
	}
	if cap(s.buf) < p.size {
		s.buf = make([]byte, p.size)
	}
	if n, err := s.f.ReadAt(s.buf[:p.size], p.at); n < p.size {
		return nil, fmt.Errorf("trevni: temporary file: read: %w", err)
	}
	return s.buf[:p.size], nil
}

// close removes the file.
func (s *spill) close() error {
	if s.f == nil {
		return nil
	}
	f := s.f
	s.f = nil
	if err := f.Close(); err != nil {
		return fmt.Errorf("trevni: temporary file: close: %w", err)
	}
	return nil
}

// tempFile is a temporary file in a folder.
type tempFile struct {
	*os.File
	named bool // it has still a name, for Close to remove
}

// createTemp makes a file in dir. It loses its name at once where the system lets an
// open file do so, so that a process that is killed leaves nothing.
func createTemp(dir string) (spillFile, error) {
	f, err := os.CreateTemp(dir, ".trevni-*")
	if err != nil {
		return nil, err
	}
	return &tempFile{f, os.Remove(f.Name()) != nil}, nil
}

// Close implements io.Closer.
func (f *tempFile) Close() error {
	err := f.File.Close()
	if f.named {
		err = errors.Join(err, os.Remove(f.Name()))
	}
	return err
}
