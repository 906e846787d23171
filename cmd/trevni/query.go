package main

import (
	"context"
	"io"

	"avro2trevni/internal/schema"
	"avro2trevni/record"
)

// query finds the rows of a file in which all conditions hold.
type query struct {
	seek   []condition // that a seek narrows down
	filter []condition // whose columns must be looked through
}

// newQuery makes the conditions of the clauses on a file.
func newQuery(f *file, s *schema.Schema, where []clause) (*query, error) {
	q := &query{}
	for _, w := range where {
		c, err := w.condition(f, s)
		if err != nil {
			return nil, err
		}
		q.seek, q.filter = append(q.seek, c), append(q.filter, c)
	}
	return q, nil
}

// narrow takes the conditions that can seek, and returns the rows that are left. The
// others are to be looked for there.
func (q *query) narrow(in span) (span, error) {
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
func (q *query) each(ctx context.Context, in span, do func(context.Context, span) error) error {
	in, err := q.narrow(in)
	if err != nil || len(q.filter) == 0 && !in.empty() {
		if err == nil {
			err = do(ctx, in)
		}
		return err
	}
	for ; !in.empty(); in.from += window {
		found := []span{{in.from, min(in.from+window, in.to)}}
		for _, c := range q.filter {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			var next []span
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

// fetcher gives rows of a file to a table's sink.
type fetcher struct {
	t    *table
	f    *file
	r    *record.Reader // nil until there are rows
	skip []byte
}

// readOn is the largest number of rows that are read and dropped instead of a seek: a seek
// skips half a block of each column.
const readOn = 256

// rows gives the rows of a span, which is after the one before it.
func (g *fetcher) rows(ctx context.Context, s span) error {
	if err := g.goTo(s.from); err != nil {
		return err
	}
	t := g.t
	for s.from < s.to {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		var n int
		var err error
		if t.buf, n, err = g.next(t.buf, s.to-s.from); err != nil {
			return err
		}
		if err := t.sink.rows(g.f, s.from, t.buf, n); err != nil {
			return err
		}
		s.from += int64(n)
	}
	return nil
}

// next reads the next rows, at least one and at most max, into buf.
func (g *fetcher) next(buf []byte, max int64) ([]byte, int, error) {
	buf, n, err := g.r.ReadRows(buf[:0], int(min(batchRows, max)))
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return buf, n, err
}

// goTo makes row the next.
func (g *fetcher) goTo(row int64) (err error) {
	if g.r == nil {
		if g.r, err = record.NewReader(g.f.Reader, &record.Options{Schema: g.t.text}); err != nil {
			return err
		}
	}
	gap := row - g.r.Row()
	if gap > readOn || gap < 0 {
		return g.r.SeekRow(row)
	}
	for gap > 0 {
		var n int
		if g.skip, n, err = g.next(g.skip, gap); err != nil {
			return err
		}
		gap -= int64(n)
	}
	return nil
}
