package publish

import (
	"context"

	"avro2trevni/internal/storage"
)

// way is one way to publish: how files get their names, all at once or not at all. It is
// chosen when an output is opened, by what the storage can do; nothing outside of this
// package knows which it is. Its methods are those of one [Output], in its order of calls;
// create, readBack and discard are for several goroutines.
//
//	renaming   storage that renames: files in the run's own folder, a lock of the storage
//	staging    object storage: pending uploads, a lock by compare-and-swap
type way interface {
	// open takes the lock, if there is something that can be locked.
	open(ctx context.Context) error
	// prepare makes the place for the lock, and takes it.
	prepare(ctx context.Context) error
	// locked reports whether this run took the lock, and has not released it.
	locked() bool
	// missing refuses an output that does not exist, if something is in its way that only
	// looks like nothing.
	missing() error
	// repair is [Output.Repair].
	repair() (published bool, err error)
	// begin makes the place for the run's own files, after [Output.Check].
	begin() error
	// tempDir is [Output.TempDir].
	tempDir() string
	// create begins a file. It is finished by Sync and Close of the writer, or else removed
	// by discard, after Close.
	create(name string, size int64) (w storage.Writer, discard func() error, err error)
	// readBack opens a finished file that is not published yet.
	readBack(name string) (storage.File, error)
	// adopt makes a file in tempDir a finished one of that name.
	adopt(from, name string) error
	// discard removes a finished file.
	discard(name string) error
	// commit publishes all finished files. If it returns nil, they are published; else they
	// are not, or the next run that repairs decides.
	commit(ctx context.Context, manifest func() ([]byte, error)) error
	// keepCopies is [Output.KeepCopies].
	keepCopies(make func() (Copy, error))
	// partSize returns the size of the parts of a file of that size, which are held in memory
	// until they are stored; 0 if there are none.
	partSize(size int64) int64
	// hold is [Output.Hold].
	hold(bytes int64)
	// close removes what was not published and gives the lock up. It returns err with its
	// own errors. After it, locked is false.
	close(err error) error
}
