package reader

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"syscall"

	"avro2trevni/parquet"
)

const (
	magic          = "PAR1"
	magicEncrypted = "PARE"
	tailLen        = 8 // the footer's length, the magic
)

// A File is an open file. It does not change: any number of goroutines may use it.
type File struct {
	Schema    *Schema
	Rows      int64  // of all row groups
	Declared  int64  // rows as the footer has them: some old files say 0
	CreatedBy string // "NAME version VERSION (build HASH)", or anything
	Version   int    // of the format, as the writer counted
	KeyValues []parquet.KeyValue
	RowGroups []*RowGroup

	r       io.ReaderAt
	size    int64
	dataEnd int64 // no page reaches further
	opt     Options
	closer  io.Closer
}

// Open reads the footer of a file of size bytes. o may be nil. Errors about the contents are
// [*Error].
func Open(r io.ReaderAt, size int64, o *Options) (*File, error) {
	opt := o.withDefaults()
	if err := opt.validate(); err != nil {
		return nil, err
	}
	f := &File{r: r, size: size, opt: opt}
	footer, at, err := f.footer()
	if err == nil {
		f.dataEnd = at
		err = f.parse(footer)
	}
	if err != nil {
		var placed *Error
		if errors.As(err, &placed) {
			return nil, err
		}
		return nil, &Error{Path: opt.Path, RowGroup: -1, Page: -1, Offset: at, Err: err}
	}
	return f, nil
}

// OpenFile opens the named file, and reads its footer. o may be nil; its Path, if empty, is the
// name. Close it when nothing of it is used any more.
func OpenFile(name string, o *Options) (*File, error) {
	var opt Options
	if o != nil {
		opt = *o
	}
	if opt.Path == "" {
		opt.Path = name
	}
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a pipe is refused, not waited for
	if err != nil {
		return nil, fmt.Errorf("parquet: %w", err)
	}
	file, err := openFile(f, &opt)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	file.closer = f
	return file, nil
}

func openFile(f *os.File, o *Options) (*File, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("parquet: %w", err)
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("parquet: %s is not a regular file", o.Path)
	}
	return Open(f, info.Size(), o)
}

// Close closes a file of [OpenFile]. It does nothing to others.
func (f *File) Close() error {
	if f.closer == nil {
		return nil
	}
	return f.closer.Close()
}

// footer returns the footer's bytes and their offset.
func (f *File) footer() ([]byte, int64, error) {
	if f.size < int64(len(magic))+tailLen {
		return nil, 0, corruptf("%d bytes are too few for a Parquet file", f.size)
	}
	var tail [tailLen]byte
	at := f.size - tailLen
	if n, err := f.r.ReadAt(tail[:], at); n < len(tail) {
		return nil, at, readError(err)
	}
	switch string(tail[4:]) {
	case magic:
	case magicEncrypted:
		return nil, at, unsupportedf("the file is encrypted")
	default:
		return nil, at, corruptf("it does not end in %s", magic)
	}
	n := int64(binary.LittleEndian.Uint32(tail[:]))
	if n > at-int64(len(magic)) {
		return nil, at, corruptf("a footer of %d bytes in a file of %d", n, f.size)
	}
	if n > f.opt.MaxFooter {
		return nil, at, limitf("a footer of %d bytes, above %d", n, f.opt.MaxFooter)
	}
	footer := make([]byte, n)
	if m, err := f.r.ReadAt(footer, at-n); m < len(footer) {
		return nil, at - n, readError(err)
	}
	return footer, at - n, nil
}

// parse takes what the footer says. Errors are of the footer, or have a place.
func (f *File) parse(footer []byte) error {
	var w fileMetaData
	if err := unmarshal(footer, fileMetaDataShape, &w); err != nil {
		return fmt.Errorf("footer: %w", err)
	}
	if w.EncryptionAlgorithm != nil && len(w.Schema) == 0 {
		return unsupportedf("the file is encrypted")
	}
	var err error
	if f.Schema, err = schemaOf(w.Schema); err != nil {
		return fmt.Errorf("footer: %w", err)
	}
	f.Declared, f.CreatedBy, f.Version = w.NumRows, w.CreatedBy, int(w.Version)
	for _, kv := range w.KeyValueMetadata {
		f.KeyValues = append(f.KeyValues, parquet.KeyValue{Key: kv.Key, Value: kv.Value})
	}
	for i := range w.RowGroups {
		g, err := f.group(i, &w.RowGroups[i])
		if err != nil {
			return err
		}
		f.RowGroups = append(f.RowGroups, g)
		if f.Rows += g.Rows; g.Rows < 0 || f.Rows < 0 {
			return corruptf("footer: row group %d has %d rows", i, g.Rows)
		}
	}
	return nil
}

// A RowGroup is some consecutive rows of a file: a chunk for each column.
type RowGroup struct {
	Index  int // among the file's
	Rows   int64
	First  int64 // number of the first row in the file
	Raw    int64 // bytes of all pages before compression, as the footer has it
	Chunks []*Chunk
	// Sorting are the columns by which the rows are said to be sorted.
	Sorting []parquet.SortingColumn

	file *File
}

func (f *File) group(i int, w *rowGroup) (*RowGroup, error) {
	g := &RowGroup{Index: i, Rows: w.NumRows, Raw: w.TotalByteSize, file: f}
	if i > 0 {
		last := f.RowGroups[i-1]
		g.First = last.First + last.Rows
	}
	if len(w.Columns) != len(f.Schema.Leaves) {
		return nil, corruptf("footer: row group %d has %d columns, the schema %d", i, len(w.Columns), len(f.Schema.Leaves))
	}
	for _, s := range w.SortingColumns {
		g.Sorting = append(g.Sorting, parquet.SortingColumn{Column: int(s.ColumnIdx), Descending: s.Descending, NullsFirst: s.NullsFirst})
	}
	g.Chunks = make([]*Chunk, len(w.Columns))
	for c := range g.Chunks {
		chunk, err := g.chunkOf(f.Schema.Leaves[c], &w.Columns[c])
		if err != nil {
			return nil, &Error{Path: f.opt.Path, Column: f.Schema.Leaves[c].String(), RowGroup: i, Page: -1, Offset: f.dataEnd,
				Err: fmt.Errorf("footer: %w", err)}
		}
		g.Chunks[c] = chunk
	}
	return g, nil
}

// oldHeader is what parquet-mr before 1.2.9 left out of the size of a chunk: the header of its
// dictionary page (PARQUET-816). Others bound it by the same number.
const oldHeader = 100

// oldSizes reports whether the file's writer left it out.
func (f *File) oldSizes() bool {
	rest, is := strings.CutPrefix(f.CreatedBy, "parquet-mr version ")
	if !is {
		return f.CreatedBy == "parquet-mr"
	}
	version := [3]int{}
	for i, part := range strings.SplitN(rest, ".", 3) {
		digits := 0
		for digits < len(part) && part[digits] >= '0' && part[digits] <= '9' {
			digits++
		}
		version[i], _ = strconv.Atoi(part[:digits])
	}
	return version[0] < 1 || version[0] == 1 && (version[1] < 2 || version[1] == 2 && version[2] < 9)
}
