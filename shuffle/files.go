package shuffle

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"

	"github.com/gofrs/flock"
)

// file is a run file that is written and read.
type file interface {
	io.ReaderAt
	io.WriterAt
	io.Closer
}

// files is what the shuffle asks of a file system.
type files interface {
	// Lock makes a private directory in parent, with a lock that dies with the process,
	// and returns it with what gives the lock up.
	Lock(parent string) (dir string, unlock func() error, err error)
	// Create makes a new file.
	Create(path string) (file, error)
	Remove(path string) error
	// RemoveAll removes a private directory and all in it.
	RemoveAll(dir string) error
}

// disk makes run files in private directories.
type disk struct {
	files   files
	parents []string
	mu      sync.Mutex
	dirs    []privateDir // as many as parents; made when first used
	serial  int
}

type privateDir struct {
	path   string // empty until it is made
	unlock func() error
}

func newDisk(fs files, parents []string) *disk {
	return &disk{files: fs, parents: parents, dirs: make([]privateDir, len(parents))}
}

// create makes a run file in the next directory.
func (d *disk) create() (file, string, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	i := d.serial % len(d.parents)
	if d.dirs[i].path == "" {
		path, unlock, err := d.files.Lock(d.parents[i])
		if err != nil {
			return nil, "", fmt.Errorf("private directory in %s: %w", d.parents[i], err)
		}
		d.dirs[i] = privateDir{path, unlock}
	}
	path := filepath.Join(d.dirs[i].path, fmt.Sprintf("run-%06d", d.serial))
	d.serial++
	f, err := d.files.Create(path)
	return f, path, err
}

// drop closes and removes a file.
func (d *disk) drop(f file, path string) error {
	return errors.Join(f.Close(), d.files.Remove(path))
}

// close removes the private directories.
func (d *disk) close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	var err error
	for i, p := range d.dirs {
		if p.path != "" {
			err = errors.Join(err, d.files.RemoveAll(p.path), p.unlock())
			d.dirs[i] = privateDir{}
		}
	}
	return err
}

// osFiles is the operating system's file system.
type osFiles struct{}

// Create makes a file that only its owner can read.
func (osFiles) Create(path string) (file, error) {
	return os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
}

func (osFiles) Remove(path string) error   { return os.Remove(path) }
func (osFiles) RemoveAll(dir string) error { return removePrivate(dir) }

// Lock makes a private directory. A cleaner may take it before it is locked: then
// another is made.
func (osFiles) Lock(parent string) (string, func() error, error) {
	for range 100 {
		dir, err := os.MkdirTemp(parent, dirPrefix+"*")
		if err != nil {
			return "", nil, err
		}
		lock := flock.New(filepath.Join(dir, lockName), flock.SetPermissions(0o600))
		if ok, err := lock.TryLock(); err != nil && !errors.Is(err, os.ErrNotExist) {
			return "", nil, errors.Join(err, removePrivate(dir))
		} else if ok && sameFile(lock) {
			return dir, lock.Unlock, nil
		}
		if err := lock.Close(); err != nil {
			return "", nil, err
		}
	}
	return "", nil, errors.New("other processes keep removing new directories")
}

// sameFile reports whether the locked file is still the one of that name.
func sameFile(lock *flock.Flock) bool {
	locked, err := lock.Stat()
	if err != nil {
		return false
	}
	named, err := os.Lstat(lock.Path())
	return err == nil && os.SameFile(locked, named)
}
