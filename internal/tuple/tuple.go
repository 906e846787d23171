package tuple

import "fmt"

// Tuple is one run of consecutive rows of one column.
type Tuple struct {
	Column uint32 // the column's number, from 0, in schema order
	Row    Row    // the run's first row; all its rows are of one split
	Rows   uint32 // rows in the run, at least 1
	Values uint32 // values in the run: Rows, or for a column with lengths or a parent, the elements
	Raw    uint32 // bytes of the run before compression
	Size   uint32 // bytes of Value
	Note   []byte // what the format says of the run beside its sizes; opaque here, may be empty
	Value  []byte // the run as it stands in a file: compressed, with its checksum
}

// End returns the row after the run's last.
func (t *Tuple) End() Row { return t.Row + Row(t.Rows) }

// RowBits is the number of low bits of a [Row] that number it within its split.
const RowBits = 40

// Limits of a [Row]'s two parts.
const (
	MaxSplit = 1<<(64-RowBits) - 2 // the last but one, so that the row after any row is a Row
	MaxRow   = 1<<RowBits - 2
)

// Row is the number of a row: its split in the high 24 bits, its place in the split in the
// low 40. Rows compare in the order of the input.
type Row uint64

// RowOf returns the Row of row n of a split, or of the end after its last; row 0 of split
// MaxSplit+1 is the end after all. It panics past that; planner and mapper check before.
func RowOf(split int, n int64) Row {
	end := split == MaxSplit+1 && n == 0
	if split < 0 || split > MaxSplit && !end || n < 0 || n > MaxRow+1 {
		panic(fmt.Sprintf("tuple: row %d of split %d is out of range", n, split))
	}
	return Row(split)<<RowBits | Row(n)
}

// Split returns the number of the row's split.
func (r Row) Split() int { return int(r >> RowBits) }

// InSplit returns the row's number within its split.
func (r Row) InSplit() int64 { return int64(r & (1<<RowBits - 1)) }

// String returns the row as split:row, for messages.
func (r Row) String() string { return fmt.Sprintf("%d:%d", r.Split(), r.InSplit()) }

// Less orders tuples by column, then row.
func Less(c1 uint32, r1 Row, c2 uint32, r2 Row) bool {
	if c1 != c2 {
		return c1 < c2
	}
	return r1 < r2
}
