package stages

import (
	"context"
	"errors"

	"avro2trevni/internal/exit"
	"avro2trevni/jobs/pack"
	"avro2trevni/reducer"
)

// Layouts lays row groups out, one after another.
//
//	packer: a range that should fit ---> layout: its exact size ---> group, to be written
//	          ^---- another end <----- too large, or not full
//
// Not for concurrent use.
type Layouts struct {
	Source  reducer.Source
	Pack    *pack.Packer
	Options *reducer.Options
	More    func(ctx context.Context) error // gives the packer the result of another split, which it waits for

	last [][]byte // values of columns with first values, before the next group
}

// Next lays the next group out, and returns its range too; it is nil after the last. The
// caller closes it.
func (l *Layouts) Next(ctx context.Context) (g *reducer.Group, rng reducer.Range, err error) {
	defer func() {
		if err != nil && g != nil {
			err = errors.Join(err, g.Close())
		}
	}()
	for !l.Pack.Ended() {
		if err := l.turn(); err != nil {
			return g, rng, err
		}
		var ok bool
		if rng, ok = l.Pack.Next(); !ok {
			if err := l.More(ctx); err != nil {
				return g, rng, err
			}
			continue
		}
		rng.After = l.last
		if g == nil {
			g, err = reducer.Layout(ctx, l.Source, rng, l.Options)
		} else {
			err = g.Resize(ctx, rng)
		}
		if err != nil {
			return g, rng, err
		}
		if l.Pack.Laid(g.Size()) {
			l.last = g.Last()
			return g, rng, nil
		}
	}
	return nil, rng, nil
}

// turn begins the next part if one is packed. Values ascend within a part.
func (l *Layouts) turn() error {
	was := l.Pack.Part
	err := l.Pack.Turn()
	if l.Pack.Part != was {
		l.last = nil
	}
	return err
}

// TooLarge reports whether a group's file is larger than one may be, and not for its one row.
func (l *Layouts) TooLarge(g *reducer.Group) bool {
	limit := l.Pack.Limit
	return limit > 0 && g.Size() > limit && g.Rows() > 1
}

// Packer returns what packs parts of the job's splits into files.
func (w *Work) Packer(parts []pack.Range, o *reducer.Options) (*pack.Packer, error) {
	fixed, err := o.HeaderSize()
	if err != nil {
		return nil, err
	}
	p, err := pack.New(parts, w.Limit, fixed)
	if err != nil {
		return nil, exit.Refused("%w", err)
	}
	return p, nil
}
