package trevni

import (
	"errors"
	"fmt"
	"io"

	"avro2trevni/internal/colsum"
	"avro2trevni/internal/format"
	"avro2trevni/internal/ocf"
	"avro2trevni/internal/units"
	"avro2trevni/record"
	"avro2trevni/trevni"
	"avro2trevni/trevni/block"
)

// file is a finished file read back. It is a [format.File].
type file struct {
	r    *trevni.Reader
	path string
}

// Open implements [format.Format].
func (Format) Open(f io.ReaderAt, path string, size int64) (format.File, error) {
	r, err := trevni.NewReader(f, size, &trevni.ReaderOptions{Path: path})
	if err != nil {
		return nil, err
	}
	return &file{r, path}, nil
}

// Corrupt implements [format.Format].
func (Format) Corrupt(err error) bool { return errors.Is(err, trevni.ErrCorrupt) }

// SchemaKey is the key of the metadata that holds the schema of a file's rows.
const SchemaKey = "avro.schema"

// Schema implements [format.File].
func (f *file) Schema() string {
	text, _ := f.r.Header().Meta.Get(SchemaKey)
	return string(text)
}

// Meta implements [format.File].
func (f *file) Meta() (all []ocf.Meta) {
	for _, p := range f.r.Header().Meta {
		all = append(all, ocf.Meta(p))
	}
	return all
}

// Rows implements [format.File].
func (f *file) Rows() int64 { return int64(f.r.Header().Rows) }

// Columns implements [format.File].
func (f *file) Columns() int { return len(f.r.Header().Columns) }

// What a reader of a file holds beside blocks, in bytes.
const (
	heldColumn = 512
	heldBlock  = 64
)

// Held returns the bytes that reading all columns at a time holds.
func (f *file) Held() (held int64, err error) {
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

// GoesOn reports whether the first value of no column with first values is less than the last
// one before it, by column, and puts the file's last values in the place of those.
func (f *file) GoesOn(last map[int][]byte) (ascends bool, err error) {
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

// Sums returns the digests of the columns, as an [Encoder] makes them. It reads all blocks,
// which checks their checksums and sizes, and calls count with their bytes.
func (f *file) Sums(count func(n int64)) (sums []colsum.Column, err error) {
	var buf []byte
	for c, s := range NewSummers(f.r.Header().Columns) {
		if buf, err = f.sum(c, s, buf, count); err != nil {
			return nil, fmt.Errorf("%s: %w", f.path, err)
		}
		sums = append(sums, s.Column)
	}
	return sums, nil
}

// sum adds a column's blocks to a digest.
func (f *file) sum(c int, s *Summer, buf []byte, count func(n int64)) ([]byte, error) {
	blocks, err := f.r.Blocks(c)
	for i := 0; err == nil && i < len(blocks); i++ {
		if buf, err = f.r.ReadBlock(c, i, buf[:0]); err == nil {
			count(int64(len(buf)))
			err = s.Add(buf, int64(blocks[i].Rows))
		}
	}
	return buf, err
}

// Rows of a file that are read at a time.
const (
	readBytes = 256 * units.KiB
	readRows  = 4096
)

// rows are a file's rows. They are [format.Rows].
type rows struct {
	f     *file
	r     *record.Reader
	data  []byte
	first int64
}

// Pieces implements [format.File]: a file is read as a whole, column by column.
func (*file) Pieces() []int64 { return []int64{0} }

// Read implements [format.File].
func (f *file) Read(_, _ int64) (format.Rows, error) {
	r, err := record.NewReader(f.r, &record.Options{BatchBytes: readBytes})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.path, err)
	}
	return &rows{f: f, r: r}, nil
}

// Next implements [mapper.Blocks].
func (r *rows) Next() (ocf.Block, error) {
	r.first = r.r.Row()
	data, n, err := r.r.ReadRows(r.data[:0], readRows)
	r.data = data
	if at := (*trevni.Error)(nil); err != nil && err != io.EOF && !errors.As(err, &at) { // which names the file
		err = fmt.Errorf("%s: %w", r.f.path, err)
	}
	return ocf.Block{Rows: int64(n), Size: int64(len(data))}, err
}

// Window implements [mapper.Blocks].
func (r *rows) Window(int) ([]byte, bool, error) { return r.data, true, nil }

// First returns the number of the present block's first row in the file.
func (r *rows) First() int64 { return r.first }
