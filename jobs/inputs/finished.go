package inputs

import (
	"errors"

	"avro2trevni/internal/format"
	"avro2trevni/internal/storage"
)

// Finished is a file that a job made, read back.
type Finished struct {
	format.File
	file storage.File
}

// OpenFinished opens a file of a format. The caller closes it.
func OpenFinished(f storage.FS, of format.Format, path string) (*Finished, error) {
	file, err := f.Open(path)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	t, err := of.Open(file, path, info.Size())
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return &Finished{t, file}, nil
}

// Close closes the file.
func (f *Finished) Close() error { return f.file.Close() }
