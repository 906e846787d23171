package main

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"avro2trevni/cmd/trevni/colfile"
	"avro2trevni/cmd/trevni/inputs"
	"avro2trevni/cmd/trevni/parquetfile"
	"avro2trevni/cmd/trevni/trvfile"
	"avro2trevni/internal/storage"
)

// formats are the formats of files that the verbs read.
var formats = colfile.Formats{trvfile.Format, parquetfile.Format}

// file is an open file.
type file struct {
	colfile.File
	name string
	size int64
	src  *counted
}

// counted counts the bytes that are read.
type counted struct {
	storage.File
	bytes    atomic.Int64
	progress *progress
	places   *ranges // what was read; nil where nobody wants to know
}

// ReadAt implements io.ReaderAt.
func (c *counted) ReadAt(p []byte, at int64) (int, error) {
	n, err := c.File.ReadAt(p, at)
	c.bytes.Add(int64(n))
	c.progress.add(n)
	if c.places != nil {
		c.places.add(at, at+int64(n))
	}
	return n, err
}

// open opens a file, which the caller closes.
func (c *command) open(name string) (*file, error) {
	f, size, err := colfile.OpenRegular(c.fs(), name)
	if err != nil {
		return nil, err
	}
	c.progress.opened(name)
	src := &counted{File: f, progress: c.progress}
	if c.noted {
		src.places = &ranges{}
	}
	r, err := formats.Open(src, size, colfile.Options{Path: name, ZeroChecksums: c.zeros})
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &file{File: r, name: name, size: size, src: src}, nil
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

// files returns the files of all arguments, and says on standard error which of them are
// of a job that is not finished.
func (c *command) files(names []string) ([]string, error) {
	all, err := inputs.List(c.fs(), names, formats.Exts())
	if err != nil {
		return nil, err
	}
	var files []string
	for _, in := range all {
		if in.Job && !in.Finished {
			fmt.Fprintf(c.stderr, "trevni: warning: %s: %v\n", in.Name, inputs.ErrUnfinished)
		}
		files = append(files, in.Files...)
	}
	return files, nil
}

// sameColumns returns what differs first between two files' columns, or nil.
func sameColumns(a, b *file) error {
	x, y := a.Columns(), b.Columns()
	differ := func(what string) error {
		return fmt.Errorf("%s and %s are not one table: %s", a.name, b.name, what)
	}
	for i := range min(len(x), len(y)) {
		if x[i].Name != y[i].Name || x[i].Kind() != y[i].Kind() || x[i].Parent != y[i].Parent {
			return differ(fmt.Sprintf("column %d is %q, %s, in one and %q, %s, in the other",
				i, x[i].Name, x[i].Kind(), y[i].Name, y[i].Kind()))
		}
	}
	if len(x) != len(y) {
		return differ(fmt.Sprintf("%d columns in one, %d in the other", len(x), len(y)))
	}
	return nil
}
