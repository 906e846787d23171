package mapper

import (
	"context"
	"errors"
	"fmt"
	"io"

	"avro2trevni/internal/colsum"
	"avro2trevni/internal/ocf"
	"avro2trevni/internal/tuple"
)

// Blocks gives the blocks of one segment of an Avro file, decompressed, in windows;
// see [ocf.Reader], which it is.
type Blocks interface {
	// Next moves to the next block. After the last the error is io.EOF itself: one that
	// wraps it is a failure.
	Next() (ocf.Block, error)
	// Window returns the block's bytes from where the last window's unread ones
	// begin, and whether they reach the block's end. They are valid until the next
	// call.
	Window(unread int) (data []byte, last bool, err error)
}

// Sink takes tuples. A shuffle.Writer is one.
type Sink interface {
	// Buffer returns an empty slice with room for n bytes, valid until the next call.
	Buffer(n int) ([]byte, error)
	// Add takes a tuple whose Value was appended to the last Buffer.
	Add(tuple.Tuple) error
}

// Options are a mapper's. The zero value of a field is its default.
type Options struct {
	// BlockSize is the bytes at which a run is cut. Default 64 KiB.
	BlockSize int
	// MarkBytes is the bytes of input between two marks. 0: none are set for that.
	MarkBytes int
	// MarkRows is the largest number of rows between two marks. 0: any number.
	MarkRows int64
	// CutAtMarks cuts the runs of all columns at each mark, and sets a mark where all are cut.
	CutAtMarks bool
	// StepBytes is the largest number of input bytes between two checkpoints, where marks can
	// be set. 0: a number that suits the block size and the table's width.
	StepBytes int
	// MaxEmpty is the largest number of values of no bytes (fixed of size 0) in one Avro
	// block. Default 1,048,576.
	MaxEmpty int64
	// Overhead is the bytes that a tuple takes in a file beside its value. Only estimates
	// rest on it.
	Overhead int

	// BufferBytes is the bytes of all columns' runs together at which all are cut. Default 16
	// MiB.
	BufferBytes int
}

// defaultBuffers is the most bytes that all columns' buffers hold before they are all cut.
const defaultBuffers = 16 << 20

func (o Options) withDefaults() Options {
	if o.BlockSize == 0 {
		o.BlockSize = 64 << 10
	}
	if o.BufferBytes == 0 {
		o.BufferBytes = defaultBuffers
	}
	if o.MaxEmpty == 0 {
		o.MaxEmpty = 1 << 20
	}
	return o
}

// maxRun is the most rows, and the most values, of one run: counts are 32-bit, and
// Java's are signed.
const maxRun = 1 << 30

// Mark is a row that a row group may begin at.
type Mark struct {
	Row   int64 // within the split
	Bytes int64 // about as many bytes will the split's rows before it take in a file
}

// Result says what became of a split.
type Result struct {
	Rows  int64           // rows of the split
	Bytes int64           // bytes of its tuples as they would stand in a file, Options.Overhead included
	Raw   int64           // bytes of its tuples before compression
	Runs  int64           // tuples emitted
	Marks []Mark          // in order of rows
	Sums  []colsum.Column // of each column, if the encoder makes digests
}

// Mapper turns splits into tuples, one split after another. One goroutine at a time.
type Mapper struct {
	p    *Program
	o    Options
	enc  Encoder // nil: rows are only walked
	sink Sink

	cols  []column
	loops []loop
	saved []saved
	rep   byte  // the repetition level of the next entry: see levels.go
	empty int64 // values of no bytes in this block
	open  Run   // what the encoder is asked about

	made     int   // bytes of constants that the instruction in work added
	spent    int   // those of the rows that are not counted yet
	spentRow int64 // the row of the walk that got some last, -1: none
	rowSpent int   // how many

	savedEmpty int64 // as of the last save
	room       ocf.Memory
	granted    int // bytes that room granted

	split    int
	row      int64 // rows of the split so far
	since    int   // bytes walked since the last checkpoint
	unmarked int   // bytes since the last mark
	marked   int64 // the row of the last mark
	result   Result
}

// New returns a mapper that runs p, and passes the tuples that enc makes from its runs to
// sink. Without an encoder the rows are walked, with all checks, but without output.
func New(p *Program, o Options, enc Encoder, sink Sink) *Mapper {
	m := &Mapper{
		p: p, o: o.withDefaults(), enc: enc, sink: sink,
		cols:  make([]column, max(1, len(p.columns))),
		loops: make([]loop, p.loops),
		saved: make([]saved, len(p.columns)),
	}
	for i := range p.columns {
		of := &p.columns[i]
		m.cols[i].repeats, m.cols[i].counted = of.MaxRep > 0, of.Array || of.Parent >= 0 || of.MaxDef > 0
	}
	m.Use(p)
	return m
}

