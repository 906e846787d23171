// Package parquetfile answers for Parquet files what the verbs of trevni ask ([colfile.File]).
//
//	file --+-- footer: rows, columns, metadata, sizes of chunks; headers of pages: blocks
//	       +-- records: rows as Avro, of the columns that a schema needs
//	       +-- scan: the values of one column, to a tally
//	       +-- count: histograms of levels, of the footer or of one column's levels
//	       '-- check: all pages, and what indexes and statistics say of them
//
// A column is a leaf, named by its path with dots, and its blocks are pages. No page is read before
// it is needed, and none is kept.
package parquetfile

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"avro2trevni/cmd/trevni/colfile"
	"avro2trevni/cmd/trevni/tally"
	"avro2trevni/internal/assembly"
	"avro2trevni/internal/format/parquet/records"
	"avro2trevni/internal/ocf"
	"avro2trevni/parquet"
	"avro2trevni/parquet/reader"
)

// Format is Parquet's.
var Format = colfile.Format{
	Name: "Parquet", Ext: ".parquet", Magic: "PAR1",
	Open:    func(src io.ReaderAt, size int64, o colfile.Options) (colfile.File, error) { return open(src, size, o) },
	Corrupt: func(err error) bool { return errors.Is(err, reader.ErrCorrupt) },
}

// file is an open file. It is a [colfile.File].
type file struct {
	f       *reader.File
	table   *records.Table // nil if there is none, for bad
	bad     error
	name    string
	header  colfile.Header
	columns []colfile.Column
}

var _ colfile.File = (*file)(nil)

func open(src io.ReaderAt, size int64, o colfile.Options) (*file, error) {
	r, err := reader.Open(src, size, &reader.Options{Path: o.Path})
	if err != nil {
		return nil, err
	}
	f := &file{f: r, name: o.Path}
	f.header = colfile.Header{Rows: uint64(r.Rows), Codec: codecs(r)}
	if f.table, f.bad = records.Open(r, o.Path); f.bad == nil {
		f.header.Schema = f.table.Schema()
	}
	for _, kv := range r.KeyValues {
		f.header.Meta = append(f.header.Meta, ocf.Meta{Key: kv.Key, Value: []byte(kv.Value)})
	}
	f.header.User = colfile.Users(f.header.Meta, "parquet.", "writer.model.name", "ARROW:schema")
	for _, l := range r.Schema.Leaves {
		f.columns = append(f.columns, colfile.Column{Name: l.String(), Type: typeName(l), Tally: tallied(l)})
	}
	return f, nil
}

// codecs returns the codecs of all chunks.
func codecs(f *reader.File) string {
	var names []string
	for _, g := range f.RowGroups {
		for _, c := range g.Chunks {
			if name := codec(c); !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return strings.Join(names, ", ")
}

// codec is a chunk's codec as --codec has it.
func codec(c *reader.Chunk) string {
	if name := strings.ToLower(c.Codec.String()); name != "uncompressed" {
		return name
	}
	return "null"
}

// typeName is a leaf's type as tables show it.
func typeName(n *reader.Node) string {
	name := strings.ToLower(n.Type.String())
	switch n.Type {
	case parquet.FixedLenByteArray:
		name = fmt.Sprintf("fixed(%d)", n.Length)
	case parquet.ByteArray:
		name = "binary"
	case reader.Int96:
		name = "int96"
	}
	if l := n.Logical.String(); l != "" {
		name += " " + l
	}
	return name
}

// tallied is how values of a leaf are counted.
func tallied(n *reader.Node) tally.Type {
	unsigned := n.Logical.Kind == reader.IntType && !n.Logical.Signed
	switch n.Type {
	case parquet.Boolean:
		return tally.Boolean
	case parquet.Int32, parquet.Int64:
		switch {
		case unsigned:
			return tally.Unsigned
		case n.Type == parquet.Int32:
			return tally.Int
		}
		return tally.Long
	case parquet.Float:
		return tally.Float
	case parquet.Double:
		return tally.Double
	}
	return tally.Text
}

// Header implements [colfile.File].
func (f *file) Header() *colfile.Header { return &f.header }

// Columns implements [colfile.File].
func (f *file) Columns() []colfile.Column { return f.columns }

// rowBytes is the largest row that is put together.
const rowBytes = 256 << 20

// Rows implements [colfile.File].
func (f *file) Rows(schema string) (colfile.Rows, error) {
	if f.bad != nil {
		return nil, fmt.Errorf("%s: %w", f.name, f.bad)
	}
	r, err := f.table.Rows(schema, assembly.Options{RowBytes: rowBytes})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.name, err)
	}
	return r, nil
}

