// Package avrorows reads the rows of Avro data files, one after another, in the form in which
// equal rows are equal bytes.
package avrorows

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"

	"avro2trevni/cmd/trevni/colfile"
	"avro2trevni/cmd/trevni/inputs"
	"avro2trevni/cmd/trevni/rowtext"
	"avro2trevni/internal/ocf"
	"avro2trevni/internal/schema"
	"avro2trevni/internal/storage"
)

// Reader reads the rows of Avro files, one after another.
type Reader struct {
	FS     storage.FS     // where they are
	Names  []string       // files to come
	Schema *schema.Schema // which all files must have; that of the first if it is nil
	canon  rowtext.Canonical

	f     storage.File // the current one, nil between files
	name  string       // of the current file, or the last one
	r     *ocf.Reader
	block ocf.Block
	left  int64 // rows of the block
	data  []byte
	last  bool // data reaches to the end of the block
}

// List returns the files of the names: files, and the *.avro of folders, recursively,
// in the order in which convert reads them.
func List(f storage.FS, names []string) ([]string, error) {
	var files []string
	for _, name := range names {
		info, err := f.Stat(name)
		if err != nil {
			return nil, err
		}
		if !info.IsDir() {
			files = append(files, name)
			continue
		}
		var found []string
		if storage.Remote(name) {
			found, err = avroBelow(f, name)
		} else {
			found, err = avroIn(name)
		}
		if err != nil {
			return nil, err
		}
		files = append(files, found...)
	}
	if len(files) == 0 {
		return nil, errors.New("no .avro files to compare with")
	}
	return files, nil
}

// avroIn returns the files of a folder, which may be a link.
func avroIn(folder string) (files []string, err error) {
	root, err := filepath.EvalSymlinks(folder)
	if err != nil {
		return nil, err
	}
	err = filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case path != root && inputs.Hidden(e.Name()) && e.IsDir():
			return fs.SkipDir
		case !e.IsDir() && !inputs.Hidden(e.Name()) && filepath.Ext(path) == ".avro":
			files = append(files, path)
		}
		return nil
	})
	return files, err
}

// avroBelow returns the files of a folder that is not on this machine.
func avroBelow(f storage.FS, folder string) (files []string, err error) {
	entries, err := f.ReadDir(folder)
	for _, e := range entries {
		name := storage.Join(folder, e.Name())
		switch {
		case inputs.Hidden(e.Name()):
		case e.IsDir():
			below, err := avroBelow(f, name)
			if err != nil {
				return nil, err
			}
			files = append(files, below...)
		case filepath.Ext(name) == ".avro":
			files = append(files, name)
		}
	}
	return files, err
}

// Next appends the next row to dst, in canonical form. After the last one the error is
// io.EOF.
func (a *Reader) Next(dst []byte) ([]byte, error) {
	for a.left == 0 {
		if err := a.advance(); err != nil {
			return dst, err
		}
	}
	for {
		out, n, err := a.canon.Row(dst, a.data, a.Schema)
		switch {
		case err == nil:
			a.data = a.data[n:]
			a.left--
			return out, nil
		case err != rowtext.ErrShort || a.last:
			return dst, a.place(err)
		}
		if a.data, a.last, err = a.r.Window(len(a.data)); err != nil {
			return dst, err
		}
	}
}

// advance goes to the next block, or the next file.
func (a *Reader) advance() (err error) {
	if a.f == nil {
		return a.open()
	}
	if err := a.rest(); err != nil {
		return err
	}
	a.block, err = a.r.Next()
	if err == io.EOF {
		return a.Close()
	}
	if err != nil {
		return err
	}
	a.left = a.block.Rows
	a.data, a.last, err = a.r.Window(0)
	return err
}

// rest reads what is left of a block, which must be nothing: only there its checksum
// is verified.
func (a *Reader) rest() (err error) {
	for err == nil && !a.last && len(a.data) == 0 {
		a.data, a.last, err = a.r.Window(0)
	}
	if err == nil && len(a.data) > 0 {
		err = a.place(fmt.Errorf("%d bytes after the last row of the block", len(a.data)))
	}
	return err
}

// place says where in the file an error was met.
func (a *Reader) place(err error) error {
	return fmt.Errorf("%s: block at %d: %w", a.name, a.block.Offset, err)
}

// open opens the next file.
func (a *Reader) open() error {
	if len(a.Names) == 0 {
		return io.EOF
	}
	a.name, a.Names = a.Names[0], a.Names[1:]
	f, size, err := colfile.OpenRegular(a.FS, a.name)
	if err != nil {
		return err
	}
	a.f, a.data, a.last = f, nil, true
	h, err := ocf.ReadHeader(f, size, a.name, ocf.Limits{})
	if err != nil {
		return err
	}
	s, err := schema.Parse(h.Schema)
	if err != nil {
		return fmt.Errorf("%s: %w", a.name, err)
	}
	if a.Schema != nil {
		if err := schema.Equal(a.Schema, s); err != nil {
			return colfile.Wrong(fmt.Errorf("%s: its schema is not that of the rows: %w", a.name, err))
		}
	}
	a.Schema = s
	if a.r == nil {
		a.r = ocf.NewReader(ocf.Limits{}, unlimited{})
	}
	return a.r.Open(f, a.name, size, h, 0, size)
}

// Close closes the current file.
func (a *Reader) Close() error {
	if a.f == nil {
		return nil
	}
	err := a.f.Close()
	a.f = nil
	return err
}

// unlimited is memory without a bound but the limits of the reader itself.
type unlimited struct{}

// Acquire implements ocf.Memory.
func (unlimited) Acquire(int64) error { return nil }

// Release implements ocf.Memory.
func (unlimited) Release(int64) {}

// Place returns where the last row was read: the file, and the offset of its block.
func (a *Reader) Place() (name string, block int64) { return a.name, a.block.Offset }
