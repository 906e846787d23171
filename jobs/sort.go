package jobs

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"avro2trevni/internal/ocf"
	"avro2trevni/internal/rowsort"
	"avro2trevni/internal/tuple"
	"avro2trevni/mapper"
	"avro2trevni/shuffle"
)

// Rows that are to be sorted are read twice: from the inputs, by cutters, which make a key
// of each, and then in the order of the keys, in splits of their own, by the mappers.
//
//	splits 0 1 2 ... --> worker: reader, cutter, rowsort.Writer --+   key: columns, row#
//	                     worker: reader, cutter, rowsort.Writer --+
//	                                                              v
//	                            sorted runs, in memory or on disk: rowsort.Merger
//	                                                              |
//	sorted splits 0 1 2 ... of so many bytes of rows <------------+
//	   |    |
//	   v    v
//	mapper mapper --> shuffle, pack, reduce: as if the inputs had been so
//
// The number of a row, for the sort, is that of the input: (split, row). Behind it, it is
// (sorted split, row).

// mostSortedSplit is the most bytes of rows in a split of sorted rows, but for those that
// one row has, or a job of so many that they cannot be numbered.
const mostSortedSplit = 4 * mib

// splitBytes is the bytes of rows in a split of sorted rows.
func (j *job) splitBytes() int64 { return min(j.o.SplitSize, mostSortedSplit) }

// leastMerge is what a merge needs at the least, for its blocks.
const leastMerge = 2 * mib

// sort adds what sorting takes to what the stages hold.
func (n *needs) sort(split int64) {
	base := n.shuffle
	n.mapper += split + 128*kib
	n.fixed += split + 128*kib
	n.shuffle = func(w int) int64 { return base(w) + rowsort.LeastShuffle(w) + leastMerge }
}

// sort divides the shuffle's share of a job that sorts:
//
//	cutting, sorting:   | runs | chunks: merge, shuffle, stage, and the splits' |
//	mapping, reducing:  | runs | merge | shuffle | stage, splits                |
func (m *memoryPlan) sort(n needs, split int64) {
	spare := m.Shuffle - n.shuffle(m.Workers)
	m.Runs = rowsort.LeastShuffle(m.Workers) + spare/4
	m.Merge = leastMerge + spare/4
	m.Shuffle -= m.Runs + m.Merge
	m.Chunks = max(m.Shuffle+m.Merge+m.Stage+int64(m.Workers+1)*split, int64(m.Workers)*rowsort.LeastMemory)
}

// sortedRows is the rows of all inputs, in order.
type sortedRows struct {
	sorter   *rowsort.Sorter
	merger   *rowsort.Merger
	programs []*mapper.Program // by the kind of a row
	longest  int               // bytes of the longest value of the column that has first values
	size     int64             // bytes of a split
	splits   int
	parts    []partCount  // in order; one without a name if there are no partitions
	ranges   []splitRange // of splits, of each part

	ready chan *sortedSplit
	free  chan *sortedSplit
}

// close removes what was sorted.
func (s *sortedRows) close() error { return s.sorter.Close() }

// sort reads all inputs and sorts their rows, and returns the rows of each.
func (j *job) sort(ctx context.Context) (_ *sortedRows, rows []int64, err error) {
	o := *j.shuffleOptions()
	o.Memory = j.memory.Runs
	s := &sortedRows{}
	if s.sorter, err = rowsort.New(rowsort.Options{Shuffle: &o, Memory: j.memory.Chunks, Writers: j.memory.Workers}); err != nil {
		return nil, nil, fmt.Errorf("jobs: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.close())
		}
	}()
	m := newMapStage(j, nil, nil)
	cutters := s.cutters(j, m)
	err = takeTurns(ctx, len(cutters), func(ctx context.Context, worker int, t *turn) error { return m.cut(ctx, t, cutters[worker]) })
	if err != nil {
		return nil, nil, err
	}
	if rows, err = m.counted(); err != nil {
		return nil, nil, err
	}
	for _, c := range cutters {
		s.longest = max(s.longest, c.Longest)
	}
	defer j.doing.begin("merging sorted rows")()
	if s.merger, err = s.sorter.Merge(ctx, j.memory.Merge); err != nil {
		return nil, nil, err
	}
	if s.parts, err = joinParts(cutters, j.o.MaxPartitions); err != nil {
		return nil, nil, err
	}
	if j.order.part == nil {
		s.parts = []partCount{{bytes: s.sorter.Bytes()}}
	}
	s.divide(j)
	return s, rows, nil
}

// divide decides on the splits: a row is in that of its first byte among those of all.
func (s *sortedRows) divide(j *job) {
	s.size = j.splitBytes()
	for s.count(); s.splits > maxSplits; s.count() {
		s.size *= 2
	}
	pool := newReadPool(j.memory.ReadShare, j.memory.ReadLarge)
	s.ready = make(chan *sortedSplit)
	s.free = make(chan *sortedSplit, j.memory.Workers+1)
	for range cap(s.free) {
		s.free <- &sortedSplit{pool: pool}
	}
}

