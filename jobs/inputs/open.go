package inputs

import (
	"errors"
	"io/fs"

	"avro2trevni/internal/exit"
	"avro2trevni/internal/storage"
)

// open opens the input and checks that it is still the file that was planned. A storage with
// versions checks that at each read.
func (in *Input) open(f storage.FS, from, to int64) (storage.File, error) {
	file, err := storage.OpenAs(f, in.Path, storage.Described{Size: in.Size, ModTime: in.ModTime, Version: in.Version, From: from, To: to})
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err == nil {
		err = in.same(info)
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return &versioned{file, in}, nil
}

// versioned is an open input whose reads may find that it has changed.
type versioned struct {
	storage.File
	in *Input
}

// ReadAt implements io.ReaderAt.
func (v *versioned) ReadAt(p []byte, off int64) (int, error) {
	n, err := v.File.ReadAt(p, off)
	switch {
	case errors.Is(err, storage.ErrChanged):
		err = exit.Retry("%s: %w: %w", v.in.Path, exit.ErrChanged, err)
	case errors.Is(err, fs.ErrNotExist):
		err = exit.Retry("%s: %w: it is gone", v.in.Path, exit.ErrChanged)
	}
	return n, err
}