// Use makes p the program of the segments to come: one of another writer's schema,
// whose columns are those of the program so far.
func (m *Mapper) Use(p *Program) {
	m.p = p
	if len(m.loops) < p.loops {
		m.loops = make([]loop, p.loops)
	}
	for i := range m.cols {
		c := &m.cols[i]
		c.full = m.o.BlockSize + 2*m.interval() + slack
		c.most = max(largeBuffer, 4*c.full)
		if p.added != nil {
			c.full += p.added[i]
			c.most += p.added[i]
		}
	}
}

// interval is the bytes of input between two checkpoints: few, so that runs are
// little longer than a block; enough, in a wide table, that looking at each column
// costs little.
func (m *Mapper) interval() int {
	n := max(min(m.o.BlockSize, 64*len(m.p.columns)), m.o.BlockSize/16, 1)
	if m.o.StepBytes > 0 {
		return min(n, m.o.StepBytes)
	}
	return n
}

// Memory estimates the bytes that a mapper of this program holds, without its [Encoder]
// and the buffers of its [Blocks] and [Sink].
func (p *Program) Memory(o Options) int64 {
	o = o.withDefaults()
	const perColumn = 512 // its state, twice, and the first buffer
	columns := int64(len(p.columns))
	run := int64(o.BlockSize) + int64(o.BlockSize)/4
	n := columns*perColumn + min(columns*run, 2*int64(o.BufferBytes)) + 2*run
	for _, added := range p.added {
		n += int64(added)
	}
	return n
}

// Begin starts split number n.
func (m *Mapper) Begin(n int) {
	m.split, m.row, m.since, m.unmarked, m.marked = n, 0, 0, 0, 0
	m.result = Result{}
	for i := range m.cols {
		c := &m.cols[i]
		c.values, c.sent = 0, 0
		c.next(0, 0, 0)
	}
	m.giveBack()
	if m.enc != nil {
		m.enc.Begin()
	}
}

// Segment shreds the blocks of one segment of the split, and returns how many rows
// it had. An error of the data is an [Error] with the block and the row in it.
// Whatever was emitted is worthless then.
func (m *Mapper) Segment(ctx context.Context, blocks Blocks) (int64, error) {
	before := m.row
	for {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		b, err := blocks.Next()
		switch {
		case err == io.EOF:
			return m.row - before, nil
		case err != nil:
			return 0, err
		}
		first := m.row
		if err := m.block(ctx, blocks, b.Rows); err != nil {
			return 0, m.locate(ctx, err, blocks, b, m.row-first)
		}
	}
}

// End ends the split: what the buffers hold is emitted.
func (m *Mapper) End() (Result, error) {
	for i := range m.p.columns {
		if err := m.emit(i); err != nil {
			return Result{}, err
		}
	}
	m.giveBack()
	m.result.Rows = m.row
	if m.enc == nil {
		return m.result, nil
	}
	var err error
	m.result.Sums, err = m.enc.End(m.sendWhole)
	return m.result, err
}

// Error is a fault in an Avro block's rows.
type Error struct {
	Offset int64 // of the block in the file
	Row    int64 // of the row in the block, from 0
	Err    error
}

// Error gives the place and the cause.
func (e *Error) Error() string {
	return fmt.Sprintf("block at %d, row %d: %v", e.Offset, e.Row, e.Err)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// ValueError is a value that the files' format cannot store. It is found where a run ends, when
// the block that it came from is gone.
type ValueError struct {
	Column string
	Row    tuple.Row
	Err    error
}

// Error gives the place and the cause.
func (e *ValueError) Error() string {
	return fmt.Sprintf("column %q, row %d of split %d: %v", e.Column, e.Row.InSplit(), e.Row.Split(), e.Err)
}

// Unwrap returns the cause.
func (e *ValueError) Unwrap() error { return e.Err }

// fault is an error of the data, as against one of reading or of the sink.
type fault struct{ error }

func (f fault) Unwrap() error { return f.error }

// locate makes a fault an [Error]. If the block itself has one, which may be what made the
// row bad, or too large, it is that: whether it was met before depends on how large windows
// are.
func (m *Mapper) locate(ctx context.Context, err error, blocks Blocks, b ocf.Block, row int64) error {
	var f fault
	var room *roomError
	if !errors.As(err, &f) && !errors.As(err, &room) {
		return err
	}
	for last := false; !last; {
		var whole error
		if _, last, whole = blocks.Window(0); whole != nil {
			return whole
		}
		if stop := ctx.Err(); stop != nil {
			return stop
		}
	}
	if room != nil {
		return err
	}
	return &Error{Offset: b.Offset, Row: row, Err: f.error}
}

// valuesOf returns how many values column i has had since the split began.
func (m *Mapper) valuesOf(i int) int64 {
	if m.p.columns[i].Array {
		return m.cols[i].values
	}
	if m.p.columns[i].MaxDef > 0 {
		return m.cols[i].first + int64(m.cols[i].entries)
	}
	if parent := m.p.columns[i].Parent; parent >= 0 {
		return m.cols[parent].values
	}
	return m.row
}
