package inputs

import (
	"errors"

	"avro2trevni/internal/ocf"
	"avro2trevni/internal/storage"
	"avro2trevni/internal/units"
	"avro2trevni/record"
	"avro2trevni/trevni"
	"avro2trevni/trevni/block"
)

// Finished is a file that a job made, read back. Nothing else here knows what such a file
// looks like inside.
type Finished struct {
	r    *trevni.Reader
	file storage.File
}

// OpenFinished opens a file. The caller closes it.
func OpenFinished(f storage.FS, path string) (*Finished, error) {
	file, err := f.Open(path)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	t, err := newFinished(file, path, info.Size())
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return t, nil
}

// newFinished returns a file that was opened; it is the caller's if that fails.
func newFinished(file storage.File, path string, size int64) (*Finished, error) {
	r, err := trevni.NewReader(file, size, &trevni.ReaderOptions{Path: path})
	if err != nil {
		return nil, err
	}
	return &Finished{r, file}, nil
}

// Close closes the file.
func (f *Finished) Close() error { return f.file.Close() }

// SchemaKey is the key of the metadata that holds the schema of a file's rows.
const SchemaKey = "avro.schema"

// Schema returns the text of the schema of the rows.
func (f *Finished) Schema() string {
	text, _ := f.r.Header().Meta.Get(SchemaKey)
	return string(text)
}

// Meta returns the file's metadata.
func (f *Finished) Meta() []trevni.Property { return f.r.Header().Meta }

// What a reader of a file holds beside blocks, in bytes.
const (
	heldColumn = 512
	heldBlock  = 64
)

// Held returns the bytes that reading all columns at a time holds.
func (f *Finished) Held() (held int64, err error) {
	for i := range f.r.Header().Columns {
		blocks, err := f.r.Blocks(i)
		if err != nil {
			return 0, err
		}
		most := int64(0)
		for _, b := range blocks {
			most = max(most, int64(b.RawSize)+int64(b.Size))
		}
		held += most + heldColumn + heldBlock*int64(len(blocks))
	}
	return held, nil
}

// GoesOn reports whether no first value of the file is less than the last one before it of its
// column, and puts the file's last values in the place of those.
func (f *Finished) GoesOn(last map[int][]byte) (ascends bool, err error) {
	ascends = true
	for i, col := range f.r.Header().Columns {
		if !col.FirstValues {
			continue
		}
		blocks, err := f.r.Blocks(i)
		if err != nil {
			return false, err
		}
		if len(blocks) == 0 { // no rows
			continue
		}
		bad, _, err := block.CheckSorted(blocks[0].FirstValue, col.Type, 1, last[i])
		if err != nil {
			return false, err
		}
		ascends = ascends && bad == 1
		end := len(blocks) - 1
		data, err := f.r.ReadBlock(i, end, nil)
		if err != nil {
			return false, err
		}
		if _, last[i], err = block.CheckSorted(data, col.Type, int(blocks[end].Rows), nil); err != nil {
			return false, err
		}
	}
	return ascends, nil
}

// Rows of a file that are read at a time.
const (
	rowsBytes = 256 * units.KiB
	rowsMost  = 4096
)

// finishedRows gives a file's rows as a mapper takes them.
type finishedRows struct {
	r     *record.Reader
	data  []byte
	first int64 // row of the data
}

// rows returns the file's rows.
func (f *Finished) rows() (*finishedRows, error) {
	r, err := record.NewReader(f.r, &record.Options{BatchBytes: rowsBytes})
	if err != nil {
		return nil, err
	}
	return &finishedRows{r: r}, nil
}

// Next implements [mapper.Blocks].
func (p *finishedRows) Next() (ocf.Block, error) {
	p.first = p.r.Row()
	data, n, err := p.r.ReadRows(p.data[:0], rowsMost)
	p.data = data
	return ocf.Block{Rows: int64(n), Size: int64(len(data))}, err
}

// Window implements [mapper.Blocks].
func (p *finishedRows) Window(int) ([]byte, bool, error) { return p.data, true, nil }

// namesFile reports whether an error of reading a file says itself which file it is.
func namesFile(err error) bool {
	at := (*trevni.Error)(nil)
	return errors.As(err, &at)
}

// corruptFile reports whether an error is that a finished file is not whole.
func corruptFile(err error) bool { return errors.Is(err, trevni.ErrCorrupt) }
