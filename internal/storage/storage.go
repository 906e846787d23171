package storage

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"golang.org/x/sync/errgroup"
)

// Errors for errors.Is, in addition to those of package io/fs.
var (
	// ErrLocked is returned by [FS.Lock] while another process holds the lock.
	ErrLocked = errors.New("storage: locked by another process")
	// ErrLockLost says that a lock is not held any more: its lease ran out, or its file was
	// removed. Another may have it.
	ErrLockLost = errors.New("storage: the lock was lost")
	// ErrUnsupported says that a file or folder is there and that the storage cannot serve
	// it. It is no errors.ErrUnsupported, as errors of the system may be.
	ErrUnsupported = errors.New("storage: not supported")
	// ErrUnavailable says that a service was away, or not ready, for as long as the
	// storage waits for one: try again later.
	ErrUnavailable = errors.New("storage: service not available")
	// ErrLost says that a new file is lost, with what was written to it, and would
	// have to be written again from its start: the machine that took it failed.
	ErrLost = errors.New("storage: file lost while it was written")
)

// FS is a file system.
type FS interface {
	// Open opens a file for reading. It does not wait: what is no file, such as a pipe or a
	// folder, is an error.
	Open(name string) (File, error)
	// Create makes a new file and opens it for writing; fs.ErrExist if the name is
	// taken. Size is how many bytes are going to be written, so that storage which
	// keeps files in blocks makes one of them that holds the file; 0 if unknown.
	Create(name string, size int64) (Writer, error)
	// Rename gives a file its new name at one instant, replacing a file that has it; or a
	// folder one that is free.
	Rename(from, to string) error
	// Remove removes a file or an empty folder; fs.ErrNotExist if there is none.
	Remove(name string) error
	// MkdirAll makes a folder and those above it; one that is there is no error.
	MkdirAll(name string) error
	// ReadDir returns a folder's entries in name order, links not followed.
	ReadDir(name string) ([]fs.FileInfo, error)
	// Stat describes what the name leads to, links followed.
	Stat(name string) (fs.FileInfo, error)
	// Resolve returns the one absolute name, free of links, that all names of a file share.
	Resolve(name string) (string, error)
	// SyncDir makes the names in a folder safe from a crash.
	SyncDir(name string) error
	// Lock takes the lock file of that name, making it if need be, and does not
	// wait: [ErrLocked] while another holds it. The lock dies with its process, at
	// once or when its lease runs out.
	Lock(name string) (Lock, error)
}

// Lock is a lock that is held. Several goroutines may ask whether it is.
type Lock interface {
	// Held returns nil if the lock is still held, [ErrLockLost] if it is not. One with a
	// lease may be lost by a process that was stopped, or cut off, for longer than that.
	Held() error
	// Close removes the lock file and gives the lock up. The file of a lock that was lost,
	// which is another's, stays.
	io.Closer
}

// File is a file open for reading.
type File interface {
	io.ReaderAt
	io.Closer
	// Stat describes the file that is open, whatever its name leads to by now.
	Stat() (fs.FileInfo, error)
}

// Writer is a new file being written front to back.
type Writer interface {
	io.Writer
	// Sync returns when all that was written is safe from a crash. Nothing may be
	// written after it.
	Sync() error
	// Close ends the writing; it does not sync.
	io.Closer
}

// removers is how many entries of a folder are removed at a time: a disk, or a NameNode,
// does many in little more than the time of one.
const removers = 16

// RemoveAll removes a file or folder with everything below it; it removes links without
// following them. A missing name is not an error. It continues after an error, and returns
// all errors.
func RemoveAll(f FS, name string) error { return removeAll(f, name, removers) }

// removeAll is RemoveAll of several entries at a time; of one in the folders below.
func removeAll(f FS, name string, atATime int) error {
	err := f.Remove(name)
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	entries, listErr := f.ReadDir(name)
	if listErr != nil {
		if info, statErr := f.Stat(name); statErr == nil && info.IsDir() {
			return listErr
		}
		return err
	}
	errs := make([]error, len(entries))
	var g errgroup.Group
	g.SetLimit(atATime)
	for i, e := range entries {
		g.Go(func() error {
			errs[i] = removeAll(f, Join(name, e.Name()), 1)
			return nil
		})
	}
	_ = g.Wait() // errs has them, in order
	if err := errors.Join(errs...); err != nil {
		return err
	}
	return ignoreMissing(f.Remove(name))
}

// WriteFile makes a new file that holds data, synced and closed. On an error it
// removes what it made. A file that is lost is written again, see [Rewrite].
func WriteFile(ctx context.Context, f FS, name string, data []byte) error {
	return Rewrite(ctx, func() error { return writeFile(f, name, data) })
}

func writeFile(f FS, name string, data []byte) error {
	w, err := f.Create(name, int64(len(data)))
	if err != nil {
		return err
	}
	_, err = w.Write(data)
	if err == nil {
		err = w.Sync()
	}
	if err = errors.Join(err, w.Close()); err != nil {
		return errors.Join(err, ignoreMissing(f.Remove(name)))
	}
	return nil
}

// ReadFile returns what a file of at most limit bytes holds; a larger one is an error.
func ReadFile(f FS, name string, limit int64) ([]byte, error) {
	r, err := f.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.Close() }() // nothing was written
	data, err := io.ReadAll(io.NewSectionReader(r, 0, limit+1))
	if err != nil {
		return nil, err
	}
	if int64(len(data)) > limit {
		return nil, fmt.Errorf("storage: %s: larger than %d bytes", name, limit)
	}
	return data, nil
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