// count gives each part its splits.
func (s *sortedRows) count() {
	s.ranges, s.splits = s.ranges[:0], 0
	for _, p := range s.parts {
		n := max(1, (p.bytes+s.size-1)/s.size)
		s.ranges = append(s.ranges, splitRange{s.splits, s.splits + int(min(n, maxSplits+1))})
		s.splits = s.ranges[len(s.ranges)-1].end
		if s.splits > maxSplits {
			return
		}
	}
}

// rowCutter cuts rows out of splits and gives them to be sorted.
type rowCutter struct {
	*mapper.Cutter
	w     *rowsort.Writer
	kinds map[*mapper.Program]uint32
	kind  uint32
	at    tuple.Row // the next row's
	key   []byte

	parted bool // whether rows are of partitions
	parts  partCounts
}

// errKey is returned for a row whose key cannot be.
type errKey struct{ error }

func (e *errKey) Unwrap() error { return e.error }

// cutters returns a cutter for each worker.
func (s *sortedRows) cutters(j *job, m *mapStage) []*rowCutter {
	kinds := map[*mapper.Program]uint32{}
	for i := range j.plan.Inputs {
		p := j.plan.program(i)
		if _, ok := kinds[p]; !ok {
			kinds[p] = uint32(len(s.programs))
			s.programs = append(s.programs, p)
		}
	}
	all := make([]*rowCutter, j.memory.Workers)
	for i := range all {
		c := &rowCutter{w: s.sorter.NewWriter(), kinds: kinds, parted: j.order.part != nil, parts: partCounts{most: j.o.MaxPartitions}}
		c.Cutter = mapper.NewCutter(j.program, j.order.key, m.options, c.row)
		all[i] = c
	}
	return all
}

// Use implements walker.
func (c *rowCutter) Use(p *mapper.Program) {
	c.kind = c.kinds[p]
	c.Cutter.Use(p)
}

// row takes a row. Its number ends its key: so rows of equal columns stay in order.
func (c *rowCutter) row(key, row []byte) error {
	c.key = binary.BigEndian.AppendUint64(append(c.key[:0], key...), uint64(c.at))
	c.at++
	if c.parted {
		if err := c.parts.add(partitionOf(key), len(row)); err != nil {
			return err
		}
	}
	err := c.w.Add(c.key, c.kind, row)
	if errors.Is(err, rowsort.ErrLongKey) {
		return &errKey{fmt.Errorf("row %d of them: %w", c.at.InSplit()-1, err)}
	}
	return err
}

// cut cuts the rows out of splits until there are none left.
func (s *mapStage) cut(ctx context.Context, t *turn, c *rowCutter) (err error) {
	reader := ocf.NewReader(s.limits, s.large.reader(ctx))
	defer reader.Close()
	defer func() {
		if closeErr := c.w.Close(); err == nil {
			err = closeErr
		}
	}()
	for {
		n := int(s.next.Add(1)) - 1
		if n >= len(s.plan.Splits) || !t.begin(n) {
			return nil
		}
		if err := s.cutSplit(ctx, n, c, reader); err != nil {
			return err
		}
	}
}

func (s *mapStage) cutSplit(ctx context.Context, n int, c *rowCutter, reader *ocf.Reader) (err error) {
	defer recoverAs(&err, fmt.Sprintf("split %d of %s", n, s.plan.Inputs[s.plan.Splits[n][0].Input].Path))
	c.at = tuple.RowOf(n, 0)
	for _, seg := range s.plan.Splits[n] {
		if _, err := s.segment(ctx, seg, c, reader); err != nil {
			return err
		}
	}
	return nil
}

// sortedSplit is a split of sorted rows, in memory.
type sortedSplit struct {
	n     int
	data  []byte
	runs  []kindRun
	pool  *readPool
	large *readMemory // of rows that are large
	taken int64       // of that
}

// kindRun is rows of one kind that follow each other.
type kindRun struct {
	kind  uint32
	rows  int64
	bytes int
}

// cut cuts the merged rows into splits, in order.
func (s *sortedRows) cut(ctx context.Context) (err error) {
	defer recoverAs(&err, "merge of sorted rows")
	defer close(s.ready)
	if s.splits == 0 {
		return nil
	}
	split, err := s.begin(ctx, 0)
	if err != nil {
		return err
	}
	part, at := 0, int64(0)
	for s.merger.Next() {
		if name := s.parts[part].name; name != "" && name != string(partitionOf(s.merger.Key())) {
			if part++; part == len(s.parts) || s.parts[part].name != string(partitionOf(s.merger.Key())) {
				return fmt.Errorf("%w: a partition that was not counted", rowsort.ErrOrder)
			}
			at = 0
		}
		of := s.ranges[part]
		for n := min(at/s.size, int64(of.end-of.first-1)) + int64(of.first); int64(split.n) < n; {
			if split, err = s.turn(ctx, split); err != nil {
				return err
			}
		}
		if err := split.add(s.merger); err != nil {
			return err
		}
		at += s.merger.Size()
	}
	if err := s.merger.Err(); err != nil {
		return err
	}
	for split.n < s.splits-1 {
		if split, err = s.turn(ctx, split); err != nil {
			return err
		}
	}
	return s.send(ctx, split)
}

