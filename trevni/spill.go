package trevni

import (
	"errors"
	"fmt"
	"os"
)

// piece is a block's bytes, in memory or in the spill.
type piece struct {
	data []byte // nil in the spill
	at   int64
	size int
}

// spill is a temporary file of blocks, made at the first that is stored.
type spill struct {
	dir string
	f   *os.File
	end int64
	buf []byte
}

// store moves a piece to the file.
func (s *spill) store(p *piece) error {
	if s.f == nil {
		f, err := os.CreateTemp(s.dir, ".trevni-*")
		if err != nil {
			return fmt.Errorf("trevni: temporary file: %w", err)
		}
		s.f = f
	}
	if _, err := s.f.WriteAt(p.data, s.end); err != nil {
		return fmt.Errorf("trevni: temporary file: %w", err)
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
	if _, err := s.f.ReadAt(s.buf[:p.size], p.at); err != nil {
		return nil, fmt.Errorf("trevni: temporary file: %w", err)
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
	return errors.Join(f.Close(), os.Remove(f.Name()))
}
