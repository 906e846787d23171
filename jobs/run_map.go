package jobs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"

	"avro2trevni/internal/exit"
	"avro2trevni/internal/ocf"
	"avro2trevni/internal/storage"
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
	plan    *Plan
	program *mapper.Program
	options mapper.Options
	limits  ocf.Limits
	large   *memory.ReadPool // for blocks that do not fit a reader's own buffers
	shuffle *shuffle.Shuffle
	results chan<- splitResult
	sorted  *sortedRows // rows that were sorted, if it maps those

	next atomic.Int64   // the first split that nobody has
	rows []atomic.Int64 // of each input
	seen [][]ocf.Span   // of each input, by segment: where its blocks are
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
	s := &mapStage{
		o: j.o, doing: j.doing, plan: j.plan, program: j.program, options: j.table.mapping(), limits: j.limits(j.o.Memory),
		large:   memory.NewReadPool(j.memory.ReadShare, j.memory.ReadLarge),
		shuffle: sh, results: results,
		rows: make([]atomic.Int64, len(j.plan.Inputs)), seen: make([][]ocf.Span, len(j.plan.Inputs)),
	}
	for _, split := range s.plan.Splits {
		for _, seg := range split {
			s.seen[seg.Input] = append(s.seen[seg.Input], ocf.Span{First: -1, End: -1})
		}
	}
	return s
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
	m := mapper.New(s.program, s.options, writer)
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
func (s *mapStage) segment(ctx context.Context, seg Segment, m walker, reader *ocf.Reader) (rows int64, err error) {
	in := &s.plan.Inputs[seg.Input]
	defer s.doing.Begin("mapping %s, bytes %d to %d", in.Path, seg.Start, seg.End)()
	if in.part {
		return s.part(ctx, seg, m)
	}
	file, err := s.plan.open(ctx, s.o.FS, seg.Input)
	if err != nil {
		return 0, err
	}
	if remote(in.Path) {
		file = storage.Ahead(file, seg.End)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if in.Known != nil {
		err = reader.OpenAt(file, in.Path, in.Size, in.Header, in.Known.Firsts[seg.Part], seg.End, in.Known.Gaps)
	} else {
		err = reader.Open(file, in.Path, in.Size, in.Header, seg.Start, seg.End)
	}
	if err != nil {
		return 0, err
	}
	m.Use(s.plan.program(seg.Input))
	rows, err = m.Segment(ctx, reader)
	if err != nil {
		return 0, s.explain(ctx, seg, file, reader, err)
	}
	s.rows[seg.Input].Add(rows)
	s.seen[seg.Input][seg.Part] = ocf.Span{First: reader.First(), End: reader.End()}
	s.o.Log.Debug("mapped", "file", in.Path, "from", seg.Start, "to", seg.End, "rows", rows)
	s.o.Progress.Rows.Add(rows)
	s.o.Progress.Mapped.Add(seg.End - seg.Start)
	return rows, nil
}

// explain makes an error of a file's data a [Damage], which tells what leaving the
// block out would lose, unless the data were looked for in the wrong place. A [RowError]
// is one too, as long as it may be of a block that is damaged.
func (s *mapStage) explain(ctx context.Context, seg Segment, file storage.File, reader *ocf.Reader, err error) error {
	in := &s.plan.Inputs[seg.Input]
	row := (*RowError)(nil)
	ofRow := errors.As(err, &row)
	switch {
	case ofRow:
		err = fmt.Errorf("%s: bytes %d to %d: %w", in.Path, seg.Start, seg.End, err)
	case Damaged(err):
		err = in.Named(err)
	default:
		return err
	}
	first := reader.First()
	doubt := seg.Start > 0 && in.Known == nil && first >= 0 && !s.block(seg.Input, file, first)
	switch {
	case ctx.Err() != nil:
		return ctx.Err() // it was not read to the end
	case doubt, ofRow && in.Known == nil && s.o.skips(): // the row may be of a block that is left out
		return &Damage{Input: seg.Input, Doubt: true, Err: err}
	case ofRow:
		return err
	}
	if errors.Is(err, mapper.ErrUnresolved) {
		return err // the rows are whole
	}
	if gap, skipErr := reader.Skip(); skipErr == nil && !s.o.skips() {
		err = WithLoss(err, gap)
	}
	return &Damage{Input: seg.Input, Err: err}
}

// block reports whether a block begins at an offset, as far as can be told by going
// from block to block from the file's start.
func (s *mapStage) block(input int, file storage.File, at int64) bool {
	in := &s.plan.Inputs[input]
	reader := ocf.NewReader(s.limits, nil)
	defer reader.Close()
	err := reader.Open(file, in.Path, in.Size, in.Header, 0, at+1)
	for err == nil {
		var b ocf.Block
		if b, err = reader.Next(); err == nil && b.Offset >= at {
			return b.Offset == at
		}
	}
	return !errors.Is(err, io.EOF)
}

// counted returns the rows of each input, when all is mapped. It checks that the
// segments of each follow each other without a gap that is not known, to the file's end.
func (s *mapStage) counted() ([]int64, error) {
	rows := make([]int64, len(s.seen))
	for i := range s.seen {
		in := &s.plan.Inputs[i]
		rows[i] = s.rows[i].Load()
		if in.part {
			continue
		}
		var gaps []ocf.Gap
		if in.Known != nil {
			gaps = in.Known.Gaps
		}
		if err := ocf.CheckSpans(in.Path, in.Header, in.Size, s.seen[i], gaps...); err != nil {
			return nil, &Damage{Input: i, Doubt: true, Err: err}
		}
	}
	return rows, nil
}
