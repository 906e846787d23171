package reducer

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"avro2trevni/internal/tuple"
)

// Group is a row group that is laid out: every byte of its file is decided, and its
// size known. It is for one goroutine; several groups may live at a time. Close must
// be called.
type Group struct {
	src   Source
	o     Options
	shape *Shape
	rng   Range
	cols  []column
	stage *stage
	room  *room

	err    error // what failed before
	closed bool
}

// Layout lays out the group of a range's rows. The range must describe them correctly: an
// edge that is not a run's end or a mark, missing or repeated rows, and more or fewer rows
// than rng.Rows are an [Error]. Layout keeps src and o for the group's calls.
func Layout(ctx context.Context, src Source, rng Range, o *Options) (*Group, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	opts := o.withDefaults()
	shape := opts.Format.Shape()
	g := &Group{
		src: src, o: opts, shape: shape,
		rng:  Range{From: rng.From, To: rng.From},
		cols: make([]column, len(shape.Columns)), stage: newStage(opts.StageMemory, opts.Temp),
		room: &room{most: opts.LayoutMemory},
	}
	if err := g.Resize(ctx, rng); err != nil {
		return nil, errors.Join(err, g.stage.close())
	}
	return g, nil
}

// Resize lays the group out anew for another end, rng.From being as before: the
// outcome is that of a Layout of the range, but only the runs near the two ends are
// encoded again. The range's After is to be as before too. After an error the group can only be closed.
func (g *Group) Resize(ctx context.Context, rng Range) error {
	if g.err != nil {
		return g.err
	}
	if rng.From != g.rng.From || rng.To < rng.From || rng.Rows < 0 {
		return fmt.Errorf("%w: range from %v to %v of %d rows, for a group from %v",
			ErrOptions, rng.From, rng.To, rng.Rows, g.rng.From)
	}
	was := g.rng.To
	g.rng = rng
	for i := range g.cols {
		g.keep(i, was)
	}
	err := g.layAll(ctx)
	if err == nil {
		err = g.fits()
	}
	if err == nil {
		err = g.checkRows(ctx)
	}
	if err != nil {
		g.err = fmt.Errorf("%w: %w", ErrClosed, err)
	}
	return err
}

// layAll lays all columns out: all are planned before any is filled, so that what the blocks
// take is known as a whole.
func (g *Group) layAll(ctx context.Context) error {
	workers := make([]worker, min(g.o.Workers, len(g.cols)))
	for n := range workers {
		workers[n].joiner = g.o.Format.NewJoiner()
	}
	if err := g.each(ctx, workers, g.plan); err != nil || g.room.over() {
		return err
	}
	return g.each(ctx, workers, g.fill)
}

// each does something with all columns, each by one of the workers.
func (g *Group) each(ctx context.Context, workers []worker, do func(ctx context.Context, w *worker, i int) error) error {
	var taken atomic.Int64
	eg, ctx := errgroup.WithContext(ctx)
	for n := range workers {
		eg.Go(func() error {
			for {
				i := int(taken.Add(1)) - 1
				if i >= len(g.cols) {
					return nil
				}
				if err := g.guarded(i, func() error { return do(ctx, &workers[n], i) }); err != nil {
					return err
				}
			}
		})
	}
	return eg.Wait()
}

// guarded does something with column i, and turns a panic into an error.
func (g *Group) guarded(i int, do func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = g.fault(i, g.rng.From, fmt.Errorf("panic: %v\n%s", p, debug.Stack()))
		}
	}()
	return do()
}

// checkRows reports a column that does not have the range's rows.
func (g *Group) checkRows(ctx context.Context) error {
	right := -1
	for i := range g.cols {
		if g.cols[i].rows == g.rng.Rows {
			right = i
			break
		}
	}
	for i := range g.cols {
		if g.cols[i].rows != g.rng.Rows {
			return g.misfit(ctx, i, right)
		}
	}
	return nil
}

// misfit tells what is wrong with column i, comparing it with one that is right, if
// there is one: since its runs follow one another, a split must end early or late.
func (g *Group) misfit(ctx context.Context, i, right int) error {
	err := rowsError("%d rows up to %v, expected %d", g.cols[i].rows, g.rng.To, g.rng.Rows)
	if right < 0 {
		return g.fault(i, g.rng.From, err)
	}
	have, e1 := g.ends(ctx, i)
	want, e2 := g.ends(ctx, right)
	if e := errors.Join(e1, e2); e != nil {
		return g.fault(i, g.rng.From, errors.Join(err, e))
	}
	return g.fault(i, max(differs(have, want), g.rng.From), err)
}

// differs returns the first row that one of two lists of splits' ends has and the
// other lacks.
func differs(a, b []tuple.Row) tuple.Row {
	for n := 0; n < len(a) && n < len(b); n++ {
		if a[n] != b[n] {
			return min(a[n], b[n])
		}
	}
	rest := append(a[min(len(a), len(b)):], b[min(len(a), len(b)):]...)
	if len(rest) == 0 {
		return 0
	}
	return tuple.RowOf(rest[0].Split(), 0)
}

// ends returns where each split of the range ends in column i.
func (g *Group) ends(ctx context.Context, i int) (ends []tuple.Row, err error) {
	sc := g.src.Scan(uint32(i), g.rng.From, g.rng.To)
	defer func() { err = closing(sc, err) }()
	for sc.Next() && ctx.Err() == nil {
		t := sc.Tuple()
		if n := len(ends); n > 0 && ends[n-1].Split() == t.Row.Split() {
			ends = ends[:n-1]
		}
		ends = append(ends, t.End())
	}
	return ends, errors.Join(ctx.Err(), sc.Err())
}

// Size returns the exact bytes of the group's file.
func (g *Group) Size() int64 { return g.o.Format.Size(&Laid{g}) }

// Rows returns the number of the group's rows.
func (g *Group) Rows() int64 { return g.rng.Rows }

// Blocks returns the blocks of the group's file, and how many of them were made by
// cutting and joining runs.
func (g *Group) Blocks() (all, made int64) {
	for i := range g.cols {
		all += int64(len(g.cols[i].blocks))
		made += int64(len(g.cols[i].refs))
	}
	return all, made
}

// Last returns, of the columns whose values are looked at, what is to be known of the
// group's rows and those before when the next group is laid out: its [Range.After], by
// column. Others are nil.
func (g *Group) Last() [][]byte {
	return g.looked(func(i int, c *column) []byte {
		if c.after == nil {
			return g.rng.after(i)
		}
		return c.after
	})
}

// First returns the notes of the first blocks of the columns whose values are looked at,
// by column; nil where there are none.
func (g *Group) First() [][]byte {
	return g.looked(func(_ int, c *column) []byte { return c.notes.of(0) })
}

// looked returns of what all columns whose values are looked at, nil if there are none.
func (g *Group) looked(of func(i int, c *column) []byte) (all [][]byte) {
	for i := range g.cols {
		if g.shape.Columns[i].Look != LookValue {
			continue
		}
		if all == nil {
			all = make([][]byte, len(g.cols))
		}
		all[i] = of(i, &g.cols[i])
	}
	return all
}

// after returns that of column i, nil if there is none.
func (r *Range) after(i int) []byte {
	if i >= len(r.After) {
		return nil
	}
	return r.After[i]
}

// Close frees the group's memory and files. Calling it again does nothing.
func (g *Group) Close() error {
	if g.closed {
		return nil
	}
	g.closed, g.err, g.cols = true, ErrClosed, nil
	return g.stage.close()
}
