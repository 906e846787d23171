package jobs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"

	"golang.org/x/sync/errgroup"

	"avro2trevni/jobs/memory"
	"avro2trevni/jobs/pack"
	"avro2trevni/jobs/turns"
	"avro2trevni/reducer"
	"avro2trevni/shuffle"
)

// local is the engine whose stages run in this process.
//
//	workers: reader, mapper, writer --> shuffle ---> layout, writer: part-00000.trv
//	         reader, mapper, writer -->   |              |   writer: part-00001.trv
//	              results of splits ------|----> packer -+
type local struct{ order *order } // of the rows; nil: the inputs'

// convert makes the files of the job. Nothing else is left of it.
func (e *local) convert(ctx context.Context, w *Work) (out Outcome, err error) {
	if e.order == nil {
		return runStages(ctx, w, nil)
	}
	sorted, rows, err := sortRows(ctx, w, e.order)
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, sorted.close()) }()
	out, err = runStages(ctx, w, sorted)
	out.Rows = rows
	out.Spilled += sorted.spilled()
	return out, err
}

// runStages runs the stages over the inputs, or over their rows sorted, whose numbers are not
// those of the inputs' rows.
func runStages(ctx context.Context, w *Work, sorted *sortedRows) (out Outcome, err error) {
	sh, err := shuffle.New(w.Temp.Shuffle(w.Share.Shuffle, w.Share.Workers))
	if err != nil {
		return out, fmt.Errorf("jobs: %w", err)
	}
	defer func() { err = errors.Join(err, sh.Close()) }()
	results := make(chan *splitResult, 4*w.Share.Workers)
	m := &mapStage{newMapping(w), sh, results}
	r, err := newReduceStage(w, sh, results, sorted)
	if err != nil {
		return out, err
	}
	eg, staged := errgroup.WithContext(ctx)
	work := m.work
	if sorted != nil {
		work = func(ctx context.Context, _ int, t *turns.Turn) error { return m.workSorted(ctx, sorted, t) }
		eg.Go(func() error { return sorted.cut(staged) })
	}
	eg.Go(func() error { return turns.Take(staged, w.Share.Workers, work) })
	eg.Go(func() error { return r.work(staged) })
	if err := eg.Wait(); err != nil {
		return out, err
	}
	if sorted == nil {
		out.Rows, err = m.tally.Rows()
	}
	if err != nil || r.unsorted != nil {
		return out, cmp.Or(err, r.unsorted)
	}
	r.count(&out)
	if !w.Verify {
		return out, nil
	}
	files, err := w.Out.Outputs()
	if err != nil {
		return out, err
	}
	return out, w.verifyFiles(ctx, files, w.Out.Staged, &r.made)
}

// newReduceStage returns the stage that lays out and writes what comes of the splits.
func newReduceStage(w *Work, sh *shuffle.Shuffle, results <-chan *splitResult, sorted *sortedRows) (*reduceStage, error) {
	ro := reducing(w, sorted)
	parts := []pack.Range{{First: 0, End: len(w.Plan.Splits)}}
	if sorted != nil {
		parts = sorted.ranges
	}
	packer, err := w.packer(parts, &ro)
	if err != nil {
		return nil, err
	}
	r := &reduceStage{w: w, shuffle: sh, results: results, writers: w.Share.Groups(), rows: segmentRows{}, sorted: sorted}
	r.layouts = layouts{source: source{sh}, pack: packer, options: &ro, more: r.wait}
	return r, nil
}

// reducing returns what the reducers are told.
func reducing(w *Work, sorted *sortedRows) reducer.Options {
	t := w.Table
	if sorted != nil {
		t = t.Sorted(sorted.longest, w.Log)
	}
	ro := reducer.Options{Format: t.Files()}
	ro.Workers, ro.Readers, ro.Temp = w.Share.Workers, min(w.Share.Workers, memory.MaxReaders), w.Temp.Stage
	ro.StageMemory = max(w.Share.Stage/int64(w.Share.Groups()), 1) // each group has a stage
	ro.LayoutMemory = w.Share.Group
	return ro
}

// count enters what the stages counted.
func (s *reduceStage) count(out *Outcome) {
	c := s.shuffle.Counters()
	groups, tries, over := s.layouts.pack.Counts()
	out.Spilled, out.Temp, out.Over = c.Disk, s.w.Temp.Space.Peak(), over
	s.w.Progress.Spilled.Store(c.Disk)
	s.w.Log.Debug("stages done", slog.Int64("tuples", c.Tuples), slog.Int64("bytes", c.Bytes),
		slog.Int64("spills", c.Spills), slog.Int64("merges", c.Merges), slog.Int("groups", groups), slog.Int("layouts", tries))
}
