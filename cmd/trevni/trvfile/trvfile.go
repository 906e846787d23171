// Package trvfile answers for Trevni files what the verbs of trevni ask ([colfile.File]).
//
//	file --+-- header: rows, columns, metadata
//	       +-- descriptors: blocks and sizes of a column
//	       +-- record.Reader: rows, of the columns that a schema needs
//	       '-- tree: columns with the number of elements of their parents
//	             |-- scan: one column, to a tally
//	             '-- check: all columns, block by block
//
// No block is read before it is needed, and none is kept.
package trvfile

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"avro2trevni/cmd/trevni/colfile"
	"avro2trevni/cmd/trevni/tally"
	"avro2trevni/internal/ocf"
	"avro2trevni/record"
	"avro2trevni/trevni"
)

// Format is Trevni's.
var Format = colfile.Format{
	Name: "Trevni", Ext: ".trv", Magic: "Trv",
	Open:    func(src io.ReaderAt, size int64, o colfile.Options) (colfile.File, error) { return open(src, size, o) },
	Corrupt: func(err error) bool { return errors.Is(err, trevni.ErrCorrupt) },
}

// schemaKey is the metadata key of the rows' Avro schema.
const schemaKey = "avro.schema"

// file is an open file. It is a [colfile.File].
type file struct {
	*trevni.Reader
	name    string
	size    int64
	header  colfile.Header
	columns []colfile.Column
	tree    *tree // nil before the first scan
}

var _ colfile.Narrower = (*file)(nil)

func open(src io.ReaderAt, size int64, o colfile.Options) (*file, error) {
	r, err := trevni.NewReader(src, size, &trevni.ReaderOptions{Path: o.Path, ZeroChecksums: o.ZeroChecksums})
	if err != nil {
		return nil, err
	}
	h := r.Header()
	checksum, err := h.Checksum()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", o.Path, err)
	}
	text, _ := h.Meta.Get(schemaKey)
	f := &file{Reader: r, name: o.Path, size: size}
	f.header = colfile.Header{
		Rows: h.Rows, Codec: h.Codec(), Checksum: checksum.String(), Schema: string(text), Meta: properties(h.Meta),
	}
	f.header.User = colfile.Users(f.header.Meta, "trevni.")
	f.columns = make([]colfile.Column, len(h.Columns))
	for i := range h.Columns {
		c := &h.Columns[i]
		f.columns[i] = colfile.Column{
			Name: c.Name, Type: c.Type.String(), Array: c.Array, Branch: isBranch(c), Parent: c.Parent, Sorted: c.FirstValues,
			Meta: properties(c.Meta), Tally: types[c.Type],
		}
	}
	return f, nil
}

// isBranch reports whether a column is of one type of a union: its name ends with that type.
func isBranch(c *trevni.Column) bool {
	end := c.Name[strings.LastIndexAny(c.Name, "#>]")+1:]
	return c.Array && strings.Contains(end, "/")
}

func properties(m trevni.Metadata) []ocf.Meta {
	var all []ocf.Meta
	for _, p := range m {
		all = append(all, ocf.Meta(p))
	}
	return all
}

// Header implements [colfile.File].
func (f *file) Header() *colfile.Header { return &f.header }

// Columns implements [colfile.File].
func (f *file) Columns() []colfile.Column { return f.columns }

// Rows implements [colfile.File].
func (f *file) Rows(schema string) (colfile.Rows, error) {
	r, err := record.NewReader(f.Reader, &record.Options{Schema: schema})
	if errors.Is(err, record.ErrNoSchema) {
		err = colfile.ErrNoSchema
	}
	if err != nil {
		return nil, f.named(err)
	}
	return &rows{f, r}, nil
}

// named says in which file an error was met, unless it does.
func (f *file) named(err error) error {
	var placed *trevni.Error
	if err == nil || err == io.EOF || errors.As(err, &placed) {
		return err
	}
	return fmt.Errorf("%s: %w", f.name, err)
}

// rows are a file's rows. They are [colfile.Rows].
type rows struct {
	f *file
	r *record.Reader
}

// Row implements [colfile.Rows].
func (r *rows) Row() int64 { return r.r.Row() }

// SeekRow implements [colfile.Rows].
func (r *rows) SeekRow(row int64) error { return r.f.named(r.r.SeekRow(row)) }

// ReadRows implements [colfile.Rows].
func (r *rows) ReadRows(dst []byte, max int) ([]byte, int, error) {
	dst, n, err := r.r.ReadRows(dst, max)
	return dst, n, r.f.named(err)
}

// Verify implements [colfile.File].
func (f *file) Verify(ctx context.Context) (*colfile.Findings, error) {
	problems, err := checkFile(ctx, f)
	if err != nil {
		return nil, err
	}
	found := &colfile.Findings{Problems: problems, Unchecked: int(f.Unchecked())}
	for i := range f.columns {
		blocks, err := f.Blocks(i) // they were read before
		if err != nil {
			continue
		}
		found.Blocks += len(blocks)
		if f.Coding(i).Checksum == trevni.ChecksumNull {
			found.Unchecked += len(blocks)
		}
	}
	return found, nil
}

// types are the types of tallies.
var types = map[trevni.Type]tally.Type{
	trevni.Null: tally.Null, trevni.Boolean: tally.Boolean, trevni.Int: tally.Int, trevni.Long: tally.Long,
	trevni.Fixed32: tally.Unsigned, trevni.Fixed64: tally.Unsigned, trevni.Float: tally.Float, trevni.Double: tally.Double,
	trevni.String: tally.Text, trevni.Bytes: tally.Text,
}
