package trvfile

import (
	"context"

	"avro2trevni/cmd/trevni/colfile"
	"avro2trevni/internal/schema"
)

// query finds the rows of a file in which all conditions hold.
type query struct {
	seek   []condition // that a seek narrows down
	filter []condition // whose columns must be looked through
}

// newQuery makes the conditions of the clauses on a file.
func newQuery(f *file, s *schema.Schema, where []colfile.Clause) (*query, error) {
	q := &query{}
	for _, w := range where {
		c, err := clause(w).condition(f, s)
		if err != nil {
			return nil, err
		}
		q.seek, q.filter = append(q.seek, c), append(q.filter, c)
	}
	return q, nil
}

// narrow takes the conditions that can seek, and returns the rows that are left. The
// others are to be looked for there.
func (q *query) narrow(in colfile.Span) (colfile.Span, error) {
	q.filter = nil
	for _, c := range q.seek {
		out, found, err := c.narrow(in)
		if err != nil {
			return in, err
		}
		if in = out; !found {
			q.filter = append(q.filter, c)
		}
	}
	return in, nil
}

// window is how many rows are looked through at a time, so that what is found of them
// takes little memory.
const window = 64 << 10

// each calls do with the rows that are found among those of a span, in order.
func (q *query) each(ctx context.Context, in colfile.Span, do func(context.Context, colfile.Span) error) error {
	in, err := q.narrow(in)
	if err != nil || len(q.filter) == 0 && !in.Empty() {
		if err == nil {
			err = do(ctx, in)
		}
		return err
	}
	for ; !in.Empty(); in.From += window {
		found := []colfile.Span{{From: in.From, To: min(in.From+window, in.To)}}
		for _, c := range q.filter {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			var next []colfile.Span
			for _, s := range found {
				if next, err = c.filter(next, s); err != nil {
					return err
				}
			}
			found = next
		}
		for _, s := range found {
			if err := do(ctx, s); err != nil {
				return err
			}
		}
	}
	return nil
}

// Find implements [colfile.Finder].
func (f *file) Find(ctx context.Context, where []colfile.Clause, in colfile.Span, do func(context.Context, colfile.Span) error) error {
	s, err := schema.Parse(f.header.Schema)
	if err != nil {
		return f.named(err)
	}
	q, err := newQuery(f, s, where)
	if err != nil {
		return f.named(err)
	}
	return q.each(ctx, in, do)
}
