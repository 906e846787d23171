package main

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// diskRates are bytes a second of the disk under the work folder, one stream, in
// sequence: written and synced, and read with nothing in the page cache.
type diskRates struct {
	Write float64 `json:"write"`
	Read  float64 `json:"read"`
}

// probeDisk writes a file of size bytes, forgets it, and reads it.
func probeDisk(dir string, size int64) (r diskRates, err error) {
	path := filepath.Join(dir, "disk")
	f, err := os.Create(path)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, f.Close(), os.Remove(path)) }()
	start := time.Now()
	if err := errors.Join(fillFile(f, size), f.Sync()); err != nil {
		return r, err
	}
	r.Write = float64(size) / time.Since(start).Seconds()
	if err := unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED); err != nil {
		return r, err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return r, err
	}
	start = time.Now()
	if _, err := io.CopyBuffer(struct{ io.Writer }{io.Discard}, struct{ io.Reader }{f}, make([]byte, 1<<20)); err != nil {
		return r, err
	}
	r.Read = float64(size) / time.Since(start).Seconds()
	return r, nil
}

// fillFile writes bytes that no disk can make smaller.
func fillFile(w io.Writer, size int64) error {
	noise := make([]byte, 1<<20)
	x := uint64(seed)
	for i := range noise {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		noise[i] = byte(x)
	}
	for done := int64(0); done < size; done += int64(len(noise)) {
		if _, err := w.Write(noise); err != nil {
			return err
		}
	}
	return nil
}
