package storagetest

import (
	"errors"
	"io/fs"
	"sync"

	"avro2trevni/internal/storage"
)

// ErrFault is what a [Fault] fails with.
var ErrFault = errors.New("storagetest: fault")

// Fault passes calls on to another file system and fails one, or one and all
// after it. Every call counts, those of the files it opens too; what a failed call
// would have done is not done. It is safe for several goroutines.
type Fault struct {
	FS    storage.FS
	At    int  // the call that fails, from 1; 0 = none
	Dead  bool // all calls behind it fail too, as in a process that was killed
	Short bool // a write that fails has written half

	mu    sync.Mutex
	calls int
}

// Calls returns how many calls there were.
func (f *Fault) Calls() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.calls
}

// step counts a call, and fails it if it is its turn.
func (f *Fault) step(op, name string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls++
	if f.At > 0 && (f.calls == f.At || f.Dead && f.calls > f.At) {
		return pathError(op, name, ErrFault)
	}
	return nil
}

// Open implements [storage.FS].
func (f *Fault) Open(name string) (storage.File, error) {
	if err := f.step("open", name); err != nil {
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
	if err := f.step("create", name); err != nil {
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
	if err := f.step("rename", from); err != nil {
		return err
	}
	return f.FS.Rename(from, to)
}

// Remove implements [storage.FS].
func (f *Fault) Remove(name string) error {
	if err := f.step("remove", name); err != nil {
		return err
	}
	return f.FS.Remove(name)
}

// MkdirAll implements [storage.FS].
func (f *Fault) MkdirAll(name string) error {
	if err := f.step("mkdir", name); err != nil {
		return err
	}
	return f.FS.MkdirAll(name)
}

// ReadDir implements [storage.FS].
func (f *Fault) ReadDir(name string) ([]fs.FileInfo, error) {
	if err := f.step("readdir", name); err != nil {
		return nil, err
	}
	return f.FS.ReadDir(name)
}

// Stat implements [storage.FS].
func (f *Fault) Stat(name string) (fs.FileInfo, error) {
	if err := f.step("stat", name); err != nil {
		return nil, err
	}
	return f.FS.Stat(name)
}

// Resolve implements [storage.FS].
func (f *Fault) Resolve(name string) (string, error) {
	if err := f.step("resolve", name); err != nil {
		return "", err
	}
	return f.FS.Resolve(name)
}

// SyncDir implements [storage.FS].
func (f *Fault) SyncDir(name string) error {
	if err := f.step("sync", name); err != nil {
		return err
	}
	return f.FS.SyncDir(name)
}

// Lock implements [storage.FS].
func (f *Fault) Lock(name string) (storage.Lock, error) {
	if err := f.step("lock", name); err != nil {
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
	return errors.Join(l.f.step("held", l.name), l.l.Held())
}

// Close implements io.Closer. The lock is given up even when the call fails.
func (l faultLock) Close() error {
	return errors.Join(l.f.step("unlock", l.name), l.l.Close())
}

type faultFile struct {
	storage.File
	f    *Fault
	name string
}

// ReadAt implements io.ReaderAt.
func (r *faultFile) ReadAt(p []byte, off int64) (int, error) {
	if err := r.f.step("read", r.name); err != nil {
		return 0, err
	}
	return r.File.ReadAt(p, off)
}

type faultWriter struct {
	f    *Fault
	name string
	w    storage.Writer
}

// Write implements io.Writer.
func (w *faultWriter) Write(p []byte) (int, error) {
	err := w.f.step("write", w.name)
	if err == nil {
		return w.w.Write(p)
	}
	if !w.f.Short {
		return 0, err
	}
	n, writeErr := w.w.Write(p[:len(p)/2])
	return n, errors.Join(err, writeErr)
}

// Sync implements [storage.Writer].
func (w *faultWriter) Sync() error {
	if err := w.f.step("fsync", w.name); err != nil {
		return err
	}
	return w.w.Sync()
}

// Close implements io.Closer. The file is closed even when the call fails.
func (w *faultWriter) Close() error {
	return errors.Join(w.f.step("close", w.name), w.w.Close())
}
