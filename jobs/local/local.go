package local

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"

	"golang.org/x/sync/errgroup"

	"avro2trevni/jobs/memory"
	"avro2trevni/jobs/pack"
	"avro2trevni/jobs/sorting"
	"avro2trevni/jobs/stages"
	"avro2trevni/jobs/turns"
	"avro2trevni/reducer"
	"avro2trevni/shuffle"
)

// Engine is the engine whose stages run in this process.
//
//	workers: reader, mapper, writer --> shuffle ---> layout, writer: part-00000.trv
//	         reader, mapper, writer -->   |              |   writer: part-00001.trv
//	              results of splits ------|----> packer -+
type Engine struct{ Order *sorting.Order } // of the rows; nil: the inputs'

// Convert makes the files of the job. Nothing else is left of it.
func (e *Engine) Convert(ctx context.Context, w *stages.Work) (out stages.Outcome, err error) {
	if e.Order == nil {
		return runStages(ctx, w, nil)
	}
	sorted, rows, err := sorting.Sort(ctx, w, e.Order)
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, sorted.Close()) }()
	if out, err = runStages(ctx, w, sorted); err != nil {
		return out, w.FindValue(ctx, err)
	}
	out.Rows = rows
	out.Spilled += sorted.Spilled()
	return out, err
}

// runStages runs the stages over the inputs, or over their rows sorted, whose numbers are not
// those of the inputs' rows.
func runStages(ctx context.Context, w *stages.Work, sorted *sorting.Rows) (out stages.Outcome, err error) {
	sh, err := shuffle.New(w.Temp.Shuffle(w.Share.Shuffle, w.Share.Workers))
	if err != nil {
		return out, fmt.Errorf("jobs: %w", err)
	}
	defer func() { err = errors.Join(err, sh.Close()) }()
	results := make(chan *stages.Result, 4*w.Share.Workers)
	m := &mapStage{stages.NewMapping(w), sh, results}
	r, err := newReduceStage(w, sh, results, sorted)
	if err != nil {
		return out, err
	}
	eg, staged := errgroup.WithContext(ctx)
	work := m.work
	if sorted != nil {
		work = func(ctx context.Context, _ int, t *turns.Turn) error { return m.workSorted(ctx, sorted, t) }
		eg.Go(func() error { return sorted.Cut(staged) })
	}
	eg.Go(func() error { return turns.Take(staged, w.Share.Workers, work) })
	eg.Go(func() error { return r.work(staged) })
	if err := eg.Wait(); err != nil {
		return out, err
	}
	if sorted == nil {
		out.Rows, err = m.Tally.Rows()
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
	return out, w.VerifyFiles(ctx, files, w.Out.ReadBack, &r.made)
}

// newReduceStage returns the stage that lays out and writes what comes of the splits.
func newReduceStage(w *stages.Work, sh *shuffle.Shuffle, results <-chan *stages.Result, sorted *sorting.Rows) (*reduceStage, error) {
	ro := reducing(w, sorted)
	parts := []pack.Range{{First: 0, End: len(w.Plan.Splits)}}
	if sorted != nil {
		parts = sorted.Ranges
	}
	packer, err := w.Packer(parts, &ro)
	if err != nil {
		return nil, err
	}
	r := &reduceStage{w: w, shuffle: sh, results: results, writers: w.Share.Groups(), rows: stages.SegmentRows{}, sorted: sorted}
	r.layouts = stages.Layouts{Source: source{sh}, Pack: packer, Options: &ro, More: r.wait}
	return r, nil
}

// reducing returns the options of the reducers.
func reducing(w *stages.Work, sorted *sorting.Rows) reducer.Options {
	t := w.Table
	if sorted != nil {
		t = t.Sorted(sorted.Longest, w.Log)
	}
	ro := reducer.Options{Format: t.Files()}
	ro.Workers, ro.Readers, ro.Temp = w.Share.Workers, min(w.Share.Workers, memory.MaxReaders), w.Temp.Stage
	ro.StageMemory = max(w.Share.Stage/int64(w.Share.Groups()), 1) // each group has a stage
	ro.LayoutMemory = w.Share.Group
	return ro
}

// count enters what the stages counted.
func (s *reduceStage) count(out *stages.Outcome) {
	c := s.shuffle.Counters()
	groups, tries, over := s.layouts.Pack.Counts()
	out.Spilled, out.Temp, out.Over = c.Disk, s.w.Temp.Space.Peak(), over
	s.w.Progress.Spilled.Store(c.Disk)
	s.w.Log.Debug("stages done", slog.Int64("tuples", c.Tuples), slog.Int64("bytes", c.Bytes),
		slog.Int64("spills", c.Spills), slog.Int64("merges", c.Merges), slog.Int("groups", groups), slog.Int("layouts", tries))
}
