package trevni

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"

	"avro2trevni/trevni/block"
)

// BuilderOptions say how a [Builder] works. The zero value, and nil, are the
// defaults.
type BuilderOptions struct {
	// BlockSize is the bytes, before compression, at which a column's block ends, at
	// the first row that begins there or behind. Default 64 KiB; 1 to 1 GiB.
	BlockSize int
	// Level is how hard the codecs try, as of [CodecSpec], for columns whose codec is
	// the file's. Default "".
	Level string
	// Memory is the most bytes of finished blocks that are held; past it they go to a
	// temporary file until the end. Blocks not yet finished, one a column, are beside
	// it. Default 0: all are held, and no file is made.
	Memory int64
	// TempDir is where the temporary file is made. Default [os.TempDir]. The file has no
	// name there while it is used, where the system allows that: a process that is
	// killed leaves none.
	TempDir string
}

// validate names the first field out of its range.
func (o *BuilderOptions) validate() error {
	switch {
	case o.BlockSize < 1 || o.BlockSize > 1<<30:
		return fmt.Errorf("trevni: BuilderOptions.BlockSize is %d, not in 1 to %d", o.BlockSize, 1<<30)
	case o.Memory < 0:
		return fmt.Errorf("trevni: BuilderOptions.Memory is %d, less than 0", o.Memory)
	}
	return nil
}

// Builder makes a file from values: they go into its columns, in any order of
// columns and rows between them, and Close writes the file. It is implementation
// note 1 of the specification, or with [BuilderOptions.Memory] note 2, with one
// temporary file for all columns. One goroutine.
//
//	Column(i).Row, Long ... -> block -> compressed, held or spilled -> Close -> file
//
// Close or Abort must be called. A builder that failed stays failed.
type Builder struct {
	w       io.Writer
	h       Header
	opt     BuilderOptions
	columns []*ColumnBuilder
	coders  map[block.Coding]*block.Encoder // one serves all columns of a coding: deflate's takes a megabyte
	block   []byte                          // the last one, encoded
	held    int64                           // bytes of blocks in memory
	spill   spill
	err     error
}

// NewBuilder returns a builder of a file with h's columns and metadata; its Rows are
// counted. h is copied, but for the values of its properties, which must not change
// until Close. opt may be nil. Nothing is written to w before Close.
func NewBuilder(w io.Writer, h *Header, opt *BuilderOptions) (*Builder, error) {
	b := &Builder{w: w, h: h.clone(), coders: map[block.Coding]*block.Encoder{}}
	if opt != nil {
		b.opt = *opt
	}
	if b.opt.BlockSize == 0 {
		b.opt.BlockSize = 64 << 10
	}
	if err := b.opt.validate(); err != nil {
		return nil, err
	}
	columns, err := writable(&b.h, len(b.h.Columns))
	if err != nil {
		return nil, fmt.Errorf("trevni: header: %w", err)
	}
	b.spill.create = func() (spillFile, error) { return createTemp(b.opt.TempDir) }
	for i := range columns {
		c, err := b.newColumn(i, &columns[i])
		if err != nil {
			return nil, err
		}
		b.columns = append(b.columns, c)
	}
	return b, nil
}

func (b *Builder) newColumn(i int, of *resolved) (*ColumnBuilder, error) {
	coding := of.coding
	if b.h.Columns[i].Codec == "" {
		coding.Codec.Level = b.opt.Level
	}
	enc := b.coders[coding]
	if enc == nil {
		var err error
		if enc, err = block.NewEncoder(coding); err != nil {
			return nil, err
		}
		b.coders[coding] = enc
	}
	c := &ColumnBuilder{b: b, c: &b.h.Columns[i], enc: enc, sum: coding.Checksum.Size()}
	c.lengths.Reset()
	if of.parent >= 0 {
		c.parent = b.columns[of.parent]
	}
	return c, nil
}

// Column returns the builder of column i, which must be one of the header's.
func (b *Builder) Column(i int) *ColumnBuilder { return b.columns[i] }

// Close writes the file, and gives up what was held. That columns have different
// numbers of rows, or one not the values of its parent's elements, is an error. It
// does not close the underlying writer; after an error what that has is no file.
func (b *Builder) Close() error {
	err := b.err
	if err == nil {
		err = b.finish()
	}
	b.err = errors.New("trevni: builder is closed")
	return errors.Join(err, b.spill.close())
}

// Abort gives up all values, and writes nothing. After Close it does nothing.
func (b *Builder) Abort() error {
	b.err = errors.New("trevni: builder is closed")
	return b.spill.close()
}

// finish checks the columns and writes the file.
func (b *Builder) finish() error {
	blocks := make([][]Block, len(b.columns))
	for i, c := range b.columns {
		if err := c.finish(); err != nil {
			return err
		}
		if c.total != b.columns[0].total {
			return c.fail("%d rows, column %q has %d", c.total, b.columns[0].c.Name, b.columns[0].total)
		}
		blocks[i] = c.blocks
		b.h.Rows = c.total
	}
	w, err := NewWriter(b.w, &b.h, blocks)
	if err != nil {
		return err
	}
	for _, c := range b.columns {
		for i := range c.data {
			data, err := b.spill.load(c.data[i])
			if err != nil {
				return err
			}
			if err := w.WriteBlock(data); err != nil {
				return err
			}
			c.data[i] = piece{}
		}
	}
	return w.Close()
}

// keep holds a copy of a block's bytes, which may stand in room for its bytes before
// compression, and spills all that are held when they are too many.
func (b *Builder) keep(c *ColumnBuilder, data []byte) error {
	c.data = append(c.data, piece{data: bytes.Clone(data), size: len(data)})
	b.held += int64(len(data))
	if b.opt.Memory == 0 || b.held <= b.opt.Memory {
		return nil
	}
	for _, c := range b.columns {
		for ; c.spilled < len(c.data); c.spilled++ {
			if err := b.spill.store(&c.data[c.spilled]); err != nil {
				b.err = err
				return err
			}
		}
	}
	b.held = 0
	return nil
}

// maxBuilderRows ends a block whose rows take no bytes.
const maxBuilderRows = math.MaxInt32 / 2
