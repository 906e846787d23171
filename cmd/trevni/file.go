package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync/atomic"
	"syscall"

	"avro2trevni/trevni"
)

// file is an open Trevni file.
type file struct {
	*trevni.Reader
	name string
	size int64
	src  *counted
}

// counted counts the bytes that are read.
type counted struct {
	*os.File
	bytes    atomic.Int64
	progress *progress
}

// ReadAt implements io.ReaderAt.
func (c *counted) ReadAt(p []byte, at int64) (int, error) {
	n, err := c.File.ReadAt(p, at)
	c.bytes.Add(int64(n))
	c.progress.add(n)
	return n, err
}

// openRegular opens a file that is one: to open a pipe would wait for its other end.
func openRegular(name string) (*os.File, int64, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
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
	return f, info.Size(), nil
}

// readRegular reads a small file whole.
func readRegular(name string) ([]byte, error) {
	f, _, err := openRegular(name)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(f)
	return data, errors.Join(err, f.Close())
}

// open opens a file, which the caller closes.
func (c *command) open(name string) (*file, error) {
	f, size, err := openRegular(name)
	if err != nil {
		return nil, err
	}
	c.progress.opened(name)
	src := &counted{File: f, progress: c.progress}
	r, err := trevni.NewReader(src, size, &trevni.ReaderOptions{Path: name, ZeroChecksums: c.zeros})
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &file{Reader: r, name: name, size: size, src: src}, nil
}

// Close closes the file.
func (f *file) Close() error { return f.src.Close() }

// each opens the files one after the other, and calls do with each, until the context
// ends.
func (c *command) each(ctx context.Context, names []string, do func(*file) error) error {
	for _, name := range names {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		f, err := c.open(name)
		if err != nil {
			return err
		}
		if err := errors.Join(do(f), f.Close()); err != nil {
			return err
		}
	}
	return nil
}

// sameColumns returns what differs first between two files' columns, or nil.
func sameColumns(a, b *file) error {
	x, y := a.Header().Columns, b.Header().Columns
	differ := func(what string) error {
		return fmt.Errorf("%s and %s are not one table: %s", a.name, b.name, what)
	}
	for i := range min(len(x), len(y)) {
		if x[i].Name != y[i].Name || kind(&x[i]) != kind(&y[i]) || x[i].Parent != y[i].Parent {
			return differ(fmt.Sprintf("column %d is %q, %s, in one and %q, %s, in the other",
				i, x[i].Name, kind(&x[i]), y[i].Name, kind(&y[i])))
		}
	}
	if len(x) != len(y) {
		return differ(fmt.Sprintf("%d columns in one, %d in the other", len(x), len(y)))
	}
	return nil
}

// kind returns a column's type as the tables show it.
func kind(c *trevni.Column) string {
	if c.Array {
		return c.Type.String() + " array"
	}
	return c.Type.String()
}
