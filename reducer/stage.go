package reducer

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"sync"
)

// TempFile is where a group's staged blocks go when they are too many for memory:
// written once, front to back, and read at random. Close gives the file up and
// removes it. One group uses it, a call at a time.
type TempFile interface {
	io.ReaderAt
	io.WriterAt
	io.Closer
}

// TempDir returns a maker of temporary files in dir, "" being the system's. Where
// the system allows, a file has no name once it is open, so that a killed process
// leaves none behind.
func TempDir(dir string) func() (TempFile, error) {
	return func() (TempFile, error) {
		f, err := os.CreateTemp(dir, ".avro2trevni-stage-*")
		if err != nil {
			return nil, fmt.Errorf("reducer: stage: %w", err)
		}
		return &tempFile{File: f, named: os.Remove(f.Name()) != nil}, nil
	}
}

// tempFile is a file that may still have its name.
type tempFile struct {
	*os.File
	named bool
}

// Close closes the file and removes what is left of it.
func (f *tempFile) Close() error {
	err := f.File.Close()
	if f.named {
		err = errors.Join(err, os.Remove(f.Name()))
	}
	return err
}

// ref tells where a staged block is: its chunk in the high 32 bits, its offset in
// the chunk in the low.
type ref uint64

// sumBytes is the size of the CRC-32C after each staged block. It covers the
// block's ref too, so that no block is taken for another.
const sumBytes = 4

// minChunk and maxChunk bound the bytes of a chunk, the unit of writing.
const (
	minChunk = 4 << 10
	maxChunk = 1 << 20
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// chunk is a piece of the stage, filled in memory and then moved to the file as a
// whole.
type chunk struct {
	mem []byte // nil once it is in the file
	at  int64  // its offset there
}

// stage keeps blocks until the group is closed. Its methods may be called by several
// goroutines; a block may be read as soon as put has returned.
type stage struct {
	limit int64 // bytes of chunks in memory, beyond the one being filled
	unit  int   // bytes of a chunk
	temp  func() (TempFile, error)

	mu     sync.Mutex
	chunks []chunk
	oldest int // the first chunk that may still be in memory
	mem    int64
	file   TempFile
	end    int64 // bytes of the file
	err    error // what failed before
}

// newStage returns an empty stage.
func newStage(limit int64, temp func() (TempFile, error)) *stage {
	return &stage{limit: limit, unit: int(min(max(limit/4, minChunk), maxChunk)), temp: temp}
}

// put keeps a copy of b.
func (s *stage) put(b []byte) (ref, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return 0, s.err
	}
	need := len(b) + sumBytes
	n := len(s.chunks) - 1
	if n < 0 || cap(s.chunks[n].mem)-len(s.chunks[n].mem) < need {
		if s.err = s.grow(max(need, s.unit)); s.err != nil {
			return 0, s.err
		}
		n++
	}
	mem := s.chunks[n].mem
	r := ref(n)<<32 | ref(len(mem))
	mem = append(mem, b...)
	s.chunks[n].mem = binary.LittleEndian.AppendUint32(mem, r.sum(b))
	return r, nil
}

// sum returns the check sum of a block kept at r.
func (r ref) sum(b []byte) uint32 {
	var at [8]byte
	binary.LittleEndian.PutUint64(at[:], uint64(r))
	return crc32.Update(crc32.Checksum(at[:], castagnoli), castagnoli, b)
}

// grow begins a chunk of size bytes, moving older ones to the file where memory is
// short.
func (s *stage) grow(size int) error {
	var mem []byte
	for s.oldest < len(s.chunks) && s.mem+int64(size) > s.limit {
		free, err := s.spill(s.oldest)
		if err != nil {
			return err
		}
		s.oldest++
		mem = free[:0]
	}
	if cap(mem) < size {
		mem = make([]byte, 0, size)
	}
	s.mem += int64(cap(mem))
	s.chunks = append(s.chunks, chunk{mem: mem})
	return nil
}

// spill moves chunk n to the file and returns its memory.
func (s *stage) spill(n int) ([]byte, error) {
	if s.file == nil {
		f, err := s.temp()
		if err != nil {
			return nil, err
		}
		s.file = f
	}
	mem := s.chunks[n].mem
	if _, err := s.file.WriteAt(mem, s.end); err != nil {
		return nil, fmt.Errorf("reducer: write stage: %w", err)
	}
	s.chunks[n] = chunk{at: s.end}
	s.end += int64(len(mem))
	s.mem -= int64(cap(mem))
	return mem, nil
}

// get returns the block of size bytes kept at r, in dst or where it is kept: it is
// valid until dst changes, or the next put, and must not be changed.
func (s *stage) get(dst []byte, r ref, size int) ([]byte, error) {
	c, at := s.chunk(r), int64(uint32(r))
	b := dst[:0]
	if c.mem != nil {
		b = c.mem[at:]
		b = b[:min(len(b), size+sumBytes)]
	} else {
		b = append(b, make([]byte, size+sumBytes)...)
		if n, err := s.file.ReadAt(b, c.at+at); n < len(b) {
			return nil, fmt.Errorf("reducer: read stage: %w", noEOF(err))
		}
	}
	if len(b) < size+sumBytes || binary.LittleEndian.Uint32(b[size:]) != r.sum(b[:size]) {
		return nil, fmt.Errorf("%w: %d bytes at %d", ErrStage, size, c.at+at)
	}
	return b[:size], nil
}

// chunk returns the chunk that r is in.
func (s *stage) chunk(r ref) chunk {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.chunks[r>>32]
}

// noEOF returns an end of file within a block as what it is.
func noEOF(err error) error {
	if err == nil || errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// close gives everything up, the file too.
func (s *stage) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.chunks, s.mem, s.err = nil, 0, ErrClosed
	if s.file == nil {
		return nil
	}
	f := s.file
	s.file = nil
	if err := f.Close(); err != nil {
		return fmt.Errorf("reducer: stage: %w", err)
	}
	return nil
}
