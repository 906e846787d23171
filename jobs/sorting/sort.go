package sorting

import (
	"context"
	"errors"
	"fmt"
	"runtime"

	"avro2trevni/internal/rowsort"
	"avro2trevni/internal/units"
	"avro2trevni/jobs/inputs"
	"avro2trevni/jobs/memory"
	"avro2trevni/jobs/pack"
	"avro2trevni/jobs/stages"
	"avro2trevni/jobs/turns"
	"avro2trevni/mapper"
)

// mostSortedSplit is the largest size of a split of sorted rows, in bytes, except for a
// single larger row, or a job with so many rows that the splits could not be numbered.
const mostSortedSplit = 4 * units.MiB

// mostRowGroup is the same where a split is a row group: readers want large ones.
const mostRowGroup = 16 * units.MiB

// mostSplit returns the most bytes of rows in a split of sorted rows of a plan.
func mostSplit(p *inputs.Plan) int64 {
	if p.Schemas.Layout.Levels {
		return mostRowGroup
	}
	return mostSortedSplit
}

// leastMerge is the least memory of a merge, for its blocks.
const leastMerge = 2 * units.MiB

// Needs returns what sorting takes besides what the stages hold.
func (ord *Order) Needs() memory.Needs {
	n := memory.Needs{
		Fixed: ord.split + 128*units.KiB, Mapper: ord.split + 128*units.KiB,
		Shuffle: func(workers int) int64 { return rowsort.LeastShuffle(workers) + leastMerge },
	}
	if ord.part != nil {
		n.Add(memory.Needs{Fixed: partMemory * int64(ord.most), Mapper: countMemory * int64(ord.most)})
	}
	return n
}

// Share divides the shuffle's share of a job that sorts:
//
//	cutting, sorting:   | runs | chunks: merge, shuffle, stage, and the splits' |
//	mapping, reducing:  | runs | merge | shuffle | stage, splits                |
func (ord *Order) Share(m *memory.Share, n memory.Needs) {
	spare := m.Shuffle - n.Shuffle(m.Workers)
	m.Runs = rowsort.LeastShuffle(m.Workers) + spare/4
	m.Merge = leastMerge + spare/4
	m.Shuffle -= m.Runs + m.Merge
	m.Chunks = max(m.Shuffle+m.Merge+m.Stage+int64(m.Workers+1)*ord.split, int64(m.Workers)*rowsort.LeastMemory)
}

// Rows is the rows of all inputs, in order.
type Rows struct {
	w        *stages.Work
	order    *Order
	sorter   *rowsort.Sorter
	merger   *rowsort.Merger
	programs []*mapper.Program // by the kind of a row
	Longest  int               // bytes of the longest value of the column that has first values
	size     int64             // bytes of a split
	splits   int
	parts    []partCount  // in order; one without a name if there are no partitions
	Ranges   []pack.Range // of splits, of each part

	ready chan *Split
	free  chan *Split
}

// Close removes what was sorted.
func (s *Rows) Close() error { return s.sorter.Close() }

// Spilled is the bytes that sorting wrote to temporary files.
func (s *Rows) Spilled() int64 { return s.sorter.Counters().Disk }

// Folder is the name of the folder of a part, "" if there are no partitions.
func (s *Rows) Folder(part int) string { return s.parts[part].name }

// Sort reads all inputs and sorts their rows, and returns the rows of each.
func Sort(ctx context.Context, w *stages.Work, ord *Order) (_ *Rows, rows []int64, err error) {
	runs := w.Temp.Shuffle(w.Share.Runs, w.Share.Workers)
	s := &Rows{w: w, order: ord}
	if s.sorter, err = rowsort.New(rowsort.Options{Shuffle: runs, Memory: w.Share.Chunks, Writers: w.Share.Workers}); err != nil {
		return nil, nil, fmt.Errorf("jobs: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.Close())
		}
	}()
	m := stages.NewMapping(w)
	cutters := s.cutters(w, ord)
	err = turns.Take(ctx, len(cutters), func(ctx context.Context, worker int, t *turns.Turn) error { return cutters[worker].cut(ctx, m, t) })
	if err != nil {
		return nil, nil, err
	}
	if rows, err = m.Tally.Rows(); err != nil {
		return nil, nil, err
	}
	largest := int64(0)
	for _, c := range cutters {
		s.Longest, largest = max(s.Longest, c.Longest), max(largest, c.most)
	}
	pool := memory.NewReadPool(w.Share.ReadShare, w.Share.ReadLarge)
	if largest > rowsort.MaxSmall && largest > pool.Most() {
		return nil, nil, &stages.LargeRow{Bytes: largest} // before anything is merged
	}
	s.parts = []partCount{{bytes: s.sorter.Bytes()}}
	if ord.part != nil {
		s.parts = joinParts(cutters)
	}
	clear(cutters)
	runtime.GC() // the memory that cutters had is given to what follows
	defer w.Doing.Begin("merging sorted rows")()
	if s.merger, err = s.sorter.Merge(ctx, w.Share.Merge); err != nil {
		return nil, nil, err
	}
	s.divide(ord.split, w.Share.Workers, pool)
	return s, rows, nil
}

// divide decides on the splits: a row is in that of its first byte among those of all.
func (s *Rows) divide(size int64, workers int, pool *memory.ReadPool) {
	s.size = size
	for s.count(); s.splits > inputs.MaxSplits; s.count() {
		s.size *= 2
	}
	s.ready = make(chan *Split)
	s.free = make(chan *Split, workers+1)
	for range cap(s.free) {
		s.free <- &Split{pool: pool}
	}
}

// count gives each part its splits.
func (s *Rows) count() {
	s.Ranges, s.splits = s.Ranges[:0], 0
	for _, p := range s.parts {
		n := max(1, (p.bytes+s.size-1)/s.size)
		s.Ranges = append(s.Ranges, pack.Range{First: s.splits, End: s.splits + int(min(n, inputs.MaxSplits+1))})
		s.splits = s.Ranges[len(s.Ranges)-1].End
		if s.splits > inputs.MaxSplits {
			return
		}
	}
}