// Size implements [colfile.File]. Blocks are data pages; their headers are read.
func (f *file) Size(column int, list bool) (*colfile.Size, error) {
	s := &colfile.Size{}
	for _, g := range f.f.RowGroups {
		c := g.Chunks[column]
		s.Codec, s.Raw, s.Bytes = codec(c), s.Raw+c.Raw, s.Bytes+c.Stored
		pages, err := dataPages(c)
		if err != nil {
			return nil, err
		}
		s.Blocks += len(pages)
		if !list {
			continue
		}
		x, err := c.Offsets()
		if err != nil {
			return nil, err
		}
		row := int64(0)
		for i, h := range pages {
			rows := int64(h.Entries)
			if x != nil && len(x.Pages) == len(pages) {
				row, rows = x.Pages[i].FirstRow, g.Rows-x.Pages[i].FirstRow
				if i+1 < len(pages) {
					rows = x.Pages[i+1].FirstRow - row
				}
			} else if c.Leaf.MaxRep > 0 {
				rows = int64(h.Rows) // of version 1 it is not known
			}
			s.List = append(s.List, colfile.Block{
				Row: uint64(g.First + row), Rows: uint32(rows), Raw: uint32(h.Raw), Bytes: uint32(h.Stored), Offset: h.Offset,
			})
			row += rows
		}
	}
	return s, nil
}

// dataPages returns the headers of a chunk's data pages.
func dataPages(c *reader.Chunk) (all []*reader.PageHeader, err error) {
	pages, err := c.Pages()
	if err != nil {
		return nil, err
	}
	for {
		h, err := pages.Next()
		if err == io.EOF {
			return all, nil
		}
		if err != nil {
			return nil, err
		}
		if h.IsData() {
			all = append(all, h)
		}
	}
}

// Scan implements [colfile.File].
func (f *file) Scan(ctx context.Context, column int, t *tally.Tally) error {
	for _, g := range f.f.RowGroups {
		c, err := g.Column(column)
		if err != nil {
			return err
		}
		var b reader.Batch
		for {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			if err := c.Next(&b); err == io.EOF {
				break
			} else if err != nil {
				return err
			}
			t.Empty += uint64(b.N - b.Values.N)
			if err := add(t, &b.Values); err != nil {
				return fmt.Errorf("%s: column %q: %w", f.name, f.columns[column].Name, err)
			}
		}
	}
	return nil
}

// add adds values to a tally.
func add(t *tally.Tally, v *reader.Values) error {
	switch t.Type {
	case tally.Boolean:
		for _, b := range v.Data[:v.N] {
			t.Booleans([]byte{b}, 1)
		}
	case tally.Unsigned, tally.Float, tally.Double:
		return t.Wide(v.Data[:v.N*v.Width], v.Width)
	case tally.Int:
		for i := range v.N {
			t.Long(int64(int32(number(v.Bytes(i)))))
		}
	case tally.Long:
		for i := range v.N {
			t.Long(int64(number(v.Bytes(i))))
		}
	default:
		for i := range v.N {
			t.Text(v.Bytes(i))
		}
	}
	return nil
}

// number returns a little-endian number of up to 8 bytes.
func number(b []byte) (v uint64) {
	for i, x := range b {
		v |= uint64(x) << (8 * i)
	}
	return v
}
