package reducer

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"avro2trevni/internal/tuple"
	"avro2trevni/trevni"
)

// Group is a row group that is laid out: every byte of its file is decided, and its
// size known. It is for one goroutine; several groups may live at a time. Close must
// be called.
type Group struct {
	src   Source
	o     Options
	rng   Range
	head  trevni.Header
	fixed int64 // bytes of header, starts, and the columns' counts
	cols  []column
	stage *stage
	room  *room

	err    error // what failed before
	closed bool
}

// Layout lays out the group of a range's rows. What the range tells of them must be
// so: an edge that is not a run's end or cut, rows missing, twice, or more or fewer
// than rng.Rows are an [Error]. It keeps src and o for the group's calls.
func Layout(ctx context.Context, src Source, rng Range, o *Options) (*Group, error) {
	fixed, err := o.HeaderSize()
	if err != nil {
		return nil, err
	}
	opts := o.withDefaults()
	g := &Group{
		src: src, o: opts, fixed: fixed, head: opts.header(),
		rng:  Range{From: rng.From, To: rng.From},
		cols: make([]column, len(o.Columns)), stage: newStage(opts.StageMemory, opts.Temp),
		room: &room{most: opts.LayoutMemory},
	}
	for i := range o.Columns {
		if o.Columns[i].Values {
			g.cols[i].firsts = &firsts{room: g.room}
		}
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
	g.rng, g.head.Rows = rng, uint64(rng.Rows)
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

// layAll lays all columns out, each by one of the workers.
func (g *Group) layAll(ctx context.Context) error {
	var taken atomic.Int64
	eg, ctx := errgroup.WithContext(ctx)
	for range min(g.o.Workers, len(g.cols)) {
		eg.Go(func() error {
			j := &joiner{o: &g.o}
			for {
				i := int(taken.Add(1)) - 1
				if i >= len(g.cols) {
					return nil
				}
				if err := g.guarded(ctx, j, i); err != nil {
					return err
				}
			}
		})
	}
	return eg.Wait()
}

// guarded is lay with a panic turned into an error, which names the column.
func (g *Group) guarded(ctx context.Context, j *joiner, i int) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = g.fault(i, g.rng.From, fmt.Errorf("panic: %v\n%s", p, debug.Stack()))
		}
	}()
	return g.lay(ctx, j, i)
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

// descriptorBytes is the size of a block's descriptor in the file.
const descriptorBytes = 12

// Size returns the exact bytes of the group's file.
func (g *Group) Size() int64 {
	n := g.fixed
	for i := range g.cols {
		n += g.cols[i].bytes + descriptorBytes*int64(len(g.cols[i].blocks))
		if f := g.cols[i].firsts; f != nil {
			n += int64(len(f.bytes))
		}
	}
	return n
}

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

// Close gives up what the group holds. Calling it again does nothing.
func (g *Group) Close() error {
	if g.closed {
		return nil
	}
	g.closed, g.err, g.cols = true, ErrClosed, nil
	return g.stage.close()
}
