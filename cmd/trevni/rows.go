package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"avro2trevni/cmd/trevni/colfile"
	"avro2trevni/cmd/trevni/where"
	"avro2trevni/internal/cmdline"
	"avro2trevni/internal/ocf"
	"avro2trevni/internal/schema"
)

// selection is which rows of a table are wanted, and what of them.
type selection struct {
	columns  []string       // fields, as record.Project takes them; none: all
	from, to int64          // rows, from 0, to not included
	where    []where.Clause // that must hold for a row
	limit    int64          // most rows
}

// everything selects a whole table.
func everything() selection { return selection{to: math.MaxInt64, limit: math.MaxInt64} }

// rangeFlag is FROM:TO.
type rangeFlag struct{ s *selection }

// Set parses FROM:TO, where either may be left out, or the number of one row.
func (r rangeFlag) Set(text string) error {
	from, to, isRange := strings.Cut(text, ":")
	var err error
	if r.s.from, err = rowNumber(from, 0); err != nil {
		return err
	}
	if !isRange {
		if from == "" || r.s.from == math.MaxInt64 {
			return errors.New("not FROM:TO")
		}
		r.s.to = r.s.from + 1
		return nil
	}
	if r.s.to, err = rowNumber(to, math.MaxInt64); err != nil {
		return err
	}
	if r.s.to < r.s.from {
		return errors.New("FROM is after TO")
	}
	return nil
}

func rowNumber(text string, otherwise int64) (int64, error) {
	if text == "" {
		return otherwise, nil
	}
	n, err := strconv.ParseUint(text, 10, 63)
	if err != nil {
		return 0, errors.New("not FROM:TO, with numbers of rows")
	}
	return int64(n), nil
}

// String returns nothing: there is no default.
func (rangeFlag) String() string { return "" }

// Type names the value in --help.
func (rangeFlag) Type() string { return "FROM:TO" }

// countFlag is a number of rows.
type countFlag struct{ n *int64 }

// Set parses a number.
func (c countFlag) Set(text string) error {
	n, err := strconv.ParseUint(text, 10, 63)
	if err != nil {
		return errors.New("not a number of rows")
	}
	*c.n = int64(n)
	return nil
}

// String returns nothing: there is no default.
func (countFlag) String() string { return "" }

// Type names the value in --help.
func (countFlag) Type() string { return "N" }

// whereFlag collects clauses that must all hold.
type whereFlag struct{ s *selection }

// Set takes a clause.
func (w whereFlag) Set(text string) error {
	c, err := where.Parse(text)
	if err == nil {
		w.s.where = append(w.s.where, c)
	}
	return err
}

// String returns nothing: there is no default.
func (whereFlag) String() string { return "" }

// Type names the value in --help.
func (whereFlag) Type() string { return "CONDITION" }

// sink takes the rows of a table.
type sink struct {
	// begin is called once, before the rows, with their schema and the users' metadata of
	// the first file.
	begin func(text string, s *schema.Schema, meta []ocf.Meta) error
	// rows takes some rows, one after another in Avro's binary encoding, which are
	// valid until it returns; first is the number of the first within its file.
	rows func(f *file, first int64, data []byte, n int) error
}

// table reads a table of several files.
type table struct {
	sel    selection
	sink   sink
	schema *schema.Schema // of the first file, whole
	first  string         // its name
	text   string         // of the rows wanted
	search *search        // nil: all rows
	base   int64          // rows before the current file
	left   int64          // rows that may still be given
	buf    []byte
}

// batchRows is the largest number of rows that a sink gets at once.
const batchRows = 1024

// readRows gives the rows selected to the sink.
func (c *command) readRows(ctx context.Context, files []string, sel selection, to sink) error {
	t := &table{sel: sel, sink: to, left: sel.limit}
	err := c.each(ctx, files, func(f *file) error {
		if err := t.open(f); err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
		if err := t.file(ctx, f); err != nil {
			return err
		}
		t.base += int64(f.Header().Rows)
		return nil
	})
	if errors.Is(err, errLimit) {
		return nil
	}
	return err
}

