package storage

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"
)

// Local is the file system of the machine. Its zero value is ready.
type Local struct{}

// Files of at least this many bytes are written past the page cache where that pays: it
// is no place for so much that is written once, and synced before it is read.
const (
	directLeast  = 16 << 20
	directChunk  = 1 << 20 // written at a time
	directChunks = 3       // one being filled, the others being written
	directMemory = directChunks * directChunk
)

// WriterMemory returns how many bytes a writer of a local file of that size holds.
func WriterMemory(size int64) int64 {
	if size < directLeast {
		return 0
	}
	return directMemory
}

// writeBack is the number of bytes after which the system is asked to start writing them to
// disk, so that Sync has little to wait for.
const writeBack = 8 << 20

// Open implements [FS]. Opening a pipe, or some devices, would wait for a writer.
func (Local) Open(name string) (File, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|noWait, 0)
	if err != nil {
		return nil, err // a nil *os.File must not become a File
	}
	if err := regular(f); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// regular returns an error unless what is open is a file with data.
func regular(f interface {
	Stat() (fs.FileInfo, error)
	Name() string
}) error {
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: f.Name(), Err: errNotFile}
	}
	return err
}

var errNotFile = errors.New("is not a file")

// Create implements [FS].
func (Local) Create(name string, size int64) (Writer, error) {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return nil, err
	}
	if size >= directLeast {
		w, err := newDirectWriter(f, size)
		if err != nil {
			return nil, errors.Join(err, f.Close(), os.Remove(name))
		}
		if w != nil {
			return w, nil
		}
	}
	return &localWriter{File: f}, nil
}

// Rename implements [FS].
func (Local) Rename(from, to string) error { return os.Rename(from, to) }

// Remove implements [FS].
func (Local) Remove(name string) error { return os.Remove(name) }

// MkdirAll implements [FS].
func (Local) MkdirAll(name string) error { return os.MkdirAll(name, 0o777) }

// Stat implements [FS].
func (Local) Stat(name string) (fs.FileInfo, error) { return os.Stat(name) }

// ReadDir implements [FS]. An entry that went while the folder was read is left out.
func (Local) ReadDir(name string) ([]fs.FileInfo, error) {
	entries, err := os.ReadDir(name)
	if err != nil {
		return nil, err
	}
	infos := make([]fs.FileInfo, 0, len(entries))
	for _, e := range entries {
		info, err := e.Info()
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		infos = append(infos, info)
	}
	return infos, nil
}

// Resolve implements [FS].
func (Local) Resolve(name string) (string, error) {
	abs, err := filepath.Abs(name)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(abs)
}

// SyncDir implements [FS].
func (Local) SyncDir(name string) error {
	d, err := os.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// Lock implements [FS] by flock(2).
func (Local) Lock(name string) (Lock, error) {
	const tries = 100 // each lost to a run that ended just then
	for range tries {
		l := flock.New(name, flock.SetPermissions(0o644), flock.SetFlag(os.O_CREATE|os.O_RDONLY|noFollow|noWait))
		got, err := l.TryLock()
		if got {
			err = regularLock(l)
		}
		if err != nil {
			return nil, fmt.Errorf("lock %s: %w", name, err)
		}
		if !got {
			return nil, fmt.Errorf("%s: %w", name, ErrLocked)
		}
		if stands(l, name) {
			return &localLock{l}, nil
		}
		if err := l.Close(); err != nil {
			return nil, fmt.Errorf("lock %s: %w", name, err)
		}
	}
	return nil, fmt.Errorf("%s: %w", name, ErrLocked)
}

// regularLock returns an error unless the lock is on a file, and gives it up then.
func regularLock(l *flock.Flock) error {
	info, err := l.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errNotFile
	}
	if err != nil {
		err = errors.Join(err, l.Close())
	}
	return err
}

// stands reports whether the name still leads to the locked file: its last holder may have
// removed it between our open and our lock.
func stands(l *flock.Flock, name string) bool {
	held, err1 := l.Stat()
	named, err2 := os.Stat(name)
	return err1 == nil && err2 == nil && os.SameFile(held, named)
}

type localLock struct{ l *flock.Flock }

// Held implements [Lock].
func (l *localLock) Held() error {
	if !stands(l.l, l.l.Path()) {
		return fmt.Errorf("%s: %w: its file was removed", l.l.Path(), ErrLockLost)
	}
	return nil
}

// Close removes the lock file before it lets go of the lock, so that the next holder finds
// that its file has gone and makes another.
func (l *localLock) Close() error {
	err := l.Held()
	if err == nil {
		err = ignoreMissing(os.Remove(l.l.Path()))
	}
	return errors.Join(err, l.l.Close())
}

// localWriter is a file whose pages are sent to disk while it is being written.
type localWriter struct {
	*os.File
	written, sent int64
}

// Write implements io.Writer.
func (w *localWriter) Write(p []byte) (int, error) {
	n, err := w.File.Write(p)
	w.written += int64(n)
	if w.written-w.sent >= writeBack {
		startWriteBack(w.File, w.sent, w.written-w.sent)
		w.sent = w.written
	}
	return n, err
}

// ReadFrom hides that of os.File, which would go past Write.
func (w *localWriter) ReadFrom(r io.Reader) (int64, error) {
	return io.Copy(struct{ io.Writer }{w}, r)
}
