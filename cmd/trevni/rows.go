package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"avro2trevni/cmd/trevni/colfile"
	"avro2trevni/internal/ocf"
	"avro2trevni/internal/schema"
	"avro2trevni/record"
)

// selection is which rows of a table are wanted, and what of them.
type selection struct {
	columns  []string         // fields, as record.Project takes them; none: all
	from, to int64            // rows, from 0, to not included
	where    []colfile.Clause // that must hold for a row
}

// everything selects a whole table.
func everything() selection { return selection{to: math.MaxInt64} }

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

// whereFlag collects clauses that must all hold.
type whereFlag struct{ s *selection }

// Set takes COLUMN=VALUE.
func (w whereFlag) Set(text string) error {
	column, value, ok := strings.Cut(text, "=")
	if !ok || column == "" {
		return errors.New("not COLUMN=VALUE")
	}
	w.s.where = append(w.s.where, colfile.Clause{Column: column, Value: value})
	return nil
}

// String returns nothing: there is no default.
func (whereFlag) String() string { return "" }

// Type names the value in --help.
func (whereFlag) Type() string { return "COLUMN=VALUE" }

// sink takes the rows of a table.
type sink struct {
	// begin is called once, before the rows, with their schema and the metadata of
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
	base   int64          // rows before the current file
	buf    []byte
}

// batchRows is the largest number of rows that a sink gets at once.
const batchRows = 1024

// readRows gives the rows selected to the sink.
func (c *command) readRows(ctx context.Context, files []string, sel selection, to sink) error {
	t := &table{sel: sel, sink: to}
	return c.each(ctx, files, func(f *file) error {
		if err := t.open(f); err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
		if err := t.file(ctx, f); err != nil {
			return err
		}
		t.base += int64(f.Header().Rows)
		return nil
	})
}

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
		if t.text, err = record.Project(t.text, t.sel.columns); err != nil {
			return usageError(err)
		}
		if s, err = schema.Parse(t.text); err != nil {
			return err
		}
	}
	if t.sink.begin == nil {
		return nil
	}
	return t.sink.begin(t.text, s, f.Header().Meta)
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
	if len(t.sel.where) == 0 {
		return g.rows(ctx, in)
	}
	finder, ok := f.File.(colfile.Finder)
	if !ok {
		return usagef("%s: --where does not work with files of this format", f.name)
	}
	return finder.Find(ctx, t.sel.where, in, g.rows)
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
