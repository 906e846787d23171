package hdfs

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"sync"
	"time"

	"github.com/colinmarc/hdfs/v2"

	"avro2trevni/internal/storage"
)

// checked is the largest read from the client. The client verifies a chunk's checksum,
// usually of 512 bytes, before it returns less than a chunk; a larger read may return bytes
// with a wrong checksum.
const checked = 511

// file is an open file: readers that are not in use, each at its place.
type file struct {
	f    *FS
	name string
	info fs.FileInfo

	mu     sync.Mutex
	idle   []*reader
	closed bool
}

// reader is a stream of the file from some place on.
type reader struct {
	r   *hdfs.FileReader
	pos int64
}

// Open implements [storage.FS].
func (f *FS) Open(name string) (storage.File, error) {
	o := &file{f: f, name: f.path(name)}
	err := f.try("open", o.name, func(bool) error {
		r, err := o.open()
		if err == nil {
			o.idle = append(o.idle, r)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return o, nil
}

// open makes a reader, of the same file as the first.
func (o *file) open() (*reader, error) {
	r, err := o.f.client.Open(o.name)
	if err != nil {
		return nil, err
	}
	info := r.Stat()
	if o.info == nil {
		o.info = info
		err = supported(info)
	} else if id(info) != id(o.info) || info.Size() != o.info.Size() {
		err = fmt.Errorf("%w: replaced while it was read", errFile)
	}
	if err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return &reader{r: r}, nil
}

// Stat implements [storage.File].
func (o *file) Stat() (fs.FileInfo, error) { return o.info, nil }

// ReadAt implements io.ReaderAt. A read that fails on all replicas is tried again
// with fresh locations, as long as the file system is patient.
func (o *file) ReadAt(p []byte, off int64) (int, error) {
	if off < 0 {
		return 0, o.f.explain("read", o.name, fs.ErrInvalid)
	}
	n, stop := 0, time.Time{}
	err := o.f.try("read", o.name, func(again bool) error {
		if !again {
			stop = time.Now().Add(o.f.patience)
		}
		for {
			k, err := o.read(p[n:], off+int64(n))
			if n += k; err == nil || k == 0 || time.Now().After(stop) {
				return err
			}
		}
	})
	if err == nil && n < len(p) {
		err = io.EOF
	}
	return n, err
}

// read fills p from the file, as far as it goes.
func (o *file) read(p []byte, off int64) (n int, err error) {
	p = p[:max(0, min(int64(len(p)), o.info.Size()-off))]
	if len(p) == 0 {
		return 0, nil
	}
	r, err := o.take(off)
	if err != nil {
		return 0, err
	}
	for n < len(p) && err == nil {
		var k int
		k, err = r.r.Read(p[n:min(n+checked, len(p))])
		n += k
		r.pos += int64(k)
	}
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF // the NameNode knows of more
	}
	if err != nil {
		_ = r.r.Close() // it failed
		return n, err
	}
	o.put(r)
	return n, nil
}

// take returns a reader at an offset: the one that is there, or another, moved.
func (o *file) take(off int64) (*reader, error) {
	r := o.pick(off)
	if r == nil {
		var err error
		if r, err = o.open(); err != nil {
			return nil, err
		}
	}
	if r.pos != off {
		if _, err := r.r.Seek(off, io.SeekStart); err != nil {
			return nil, errors.Join(err, r.r.Close())
		}
		r.pos = off
	}
	return r, nil
}

func (o *file) pick(off int64) *reader {
	o.mu.Lock()
	defer o.mu.Unlock()
	last := len(o.idle) - 1
	if last < 0 {
		return nil
	}
	for i, r := range o.idle {
		if r.pos == off {
			o.idle[i], o.idle[last] = o.idle[last], r
		}
	}
	r := o.idle[last]
	o.idle = o.idle[:last]
	return r
}

func (o *file) put(r *reader) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		_ = r.r.Close() // nothing was written
		return
	}
	o.idle = append(o.idle, r)
}

// Close implements io.Closer.
func (o *file) Close() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
	var errs []error
	for _, r := range o.idle {
		errs = append(errs, r.r.Close())
	}
	o.idle = nil
	return errors.Join(errs...)
}
