package trevni

import (
	"fmt"

	"avro2trevni/internal/tuple"
	"avro2trevni/reducer"
	"avro2trevni/trevni"
	"avro2trevni/trevni/block"
)

// MaxFirst is the largest encoded size of the first and the last value of a run in a column
// with first values: these are held in memory until the file is written, and by its
// readers.
const MaxFirst = 1 << 10

// firsts looks at the values of a block of a column with first values.
type firsts struct {
	typ   trevni.Type
	last  []byte // the last value so far, nil if none is known
	first []byte // the block's first value
}

// begin begins a block after a value, nil if none is known.
func (f *firsts) begin(t trevni.Type, before []byte) {
	f.typ, f.last, f.first = t, before, f.first[:0]
}

// add takes the next rows' values: the first of them is the block's, if that has none.
// What is wrong is a [reducer.Error] without a column.
func (f *firsts) add(b []byte, row tuple.Row, rows uint32) error {
	bad, last, err := block.CheckSorted(b, f.typ, int(rows), f.last)
	if err != nil {
		return fmt.Errorf("%w: %w", reducer.ErrRun, err)
	}
	if bad < int(rows) {
		return &reducer.Error{Row: row + tuple.Row(bad), Err: reducer.ErrOrder}
	}
	if len(last) > MaxFirst {
		return &reducer.Error{Row: row + tuple.Row(rows) - 1, Err: tooLong(last)}
	}
	f.last = append([]byte(nil), last...)
	if len(f.first) > 0 {
		return nil
	}
	n, err := block.SkipValues(b, f.typ, 1)
	if err != nil {
		return fmt.Errorf("%w: %w", reducer.ErrRun, err)
	}
	if n > MaxFirst {
		return &reducer.Error{Row: row, Err: tooLong(b[:n])}
	}
	f.first = append(f.first, b[:n]...)
	return nil
}

// noted is what the next block and the file have to know.
func (f *firsts) noted() reducer.Noted { return reducer.Noted{Note: f.first, After: f.last} }

func tooLong(v []byte) error {
	return fmt.Errorf("%w: %d bytes, the most is %d", reducer.ErrLong, len(v), MaxFirst)
}
