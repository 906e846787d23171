package streaming

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
)

// File is a temporary file: written front to back, then read at random. Close removes
// it.
type File interface {
	io.ReaderAt
	io.WriterAt
	io.Closer
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// sumBytes is the size of the checksum after a staged value.
const sumBytes = 4

// stage keeps values in a file. Put by one goroutine, then seal, then get by several.
type stage struct {
	temp func() (File, error)
	file File // nil while it is empty
	w    *bufio.Writer
	end  int64
}

// put keeps a value, and returns where.
func (s *stage) put(b []byte) (at int64, err error) {
	if s.file == nil {
		if s.file, err = s.temp(); err != nil {
			return 0, err
		}
		s.w = bufio.NewWriterSize(io.NewOffsetWriter(s.file, 0), bufferBytes)
	}
	at = s.end
	_, err = s.w.Write(b)
	if err == nil {
		_, err = s.w.Write(binary.LittleEndian.AppendUint32(nil, sumAt(at, b)))
	}
	if err != nil {
		return 0, fmt.Errorf("streaming: stage a run: %w", err)
	}
	s.end += int64(len(b) + sumBytes)
	return at, nil
}

// sumAt is the checksum of a value kept at a place, so that none is taken for another.
func sumAt(at int64, b []byte) uint32 {
	var place [8]byte
	binary.LittleEndian.PutUint64(place[:], uint64(at))
	return crc32.Update(crc32.Checksum(place[:], castagnoli), castagnoli, b)
}

// seal ends the putting.
func (s *stage) seal() error {
	if s.w == nil {
		return nil
	}
	err := s.w.Flush()
	s.w = nil
	if err != nil {
		return fmt.Errorf("streaming: stage runs: %w", err)
	}
	return nil
}

// get appends the value of size bytes kept at a place to dst.
func (s *stage) get(dst []byte, at int64, size int) ([]byte, error) {
	n := len(dst)
	if cap(dst)-n < size {
		dst = append(make([]byte, 0, n+size), dst...)
	}
	dst = dst[:n+size]
	var sum [sumBytes]byte
	for _, part := range []struct {
		b  []byte
		at int64
	}{{dst[n:], at}, {sum[:], at + int64(size)}} {
		if k, err := s.file.ReadAt(part.b, part.at); k < len(part.b) {
			if err == nil || errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return dst[:n], fmt.Errorf("streaming: read a staged run: %w", err)
		}
	}
	if binary.LittleEndian.Uint32(sum[:]) != sumAt(at, dst[n:]) {
		return dst[:n], fmt.Errorf("streaming: a staged run of %d bytes at %d is damaged", size, at)
	}
	return dst, nil
}

// close removes the file.
func (s *stage) close() error {
	if s.file == nil {
		return nil
	}
	f := s.file
	s.file = nil
	return f.Close()
}
