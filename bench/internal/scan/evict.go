package scan

import (
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// freshCopy copies a file, and syncs the copy, so that its pages are clean and can be
// evicted.
func freshCopy(from, to string) (err error) {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Sync(), out.Close())
}

// evict drops a file from the page cache by posix_fadvise, and makes sure that it is
// gone. What a disk, or the host of a virtual machine, keeps is beyond it.
func evict(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED); err != nil {
		return fmt.Errorf("bench: evict %s: %w", path, err)
	}
	pages, err := resident(f)
	if err == nil && pages > 0 {
		return fmt.Errorf("bench: evict %s: %d pages stayed in the cache", path, pages)
	}
	return err
}

// resident counts the pages of a file that are in the page cache, where the kernel tells.
func resident(f *os.File) (uint64, error) {
	var stat unix.Cachestat_t
	err := unix.Cachestat(uint(f.Fd()), &unix.CachestatRange{}, &stat, 0)
	if errors.Is(err, unix.ENOSYS) { // before Linux 6.5
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("bench: pages of %s: %w", f.Name(), err)
	}
	return stat.Cache, nil
}
