package jobs

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"avro2trevni/internal/exit"
	"avro2trevni/internal/ocf"
	"avro2trevni/jobs/inputs"
	"avro2trevni/jobs/memory"
	"avro2trevni/jobs/turns"
	"avro2trevni/jobs/watch"
	"avro2trevni/mapper"
	"avro2trevni/shuffle"
)

// mapStage hands the splits to its workers, in order, and their results on.
//
//	splits 0 1 2 3 ... --> worker: reader, mapper, shuffle writer --> results
//	                       worker: reader, mapper, shuffle writer -->
type mapStage struct {
	o       *Options
	doing   *watch.Activities
	plan    *inputs.Plan
	program *mapper.Program
	table   *table
	options mapper.Options
	limits  ocf.Limits
	large   *memory.ReadPool // for blocks that do not fit a reader's own buffers
	shuffle *shuffle.Shuffle
	results chan<- splitResult
	sorted  *sortedRows // rows that were sorted, if it maps those

	tally *inputs.Tally

	next atomic.Int64 // the first split that nobody has
}

// walker takes the rows of segments: a [mapper.Mapper], or what cuts rows out.
type walker interface {
	Use(p *mapper.Program)
	Segment(ctx context.Context, blocks mapper.Blocks) (int64, error)
}

// splitResult is what a mapper made of a split.
type splitResult struct {
	split  int
	result *mapper.Result
	rows   []int64 // of each segment
}

func newMapStage(j *job, sh *shuffle.Shuffle, results chan<- splitResult) *mapStage {
	return &mapStage{
		o: j.o, doing: j.doing, plan: j.plan, program: j.program, table: j.table, options: j.table.mapping(), limits: j.o.limits(j.o.Memory),
		large:   memory.NewReadPool(j.memory.ReadShare, j.memory.ReadLarge),
		shuffle: sh, results: results, tally: j.plan.NewTally(),
	}
}

// work maps splits until there are none left. Several goroutines do so.
func (s *mapStage) work(ctx context.Context, _ int, t *turns.Turn) (err error) {
	room := s.large.Reader(ctx)
	defer room.Close()
	reader := ocf.NewReader(s.limits, room)
	defer reader.Close()
	writer := s.shuffle.NewWriter()
	defer func() {
		if closeErr := writer.Close(); err == nil { // a writer that failed fails again
			err = closeErr
		}
	}()
	m := mapper.New(s.program, s.options, s.table.encoder(), writer)
	m.SetRoom(memory.RowMemory{ReadMemory: room})
	for {
		n := int(s.next.Add(1)) - 1
		if n >= len(s.plan.Splits) || !t.Begin(n) {
			return nil
		}
		result, rows, err := s.split(ctx, n, m, reader)
		if err != nil {
			return err
		}
		if err := writer.Seal(); err != nil {
			return err
		}
		select {
		case s.results <- splitResult{n, result, rows}:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// split maps one split.
func (s *mapStage) split(ctx context.Context, n int, m *mapper.Mapper, reader *ocf.Reader) (r *mapper.Result, rows []int64, err error) {
	defer exit.Recover(&err, fmt.Sprintf("split %d of %s", n, s.plan.Inputs[s.plan.Splits[n][0].Input].Path))
	m.Begin(n)
	for _, seg := range s.plan.Splits[n] {
		n, err := s.segment(ctx, seg, m, reader)
		if err != nil {
			return nil, nil, err
		}
		rows = append(rows, n)
	}
	result, err := m.End()
	if err != nil {
		return nil, nil, fmt.Errorf("map %s: %w", s.plan.Inputs[s.plan.Splits[n][0].Input].Path, err)
	}
	return &result, rows, nil
}

// segment maps one segment of a split, and returns its rows.
func (s *mapStage) segment(ctx context.Context, seg inputs.Segment, m walker, reader *ocf.Reader) (n int64, err error) {
	in := &s.plan.Inputs[seg.Input]
	defer s.doing.Begin("mapping %s, bytes %d to %d", in.Path, seg.Start, seg.End)()
	rows, err := s.plan.Rows(ctx, seg, reader)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	m.Use(s.plan.Program(seg.Input))
	if n, err = m.Segment(ctx, rows); err != nil {
		return 0, rows.Explain(ctx, err)
	}
	s.tally.Enter(seg, n, rows.Span())
	s.o.Log.Debug("mapped", "file", in.Path, "from", seg.Start, "to", seg.End, "rows", n)
	s.o.Progress.Rows.Add(n)
	s.o.Progress.Mapped.Add(seg.End - seg.Start)
	return n, nil
}
