package shuffle

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/gofrs/flock"
)

// Names in a temporary directory.
const (
	dirPrefix = ".avro2trevni-shuffle-" // of a private directory
	lockName  = "lock"                  // the file in it that a living process holds locked
)

// cleanStale removes from dir the private directories of processes that are gone, never one
// of a living process, and returns the number removed. The error joins the failures, but it
// goes on with the other directories after each.
func cleanStale(dir string) (removed int, err error) {
	names, err := os.ReadDir(dir)
	if err != nil {
		return 0, err
	}
	for _, e := range names {
		if !e.IsDir() || !strings.HasPrefix(e.Name(), dirPrefix) {
			continue
		}
		ok, failed := cleanOne(filepath.Join(dir, e.Name()))
		if ok {
			removed++
		}
		err = errors.Join(err, failed)
	}
	return removed, err
}

// cleanOne removes a private directory unless it is locked. A directory without a lock file
// is either new, and then its process makes another one, or half removed; it is removed if
// it is empty.
func cleanOne(path string) (removed bool, err error) {
	lock := flock.New(filepath.Join(path, lockName), flock.SetFlag(os.O_RDWR))
	ok, err := lock.TryLock()
	if errors.Is(err, fs.ErrNotExist) {
		err := os.Remove(path)
		return err == nil, nil
	}
	if err != nil || !ok {
		return false, errors.Join(err, lock.Close())
	}
	err = removePrivate(path)
	return err == nil, errors.Join(err, lock.Close())
}

// removePrivate removes a private directory, its lock file last, so that an interrupted
// removal can be distinguished from the directory of a living process.
func removePrivate(path string) error {
	names, err := os.ReadDir(path)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	for _, e := range names {
		if e.Name() != lockName {
			err = errors.Join(err, os.RemoveAll(filepath.Join(path, e.Name())))
		}
	}
	if err != nil {
		return err
	}
	// Without its lock file a cleaner may remove the directory first.
	for _, name := range []string{filepath.Join(path, lockName), path} {
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
