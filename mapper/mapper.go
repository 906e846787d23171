package mapper

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"

	"avro2trevni/internal/colsum"
	"avro2trevni/internal/ocf"
	"avro2trevni/internal/tuple"
	"avro2trevni/trevni"
	"avro2trevni/trevni/block"
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

// Sink takes tuples; see [shuffle.Writer], which it is.
type Sink interface {
	// Buffer returns an empty slice with room for n bytes, valid until the next call.
	Buffer(n int) ([]byte, error)
	// Add takes a tuple whose Value was appended to the last Buffer.
	Add(tuple.Tuple) error
}

// Options are a mapper's. The zero value of a field is its default.
type Options struct {
	Codec    block.Codec
	Checksum trevni.Checksum
	// Codings are those of the columns, if not all have Codec and Checksum.
	Codings []block.Coding

	// BlockSize is the bytes at which a run is cut. Default 64 KiB.
	BlockSize int
	// MarkBytes is the bytes of input between two marks. 0: none are set.
	MarkBytes int
	// StepBytes is the most bytes of input between two checkpoints, where marks can be
	// set. 0: as many as suit the block size and the table's width.
	StepBytes int
	// MaxEmpty is the most values of no bytes (fixed of size 0) in one Avro block.
	// Default 1,048,576.
	MaxEmpty int64
	// Sum makes a digest of each column.
	Sum bool

	bufferBytes int // defaultBuffers; tests set it
}

// defaultBuffers is the most bytes that all columns' buffers hold before they are all cut.
const defaultBuffers = 16 << 20

func (o Options) withDefaults() Options {
	if o.BlockSize == 0 {
		o.BlockSize = 64 << 10
	}
	if o.bufferBytes == 0 {
		o.bufferBytes = defaultBuffers
	}
	if o.MaxEmpty == 0 {
		o.MaxEmpty = 1 << 20
	}
	return o
}

// maxRun is the most rows, and the most values, of one run: counts are 32-bit, and
// Java's are signed.
const maxRun = 1 << 30

// descriptorSize is what a block takes in a file beside its value; only an estimate
// rests on it.
const descriptorSize = 12

// Mark is a row that a row group may begin at.
type Mark struct {
	Row   int64 // within the split
	Bytes int64 // about as many bytes will the split's rows before it take in a file
}

// Result says what became of a split.
type Result struct {
	Rows  int64           // rows of the split
	Bytes int64           // bytes of its runs as they would stand in a file, descriptors included
	Raw   int64           // bytes of its runs before compression
	Runs  int64           // tuples emitted
	Marks []Mark          // in order of rows
	Sums  []colsum.Column // of each column, if Options.Sum
}

// Mapper turns splits into tuples, one split after another. One goroutine at a time.
type Mapper struct {
	p    *Program
	o    Options
	sink Sink
	enc  []*block.Encoder // of each column

	cols  []column
	loops []loop
	saved []saved
	sums  []*colsum.Summer // of each column, if Options.Sum
	empty int64            // values of no bytes in this block

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

// New returns a mapper that runs p and gives its tuples to sink.
func New(p *Program, o Options, sink Sink) *Mapper {
	o = o.withDefaults()
	m := &Mapper{
		p: p, o: o, sink: sink,
		enc:   o.encoders(len(p.columns)),
		cols:  make([]column, max(1, len(p.columns))),
		loops: make([]loop, p.loops),
		saved: make([]saved, len(p.columns)),
	}
	m.Use(p)
	if o.Sum {
		m.sums = colsum.NewSummers(p.columns)
	}
	return m
}

// encoders returns the encoder of each column; columns of one coding share theirs. It panics on
// a coding that no block can be written in.
func (o *Options) encoders(columns int) []*block.Encoder {
	made := map[block.Coding]*block.Encoder{}
	all := make([]*block.Encoder, columns)
	for i := range all {
		c := block.Coding{Codec: o.Codec, Checksum: o.Checksum}
		if o.Codings != nil {
			c = o.Codings[i]
		}
		if made[c] == nil {
			enc, err := block.NewEncoder(c)
			if err != nil {
				panic(err)
			}
			made[c] = enc
		}
		all[i] = made[c]
	}
	return all
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

// Memory estimates the bytes that a mapper of this program holds, without the
// buffers of its [Blocks] and [Sink].
func (p *Program) Memory(o Options) int64 {
	o = o.withDefaults()
	const perColumn = 512 // its state, twice, and the first buffer
	columns := int64(len(p.columns))
	run := int64(o.BlockSize) + int64(o.BlockSize)/4
	n := columns*perColumn + min(columns*run, 2*int64(o.bufferBytes)) + 2*run
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
	for _, sum := range m.sums {
		sum.Reset()
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
	for i := range m.p.columns {
		m.result.Bytes += m.cols[i].sent
	}
	for _, sum := range m.sums {
		m.result.Sums = append(m.result.Sums, sum.Column)
	}
	return m.result, nil
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
	if parent := m.p.parents[i]; parent >= 0 {
		return m.cols[parent].values
	}
	return m.row
}

// emit cuts column i's run before the next row, and sends it.
func (m *Mapper) emit(i int) error {
	c := &m.cols[i]
	rows := m.row - c.row
	if rows == 0 {
		return nil
	}
	values := m.valuesOf(i)
	raw := c.close()
	if len(raw) > math.MaxInt32 {
		return fault{fmt.Errorf("column %q: one row has more than a block can hold", m.p.columns[i].Name)}
	}
	// Only of nulls can there be more than 32 bits count, and there it does not matter.
	count := uint32(min(values-c.first, math.MaxUint32))
	if m.sums != nil {
		if err := m.sums[i].Add(raw, rows); err != nil {
			return fmt.Errorf("digest of column %q: %w", m.p.columns[i].Name, err)
		}
	}
	buf, err := m.sink.Buffer(m.enc[i].MaxLen(len(raw)))
	if err != nil {
		return err
	}
	value, err := m.enc[i].Append(buf, raw)
	if err != nil {
		return fmt.Errorf("compress column %q: %w", m.p.columns[i].Name, err)
	}
	cuts := m.weigh(c, len(value), len(raw))
	if n := cuts.Len(); n > 0 && int64(cuts.At(n-1).Rows) == rows {
		cuts = cuts.Trim(n - 1)
	}
	err = m.sink.Add(tuple.Tuple{
		Column: uint32(i), Row: tuple.RowOf(m.split, c.row), Rows: uint32(rows), Values: count,
		Raw: uint32(len(raw)), Size: uint32(len(value)), Note: cuts, Value: value,
	})
	c.sent += int64(len(value)) + descriptorSize
	m.result.Raw += int64(len(raw))
	m.result.Runs++
	c.next(m.row, values, len(m.result.Marks))
	return err
}

// weigh adds to the marks inside a run what stands before each, now that the run's
// size is known, and returns the run's cuts.
func (m *Mapper) weigh(c *column, size, raw int) tuple.Cuts {
	for k := range c.cuts.Len() {
		cut := c.cuts.At(k)
		share := int64(0)
		if raw > 0 {
			share = int64(size) * int64(min(int(cut.Length)+int(cut.Value), raw)) / int64(raw)
		}
		m.result.Marks[c.mark+k].Bytes += c.sent + share
	}
	return c.cuts
}
