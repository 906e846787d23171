package storagetest

import (
	"errors"
	"io/fs"
	"slices"
	"sync"
	"syscall"

	"avro2trevni/internal/storage"
)

// ErrFault is what a [Fault] fails with.
var ErrFault = errors.New("storagetest: fault")

// Fault passes calls on to another file system and fails one, or one and all
// after it, or all writes from a byte on. Every call counts, those of the files it
// opens too; what a failed call would have done is not done. It is safe for several
// goroutines.
type Fault struct {
	FS     storage.FS
	At     int                             // the call that fails, from 1; 0 = none
	Dead   bool                            // all calls after it fail too, as in a process that was killed
	Short  bool                            // a read or write that fails has moved half
	Quiet  bool                            // a read that fails moves half and says nothing, as some storage does
	Err    error                           // what it fails with; default ErrFault
	Before func(call int, op, name string) // is told of each call before it is made; may be nil
	Room   int64                           // bytes that can be written, of all files; the write that goes past them, and all after it, fail with ENOSPC; 0 = no limit

	mu     sync.Mutex
	calls  int
	filled int64
	failed []string
}

// Failed returns what failed, in order: the call's name, a space, and the path.
func (f *Fault) Failed() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.failed)
}

// Filled returns how many bytes were written.
func (f *Fault) Filled() int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.filled
}

// Calls returns how many calls there were.
func (f *Fault) Calls() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.calls
}

// Step counts a call, and fails it if it is its turn: for what a test does beside the
// file system.
func (f *Fault) Step(op, name string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls++
	if f.Before != nil {
		f.Before(f.calls, op, name)
	}
	if f.At > 0 && (f.calls == f.At || f.Dead && f.calls > f.At) {
		err := f.Err
		if err == nil {
			err = ErrFault
		}
		return f.fail(op, name, err)
	}
	return nil
}

// fail notes a failure. The caller holds mu.
func (f *Fault) fail(op, name string, err error) error {
	f.failed = append(f.failed, op+" "+name)
	return pathError(op, name, err)
}

// Write is Step for a write of n bytes. It returns how many of them are to be written.
func (f *Fault) Write(op, name string, n int) (int, error) {
	if err := f.Step(op, name); err != nil {
		if f.Short {
			return n / 2, err
		}
		return 0, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if left := f.Room - f.filled; f.Room > 0 && int64(n) > left {
		f.filled = f.Room
		return int(left), f.fail(op, name, syscall.ENOSPC)
	}
	f.filled += int64(n)
	return n, nil
}

// Read is Step for a read of n bytes. It returns how many of them are to be read; where
// it fails quietly, less than n and no error.
func (f *Fault) Read(op, name string, n int) (int, error) {
	err := f.Step(op, name)
	switch {
	case err == nil:
		return n, nil
	case f.Quiet && n > 1:
		return n / 2, nil
	case f.Short:
		return n / 2, err
	}
	return 0, err
}

// Open implements [storage.FS].
func (f *Fault) Open(name string) (storage.File, error) {
	if err := f.Step("open", name); err != nil {
		return nil, err
	}
	r, err := f.FS.Open(name)
	if err != nil {
		return nil, err
	}
	return &faultFile{f: f, name: name, File: r}, nil
}

// Create implements [storage.FS].
func (f *Fault) Create(name string, size int64) (storage.Writer, error) {
	if err := f.Step("create", name); err != nil {
		return nil, err
	}
	w, err := f.FS.Create(name, size)
	if err != nil {
		return nil, err
	}
	return &faultWriter{f: f, name: name, w: w}, nil
}

// Rename implements [storage.FS].
func (f *Fault) Rename(from, to string) error {
	if err := f.Step("rename", from); err != nil {
		return err
	}
	return f.FS.Rename(from, to)
}

// Remove implements [storage.FS].
func (f *Fault) Remove(name string) error {
	if err := f.Step("remove", name); err != nil {
		return err
	}
	return f.FS.Remove(name)
}

// MkdirAll implements [storage.FS].
func (f *Fault) MkdirAll(name string) error {
	if err := f.Step("mkdir", name); err != nil {
		return err
	}
	return f.FS.MkdirAll(name)
}

// ReadDir implements [storage.FS].
func (f *Fault) ReadDir(name string) ([]fs.FileInfo, error) {
	if err := f.Step("readdir", name); err != nil {
		return nil, err
	}
	return f.FS.ReadDir(name)
}

// Stat implements [storage.FS].
func (f *Fault) Stat(name string) (fs.FileInfo, error) {
	if err := f.Step("stat", name); err != nil {
		return nil, err
	}
	return f.FS.Stat(name)
}

// Resolve implements [storage.FS].
func (f *Fault) Resolve(name string) (string, error) {
	if err := f.Step("resolve", name); err != nil {
		return "", err
	}
	return f.FS.Resolve(name)
}

// SyncDir implements [storage.FS].
func (f *Fault) SyncDir(name string) error {
	if err := f.Step("sync", name); err != nil {
		return err
	}
	return f.FS.SyncDir(name)
}

// Lock implements [storage.FS].
func (f *Fault) Lock(name string) (storage.Lock, error) {
	if err := f.Step("lock", name); err != nil {
		return nil, err
	}
	l, err := f.FS.Lock(name)
	if err != nil {
		return nil, err
	}
	return faultLock{f, name, l}, nil
}

type faultLock struct {
	f    *Fault
	name string
	l    storage.Lock
}

// Held implements [storage.Lock].
func (l faultLock) Held() error {
	return errors.Join(l.f.Step("held", l.name), l.l.Held())
}

// Close implements io.Closer. The lock is released even if the call fails.
func (l faultLock) Close() error {
	return errors.Join(l.f.Step("unlock", l.name), l.l.Close())
}

type faultFile struct {
	storage.File
	f    *Fault
	name string
}

// ReadAt implements io.ReaderAt.
func (r *faultFile) ReadAt(p []byte, off int64) (int, error) {
	n, err := r.f.Read("read", r.name, len(p))
	if n == 0 && err != nil {
		return 0, err
	}
	n, readErr := r.File.ReadAt(p[:n], off)
	if err == nil {
		return n, readErr // io.EOF as it is
	}
	return n, errors.Join(err, readErr)
}

type faultWriter struct {
	f    *Fault
	name string
	w    storage.Writer
}

// Write implements io.Writer.
func (w *faultWriter) Write(p []byte) (int, error) {
	n, err := w.f.Write("write", w.name, len(p))
	if n == 0 && err != nil {
		return 0, err
	}
	n, writeErr := w.w.Write(p[:n])
	return n, errors.Join(err, writeErr)
}

// Sync implements [storage.Writer].
func (w *faultWriter) Sync() error {
	if err := w.f.Step("fsync", w.name); err != nil {
		return err
	}
	return w.w.Sync()
}

// Close implements io.Closer. The file is closed even when the call fails.
func (w *faultWriter) Close() error {
	return errors.Join(w.f.Step("close", w.name), w.w.Close())
}
