package parquet

import (
	"fmt"
	"io"

	"avro2trevni/internal/colsum"
	"avro2trevni/internal/format/parquet/readback"
	"avro2trevni/internal/storage"
	"avro2trevni/parquet"
)

// readBack returns the digests of a file's columns, as another library reads them: see package
// readback. Its errors name the file; those of what is in it are [parquet.ErrCorrupt].
func readBack(r io.ReaderAt, size int64, path string, count func(bytes int64)) ([]colsum.Column, error) {
	f := &failing{r: storage.Whole(r)}
	sums, err := readback.Sums(f, size, count)
	switch {
	case f.err != nil:
		return nil, fmt.Errorf("read %s: %w", path, f.err)
	case err != nil:
		return nil, fmt.Errorf("%s: %w: %w", path, parquet.ErrCorrupt, err)
	}
	return sums, nil
}

// failing keeps the error of a reader.
type failing struct {
	r   io.ReaderAt
	err error
}

// ReadAt implements io.ReaderAt.
func (f *failing) ReadAt(p []byte, off int64) (int, error) {
	n, err := f.r.ReadAt(p, off)
	if err != nil && err != io.EOF && f.err == nil {
		f.err = err
	}
	return n, err
}
