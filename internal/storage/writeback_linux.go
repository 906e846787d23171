package storage

import (
	"os"

	"golang.org/x/sys/unix"
)

// noFollow makes opening a link fail.
const noFollow = unix.O_NOFOLLOW

// noWait makes opening a pipe or a device return at once.
const noWait = unix.O_NONBLOCK

// startWriteBack asks the system to begin writing a range of the file to disk, and
// doesn't wait. It promises nothing: Sync does; so an error is of no account.
func startWriteBack(f *os.File, off, n int64) {
	_ = unix.SyncFileRange(int(f.Fd()), off, n, unix.SYNC_FILE_RANGE_WRITE)
}
