package publish

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"avro2trevni/internal/exit"
	"avro2trevni/internal/storage"
)

// renaming is the way to publish on storage that renames: a file is written in the run's own
// folder, and renamed. The journal has names; the lock is the storage's.
//
//	OUT/_temporary/run-X/part-00000.trv --rename--> OUT/part-00000.trv
type renaming struct {
	*Output

	lock  storage.Lock // nil until there is a folder to lock in
	made  []string     // folders that this job made to lock in, the lowest first
	temp  string       // the run's own folder; empty until it is needed
	begun bool         // there may be a journal that names this run's files

	unsettled bool // there may be a journal of another run
}

func (out *renaming) locked() bool                    { return out.lock != nil }
func (out *renaming) tempDir() string                 { return out.temp }
func (out *renaming) keepCopies(func() (Copy, error)) {}           // the files themselves are read back
func (out *renaming) partSize(int64) int64            { return 0 } // the storage holds what it does
func (out *renaming) hold(int64)                      {}

// open implements [way].
func (out *renaming) open(context.Context) error {
	if err := out.takeLock(); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// takeLock takes the lock; fs.ErrNotExist if there is no folder.
func (out *renaming) takeLock() error {
	if info, err := out.fs.Stat(out.dir()); err != nil {
		return fmt.Errorf("jobs: output %s: %w", out.Name, err)
	} else if !info.IsDir() {
		return exit.Refused("%s: is a file, not a folder; an output that is one file must end in .trv or .parquet", out.dir())
	}
	l, err := out.fs.Lock(out.lockName())
	switch {
	case errors.Is(err, storage.ErrLocked):
		return exit.Retry("%s: another run is writing this output: %w", out.Name, err)
	case err != nil:
		return fmt.Errorf("jobs: output %s: %w", out.Name, err)
	}
	out.lock = l
	return nil
}

// prepare makes the folder and locks it. In between another job may remove the folder, if
// it had made the folder and failed.
func (out *renaming) prepare(context.Context) error {
	const tries = 10
	var err error
	for range tries {
		if missing := out.unmade(); len(missing) > len(out.made) {
			out.made = missing
		}
		if err := out.fs.MkdirAll(out.dir()); errors.Is(err, fs.ErrExist) {
			return exit.Refused("%s: cannot be made: a link that leads nowhere: %w", out.dir(), err)
		} else if err != nil {
			return fmt.Errorf("jobs: output %s: %w", out.Name, err)
		}
		if err = out.takeLock(); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return err
}

// unmade returns the folders that must be made for the output, the innermost first.
func (out *renaming) unmade() (dirs []string) {
	for dir := out.dir(); ; dir = storage.Dir(dir) {
		if _, err := out.fs.Stat(dir); !errors.Is(err, fs.ErrNotExist) || dir == storage.Dir(dir) {
			return dirs
		}
		dirs = append(dirs, dir)
	}
}

// missing refuses an output whose name is a broken link.
func (out *renaming) missing() error {
	entries, err := out.fs.ReadDir(storage.Dir(out.Name))
	if err != nil {
		return ignoreMissing(err)
	}
	for _, e := range entries {
		if e.Name() == storage.Base(out.Name) {
			return exit.Refused("%s: %w: a link that leads nowhere", out.Name, exit.ErrExists)
		}
	}
	return nil
}

// create begins a file in the run's own folder.
func (out *renaming) create(name string, size int64) (storage.Writer, func() error, error) {
	path := out.staged(name)
	if dir := storage.Dir(path); dir != out.temp {
		if err := out.fs.MkdirAll(dir); err != nil {
			return nil, nil, err
		}
	}
	w, err := out.fs.Create(path, size)
	return w, func() error { return out.fs.Remove(path) }, err
}

// staged returns the path of a file until it is published under the name in the output (or
// as the output, if that is one file).
func (out *renaming) staged(name string) string {
	if out.single {
		name = storage.Base(name)
	}
	return storage.Join(out.temp, name)
}

// adopt gives a file in the run's folder another name there.
func (out *renaming) adopt(from, name string) error { return out.fs.Rename(from, out.staged(name)) }

// readBack opens a finished file.
func (out *renaming) readBack(name string) (storage.File, error) {
	return out.fs.Open(out.staged(name))
}

// discard removes a finished file.
func (out *renaming) discard(name string) error { return out.fs.Remove(out.staged(name)) }

// close removes temporary files, releases the lock, and adds its errors to err.
func (out *renaming) close(err error) error {
	err = errors.Join(err, out.leave())
	if lockErr := out.lock.Close(); !errors.Is(lockErr, storage.ErrLockLost) || err == nil {
		err = errors.Join(err, lockErr)
	}
	out.lock = nil
	if out.ended {
		return err
	}
	for _, dir := range out.made {
		if out.fs.Remove(dir) != nil {
			break // it stays if other files are in it
		}
	}
	return err
}

// leave removes this run's folder, and left-overs of other runs. A journal that could not
// be completed or undone stays for the next run, with the files that it names. If the lock
// was lost, leave removes only the folder.
func (out *renaming) leave() error {
	if out.temp == "" {
		return nil
	}
	err := out.held()
	switch {
	case out.begun:
		return err
	case out.unsettled || err != nil:
		err = errors.Join(err, storage.RemoveAll(out.fs, out.temp))
		if !out.single {
			_ = out.fs.Remove(storage.Dir(out.temp)) // if no other run has one
		}
		return err
	}
	return out.clean(true)
}
