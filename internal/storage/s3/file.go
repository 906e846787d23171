package s3

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"avro2trevni/internal/storage"
)

const (
	beyond = 64 << 10 // bytes that are requested beyond the range to be read: the end of its last block
	drain  = 64 << 10 // most bytes that are read to no use, so that a connection can be used again
)

// file is an open object.
type file struct {
	f    *FS
	key  string
	info info
	from int64 // the range that is read in order: one request for all of it
	to   int64

	mu     sync.Mutex
	idle   *stream
	closed bool
}

// Open implements [storage.FS].
func (f *FS) Open(name string) (storage.File, error) {
	i, err := f.Stat(name)
	if err != nil {
		return nil, err
	}
	if i.IsDir() {
		return nil, f.explain("open", key(name), fmt.Errorf("%w: is a folder", fs.ErrInvalid))
	}
	return &file{f: f, key: key(name), info: *i.(*info)}, nil
}

// OpenAs implements [storage.Opener]. It makes no request: the first read finds out whether
// the object is as described.
func (f *FS) OpenAs(name string, d storage.Described) (storage.File, error) {
	k := key(name)
	return &file{
		f: f, key: k, from: d.From, to: d.To,
		info: info{name: path.Base(k), size: d.Size, mod: d.ModTime, version: d.Version},
	}, nil
}

// Stat implements [storage.File].
func (o *file) Stat() (fs.FileInfo, error) { return &o.info, nil }

// ReadAt implements io.ReaderAt. A read that breaks off goes on at the byte where it broke.
func (o *file) ReadAt(p []byte, off int64) (int, error) {
	if off < 0 {
		return 0, o.f.explain("read", o.key, fs.ErrInvalid)
	}
	full := len(p)
	p = p[:max(0, min(int64(len(p)), o.info.size-off))]
	n := 0
	err := o.f.try("read", o.key, func() error {
		for n < len(p) {
			k, err := o.read(p[n:], off+int64(n))
			if n += k; err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil && n < full {
		err = io.EOF
	}
	return n, err
}

// read reads some bytes: as many as the stream at that offset has.
func (o *file) read(p []byte, off int64) (int, error) {
	s := o.take(off)
	if s == nil {
		var err error
		if s, err = o.begin(off, len(p)); err != nil {
			return 0, err
		}
	}
	n, err := s.read(p)
	if err != nil {
		s.w.close()
		_ = s.body.Close() // it failed
		return n, err
	}
	o.put(s)
	return n, nil
}

// stream is the body of an answer, read up to pos.
type stream struct {
	body     io.ReadCloser
	w        *watch
	pos, end int64
}

// read fills p, as far as the stream goes.
func (s *stream) read(p []byte) (n int, err error) {
	p = p[:min(int64(len(p)), s.end-s.pos)]
	for n < len(p) && err == nil {
		var k int
		s.w.moves()
		k, err = s.body.Read(p[n:])
		n += k
	}
	s.w.rests()
	s.pos += int64(n)
	switch {
	case n == len(p):
		return n, nil
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		return n, fmt.Errorf("%w, at byte %d, %d before the end of the range", errShort, s.pos, s.end-s.pos)
	}
	if err = s.w.why(err); !final(err) {
		err = fmt.Errorf("%w, at byte %d: %w", errShort, s.pos, err)
	}
	return n, err
}

// close ends the stream. Little that is left is read, so that the connection can be used
// again.
func (s *stream) close() {
	if left := s.end - s.pos; left <= drain {
		s.w.moves()
		_, _ = io.CopyN(io.Discard, s.body, left) // only for the connection
	}
	_ = s.body.Close() // nothing was written
	s.w.close()
}

// take returns the stream at an offset, nil if there is none.
func (o *file) take(off int64) *stream {
	o.mu.Lock()
	s := o.idle
	o.idle = nil
	o.mu.Unlock()
	if s != nil && s.pos != off {
		s.close()
		return nil
	}
	return s
}

func (o *file) put(s *stream) {
	o.mu.Lock()
	was := o.idle
	keep := !o.closed && s.pos < s.end
	if keep {
		o.idle = s
	}
	o.mu.Unlock()
	if !keep {
		s.close()
	}
	if keep && was != nil {
		was.close()
	}
}

// Close implements io.Closer.
func (o *file) Close() error {
	o.mu.Lock()
	s := o.idle
	o.idle, o.closed = nil, true
	o.mu.Unlock()
	if s != nil {
		s.close()
	}
	return nil
}

// begin requests a range: n bytes, or up to the end of what is read in order.
func (o *file) begin(off int64, n int) (*stream, error) {
	end := off + int64(n)
	if o.from <= off && off < o.to {
		end = max(end, o.to+beyond)
	}
	end = min(end, o.info.size)
	w := newWatch(o.f.ctx, o.f.stall)
	out, err := o.request(w.ctx, off, end)
	w.rests()
	if err != nil {
		err = w.why(err)
		w.close()
		return nil, err
	}
	if err := o.check(out, off, end); err != nil {
		_ = out.Body.Close() // it is of no use
		w.close()
		return nil, err
	}
	return &stream{body: out.Body, w: w, pos: off, end: end}, nil
}

func (o *file) request(ctx context.Context, off, end int64) (*s3.GetObjectOutput, error) {
	in := &s3.GetObjectInput{Bucket: &o.f.bucket, Key: &o.key, Range: aws.String(fmt.Sprintf("bytes=%d-%d", off, end-1))}
	if o.info.version != storage.None {
		in.IfMatch = aws.String(string(o.info.version))
	}
	return o.f.client.GetObject(ctx, in, o.f.inRegion)
}

// check compares an answer with what was requested. Some services ignore conditions, or
// ranges.
func (o *file) check(out *s3.GetObjectOutput, off, end int64) error {
	if v := storage.Version(aws.ToString(out.ETag)); v != o.info.version && o.info.version != storage.None {
		return fmt.Errorf("%w: its ETag is %s, and was %s", storage.ErrChanged, v, o.info.version)
	}
	want := fmt.Sprintf("bytes %d-%d/%d", off, end-1, o.info.size)
	if got := aws.ToString(out.ContentRange); got != want && (got != "" || off > 0 || end < o.info.size) {
		return fmt.Errorf("%w: the service answers a request for %q with %q", storage.ErrUnsupported, want, got)
	}
	if n := aws.ToInt64(out.ContentLength); n != end-off {
		return fmt.Errorf("%w: it has %d bytes, and %d were requested", errShort, n, end-off)
	}
	return nil
}
