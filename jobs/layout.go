package jobs

import (
	"context"
	"errors"

	"avro2trevni/internal/exit"
	"avro2trevni/jobs/pack"
	"avro2trevni/reducer"
)

// layouts lays row groups out, one after another.
//
//	packer: a range that should fit ---> layout: its exact size ---> group, to be written
//	          ^---- another end <----- too large, or not full
//
// Not for concurrent use.
type layouts struct {
	source  reducer.Source
	pack    *pack.Packer
	options *reducer.Options
	more    func(ctx context.Context) error // gives the packer the result of another split, which it waits for

	last [][]byte // values of columns with first values, before the next group
}

// next lays the next group out, and returns its range too; it is nil after the last. The
// caller closes it.
func (l *layouts) next(ctx context.Context) (g *reducer.Group, rng reducer.Range, err error) {
	defer func() {
		if err != nil && g != nil {
			err = errors.Join(err, g.Close())
		}
	}()
	for !l.pack.Ended() {
		if err := l.turn(); err != nil {
			return g, rng, err
		}
		var ok bool
		if rng, ok = l.pack.Next(); !ok {
			if err := l.more(ctx); err != nil {
				return g, rng, err
			}
			continue
		}
		rng.After = l.last
		if g == nil {
			g, err = reducer.Layout(ctx, l.source, rng, l.options)
		} else {
			err = g.Resize(ctx, rng)
		}
		if err != nil {
			return g, rng, err
		}
		if l.pack.Laid(g.Size()) {
			l.last = g.Last()
			return g, rng, nil
		}
	}
	return nil, rng, nil
}

// turn begins the next part if one is packed. Values ascend within a part.
func (l *layouts) turn() error {
	was := l.pack.Part
	err := l.pack.Turn()
	if l.pack.Part != was {
		l.last = nil
	}
	return err
}

// tooLarge reports whether a group's file is larger than one may be, and not for its one row.
func (l *layouts) tooLarge(g *reducer.Group) bool {
	limit := l.pack.Limit
	return limit > 0 && g.Size() > limit && g.Rows() > 1
}

// packer returns what packs parts of the job's splits into files.
func (w *Work) packer(parts []pack.Range, o *reducer.Options) (*pack.Packer, error) {
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
