package storagetest

import (
	"io"
	"io/fs"
	"path/filepath"
	"time"
)

// memFile is an open file of a [Mem], for reading or writing.
type memFile struct {
	m    *Mem
	n    *node
	name string
}

// ReadAt implements io.ReaderAt.
func (f *memFile) ReadAt(p []byte, off int64) (int, error) {
	f.m.mu.Lock()
	defer f.m.mu.Unlock()
	if f.n.entries != nil {
		return 0, pathError("read", f.name, errIsDir)
	}
	if off >= int64(len(f.n.data)) {
		return 0, io.EOF
	}
	n := copy(p, f.n.data[off:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// Write appends.
func (f *memFile) Write(p []byte) (int, error) {
	f.m.mu.Lock()
	defer f.m.mu.Unlock()
	f.n.data = append(f.n.data, p...)
	return len(p), nil
}

// Sync makes the bytes durable; the name is its folder's affair.
func (f *memFile) Sync() error {
	f.m.mu.Lock()
	defer f.m.mu.Unlock()
	f.n.synced = append([]byte(nil), f.n.data...)
	return nil
}

// Close implements io.Closer.
func (f *memFile) Close() error { return nil }

// Stat describes the open file.
func (f *memFile) Stat() (fs.FileInfo, error) {
	f.m.mu.Lock()
	defer f.m.mu.Unlock()
	return f.n.info(filepath.Base(f.name)), nil
}

type memInfo struct {
	name string
	size int64
	mod  time.Time
	dir  bool
}

func (n *node) info(name string) fs.FileInfo {
	return memInfo{name: name, size: int64(len(n.data)), mod: n.mod, dir: n.entries != nil}
}

func (i memInfo) Name() string       { return i.name }
func (i memInfo) Size() int64        { return i.size }
func (i memInfo) ModTime() time.Time { return i.mod }
func (i memInfo) IsDir() bool        { return i.dir }
func (i memInfo) Sys() any           { return nil }
func (i memInfo) Mode() fs.FileMode {
	if i.dir {
		return fs.ModeDir | 0o777
	}
	return 0o666
}
