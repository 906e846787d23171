package storage

import "golang.org/x/sys/unix"

// FreeBytes returns the bytes that the file system of a local folder has for this user, and
// whether the system reports it.
func FreeBytes(dir string) (int64, bool) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return 0, false
	}
	return int64(min(s.Bavail, 1<<50)) * s.Bsize, true
}
