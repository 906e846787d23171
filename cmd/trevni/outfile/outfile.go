// Package outfile writes a file that appears under its name when it is complete.
//
//	.NAME.123.tmp --write, sync--> rename to NAME --> sync the folder
//
// A pipe or a device is written to directly, and the file that a link points to is replaced.
package outfile

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"avro2trevni/internal/exit"
)

// File is a file to write.
type File struct {
	Name  string
	Force bool // replace one that exists
}

// Write writes the file under a temporary name in its folder, and gives it its name when it
// is complete and on the disk. If the name is a link, the link's target is replaced. A pipe
// or a device is written to directly.
func (o File) Write(ctx context.Context, write func(io.Writer) error) error {
	info, err := os.Stat(o.Name)
	switch {
	case err == nil && !info.Mode().IsRegular() && !info.IsDir():
		return writeOpen(ctx, o.Name, write)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	}
	if o.Name, err = target(o.Name); err != nil {
		return err
	}
	if err := o.absent(); err != nil {
		return err
	}
	return o.replace(write)
}

// Refuse refuses an output that is one of the inputs.
func (o File) Refuse(inputs []string) error {
	out, err := os.Stat(o.Name)
	if err != nil || !out.Mode().IsRegular() {
		return nil // an error is met again when it is written
	}
	for _, name := range inputs {
		if in, err := os.Stat(name); err == nil && os.SameFile(in, out) {
			return exit.Usage("%s: the output is one of the inputs", o.Name)
		}
	}
	return nil
}

// absent refuses a name that exists.
func (o File) absent() error {
	info, err := os.Lstat(o.Name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !o.Force || !info.Mode().IsRegular():
		return o.exists()
	}
	return nil
}

// exists is the error of a name that exists.
func (o File) exists() error {
	if !o.Force {
		return exit.Refused("%s: the output exists; --force replaces it", o.Name)
	}
	return exit.Refused("%s: the output exists, and is not a file", o.Name)
}

func (o File) replace(write func(io.Writer) error) error {
	dir := filepath.Dir(o.Name)
	f, err := os.CreateTemp(dir, "."+filepath.Base(o.Name)+".*.tmp")
	if err != nil {
		return err
	}
	if err = buffered(f, write); err == nil {
		err = errors.Join(f.Chmod(0o644), f.Sync())
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = o.absent()
	}
	if err == nil {
		err = os.Rename(f.Name(), o.Name)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return syncFolder(dir)
}

// buffered gives write a buffer in front of f.
func buffered(f io.Writer, write func(io.Writer) error) error {
	w := bufio.NewWriterSize(f, 1<<20)
	if err := write(w); err != nil {
		return err
	}
	return w.Flush()
}

// writeOpen writes to a pipe or a device. To open a pipe, and to write to it, waits for its
// reader: the context ends that.
func writeOpen(ctx context.Context, name string, write func(io.Writer) error) error {
	type opened struct {
		f   *os.File
		err error
	}
	done := make(chan opened, 1)
	go func() {
		f, err := os.OpenFile(name, os.O_WRONLY, 0)
		done <- opened{f, err}
	}()
	select {
	case o := <-done:
		if o.err != nil {
			return o.err
		}
		stop := context.AfterFunc(ctx, func() { _ = o.f.Close() })
		err := buffered(o.f, write)
		if !stop() {
			return context.Cause(ctx)
		}
		return errors.Join(err, o.f.Close())
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// mostLinks is the largest length of a chain of links, as in Linux.
const mostLinks = 40

// target returns the name that a name leads to, if it is a link. The file need not exist.
func target(name string) (string, error) {
	for range mostLinks {
		info, err := os.Lstat(name)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
		if err != nil || info.Mode()&fs.ModeSymlink == 0 {
			return name, nil
		}
		to, err := os.Readlink(name)
		if err != nil {
			return "", err
		}
		if !filepath.IsAbs(to) {
			// Not Join, which would resolve ".." by name.
			to = filepath.Dir(name) + string(filepath.Separator) + to
		}
		name = to
	}
	return "", fmt.Errorf("%s: too many links", name)
}

// syncFolder puts a folder's names on the disk.
func syncFolder(name string) error {
	d, err := os.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
