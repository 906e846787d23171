package trevni

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// File is a Reader of a file that it has opened itself. It must be closed.
type File struct {
	*Reader
	f *os.File
}

// OpenFile opens the named file and reads its header. opt may be nil; its Path, if
// empty, is the name. Errors of opening are those of [os.Open], errors about the
// contents [*Error]. Close it when no reader of its columns is used any more.
func OpenFile(name string, opt *ReaderOptions) (*File, error) {
	var o ReaderOptions
	if opt != nil {
		o = *opt
	}
	if o.Path == "" {
		o.Path = name
	}
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a pipe is refused, not waited for
	if err != nil {
		return nil, fmt.Errorf("trevni: %w", err)
	}
	r, err := newFile(f, &o)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &File{Reader: r, f: f}, nil
}

func newFile(f *os.File, o *ReaderOptions) (*Reader, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("trevni: %w", err)
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("trevni: %s is not a regular file", o.Path)
	}
	return NewReader(f, info.Size(), o)
}

// Close closes the file.
func (f *File) Close() error { return f.f.Close() }
