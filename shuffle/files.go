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

// File is a run file that is written and read.
type File interface {
	io.ReaderAt
	io.WriterAt
	io.Closer
}

// Files is what the shuffle asks of a file system.
type Files interface {
	// Prepare checks that a directory for run files exists, and removes from it what dead
	// processes left.
	Prepare(parent string) error
	// Lock makes a private directory in parent, with a lock that dies with the process,
	// and returns it with what gives the lock up.
	Lock(parent string) (dir string, unlock func() error, err error)
	// Create makes a new file.
	Create(path string) (File, error)
	Remove(path string) error
	// RemoveAll removes a private directory and all in it.
	RemoveAll(dir string) error
}

// disk makes run files in private directories.
type disk struct {
	files   Files
	quota   Quota
	failed  func(dir string, err error)
	parents []string
	mu      sync.Mutex
	dirs    []privateDir // as many as parents; made when first used
	serial  int
}

type privateDir struct {
	path   string // empty until it is made
	unlock func() error
	err    error // what ended its use
}

// slot is a place for a run file of that many bytes.
type slot struct {
	file File
	path string
	size int64
	dir  int // number of the directory
}

func newDisk(o *Options) *disk {
	return &disk{files: o.Files, quota: o.Quota, failed: o.Failed, parents: o.TempDirs, dirs: make([]privateDir, len(o.TempDirs))}
}

// create makes a run file for size bytes in the next directory that has not failed.
func (d *disk) create(size int64) (s slot, err error) {
	if err := d.quota.Take(size); err != nil {
		return slot{}, err
	}
	defer func() {
		if err != nil {
			d.quota.Give(size)
		}
	}()
	for {
		s, err := d.try(size)
		if err == nil || !d.giveUp(s.dir, err) {
			return s, err
		}
	}
}

// try makes a run file in the next directory.
func (d *disk) try(size int64) (slot, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	s := slot{size: size, dir: d.serial % len(d.parents)}
	for d.dirs[s.dir].err != nil { // one is left: giveUp keeps it
		s.dir = (s.dir + 1) % len(d.parents)
	}
	dir := &d.dirs[s.dir]
	if dir.path == "" {
		path, unlock, err := d.files.Lock(d.parents[s.dir])
		if err != nil {
			return s, fmt.Errorf("private directory in %s: %w", d.parents[s.dir], err)
		}
		dir.path, dir.unlock = path, unlock
	}
	s.path = filepath.Join(dir.path, fmt.Sprintf("run-%06d", d.serial))
	d.serial++
	var err error
	s.file, err = d.files.Create(s.path)
	return s, err
}

// giveUp ends the use of a directory that failed to take a run file, and reports whether
// there is another. What it holds stays readable.
func (d *disk) giveUp(dir int, err error) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	left := 0
	for i := range d.dirs {
		if d.dirs[i].err == nil && i != dir {
			left++
		}
	}
	if left == 0 {
		return false
	}
	d.dirs[dir].err = err
	d.failed(d.parents[dir], err)
	return true
}

// drop closes and removes a file.
func (d *disk) drop(s slot) error {
	d.quota.Give(s.size)
	return errors.Join(s.file.Close(), d.files.Remove(s.path))
}

// close removes the private directories.
func (d *disk) close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	var err error
	for i, p := range d.dirs {
		if p.path != "" {
			err = errors.Join(err, d.files.RemoveAll(p.path), p.unlock())
			d.dirs[i] = privateDir{err: p.err}
		}
	}
	return err
}

// Quota bounds the bytes of run files. It may serve several users.
type Quota interface {
	// Take reserves bytes before they are written.
	Take(n int64) error
	// Give returns bytes that were taken.
	Give(n int64)
}

type noQuota struct{}

func (noQuota) Take(int64) error { return nil }
func (noQuota) Give(int64)       {}

// osFiles is the operating system's file system.
type osFiles struct{}

// Prepare wants a directory. What cannot be removed from it belongs to another user, or
// will fail with a better message when it is written to.
func (osFiles) Prepare(dir string) error {
	info, err := os.Stat(dir)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return fmt.Errorf("%s is not a directory", dir)
	}
	_, _ = cleanStale(dir)
	return nil
}

// Create makes a file that only its owner can read.
func (osFiles) Create(path string) (File, error) {
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
