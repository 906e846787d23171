package ocf

import (
	"bufio"
	"bytes"
	"io"
)

// streamBuffer is the buffer between a file and a decoder, for blocks that do not fit
// the reader's.
const streamBuffer = 64 << 10

// input is what decoders read from: by the byte, so that they read no further than
// their data go.
type input interface {
	io.Reader
	io.ByteReader
}

// source gives a block's data to a decoder.
type source struct {
	mem  bytes.Reader // of a block that is in the buffer
	body []byte       // the same
	file fileReader   // of one that is not
	buf  *bufio.Reader
	big  bool
}

// open begins at the start of the reader's current block.
func (s *source) open(r *Reader) {
	s.file.err = nil
	if s.big = r.body == nil; !s.big {
		s.body = r.body
		s.mem.Reset(r.body)
		return
	}
	s.file = fileReader{in: &r.in, at: r.data, end: r.data + r.block.Size}
	if s.buf == nil {
		s.buf = bufio.NewReaderSize(nil, streamBuffer)
	}
	s.buf.Reset(&s.file)
}

// input returns the reader of the data. It is a reader of the standard library, because
// decoders have fast paths for these.
func (s *source) input() input {
	if s.big {
		return s.buf
	}
	return &s.mem
}

// rest returns the bytes not yet read.
func (s *source) rest() int64 {
	if s.big {
		return int64(s.buf.Buffered()) + s.file.end - s.file.at
	}
	return int64(s.mem.Len())
}

// ready returns the bytes that can be read without reading the file, some if any are
// left.
func (s *source) ready() []byte {
	if !s.big {
		return s.body[len(s.body)-s.mem.Len():]
	}
	if s.buf.Buffered() < streamBuffer/64 {
		_, _ = s.buf.Peek(streamBuffer / 2) // an error is that of the next read too
	}
	b, _ := s.buf.Peek(s.buf.Buffered())
	return b
}

// discard passes over n bytes that are ready.
func (s *source) discard(n int) {
	if s.big {
		_, _ = s.buf.Discard(n) // they are there
	} else {
		_, _ = s.mem.Seek(int64(n), io.SeekCurrent) // likewise, as below
	}
}

// skip passes over all but the last keep bytes of the data.
func (s *source) skip(keep int64) {
	if !s.big {
		_, _ = s.mem.Seek(-keep, io.SeekEnd)
		return
	}
	s.file.at = s.file.end - keep
	s.buf.Reset(&s.file)
}

// peek returns up to n bytes without reading them, n up to streamBuffer.
func (s *source) peek(n int) []byte {
	if !s.big {
		rest := s.body[len(s.body)-s.mem.Len():]
		return rest[:min(n, len(rest))]
	}
	b, _ := s.buf.Peek(n)
	return b
}

// offset returns the place in the file of the next byte.
func (s *source) offset(r *Reader) int64 { return r.data + r.block.Size - s.rest() }

// fileReader reads a stretch of a file, past its buffer. It keeps its error, for
// decoders replace errors by their own.
type fileReader struct {
	in      *buffer
	at, end int64
	err     error
}

// Read implements io.Reader.
func (f *fileReader) Read(p []byte) (int, error) {
	switch {
	case f.err != nil:
		return 0, f.err
	case f.at >= f.end:
		return 0, io.EOF
	}
	p = p[:min(int64(len(p)), f.end-f.at)]
	n := copy(p, f.in.cached(f.at))
	if n == 0 {
		if f.err = readFull(f.in.src, p, f.at); f.err != nil {
			return 0, f.err
		}
		n = len(p)
	}
	f.at += int64(n)
	return n, nil
}
