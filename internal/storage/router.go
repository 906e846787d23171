package storage

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"sync"
)

// Router is the file system that a name itself tells: the local one for a path, and
// for a URI that of its root, connected to when it is first needed. Close closes
// those that were.
//
//	/data/a.avro             --> Local
//	hdfs://host:8020/a.avro  --> Connect("hdfs://host:8020"), once
type Router struct {
	Local   FS
	Connect func(root string) (FS, error) // what it returns is closed if it is an io.Closer

	mu    sync.Mutex
	roots map[string]*mount
}

// mount is a root, which may be connected to.
type mount struct {
	mu sync.Mutex // held while it is connected to: other roots do not wait
	fs FS         // nil until then
}

// of returns the file system of a name. One that cannot be reached is tried again by
// the next call.
func (r *Router) of(name string) (FS, error) {
	root, _ := Split(name)
	if root == "" {
		return r.Local, nil
	}
	m := r.mount(root)
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.fs != nil {
		return m.fs, nil
	}
	f, err := r.Connect(root)
	if err != nil {
		return nil, err
	}
	m.fs = f
	return f, nil
}

func (r *Router) mount(root string) *mount {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.roots == nil {
		r.roots = map[string]*mount{}
	}
	if r.roots[root] == nil {
		r.roots[root] = new(mount)
	}
	return r.roots[root]
}

// Close closes all file systems that were connected to.
func (r *Router) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	var errs []error
	for _, m := range r.roots {
		errs = append(errs, m.close())
	}
	r.roots = nil
	return errors.Join(errs...)
}

func (m *mount) close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if c, ok := m.fs.(io.Closer); ok {
		return c.Close()
	}
	return nil
}

// Open implements [FS].
func (r *Router) Open(name string) (File, error) {
	f, err := r.of(name)
	if err != nil {
		return nil, err
	}
	return f.Open(name)
}

// Create implements [FS].
func (r *Router) Create(name string, size int64) (Writer, error) {
	f, err := r.of(name)
	if err != nil {
		return nil, err
	}
	return f.Create(name, size)
}

// Rename implements [FS]. Both names must be of one file system.
func (r *Router) Rename(from, to string) error {
	a, _ := Split(from)
	b, _ := Split(to)
	if a != b {
		return fmt.Errorf("storage: rename %s to %s: between file systems: %w", from, to, ErrUnsupported)
	}
	f, err := r.of(from)
	if err != nil {
		return err
	}
	return f.Rename(from, to)
}

// Remove implements [FS].
func (r *Router) Remove(name string) error {
	f, err := r.of(name)
	if err != nil {
		return err
	}
	return f.Remove(name)
}

// MkdirAll implements [FS].
func (r *Router) MkdirAll(name string) error {
	f, err := r.of(name)
	if err != nil {
		return err
	}
	return f.MkdirAll(name)
}

// ReadDir implements [FS].
func (r *Router) ReadDir(name string) ([]fs.FileInfo, error) {
	f, err := r.of(name)
	if err != nil {
		return nil, err
	}
	return f.ReadDir(name)
}

// Stat implements [FS].
func (r *Router) Stat(name string) (fs.FileInfo, error) {
	f, err := r.of(name)
	if err != nil {
		return nil, err
	}
	return f.Stat(name)
}

// Resolve implements [FS].
func (r *Router) Resolve(name string) (string, error) {
	f, err := r.of(name)
	if err != nil {
		return "", err
	}
	return f.Resolve(name)
}

// SyncDir implements [FS].
func (r *Router) SyncDir(name string) error {
	f, err := r.of(name)
	if err != nil {
		return err
	}
	return f.SyncDir(name)
}

// Lock implements [FS].
func (r *Router) Lock(name string) (Lock, error) {
	f, err := r.of(name)
	if err != nil {
		return nil, err
	}
	return f.Lock(name)
}
