package hdfs

import (
	"errors"
	"fmt"
	"io/fs"

	"avro2trevni/internal/storage"
)

// lock is a lock file that is kept open, and with it its lease.
type lock struct {
	f    *FS
	name string
	made bool   // the file is made
	id   uint64 // of the file
}

// Lock implements [storage.FS].
func (f *FS) Lock(name string) (storage.Lock, error) {
	l := &lock{f: f, name: f.path(name)}
	err := f.try("lock", l.name, func(bool) error {
		if err := f.writable(l.name); err != nil {
			return err
		}
		return l.take()
	})
	if errors.Is(err, storage.ErrLocked) {
		return nil, fmt.Errorf("%s: %w", f.uri(l.name), storage.ErrLocked)
	}
	if err != nil {
		return nil, err
	}
	return l, nil
}

// take creates the file, or takes over one that is left. If the answer to the creation
// is lost, the file is our own, and stays locked until its lease, which is no longer renewed
// by then, has run out: safe, and rare.
func (l *lock) take() error {
	const tries = 3 // each lost to a run that ended, or took over, just then
	for range tries {
		err := l.create()
		if !errors.Is(err, fs.ErrExist) {
			return err
		}
		err = l.removeDead()
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return storage.ErrLocked
}

func (l *lock) create() error {
	if !l.made {
		if _, err := l.f.client.CreateFile(l.name, l.f.defaults.Replication, l.f.defaults.BlockSize, 0o644); err != nil {
			return err
		}
		l.made = true
	}
	info, err := l.f.client.Stat(l.name)
	if err != nil {
		return err
	}
	l.id = id(info)
	return nil
}

// removeDead removes a lock file whose holder is gone. The NameNode decides: when a
// writer's lease has expired, it lets exactly one client append to the file.
func (l *lock) removeDead() error {
	_, err := l.f.client.Append(l.name)
	if remote := remoteOf(err); remote != nil && isException(remote, "AlreadyBeingCreatedException", "RecoveryInProgressException") {
		return storage.ErrLocked
	}
	if err != nil {
		return err
	}
	return l.f.client.Remove(l.name)
}

// Held implements [storage.Lock].
func (l *lock) Held() error {
	info, err := l.f.Stat(l.name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s: %w: its file was removed", l.f.uri(l.name), storage.ErrLockLost)
	case err == nil && id(info) != l.id:
		return fmt.Errorf("%s: %w: its lease ran out, and another run has it", l.f.uri(l.name), storage.ErrLockLost)
	}
	return err
}

// Close removes the file, which is still open, so that no other can take it over
// before.
func (l *lock) Close() error {
	if err := l.Held(); err != nil {
		return err
	}
	return l.f.Remove(l.name)
}
