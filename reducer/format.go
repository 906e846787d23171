package reducer

import (
	"io"

	"avro2trevni/internal/tuple"
)

// Format turns runs into a file. It is called once for each run or file, by several
// goroutines, and does not change.
type Format interface {
	// Shape returns what holds of all files; it is not changed.
	Shape() *Shape
	// Part tells of rows [lo, hi) of t's, which are not all of them; note is the tuple's.
	// Rows at which there is no mark in the run are [ErrRows], another fault [ErrRun].
	Part(t *tuple.Tuple, note []byte, lo, hi uint32) (Part, error)
	// NewJoiner returns a joiner for one goroutine.
	NewJoiner() Joiner
	// Size returns the exact bytes of the file.
	Size(l *Laid) int64
	// NewWriter writes the part of the file before the first block. l does not change until
	// the writer is closed.
	NewWriter(w io.Writer, l *Laid) (Writer, error)
}

// Shape is what all files of a job have in common, as far as the reducer asks.
type Shape struct {
	Columns []Column // by number, as the tuples have it
	// JoinBytes is the largest raw size of a block that is joined from small runs: see the
	// package comment. 0: none are joined.
	JoinBytes int
	// BySplit is set if a file has all blocks of one split, column after column, before those
	// of the next. Then no block is joined from runs of two splits.
	BySplit bool
	// WriterMemory is the bytes that a writer holds of each block, beside its note.
	WriterMemory int64
}

// Column is a column of tuples, and of blocks.
type Column struct {
	Name  string // for messages
	Least int    // bytes of a value, at the least
	Look  Look
}

// Look is what is looked at in a run that passes as it is.
type Look uint8

// What is looked at. In runs that are cut or joined all is.
const (
	LookNothing Look = iota
	LookNote         // blocks have notes, made of those of the runs
	LookValue        // blocks have notes, made of the values; see also [Group.Last]
)

// Small reports whether a run of that many raw bytes may be joined with its neighbours.
func (s *Shape) Small(raw uint32) bool { return 2*uint64(raw) < uint64(s.JoinBytes) }

// NeedsValue reports whether a file cannot be laid out without a run's value, if files
// end where runs do.
func (s *Shape) NeedsValue(t *tuple.Tuple) bool {
	return s.Small(t.Raw) || s.Columns[t.Column].Look == LookValue
}

// Part is what is known of some rows of a run without looking into its bytes.
type Part struct {
	Values uint32
	Raw    uint32 // bytes before compression, at the most
}

// Joiner makes blocks of runs that are cut or joined, and looks at others. What it
// returns is valid until its next call, and what it is given until it returns. An error
// of a row is an [Error] without a column.
type Joiner interface {
	// Pass looks at a run that is a block as it is: at its note, and its value if the
	// column is one of LookValue. It is called for columns with a Look alone.
	Pass(t *tuple.Tuple, note, value, before []byte) (Noted, error)
	// Begin prepares for a block of n runs of a column.
	Begin(column int, runs uint32, before []byte) error
	// Add takes rows [lo, hi) of the block's next run.
	Add(t *tuple.Tuple, note, value []byte, lo, hi uint32) error
	// Finish makes the block, and returns its bytes in the file and their number before
	// compression.
	Finish() (value []byte, raw uint32, n Noted, err error)
}

// Noted is what a joiner tells of a block of a column with a Look.
type Noted struct {
	Note []byte // what the file has to remember of the block beside its sizes
	// After is what is to be known of it when the next block is made, which gets it as
	// before: nil if nothing is. A block may also get that of no block, as where the
	// blocks before it stayed when the group was resized.
	After []byte
}

// Writer writes a file, front to back.
type Writer interface {
	// WriteBlock writes the next block in the file's order, in one Write, as it is. It is
	// not to look into data: the bytes may be put there later.
	WriteBlock(data []byte) error
	// Close writes the part of the file after the last block. It does not close the underlying
	// writer.
	Close() error
}
