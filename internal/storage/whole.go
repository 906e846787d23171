package storage

import "io"

// Whole returns a reader that reads all of what is wanted or fails, where a storage may give less
// and no error.
func Whole(r io.ReaderAt) io.ReaderAt { return whole{r} }

type whole struct{ r io.ReaderAt }

// ReadAt implements io.ReaderAt.
func (w whole) ReadAt(p []byte, off int64) (n int, err error) {
	for n < len(p) && err == nil {
		k := 0
		if k, err = w.r.ReadAt(p[n:], off+int64(n)); k == 0 && err == nil {
			err = io.ErrNoProgress
		}
		n += k
	}
	if n == len(p) {
		err = nil
	}
	return n, err
}
