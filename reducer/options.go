package reducer

import (
	"fmt"
	"runtime"
	"slices"

	"avro2trevni/internal/tuple"
	"avro2trevni/trevni"
	"avro2trevni/trevni/block"
)

// Source gives a column's tuples. Scans of several columns go on at the same time,
// and a group is scanned again when it is resized and when it is written: until
// then its rows must stay.
type Source interface {
	// Scan returns a scanner over the tuples of a column that hold rows of [from,
	// to), in row order; the first may begin before from, the last end behind to. An
	// empty range holds none.
	Scan(col uint32, from, to tuple.Row) Scanner
}

// Scanner gives tuples one after another, to one goroutine.
type Scanner interface {
	// Next moves to the next tuple and reports whether there is one.
	Next() bool
	// Tuple returns the current tuple, without its Value and Note.
	Tuple() tuple.Tuple
	// Note returns the current tuple's note, valid until the next call of a method. It
	// is called for tuples at the range's edges alone.
	Note() ([]byte, error)
	// Value appends the current tuple's value to dst and returns the result, as append
	// does: in another array if it likes.
	Value(dst []byte) ([]byte, error)
	// Err returns what ended the scan, if it was a failure.
	Err() error
	// Close gives the scanner up.
	Close() error
}

// Range is the rows of one group.
type Range struct {
	From, To tuple.Row // from a row to the one behind the last, both at marks or splits' ends
	Rows     int64     // how many those are
	// After is, for columns with first values, the last value before From, as it is
	// written: what [Group.Last] gave of the rows before. None may be less.
	After [][]byte
}

// Options tell what the files of a job have in common, and what may be used to make
// them. They are not changed, and must not change while a group lives.
type Options struct {
	// Columns are the file's columns, whose numbers are the tuples'. A codec or
	// checksum of their own is that of their values. Those with Values must be sorted, so
	// nulls and booleans have none.
	Columns []trevni.Column
	// Meta is the file's metadata, without codec and checksum, which come behind it.
	Meta trevni.Metadata
	// BlockSize is the most raw bytes of a joined block; see the package comment.
	// Default 64 KiB, from 1 to 1 GiB.
	BlockSize int
	// Codec and Checksum are those of the file, and of the tuples' values.
	Codec    block.Codec
	Checksum trevni.Checksum
	// Codings are those of the columns' values, if not all have Codec and Checksum.
	Codings []block.Coding
	// Workers is the number of columns laid out at a time. Default GOMAXPROCS.
	Workers int
	// Readers is the number of goroutines that gather a file's blocks while it is
	// written. One takes values in the file's order; with more the source's scanners
	// must not wait for one another. Default 1.
	Readers int
	// StageMemory is the most bytes of staged blocks to hold in memory, but for the
	// chunk being filled, which has a quarter of it, at least 4 KiB and at most 1 MiB,
	// and at least one block. Default 32 MiB.
	StageMemory int64
	// LayoutMemory is the most bytes that a group's layout may take, as [Group.Memory]
	// counts them: a group of more is a [LayoutError]. Default 0: any number.
	LayoutMemory int64
	// Temp makes the file for staged blocks past StageMemory; it is called at most
	// once a group. Default TempDir("").
	Temp func() (TempFile, error)
}

// Defaults and limits.
const (
	defaultBlockSize = 64 << 10
	maxBlockSize     = 1 << 30
	defaultStage     = 32 << 20
)

// withDefaults returns a copy in which no field is zero.
func (o *Options) withDefaults() Options {
	c := *o
	if c.BlockSize == 0 {
		c.BlockSize = defaultBlockSize
	}
	if c.Workers == 0 {
		c.Workers = runtime.GOMAXPROCS(0)
	}
	if c.Readers == 0 {
		c.Readers = 1
	}
	if c.StageMemory == 0 {
		c.StageMemory = defaultStage
	}
	if c.Temp == nil {
		c.Temp = TempDir("")
	}
	return c
}

// Validate reports the first field that is out of range, as [ErrOptions].
func (o *Options) Validate() error {
	switch {
	case o.BlockSize < 0 || o.BlockSize > maxBlockSize:
		return fmt.Errorf("%w: BlockSize %d is not from 1 to %d", ErrOptions, o.BlockSize, maxBlockSize)
	case o.Workers < 0:
		return fmt.Errorf("%w: Workers %d is negative", ErrOptions, o.Workers)
	case o.Readers < 0:
		return fmt.Errorf("%w: Readers %d is negative", ErrOptions, o.Readers)
	case o.LayoutMemory < 0:
		return fmt.Errorf("%w: LayoutMemory %d is negative", ErrOptions, o.LayoutMemory)
	case o.StageMemory < 0:
		return fmt.Errorf("%w: StageMemory %d is negative", ErrOptions, o.StageMemory)
	}
	if _, err := block.ParseCodec(o.Codec.String()); err != nil {
		return fmt.Errorf("%w: Codec: %w", ErrOptions, err)
	}
	if o.Codings != nil && len(o.Codings) != len(o.Columns) {
		return fmt.Errorf("%w: %d Codings of %d columns", ErrOptions, len(o.Codings), len(o.Columns))
	}
	for i := range o.Columns {
		if err := o.checkColumn(i); err != nil {
			return fmt.Errorf("%w: column %q: %w", ErrOptions, o.Columns[i].Name, err)
		}
	}
	return nil
}

// checkColumn reports whether the column can be made of tuples' values as they are.
func (o *Options) checkColumn(i int) error {
	c, h, own := &o.Columns[i], o.header(), o.coding(i)
	if _, err := block.ParseCodec(own.Codec.String()); err != nil {
		return err
	}
	named, err := h.Coding(i)
	if err != nil {
		return err
	}
	switch {
	case c.Values && (c.Type == trevni.Null || c.Type == trevni.Boolean):
		return fmt.Errorf("first values of type %s are not supported", c.Type)
	case named.Codec.WireName() != own.Codec.WireName():
		return fmt.Errorf("codec %q is not that of its values, %s", named.Codec, own.Codec)
	case named.Checksum != own.Checksum:
		return fmt.Errorf("checksum %q is not that of its values, %s", named.Checksum, own.Checksum)
	}
	return nil
}

// coding returns that of column i.
func (o *Options) coding(i int) block.Coding {
	if o.Codings != nil {
		return o.Codings[i]
	}
	return block.Coding{Codec: o.Codec, Checksum: o.Checksum}
}

// header returns the file's header, but for its number of rows.
func (o *Options) header() trevni.Header {
	h := trevni.Header{Meta: slices.Clone(o.Meta), Columns: o.Columns}
	h.SetCodec(o.Codec.WireName())
	h.SetChecksum(o.Checksum)
	return h
}

// HeaderSize returns the bytes of a file of these options without rows: what every
// file takes, whatever is in it.
func (o *Options) HeaderSize() (int64, error) {
	if err := o.Validate(); err != nil {
		return 0, err
	}
	h := o.header()
	n, err := trevni.FileSize(&h, make([][]trevni.Block, len(h.Columns)))
	if err != nil {
		return 0, fmt.Errorf("%w: %w", ErrOptions, err)
	}
	return n, nil
}