// errLimit ends the reading of a table when enough rows were given.
var errLimit = errors.New("as many rows as are wanted")

// open compares the file's schema with the first file's.
func (t *table) open(f *file) error {
	text := f.Header().Schema
	if text == "" {
		return colfile.ErrNoSchema
	}
	s, err := schema.Parse(text)
	if err != nil {
		return err
	}
	if t.schema != nil {
		if err := schema.Equal(t.schema, s); err != nil {
			return fmt.Errorf("not one table with %s: %w", t.first, err)
		}
		return nil
	}
	t.schema, t.first, t.text = s, f.name, text
	if len(t.sel.columns) > 0 {
		if t.text, err = project(t.text, t.sel.columns); err != nil {
			return usageError(err)
		}
		if s, err = schema.Parse(t.text); err != nil {
			return err
		}
	}
	if len(t.sel.where) > 0 {
		if t.search, err = newSearch(text, t.schema, t.sel.where); err != nil {
			return err
		}
	}
	if t.sink.begin == nil {
		return nil
	}
	return t.sink.begin(t.text, s, f.Header().User)
}

// file gives the rows of one file that are selected.
func (t *table) file(ctx context.Context, f *file) error {
	row := max(t.sel.from-t.base, 0)
	end := min(int64(f.Header().Rows), t.sel.to-t.base)
	if row >= end {
		return nil
	}
	g := &fetcher{t: t, f: f}
	in := colfile.Span{From: row, To: end}
	switch {
	case t.left == 0:
		return errLimit
	case t.search == nil:
		return g.rows(ctx, in)
	}
	q := &query{search: t.search, f: f}
	return q.find(ctx, in, g.rows)
}

// project returns what is left of a schema if only some fields are kept, in the order in which
// they are given.
func project(text string, columns []string) (string, error) {
	t, err := schema.ParseText(text)
	if err != nil {
		return "", err
	}
	sel, err := t.Select(columns, nil)
	if err != nil {
		return "", meant(t, columns, err)
	}
	return sel.InOrder().JSON()
}

// meant returns the error of a selection of columns, with the field that may have been meant
// by one that is not there.
func meant(t *schema.Text, columns []string, err error) error {
	if !errors.Is(err, schema.ErrNoField) {
		return err
	}
	for _, path := range columns {
		if _, err := t.Select([]string{path}, nil); err == nil {
			continue
		}
		if near := cmdline.Closest(path, where.Fields(t.Schema)); near != "" {
			return fmt.Errorf("%w: %q; did you mean %q?", schema.ErrNoField, path, near)
		}
		break
	}
	return err
}

// fetcher gives rows of a file to a table's sink.
type fetcher struct {
	t    *table
	f    *file
	r    colfile.Rows // nil until there are rows
	skip []byte
}

// readOn is the largest number of rows that are read and dropped instead of a seek: a seek
// skips half a block of each column.
const readOn = 256

// rows gives the rows of a span, which is after the one before it.
func (g *fetcher) rows(ctx context.Context, s colfile.Span) error {
	if err := g.goTo(s.From); err != nil {
		return err
	}
	t := g.t
	if s.To-s.From > t.left {
		s.To = s.From + t.left
	}
	for s.From < s.To {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		var n int
		var err error
		if t.buf, n, err = g.next(t.buf, s.To-s.From); err != nil {
			return err
		}
		if err := t.sink.rows(g.f, s.From, t.buf, n); err != nil {
			return err
		}
		s.From += int64(n)
		t.left -= int64(n)
	}
	if t.left == 0 {
		return errLimit
	}
	return nil
}

// next reads the next rows, at least one and at most max, into buf.
func (g *fetcher) next(buf []byte, max int64) ([]byte, int, error) {
	buf, n, err := g.r.ReadRows(buf[:0], int(min(batchRows, max)))
	return buf, n, unexpected(err)
}

// goTo makes row the next.
func (g *fetcher) goTo(row int64) (err error) {
	if g.r == nil {
		if g.r, err = g.f.Rows(g.t.text); err != nil {
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
