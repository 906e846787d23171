package trevni

import (
	"fmt"
	"io"
	"slices"

	"avro2trevni/internal/tuple"
	"avro2trevni/reducer"
	"avro2trevni/trevni"
	"avro2trevni/trevni/block"
)

// FileOptions are the common properties of a job's files. They must not change while files
// are made.
type FileOptions struct {
	// Columns are the file's columns, whose numbers are the tuples'. A codec or
	// checksum of their own is that of their values. Those with FirstValues must be sorted, so
	// nulls and booleans have none.
	Columns []trevni.Column
	// Meta is the file's metadata, without codec and checksum, which come after it.
	Meta trevni.Metadata
	// BlockSize is the largest raw size of a joined block. Default 64 KiB, from 1 to 1 GiB.
	BlockSize int
	// Codec and Checksum are those of the file, and of the tuples' values.
	Codec    block.Codec
	Checksum trevni.Checksum
	// Codings are those of the columns' values, if not all have Codec and Checksum.
	Codings []block.Coding
}

// Defaults and limits.
const (
	defaultBlockSize = 64 << 10
	maxBlockSize     = 1 << 30
)

// Files is how runs become files. It is a [reducer.Format].
type Files struct {
	o     FileOptions
	shape reducer.Shape
	empty int64 // bytes of a file without rows: header, starts, and the columns' counts
}

var _ reducer.Format = (*Files)(nil)

// Sizes of a block's descriptor: in a file, and in memory as a [trevni.Block].
const (
	descriptorBytes = 12
	describedBytes  = 40
)

// NewFiles checks the options; what is wrong with them is a [reducer.ErrOptions].
func NewFiles(o FileOptions) (*Files, error) {
	if o.BlockSize == 0 {
		o.BlockSize = defaultBlockSize
	}
	if err := o.validate(); err != nil {
		return nil, fmt.Errorf("%w: %w", reducer.ErrOptions, err)
	}
	f := &Files{o: o, shape: reducer.Shape{JoinBytes: o.BlockSize, WriterMemory: describedBytes}}
	for i := range o.Columns {
		c := reducer.Column{Name: o.Columns[i].Name, Least: o.coding(i).Checksum.Size()}
		if o.Columns[i].FirstValues {
			c.Look = reducer.LookValue
		}
		f.shape.Columns = append(f.shape.Columns, c)
	}
	h := o.header()
	var err error
	if f.empty, err = trevni.FileSize(&h, make([][]trevni.Block, len(h.Columns))); err != nil {
		return nil, fmt.Errorf("%w: %w", reducer.ErrOptions, err)
	}
	return f, nil
}

func (o *FileOptions) validate() error {
	if o.BlockSize < 0 || o.BlockSize > maxBlockSize {
		return fmt.Errorf("BlockSize %d is not from 1 to %d", o.BlockSize, maxBlockSize)
	}
	if _, err := block.ParseCodec(o.Codec.String()); err != nil {
		return fmt.Errorf("option Codec: %w", err)
	}
	if o.Codings != nil && len(o.Codings) != len(o.Columns) {
		return fmt.Errorf("%d Codings of %d columns", len(o.Codings), len(o.Columns))
	}
	for i := range o.Columns {
		if err := o.checkColumn(i); err != nil {
			return fmt.Errorf("column %q: %w", o.Columns[i].Name, err)
		}
	}
	return nil
}

// checkColumn reports whether the column can be made of tuples' values as they are.
func (o *FileOptions) checkColumn(i int) error {
	c, h, own := &o.Columns[i], o.header(), o.coding(i)
	if _, err := block.ParseCodec(own.Codec.String()); err != nil {
		return err
	}
	named, err := h.Coding(i)
	if err != nil {
		return err
	}
	switch {
	case c.FirstValues && (c.Type == trevni.Null || c.Type == trevni.Boolean):
		return fmt.Errorf("first values of type %s are not supported", c.Type)
	case named.Codec.WireName() != own.Codec.WireName():
		return fmt.Errorf("codec %q is not that of its values, %s", named.Codec, own.Codec)
	case named.Checksum != own.Checksum:
		return fmt.Errorf("checksum %q is not that of its values, %s", named.Checksum, own.Checksum)
	}
	return nil
}

// coding returns that of column i.
func (o *FileOptions) coding(i int) block.Coding {
	if o.Codings != nil {
		return o.Codings[i]
	}
	return block.Coding{Codec: o.Codec, Checksum: o.Checksum}
}

// header returns the file's header, but for its number of rows.
func (o *FileOptions) header() trevni.Header {
	h := trevni.Header{Meta: slices.Clone(o.Meta), Columns: o.Columns}
	h.SetCodec(o.Codec.WireName())
	h.SetChecksum(o.Checksum)
	return h
}

// Shape implements [reducer.Format].
func (f *Files) Shape() *reducer.Shape { return &f.shape }

// Part implements [reducer.Format]: a run is cut at its note's cuts.
func (f *Files) Part(t *tuple.Tuple, note []byte, lo, hi uint32) (reducer.Part, error) {
	p, err := pieceOf(kindOf(&f.o.Columns[t.Column]), t, note, lo, hi)
	return reducer.Part{Values: p.values, Raw: p.raw}, err
}

// NewJoiner implements [reducer.Format].
func (f *Files) NewJoiner() reducer.Joiner { return &joiner{o: &f.o} }

// Size implements [reducer.Format].
func (f *Files) Size(l *reducer.Laid) int64 {
	n := f.empty
	for i := range f.o.Columns {
		blocks, firsts := l.Bytes(i)
		n += blocks + firsts + descriptorBytes*int64(l.Blocks(i))
	}
	return n
}

// NewWriter implements [reducer.Format].
func (f *Files) NewWriter(w io.Writer, l *reducer.Laid) (reducer.Writer, error) {
	h := f.o.header()
	h.Rows = uint64(l.Rows())
	return trevni.NewBlockWriter(w, &h, f.descriptors(l))
}

// descriptors returns the blocks of all columns as the file's writer takes them.
func (f *Files) descriptors(l *reducer.Laid) [][]trevni.Block {
	all := make([][]trevni.Block, len(f.o.Columns))
	for i := range all {
		all[i] = make([]trevni.Block, l.Blocks(i))
		sum := uint32(f.o.coding(i).Checksum.Size())
		for k := range all[i] {
			b := l.Block(i, k)
			all[i][k] = trevni.Block{Rows: b.Rows, RawSize: b.Raw, Size: b.Size - sum, FirstValue: b.Note}
		}
	}
	return all
}
