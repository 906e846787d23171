package jobs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"

	"avro2trevni/internal/ocf"
	"avro2trevni/internal/storage"
	"avro2trevni/mapper"
	"avro2trevni/shuffle"
)

// mapStage hands the splits to its workers, in order, and their results on.
//
//	splits 0 1 2 3 ... --> worker: reader, mapper, shuffle writer --> results
//	                       worker: reader, mapper, shuffle writer -->
type mapStage struct {
	o       *Options
	plan    *Plan
	program *mapper.Program
	options mapper.Options
	limits  ocf.Limits
	large   *readPool // for blocks that do not fit a reader's own buffers
	shuffle *shuffle.Shuffle
	results chan<- splitResult

	next atomic.Int64   // the first split that nobody has
	rows []atomic.Int64 // of each input
	seen [][]ocf.Span   // of each input, by segment: where its blocks are
}

// splitResult is what a mapper made of a split.
type splitResult struct {
	split  int
	result *mapper.Result
}

// errFalseMarker says that a segment began at bytes that only look like the end of a
// block: the file holds its own sync marker in its data. The input then has to be
// read from its start, in one split.
type errFalseMarker struct {
	input int
	err   error // what it looks like if the file is damaged instead; names file and offset
}

// Error returns the message of what was found.
func (e *errFalseMarker) Error() string { return e.err.Error() }

// Unwrap returns what was found.
func (e *errFalseMarker) Unwrap() error { return e.err }

func newMapStage(j *job, sh *shuffle.Shuffle, results chan<- splitResult) *mapStage {
	s := &mapStage{
		o: j.o, plan: j.plan, program: j.program, options: j.mapOptions(), limits: j.limits(),
		large:   newReadPool(j.memory.ReadShare, j.memory.ReadLarge),
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
func (s *mapStage) work(ctx context.Context) (err error) {
	reader := ocf.NewReader(s.limits, s.large.reader(ctx))
	defer reader.Close()
	writer := s.shuffle.NewWriter()
	defer func() {
		if closeErr := writer.Close(); err == nil { // a writer that failed fails again
			err = closeErr
		}
	}()
	m := mapper.New(s.program, s.options, writer)
	for {
		n := int(s.next.Add(1)) - 1
		if n >= len(s.plan.Splits) {
			return nil
		}
		result, err := s.split(ctx, n, m, reader)
		if err != nil {
			return err
		}
		if err := writer.Seal(); err != nil {
			return err
		}
		select {
		case s.results <- splitResult{n, result}:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// split maps one split.
func (s *mapStage) split(ctx context.Context, n int, m *mapper.Mapper, reader *ocf.Reader) (r *mapper.Result, err error) {
	defer recoverAs(&err, fmt.Sprintf("split %d of %s", n, s.plan.Inputs[s.plan.Splits[n][0].Input].Path))
	m.Begin(n)
	for _, seg := range s.plan.Splits[n] {
		if err := s.segment(ctx, seg, m, reader); err != nil {
			return nil, err
		}
	}
	result, err := m.End()
	if err != nil {
		return nil, fmt.Errorf("map %s: %w", s.plan.Inputs[s.plan.Splits[n][0].Input].Path, err)
	}
	return &result, nil
}

// segment maps one segment of a split.
func (s *mapStage) segment(ctx context.Context, seg Segment, m *mapper.Mapper, reader *ocf.Reader) (err error) {
	in := &s.plan.Inputs[seg.Input]
	file, err := s.plan.open(s.o.FS, seg.Input)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if err := reader.Open(file, in.Path, in.Size, in.Header, seg.Start, seg.End); err != nil {
		return err
	}
	rows, err := m.Segment(ctx, reader)
	if err != nil {
		return s.explain(seg, file, reader.First(), err)
	}
	s.rows[seg.Input].Add(rows)
	s.seen[seg.Input][seg.Part] = ocf.Span{First: reader.First(), End: reader.End()}
	s.o.Progress.Rows.Add(rows)
	s.o.Progress.Mapped.Add(seg.End - seg.Start)
	return nil
}

// explain adds the file to an error of its data, unless the data were looked for in
// the wrong place.
func (s *mapStage) explain(seg Segment, file storage.File, first int64, err error) error {
	if errors.Is(err, ocf.ErrLimit) {
		return fmt.Errorf("%w; --max-block-bytes raises the limit", err)
	}
	var bad *mapper.Error
	if !errors.As(err, &bad) && !errors.Is(err, ocf.ErrCorrupt) {
		return err
	}
	if bad != nil {
		err = fmt.Errorf("%s: %w", s.plan.Inputs[seg.Input].Path, err)
	}
	if seg.Start > 0 && first >= 0 && !s.block(seg.Input, file, first) {
		return &errFalseMarker{seg.Input, err}
	}
	return err
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
// segments of each follow each other without a gap, to the file's end.
func (s *mapStage) counted() ([]int64, error) {
	rows := make([]int64, len(s.seen))
	for i := range s.seen {
		in := &s.plan.Inputs[i]
		if err := ocf.CheckSpans(in.Path, in.Header, in.Size, s.seen[i]); err != nil {
			return nil, &errFalseMarker{i, err}
		}
		rows[i] = s.rows[i].Load()
	}
	return rows, nil
}
