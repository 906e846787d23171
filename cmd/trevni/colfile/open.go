package colfile

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"

	"avro2trevni/internal/storage"
)

// Formats are the formats that are known.
type Formats []Format

// magicSize is how many bytes tell a file's format.
const magicSize = 4

// Open opens a file of the format that its first bytes are of.
func (f Formats) Open(src io.ReaderAt, size int64, o Options) (File, error) {
	var first [magicSize]byte
	n, err := src.ReadAt(first[:min(size, magicSize)], 0)
	if err != nil && err != io.EOF {
		return nil, fmt.Errorf("%s: %w", o.Path, err)
	}
	begins := string(first[:n])
	for i := range f {
		if strings.HasPrefix(begins, f[i].Magic) {
			return f[i].Open(src, size, o)
		}
	}
	return nil, Wrong(fmt.Errorf("%s: %w", o.Path, f.stranger(begins)))
}

// others are files that people have beside those of columns, by their first bytes.
var others = []struct{ magic, what string }{
	{"Obj\x01", "this is an Avro data file: convert makes a Parquet or Trevni file of it"},
	{"ORC", "this is an ORC file, which is not read here"},
	{"\x1f\x8b", "this file is compressed by gzip: decompress it first"},
}

// stranger says what a file is that begins with no format's bytes.
func (f Formats) stranger(begins string) error {
	if begins == "" {
		return errors.New("the file is empty")
	}
	for _, o := range others {
		if strings.HasPrefix(begins, o.magic) {
			return errors.New(o.what)
		}
	}
	var names []string
	for i := range f {
		names = append(names, f[i].Name)
	}
	return fmt.Errorf("not a %s file: it begins with %q", strings.Join(names, " or "), begins)
}

// Exts returns how names of files end, with the dot.
func (f Formats) Exts() (all []string) {
	for i := range f {
		all = append(all, f[i].Ext)
	}
	return all
}

// Corrupt reports whether an error says that a file is not as it should be.
func (f Formats) Corrupt(err error) bool {
	for i := range f {
		if f[i].Corrupt(err) {
			return true
		}
	}
	return errors.Is(err, ErrWrong)
}

// OpenRegular opens a file that is one: to open a pipe would wait for its other end. Small reads
// of a file that is not on this machine are joined.
func OpenRegular(fsys storage.FS, name string) (storage.File, int64, error) {
	if storage.Remote(name) {
		return openRemote(fsys, name)
	}
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, 0, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s: not a regular file", name)
	}
	if err != nil {
		return nil, 0, errors.Join(err, f.Close())
	}
	return f, info.Size(), nil
}

// ReadRegular reads a small file whole.
func ReadRegular(fsys storage.FS, name string) ([]byte, error) {
	f, size, err := OpenRegular(fsys, name)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.NewSectionReader(f, 0, size))
	return data, errors.Join(err, f.Close())
}
