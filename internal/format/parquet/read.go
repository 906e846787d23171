package parquet

import (
	"fmt"
	"io"
	"slices"

	"avro2trevni/internal/assembly"
	"avro2trevni/internal/colsum"
	"avro2trevni/internal/format"
	"avro2trevni/internal/format/parquet/records"
	"avro2trevni/internal/ocf"
	"avro2trevni/internal/units"
	"avro2trevni/parquet/reader"
)

// file is a finished file whose footer is read.
type file struct {
	f     *reader.File
	table *records.Table
	path  string
	at    io.ReaderAt
	size  int64
}

var _ format.File = (*file)(nil)

// Schema implements [format.File].
func (f *file) Schema() string { return f.table.Schema() }

// Meta implements [format.File].
func (f *file) Meta() (all []ocf.Meta) {
	for _, kv := range f.f.KeyValues {
		all = append(all, ocf.Meta{Key: kv.Key, Value: []byte(kv.Value)})
	}
	return all
}

// Rows implements [format.File].
func (f *file) Rows() int64 { return f.f.Rows }

// Columns implements [format.File].
func (f *file) Columns() int { return len(f.f.Schema.Leaves) }

// What a reader takes in.
const (
	batchBytes   = 256 * units.KiB // of values at a time
	readAhead    = 128 * units.KiB // of a chunk at a time
	readPage     = 4 * units.MiB   // of a page, at most, where it is not known how many a chunk has
	readBytes    = 256 * units.KiB // of rows at a time
	readRows     = 4096
	batchEntries = 4096
	heldColumn   = 16 * units.KiB // beside pages: levels, offsets, tables
)

// readOptions are those of reading all columns of a file at a time.
func readOptions(path string) *reader.Options {
	return &reader.Options{Path: path, BatchBytes: batchBytes, BatchEntries: batchEntries, ReadAhead: readAhead}
}

// Held implements [format.File]: of each column the largest chunk's dictionary and page, before
// and after decompression, and a batch of values.
func (f *file) Held() (held int64, err error) {
	for i := range f.f.Schema.Leaves {
		most := int64(0)
		for _, g := range f.f.RowGroups {
			c := g.Chunks[i]
			most = max(most, 2*min(c.Raw, readPage)+min(c.Stored, readPage+readAhead)+min(8*c.Entries, batchBytes))
		}
		held += most + heldColumn
	}
	return held + 2*readBytes, nil
}

// Sums implements [format.File].
func (f *file) Sums(count func(bytes int64)) ([]colsum.Column, error) {
	return readBack(f.at, f.size, f.path, count)
}

// GoesOn implements [format.File]: no column must ascend.
func (f *file) GoesOn(map[int][]byte) (bool, error) { return true, nil }

// Pieces implements [format.File]: a row group can be read alone, if row groups follow one another.
func (f *file) Pieces() []int64 {
	pieces := []int64{0}
	for i, g := range f.f.RowGroups {
		start := g.Chunks[0].Start
		switch {
		case i == 0:
		case start <= pieces[i-1] || start >= f.size:
			return pieces[:1]
		default:
			pieces = append(pieces, start)
		}
	}
	return pieces
}

// rows are rows of a file. They are [format.Rows].
type rows struct {
	r     *records.Rows
	end   int64 // the row after the last
	data  []byte
	first int64
}

// Read implements [format.File].
func (f *file) Read(from, to int64) (format.Rows, error) {
	r, err := f.table.Rows("", assembly.Options{BatchBytes: readBytes})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.path, err)
	}
	pieces := f.Pieces()
	row := func(at int64) int64 { // the first row of the first piece from a byte on
		i, _ := slices.BinarySearch(pieces, at)
		switch {
		case i == 0:
			return 0
		case i < len(pieces):
			return f.f.RowGroups[i].First
		}
		return f.f.Rows
	}
	if err := r.SeekRow(row(from)); err != nil {
		return nil, fmt.Errorf("%s: %w", f.path, err)
	}
	return &rows{r: r, end: row(to)}, nil
}

// Next implements [mapper.Blocks].
func (r *rows) Next() (ocf.Block, error) {
	r.first = r.r.Row()
	if r.first >= r.end {
		return ocf.Block{}, io.EOF
	}
	data, n, err := r.r.ReadRows(r.data[:0], int(min(readRows, r.end-r.first)))
	r.data = data
	return ocf.Block{Rows: int64(n), Size: int64(len(data))}, err
}

// Window implements [mapper.Blocks].
func (r *rows) Window(int) ([]byte, bool, error) { return r.data, true, nil }

// First implements [format.Rows].
func (r *rows) First() int64 { return r.first }
