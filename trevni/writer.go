package trevni

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"

	"avro2trevni/trevni/block"
)

// WriterOptions are the options of a Writer. The zero value, and nil, are the defaults.
type WriterOptions struct {
	// BlockSize is the bytes, before compression, at which a column's block ends, at
	// the first row that begins there or later. Default 64 KiB; 1 to 1 GiB.
	BlockSize int
	// Level is how hard the codecs try, as in [block.Codec], for columns whose codec is
	// the file's. Default "".
	Level string
	// Memory is the number of bytes of finished blocks that are held in memory; more go to a
	// temporary file until the end. Unfinished blocks, one for each column, are not counted.
	// Default 0: all are held, and no file is made.
	Memory int64
	// TempDir is the folder of the temporary file. Default [os.TempDir]. If the system allows
	// it, the file has no name while it is in use, so a killed process leaves none.
	TempDir string
}

// validate names the first field out of its range.
func (o *WriterOptions) validate() error {
	switch {
	case o.BlockSize < 1 || o.BlockSize > 1<<30:
		return fmt.Errorf("trevni: WriterOptions.BlockSize is %d, not in 1 to %d", o.BlockSize, 1<<30)
	case o.Memory < 0:
		return fmt.Errorf("trevni: WriterOptions.Memory is %d, less than 0", o.Memory)
	}
	return nil
}

// Writer makes a file from values: they go into its columns, in any order of columns and
// rows, and Close writes the file. It is implementation note 1 of the specification, or
// with [WriterOptions].Memory note 2, with one temporary file for all columns. It is for
// one goroutine.
//
//	Column(i).Row, Long ... -> block -> compressed, held or spilled -> Close -> file
//
// Close or Abort must be called. A writer that failed stays failed.
type Writer struct {
	w       io.Writer
	h       Header
	opt     WriterOptions
	columns []*ColumnWriter
	coders  map[block.Coding]*block.Encoder // one serves all columns of a coding: deflate's takes a megabyte
	block   []byte                          // the last one, encoded
	held    int64                           // bytes of blocks in memory
	spill   spill
	err     error
}

// NewWriter returns a writer of a file with h's columns and metadata; the writer counts the
// rows itself. h is copied, except the values of its properties, which must not change
// until Close. opt may be nil. Nothing is written to w before Close.
func NewWriter(w io.Writer, h *Header, opt *WriterOptions) (*Writer, error) {
	tw := &Writer{w: w, h: h.clone(), coders: map[block.Coding]*block.Encoder{}}
	if opt != nil {
		tw.opt = *opt
	}
	if tw.opt.BlockSize == 0 {
		tw.opt.BlockSize = 64 << 10
	}
	if err := tw.opt.validate(); err != nil {
		return nil, err
	}
	columns, err := writable(&tw.h, len(tw.h.Columns))
	if err != nil {
		return nil, fmt.Errorf("trevni: header: %w", err)
	}
	tw.spill.create = func() (spillFile, error) { return createTemp(tw.opt.TempDir) }
	for i := range columns {
		c, err := tw.newColumn(i, &columns[i])
		if err != nil {
			return nil, err
		}
		tw.columns = append(tw.columns, c)
	}
	return tw, nil
}

func (w *Writer) newColumn(i int, of *resolved) (*ColumnWriter, error) {
	coding := of.coding
	if w.h.Columns[i].Codec == "" {
		coding.Codec.Level = w.opt.Level
	}
	enc := w.coders[coding]
	if enc == nil {
		var err error
		if enc, err = block.NewEncoder(coding); err != nil {
			return nil, err
		}
		w.coders[coding] = enc
	}
	c := &ColumnWriter{w: w, c: &w.h.Columns[i], enc: enc, sum: coding.Checksum.Size()}
	c.lengths.Reset()
	if of.parent >= 0 {
		c.parent = w.columns[of.parent]
	}
	return c, nil
}

// Column returns the writer of column i, which must be one of the header's.
func (w *Writer) Column(i int) *ColumnWriter { return w.columns[i] }

// Close writes the file, and frees its memory. It returns an error if columns have
// different numbers of rows, or if a column lacks values for its parent's elements. It does
// not close the underlying writer; after an error the output of that is not a valid file.
func (w *Writer) Close() error {
	err := w.err
	if err == nil {
		err = w.finish()
	}
	w.err = errors.New("trevni: writer is closed")
	return errors.Join(err, w.spill.close())
}

// Abort discards all values, and writes nothing. After Close it does nothing.
func (w *Writer) Abort() error {
	w.err = errors.New("trevni: writer is closed")
	return w.spill.close()
}

// finish checks the columns and writes the file.
func (w *Writer) finish() error {
	blocks := make([][]Block, len(w.columns))
	for i, c := range w.columns {
		if err := c.finish(); err != nil {
			return err
		}
		if c.total != w.columns[0].total {
			return c.fail("%d rows, column %q has %d", c.total, w.columns[0].c.Name, w.columns[0].total)
		}
		blocks[i] = c.blocks
		w.h.Rows = c.total
	}
	out, err := NewBlockWriter(w.w, &w.h, blocks)
	if err != nil {
		return err
	}
	for _, c := range w.columns {
		for i := range c.data {
			data, err := w.spill.load(c.data[i])
			if err != nil {
				return err
			}
			if err := out.WriteBlock(data); err != nil {
				return err
			}
			c.data[i] = piece{}
		}
	}
	return out.Close()
}

// keep holds a copy of a block's bytes, which may stand in room for its bytes before
// compression, and spills all that are held when they are too many.
func (w *Writer) keep(c *ColumnWriter, data []byte) error {
	c.data = append(c.data, piece{data: bytes.Clone(data), size: len(data)})
	w.held += int64(len(data))
	if w.opt.Memory == 0 || w.held <= w.opt.Memory {
		return nil
	}
	for _, c := range w.columns {
		for ; c.spilled < len(c.data); c.spilled++ {
			if err := w.spill.store(&c.data[c.spilled]); err != nil {
				w.err = err
				return err
			}
		}
	}
	w.held = 0
	return nil
}

// maxWriterRows ends a block whose rows take no bytes.
const maxWriterRows = math.MaxInt32 / 2
