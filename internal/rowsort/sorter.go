package rowsort

import (
	"errors"
	"fmt"
	"math"
	"sync"
	"sync/atomic"

	"avro2trevni/internal/tuple"
	"avro2trevni/shuffle"
)

// Errors of the package.
var (
	ErrCorrupt = errors.New("rowsort: malformed block")
	ErrOrder   = errors.New("rowsort: rows are not in order, or not all there")
	ErrLongKey = fmt.Errorf("rowsort: sort key of more than %d bytes", MaxKey)
)

// MaxKey is the largest size of a key, and MaxSmall of a row that is not large, in bytes.
const (
	MaxKey   = 64 << 10
	MaxSmall = 64 << 10
)

// Sizes in bytes.
const (
	pieceBytes = 128 << 10
	blockBytes = 32 << 10 // at which a block ends
	maxBlock   = blockBytes + MaxKey + MaxSmall + 64
	slabBytes  = 512 << 10 // of a usual slab, or less where memory is short
	slabs      = 16        // at least, where memory is short
	entryCost  = 48        // of an entry, with what a growing slice of them wastes
	cursorCost = 1 << 10
)

// largeColumn is the column of the pieces of large rows; runs are numbered after it.
const largeColumn = 0

// largeSplit numbers the pieces: in the last split, so that a release of runs does not remove them.
const largeSplit = tuple.MaxSplit

// Options are a sorter's.
type Options struct {
	Shuffle *shuffle.Options // of the shuffle that keeps the runs
	Memory  int64            // bytes of all writers together
	Writers int              // that there are at a time
}

// LeastMemory is the least memory that a writer should have: with less it holds more than
// that, and makes runs of a few rows.
const LeastMemory = 4 * (MaxKey + MaxSmall)

// LeastShuffle is the least memory of the shuffle with that many writers.
func LeastShuffle(writers int) int64 { return int64(writers+1)*(maxBlock*5/4) + 1<<20 }

// Sorter sorts rows. Its writers may be used by several goroutines at once, each by one;
// when all are closed the rows are merged. [Sorter.Close] must be called.
type Sorter struct {
	o     Options
	store *shuffle.Shuffle

	pieces atomic.Int64 // of large rows
	next   atomic.Int64 // number of the next run

	mu    sync.Mutex
	runs  []run
	rows  int64
	bytes int64
}

// run is one sorted run.
type run struct {
	column uint32
	pass   int
	rows   int64
	most   int // raw bytes of its largest block
	key    int // bytes of its longest key
}

// New returns an empty sorter. It makes nothing on disk.
func New(o Options) (*Sorter, error) {
	store, err := shuffle.New(o.Shuffle)
	if err != nil {
		return nil, err
	}
	s := &Sorter{o: o, store: store}
	s.next.Store(largeColumn)
	return s, nil
}

// Close frees all memory and removes all files.
func (s *Sorter) Close() error { return s.store.Close() }

// Counters returns those of the shuffle so far.
func (s *Sorter) Counters() shuffle.Counters { return s.store.Counters() }

// Bytes returns the bytes of all rows, when the writers are closed.
func (s *Sorter) Bytes() int64 { return s.bytes }

// add enters a run.
func (s *Sorter) add(r run) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.runs = append(s.runs, r)
}

// count counts what a writer was given.
func (s *Sorter) count(rows, bytes int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rows += rows
	s.bytes += bytes
}

// newRun returns a run that has nothing yet.
func (s *Sorter) newRun(pass int) (run, error) {
	n := s.next.Add(1)
	if n > math.MaxInt32 {
		return run{}, errors.New("rowsort: too many runs")
	}
	return run{column: uint32(n), pass: pass}, nil
}

// runWriter writes a run, entry after entry.
type runWriter struct {
	run   run
	w     *shuffle.Writer
	b     builder
	first int64 // rank of the block's first entry
}

// end ends the block.
func (r *runWriter) end() error {
	rows := r.b.rows
	if rows == 0 {
		return nil
	}
	buf, err := r.w.Buffer(r.b.maxLen())
	if err != nil {
		return err
	}
	raw := len(r.b.buf)
	value := r.b.encode(buf)
	r.run.most = max(r.run.most, raw)
	r.run.rows += int64(rows)
	t := tuple.Tuple{
		Column: r.run.column, Row: tuple.RowOf(r.run.pass, r.first), Rows: uint32(rows), Values: uint32(rows),
		Raw: uint32(raw), Size: uint32(len(value)), Value: value,
	}
	r.first += int64(rows)
	return r.w.Add(t)
}

// add adds the next entry of the run.
func (r *runWriter) add(key []byte, v value) error {
	r.run.key = max(r.run.key, len(key))
	r.b.add(key, v)
	if len(r.b.buf) < blockBytes {
		return nil
	}
	return r.end()
}