// turn hands a split over and begins the next.
func (s *sortedRows) turn(ctx context.Context, split *sortedSplit) (*sortedSplit, error) {
	if err := s.send(ctx, split); err != nil {
		return nil, err
	}
	return s.begin(ctx, split.n+1)
}

func (s *sortedRows) send(ctx context.Context, split *sortedSplit) error {
	select {
	case s.ready <- split:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// begin waits for room for split n.
func (s *sortedRows) begin(ctx context.Context, n int) (*sortedSplit, error) {
	select {
	case split := <-s.free:
		most := s.size + rowsort.MaxSmall
		if int64(cap(split.data)) > most {
			split.data = nil
		}
		if split.data == nil {
			split.data = make([]byte, 0, min(most, s.sorter.Bytes()))
		}
		split.n, split.data, split.runs = n, split.data[:0], split.runs[:0]
		split.large = split.pool.reader(ctx)
		return split, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// add adds the merger's row to the split.
func (s *sortedSplit) add(m *rowsort.Merger) error {
	size := m.Size()
	if size > rowsort.MaxSmall {
		if err := s.large.Acquire(size); err != nil {
			return err
		}
		s.taken += size
	}
	if size > math.MaxInt32 {
		return fmt.Errorf("jobs: a row of %d bytes cannot be sorted: the most is %d", size, math.MaxInt32)
	}
	var err error
	if s.data, err = m.Row(s.data); err != nil {
		return err
	}
	if last := len(s.runs) - 1; last < 0 || s.runs[last].kind != m.Kind() {
		s.runs = append(s.runs, kindRun{kind: m.Kind()})
	}
	r := &s.runs[len(s.runs)-1]
	r.rows++
	r.bytes += int(size)
	return nil
}

// done gives the split's memory back.
func (s *sortedRows) done(split *sortedSplit) {
	if split.taken > 0 {
		split.data = nil
		split.large.Release(split.taken)
		split.taken = 0
	}
	s.free <- split // which has room for all there are
}

// workSorted maps sorted splits until there are none left. Several goroutines do so.
func (s *mapStage) workSorted(ctx context.Context, _ int, t *turn) (err error) {
	writer := s.shuffle.NewWriter()
	defer func() {
		if closeErr := writer.Close(); err == nil {
			err = closeErr
		}
	}()
	o := s.options
	o.MaxEmpty = math.MaxInt64 // it was kept, block by block, when the rows were cut
	m := mapper.New(s.program, o, writer)
	for {
		var split *sortedSplit
		select {
		case split = <-s.sorted.ready:
		case <-t.failed():
		case <-ctx.Done():
			return ctx.Err()
		}
		if split == nil || !t.begin(split.n) {
			return nil
		}
		if err := s.mapSorted(ctx, split, m, writer); err != nil {
			return err
		}
	}
}

// mapSorted maps one split of sorted rows.
func (s *mapStage) mapSorted(ctx context.Context, split *sortedSplit, m *mapper.Mapper, writer *shuffle.Writer) (err error) {
	n := split.n
	defer recoverAs(&err, fmt.Sprintf("split %d of the sorted rows", n))
	defer s.doing.begin("mapping split %d of the sorted rows", n)()
	m.Begin(n)
	rest := split.data
	for _, r := range split.runs {
		m.Use(s.sorted.programs[r.kind])
		if _, err := m.Segment(ctx, &wholeRows{data: rest[:r.bytes], rows: r.rows}); err != nil {
			return fmt.Errorf("jobs: split %d of the sorted rows: %w", n, err)
		}
		rest = rest[r.bytes:]
	}
	result, err := m.End()
	if err != nil {
		return fmt.Errorf("jobs: split %d of the sorted rows: %w", n, err)
	}
	s.sorted.done(split)
	if err := writer.Seal(); err != nil {
		return err
	}
	select {
	case s.results <- splitResult{n, &result, []int64{result.Rows}}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// wholeRows gives rows as a block.
type wholeRows struct {
	data []byte
	rows int64
}

// Next implements [mapper.Blocks].
func (w *wholeRows) Next() (ocf.Block, error) {
	rows := w.rows
	if w.rows = 0; rows == 0 {
		return ocf.Block{}, io.EOF
	}
	return ocf.Block{Rows: rows, Size: int64(len(w.data))}, nil
}

// Window implements [mapper.Blocks].
func (w *wholeRows) Window(int) ([]byte, bool, error) { return w.data, true, nil }
