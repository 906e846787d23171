package main

import (
	"context"
	"io"

	"avro2trevni/cmd/trevni/colfile"
	"avro2trevni/cmd/trevni/where"
	"avro2trevni/internal/schema"
	"avro2trevni/record"
)

// search is what --where asks for, of rows of a schema.
type search struct {
	filter *where.Filter
	text   string // the schema of what the filter needs of the rows
}

// newSearch returns the search of clauses in rows of a schema. What is wrong with a clause is
// an error of usage.
func newSearch(text string, s *schema.Schema, clauses []where.Clause) (*search, error) {
	f, err := where.New(s, clauses)
	if err != nil {
		return nil, usageError(err)
	}
	if s.Kind != schema.Record {
		return &search{f, text}, nil
	}
	if text, err = record.Project(text, where.Columns(clauses)); err != nil {
		return nil, usageError(err)
	}
	if s, err = schema.Parse(text); err != nil {
		return nil, err
	}
	f, err = where.New(s, clauses)
	return &search{f, text}, err
}

// query is a search in one file.
type query struct {
	*search
	f    *file
	rows colfile.Rows
	buf  []byte
}

// How many rows are looked through at a time, so that what is found of them takes little
// memory: few at first, which may be enough.
const (
	firstWindow = 1 << 10
	window      = 64 << 10
)

// find calls do with the rows of a span in which all clauses hold, in order.
func (q *query) find(ctx context.Context, in colfile.Span, do func(context.Context, colfile.Span) error) error {
	spans, err := q.narrow(in)
	if err != nil || len(spans) == 0 {
		return err
	}
	if q.rows, err = q.f.Rows(q.text); err != nil {
		return err
	}
	size := int64(firstWindow)
	for _, s := range spans {
		for !s.Empty() {
			part := colfile.Span{From: s.From, To: min(s.From+size, s.To)}
			found, err := q.filtered(ctx, part)
			if err != nil {
				return err
			}
			for _, f := range found {
				if err := do(ctx, f); err != nil {
					return err
				}
			}
			s.From, size = part.To, min(2*size, window)
		}
	}
	return nil
}

// narrow returns the rows that the file's index leaves.
func (q *query) narrow(in colfile.Span) ([]colfile.Span, error) {
	spans := []colfile.Span{in}
	index, ok := q.f.File.(colfile.Narrower)
	if !ok {
		return spans, nil
	}
	for _, b := range q.filter.Bounds() {
		var left []colfile.Span
		for _, s := range spans {
			some, err := index.Narrow(b, s)
			if err != nil {
				return nil, err
			}
			left = append(left, some...)
		}
		spans = left
	}
	return spans, nil
}

// filtered returns those of some rows in which the clauses hold.
func (q *query) filtered(ctx context.Context, in colfile.Span) (found []colfile.Span, err error) {
	if q.rows.Row() != in.From {
		if err := q.rows.SeekRow(in.From); err != nil {
			return nil, err
		}
	}
	for row := in.From; row < in.To; {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		var n int
		if q.buf, n, err = q.rows.ReadRows(q.buf[:0], int(min(batchRows, in.To-row))); err != nil {
			return nil, unexpected(err)
		}
		data, ok := q.buf, false
		for range n {
			if data, ok, err = q.filter.Match(data); err != nil {
				return nil, err
			}
			if ok {
				found = with(found, row)
			}
			row++
		}
	}
	return found, nil
}

// unexpected returns the error of a reader that has no more rows than were read.
func unexpected(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// with adds a row after all that are in spans.
func with(spans []colfile.Span, row int64) []colfile.Span {
	if n := len(spans) - 1; n >= 0 && spans[n].To == row {
		spans[n].To++
		return spans
	}
	return append(spans, colfile.Span{From: row, To: row + 1})
}
