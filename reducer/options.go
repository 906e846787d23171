package reducer

import (
	"fmt"
	"runtime"

	"avro2trevni/internal/tuple"
)

// Source gives a column's tuples. Scans of several columns go on at the same time,
// and a group is scanned again when it is resized and when it is written: until
// then its rows must stay.
type Source interface {
	// Scan returns a scanner over the tuples of a column that hold rows of [from,
	// to), in row order; the first may begin before from, the last end after to. An
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
	// is called for tuples at the range's edges, and where a column's [Look] says so.
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
	From, To tuple.Row // from a row to the one after the last, both at marks or splits' ends
	Rows     int64     // how many those are
	// After is what [Group.Last] gave of the rows before, nil if there are none.
	After [][]byte
}

// Options are the common properties of a job's files, and the resources for making them.
// This package does not change them, and they must not change while a group is in use.
type Options struct {
	// Format is that of the files.
	Format Format
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
	// LayoutMemory is the largest size of a group's layout, as [Group.Memory] counts it; a
	// larger group is a [LayoutError]. Default 0: any size.
	LayoutMemory int64
	// Temp makes the file for staged blocks past StageMemory; it is called at most
	// once a group. Default TempDir("").
	Temp func() (TempFile, error)
}

// defaultStage is the default of Options.StageMemory.
const defaultStage = 32 << 20

// withDefaults returns a copy in which no field is zero.
func (o *Options) withDefaults() Options {
	c := *o
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
	case o.Format == nil:
		return fmt.Errorf("%w: no Format", ErrOptions)
	case o.Workers < 0:
		return fmt.Errorf("%w: Workers %d is negative", ErrOptions, o.Workers)
	case o.Readers < 0:
		return fmt.Errorf("%w: Readers %d is negative", ErrOptions, o.Readers)
	case o.LayoutMemory < 0:
		return fmt.Errorf("%w: LayoutMemory %d is negative", ErrOptions, o.LayoutMemory)
	case o.StageMemory < 0:
		return fmt.Errorf("%w: StageMemory %d is negative", ErrOptions, o.StageMemory)
	}
	return nil
}

// HeaderSize returns the bytes of a file of these options without rows: what every
// file takes, whatever is in it.
func (o *Options) HeaderSize() (int64, error) {
	if err := o.Validate(); err != nil {
		return 0, err
	}
	shape := o.Format.Shape()
	return o.Format.Size(&Laid{&Group{shape: shape, cols: make([]column, len(shape.Columns))}}), nil
}
