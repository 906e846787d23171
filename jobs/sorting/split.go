package sorting

import (
	"context"
	"fmt"
	"io"
	"math"

	"avro2trevni/internal/exit"
	"avro2trevni/internal/ocf"
	"avro2trevni/internal/rowsort"
	"avro2trevni/jobs/memory"
	"avro2trevni/jobs/stages"
	"avro2trevni/jobs/turns"
	"avro2trevni/mapper"
)

// Split is a split of sorted rows, in memory.
type Split struct {
	n     int
	data  []byte // of rows, as many as its capacity has room for
	runs  []kindRun
	pool  *memory.ReadPool
	large *memory.ReadMemory // of the others: a split's last row, if it is large
	taken int64              // of that
}

// kindRun is rows of one kind that follow each other.
type kindRun struct {
	kind  uint32
	rows  int64
	bytes int    // in the split's data
	large []byte // the one row, if it has a buffer of its own
}

// Cut cuts the merged rows into splits, in order.
func (s *Rows) Cut(ctx context.Context) (err error) {
	defer exit.Recover(&err, "merge of sorted rows")
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
		of := s.Ranges[part]
		for n := min(at/s.size, int64(of.End-of.First-1)) + int64(of.First); int64(split.n) < n; {
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
func (s *Rows) turn(ctx context.Context, split *Split) (*Split, error) {
	if err := s.send(ctx, split); err != nil {
		return nil, err
	}
	return s.begin(ctx, split.n+1)
}

func (s *Rows) send(ctx context.Context, split *Split) error {
	select {
	case s.ready <- split:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// begin waits for room for split n.
func (s *Rows) begin(ctx context.Context, n int) (*Split, error) {
	select {
	case split := <-s.free:
		if split.data == nil {
			split.data = make([]byte, 0, min(s.size+rowsort.MaxSmall, s.sorter.Bytes()))
		}
		split.n, split.data, split.runs = n, split.data[:0], split.runs[:0]
		split.large = split.pool.Reader(ctx)
		return split, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// add adds the merger's row to the split.
func (s *Split) add(m *rowsort.Merger) (err error) {
	size := m.Size()
	if size > math.MaxInt32 {
		return fmt.Errorf("jobs: a row of %d bytes cannot be sorted: the limit is %d", size, math.MaxInt32)
	}
	if int64(len(s.data))+size > int64(cap(s.data)) {
		return s.addLarge(m)
	}
	if s.data, err = m.Row(s.data); err != nil {
		return err
	}
	if last := len(s.runs) - 1; last < 0 || s.runs[last].kind != m.Kind() || s.runs[last].large != nil {
		s.runs = append(s.runs, kindRun{kind: m.Kind()})
	}
	r := &s.runs[len(s.runs)-1]
	r.rows++
	r.bytes += int(size)
	return nil
}

// addLarge adds a row that the split's buffer has no room for.
func (s *Split) addLarge(m *rowsort.Merger) error {
	if err := s.large.Acquire(m.Size()); err != nil {
		return err
	}
	s.taken += m.Size()
	row, err := m.Row(nil)
	s.runs = append(s.runs, kindRun{kind: m.Kind(), rows: 1, large: row})
	return err
}

// done gives the split's memory back.
func (s *Rows) done(split *Split) {
	if split.taken > 0 {
		clear(split.runs)
		split.large.Release(split.taken)
		split.taken = 0
	}
	s.free <- split // which has room for all there are
}

// Mapper returns what maps the splits.
func (s *Rows) Mapper(sink mapper.Sink) *mapper.Mapper {
	o := s.w.Table.Mapping()
	o.MaxEmpty = math.MaxInt64 // it was kept, block by block, when the rows were cut
	return mapper.New(s.w.Program, o, s.w.Table.NewEncoder(), sink)
}

// Next returns the next split, nil if there is none, or none is wanted.
func (s *Rows) Next(ctx context.Context, t *turns.Turn) (*Split, error) {
	select {
	case split := <-s.ready:
		if split != nil && t.Begin(split.n) {
			return split, nil
		}
	case <-t.Failed():
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return nil, nil
}

// MapSplit maps a split, and gives its memory back.
func (s *Rows) MapSplit(ctx context.Context, split *Split, m *mapper.Mapper) (_ *stages.Result, err error) {
	n := split.n
	defer exit.Recover(&err, fmt.Sprintf("split %d of the sorted rows", n))
	defer s.w.Doing.Begin("mapping split %d of the sorted rows", n)()
	defer func() {
		if err != nil {
			split.large.Close() // its rows are not mapped any more
		}
	}()
	m.SetRoom(memory.RowMemory{ReadMemory: split.large})
	m.Begin(n)
	rest := split.data
	for _, r := range split.runs {
		m.Use(s.programs[r.kind])
		data := r.large
		if data == nil {
			data, rest = rest[:r.bytes], rest[r.bytes:]
		}
		s.w.Progress.Moved.Add(int64(len(data)))
		if _, err := m.Segment(ctx, &wholeRows{data: data, rows: r.rows}); err != nil {
			return nil, fmt.Errorf("jobs: split %d of the sorted rows: %w", n, err)
		}
	}
	result, err := m.End()
	if err != nil {
		return nil, fmt.Errorf("jobs: split %d of the sorted rows: %w", n, err)
	}
	s.done(split)
	return &stages.Result{Split: n, Mapped: &result, Rows: []int64{result.Rows}}, nil
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
