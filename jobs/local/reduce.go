package local

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"golang.org/x/sync/errgroup"

	"avro2trevni/internal/exit"
	"avro2trevni/internal/storage"
	"avro2trevni/internal/tuple"
	"avro2trevni/jobs/sorting"
	"avro2trevni/jobs/stages"
	"avro2trevni/jobs/watch"
	"avro2trevni/reducer"
	"avro2trevni/shuffle"
)

// reduceStage lays row groups out, one after another, as the splits they hold are
// mapped, and writes them, several at a time.
//
//	results --> packer --> layout ... fits --> writer 0: part-00000.trv --+
//	              ^------- too large, or not full     writer 1: part-00001.trv --+--> release
type reduceStage struct {
	w       *stages.Work
	layouts stages.Layouts
	shuffle *shuffle.Shuffle
	results <-chan *stages.Result
	writers int // groups alive at a time

	rows     stages.SegmentRows // of the splits that are done, if columns are indexed
	made     stages.Made        // what the mappers made, if it is to be verified
	sorted   *sorting.Rows      // the rows in order, whose numbers are not those of the inputs; nil if they are not sorted
	unsorted error              // why the files are no good, once it is known

	mu     sync.Mutex
	groups []groupState // in order
	free   int          // the first that is not written
}

// groupState is what is kept of a group behind its laying out.
type groupState struct {
	end     tuple.Row
	written bool
}

// source is the shuffle as the reducer wants it.
type source struct{ *shuffle.Shuffle }

func (s source) Scan(col uint32, from, to tuple.Row) reducer.Scanner {
	return s.Shuffle.Scan(col, from, to)
}

// work runs the stage to its end. The first failure, of laying out or of a writer, ends all.
func (s *reduceStage) work(ctx context.Context) error {
	eg, ctx := errgroup.WithContext(ctx)
	slots := make(chan struct{}, s.writers)
	eg.Go(func() (err error) {
		defer exit.Recover(&err, "reduce")
		err = s.layOut(ctx, slots, func(n int, g *reducer.Group, rows int64) {
			eg.Go(func() error {
				defer func() { <-slots }()
				return s.write(ctx, n, g, rows)
			})
		})
		if at := stages.Disorder(err); at != nil {
			err = s.refuse(ctx, at)
		}
		return err
	})
	return eg.Wait()
}

// refuse takes note that the rows cannot be indexed, and waits for the mappers: that the
// inputs were read rightly, where a segment began within data that only look like a
// block, is known when all is read.
func (s *reduceStage) refuse(ctx context.Context, at *reducer.Error) error {
	for !s.layouts.Pack.Complete() {
		if err := s.wait(ctx); err != nil {
			return err
		}
	}
	if s.sorted != nil {
		s.unsorted = sorting.Misordered(at)
	} else {
		s.unsorted = s.rows.Unsorted(s.w.Plan, at)
	}
	return nil
}

// layOut lays out group after group and hands each to start, when there is a slot.
func (s *reduceStage) layOut(ctx context.Context, slots chan struct{}, start func(n int, g *reducer.Group, rows int64)) error {
	for n := 0; ; n++ {
		select {
		case slots <- struct{}{}:
		case <-ctx.Done():
			return ctx.Err()
		}
		g, rng, err := s.layouts.Next(ctx)
		if g == nil || err != nil {
			return err
		}
		if s.layouts.TooLarge(g) {
			return errors.Join(exit.Refused("--file-size %d is too small for this table: %d rows, which cannot be divided, make a file of %d bytes",
				s.layouts.Pack.Limit, rng.Rows, g.Size()), g.Close())
		}
		if s.sorted != nil {
			s.w.Out.Place(n, s.sorted.Folder(s.layouts.Pack.Part))
		}
		s.begin(rng.To, g)
		start(n, g, rng.Rows)
	}
}

// wait takes one more split's result.
func (s *reduceStage) wait(ctx context.Context) error {
	select {
	case r := <-s.results:
		if s.sorted == nil && len(s.w.Table.Index()) > 0 {
			s.rows[r.Split] = r.Rows
		}
		s.made.Done(r.Split, r.Mapped.Sums)
		return s.layouts.Pack.Done(r.Split, r.Mapped)
	case <-ctx.Done():
		return ctx.Err()
	}
}

// begin enters a group that is about to be written.
func (s *reduceStage) begin(end tuple.Row, g *reducer.Group) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.groups = append(s.groups, groupState{end: end})
	s.w.Progress.WriteTotal.Add(g.Size())
}

// write writes group n's file and gives its rows up.
func (s *reduceStage) write(ctx context.Context, n int, g *reducer.Group, rows int64) (err error) {
	defer s.w.Doing.Begin("writing %s", s.w.Out.PartName(n))()
	defer exit.Recover(&err, s.w.Out.PartName(n))
	defer func() { err = errors.Join(err, g.Close()) }()
	err = storage.Rewrite(ctx, func() error {
		err := s.writeFile(ctx, n, g, rows)
		if errors.Is(err, storage.ErrLost) {
			s.w.Log.Warn("an output file is lost, and has to be written again", "file", s.w.Out.PartName(n), "error", err)
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("jobs: %s: %w", s.w.Out.PartName(n), err)
	}
	s.w.Log.Debug("written", "file", s.w.Out.PartName(n), "rows", rows, "bytes", g.Size())
	s.w.Progress.Files.Add(1)
	if end, ok := s.finish(n); ok {
		s.shuffle.Release(end)
	}
	return nil
}

// writeFile writes group n's file; after an error nothing is left of it.
func (s *reduceStage) writeFile(ctx context.Context, n int, g *reducer.Group, rows int64) error {
	f, err := s.w.Out.Create(n, g.Size())
	if err != nil {
		return err
	}
	w := &countingWriter{w: f, p: s.w.Progress}
	err = g.Write(ctx, w)
	if err == nil {
		err = f.Finish(rows)
	}
	if err != nil {
		s.w.Progress.Written.Add(-w.n)
		return errors.Join(err, f.Abort()) // which does nothing after Finish
	}
	return nil
}

// finish enters that group n is written, and returns the end of the rows that
// nobody needs any more, if there are some now.
func (s *reduceStage) finish(n int) (end tuple.Row, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.groups[n].written = true
	for s.free < len(s.groups) && s.groups[s.free].written {
		end, ok = s.groups[s.free].end, true
		s.free++
	}
	return end, ok
}

// countingWriter counts what is written.
type countingWriter struct {
	w io.Writer
	p *watch.Progress
	n int64
}

func (c *countingWriter) Write(b []byte) (int, error) {
	n, err := c.w.Write(b)
	c.n += int64(n)
	c.p.Written.Add(int64(n))
	return n, err
}
