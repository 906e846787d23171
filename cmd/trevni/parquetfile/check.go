package parquetfile

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"

	"golang.org/x/sync/errgroup"

	"avro2trevni/cmd/trevni/colfile"
	"avro2trevni/internal/assembly"
	"avro2trevni/internal/format/parquet/records"
	"avro2trevni/parquet/reader"
)

// Verify implements [colfile.File]: it reads all pages, each column by itself, compares what they
// hold with what headers, indexes and the footer say of them, and puts all rows together.
func (f *file) Verify(ctx context.Context) (*colfile.Findings, error) {
	found := make([]colfile.Findings, len(f.columns))
	g, inner := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i := range f.columns {
		g.Go(func() error {
			for _, group := range f.f.RowGroups {
				if inner.Err() != nil {
					return context.Cause(inner)
				}
				if err := f.chunk(group.Chunks[i], group, &found[i]); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	all := &colfile.Findings{}
	for i := range found {
		all.Problems = append(all.Problems, found[i].Problems...)
		all.Blocks += found[i].Blocks
		all.Unchecked += found[i].Unchecked
	}
	if err := f.stale(); err != nil {
		all.Problems = append(all.Problems, err)
	}
	if len(all.Problems) > 0 {
		return all, nil
	}
	if err := f.assemble(ctx); errors.Is(err, reader.ErrCorrupt) {
		all.Problems = append(all.Problems, err)
	} else if err != nil {
		return nil, err
	}
	return all, nil
}

// stale returns what is wrong with the schemas in the metadata. Of files that others wrote nothing
// is: programs copy metadata, and change columns.
func (f *file) stale() error {
	if f.bad != nil || f.table.Source() == records.OwnKey || !f.own() {
		return nil
	}
	return colfile.Wrong(fmt.Errorf("%s: the metadata has no %s that fits the columns", f.name, records.OwnKey))
}

// own reports whether convert wrote the file.
func (f *file) own() bool { return strings.HasPrefix(f.f.CreatedBy, "convert version ") }

// assemble puts all rows together, which compares the columns' levels with each other.
func (f *file) assemble(ctx context.Context) error {
	if f.bad != nil { // columns that Avro has no schema for
		return nil
	}
	r, err := f.table.Rows("", assembly.Options{RowBytes: rowBytes})
	if err != nil {
		return err
	}
	var data []byte
	for {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if data, _, err = r.ReadRows(data[:0], 1<<12); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// chunk checks a chunk. The error is of reading.
func (f *file) chunk(c *reader.Chunk, g *reader.RowGroup, found *colfile.Findings) error {
	name := f.columns[c.Leaf.Leaf].Name
	wrong := func(at int64, format string, args ...any) {
		err := fmt.Errorf("%s: column %q row group %d at %d: %w", f.name, name, g.Index, at, fmt.Errorf(format, args...))
		found.Problems = append(found.Problems, colfile.Wrong(err))
	}
	w := &chunkCheck{c: c, path: f.name, group: g.Index, lists: f.own() || c.Leaf.MaxRep == 0, order: orderOf(c.Leaf), wrong: wrong, found: found}
	err := w.pages()
	if err == nil {
		err = w.indexes(g)
	}
	switch {
	case errors.Is(err, reader.ErrCorrupt):
		found.Problems = append(found.Problems, err)
	case err != nil:
		return err
	default:
		w.footer(g)
	}
	return nil
}

// chunkCheck is the state of checking a chunk.
type chunkCheck struct {
	c     *reader.Chunk
	path  string
	group int
	lists bool // nulls are compared: of lists, old writers do not count those that are empty
	order order
	wrong func(at int64, format string, args ...any)
	found *colfile.Findings
	data  []page // the data pages
	bytes int64  // of all pages, headers included
	raw   int64
}

// page is what a data page holds.
type page struct {
	facts
	offset int64
	size   int64
	row    int64 // its first, in the row group
}

// pages reads all pages.
func (w *chunkCheck) pages() error {
	pages, err := w.c.Pages()
	if err != nil {
		return err
	}
	dec, err := reader.NewDecoder(w.c.Leaf, w.c.Codec, nil)
	if err != nil {
		return err
	}
	row := int64(0)
	for {
		h, err := pages.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		body, err := pages.Body()
		if err != nil {
			return err
		}
		placed := func(err error) error {
			return &reader.Error{Path: w.path, Column: w.c.Leaf.String(), RowGroup: w.group, Page: pages.Number(), Offset: h.Offset, Err: err}
		}
		if err := dec.Page(h, body); err != nil {
			return placed(err)
		}
		w.bytes += int64(h.Length) + int64(h.Stored)
		w.raw += int64(h.Length) + int64(h.Raw)
		if !h.Checked {
			w.found.Unchecked++
		}
		if !h.IsData() {
			continue
		}
		w.found.Blocks++
		p := page{facts: newFacts(w.c.Leaf, w.order), offset: h.Offset, size: h.End() - h.Offset, row: row}
		var b reader.Batch
		for err = dec.Next(&b); err == nil; err = dec.Next(&b) {
			p.add(&b)
		}
		if err != io.EOF {
			return placed(err)
		}
		row += p.rows
		w.header(h, &p)
		w.data = append(w.data, p)
	}
}

// header compares a page with its header.
func (w *chunkCheck) header(h *reader.PageHeader, p *page) {
	at := h.Offset
	if int64(h.Entries) != p.entries {
		w.wrong(at, "%d entries in a page, whose header says %d", p.entries, h.Entries)
	}
	if h.Kind == reader.DataPageV2 && (int64(h.Rows) != p.rows || int64(h.Nulls) != p.nulls) {
		w.wrong(at, "%d rows and %d nulls in a page, whose header says %d and %d", p.rows, p.nulls, h.Rows, h.Nulls)
	}
	if s := h.Statistics; s != nil {
		w.bounds(at, "a page's header", &p.facts, said{min: s.Min, max: s.Max, minExact: s.MinExact, maxExact: s.MaxExact, nulls: s.NullCount, nans: s.NaNCount})
	}
}

// indexes compares the pages with the chunk's indexes.
func (w *chunkCheck) indexes(g *reader.RowGroup) error {
	x, err := w.c.Offsets()
	if err != nil {
		return err
	}
	at := w.c.OffsetIndex.Offset
	if x != nil && len(x.Pages) != len(w.data) {
		w.wrong(at, "the offset index has %d pages, of %d", len(x.Pages), len(w.data))
	} else if x != nil {
		for i, l := range x.Pages {
			p := &w.data[i]
			if l.Offset != p.offset || int64(l.Size) != p.size || l.FirstRow != p.row {
				w.wrong(at, "the offset index has page %d of %d bytes at %d from row %d; it has %d at %d from row %d",
					i, l.Size, l.Offset, l.FirstRow, p.size, p.offset, p.row)
			}
		}
	}
	b, err := w.c.Bounds()
	if err != nil || b == nil {
		return err
	}
	at = w.c.ColumnIndex.Offset
	if len(b.Pages) != len(w.data) {
		w.wrong(at, "the column index has %d pages, of %d", len(b.Pages), len(w.data))
		return nil
	}
	for i, s := range b.Pages {
		p := &w.data[i]
		if s.Null != (p.entries == p.nulls) {
			w.wrong(at, "the column index is wrong about page %d having nulls alone", i)
		}
		to := said{min: s.Min, max: s.Max, nulls: s.NullCount, nans: s.NaNCount, def: s.DefHistogram, rep: s.RepHistogram}
		if s.Null {
			to.min, to.max = nil, nil
		}
		w.bounds(at, fmt.Sprintf("the column index, of page %d,", i), &p.facts, to)
	}
	return nil
}

// footer compares the chunk with what the footer says.
func (w *chunkCheck) footer(g *reader.RowGroup) {
	all := newFacts(w.c.Leaf, w.order)
	for i := range w.data {
		all.join(&w.data[i].facts)
	}
	at := w.c.Start
	if all.entries != w.c.Entries || all.rows != g.Rows {
		w.wrong(at, "%d entries in %d rows; the footer says %d in %d", all.entries, all.rows, w.c.Entries, g.Rows)
	}
	if w.bytes != w.c.Stored || w.raw != w.c.Raw {
		w.wrong(at, "pages of %d bytes, %d before compression; the footer says %d and %d", w.bytes, w.raw, w.c.Stored, w.c.Raw)
	}
	to := said{nulls: -1, nans: -1, def: w.c.DefHistogram, rep: w.c.RepHistogram}
	if s := w.c.Statistics; s != nil {
		to = said{s.Min, s.Max, s.MinExact, s.MaxExact, s.NullCount, s.NaNCount, w.c.DefHistogram, w.c.RepHistogram}
	}
	w.bounds(at, "the footer", &all, to)
}
