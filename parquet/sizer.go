package parquet

import (
	"math/bits"
)

// A Sizer bounds the size of a file by the Metas of its pages, before any of them is written. A
// program that fills files up to a limit adds pages as long as Size stays below it:
//
//	for each place where the row group can be cut {
//		for each column { sizer.Add the pages up to there }
//		if sizer.Size() > limit { cut at the place before }
//	}
//
// The size of pages is exact. That of indexes and footer is too large by some ten bytes a page
// and some hundred a chunk, as offsets and bounds are counted at their longest.
type Sizer struct {
	schema  *Schema
	every   int   // row groups to a footer
	base    int64 // the footer without row groups
	sorting int64 // sorting columns of each row group

	pages   int64   // magic, pages, bloom filters, and what was written of footers
	pending int64   // indexes since the last footer
	groups  int64   // row groups in the footer
	ended   int     // number of row groups, but the last
	bounds  []int64 // of each column in the row group: the longest bounds; -1: no page yet
	open    bool    // the row group has a page
}

// NewSizer returns a Sizer of a file without pages.
func NewSizer(s *Schema, o WriterOptions) (*Sizer, error) {
	footer, err := o.footer(s)
	if err != nil {
		return nil, err
	}
	b, err := marshal(footer)
	if err != nil {
		return nil, err
	}
	z := &Sizer{schema: s, every: o.FooterEvery, base: int64(len(b)) + longest, sorting: int64(8 * len(o.Sorting)), pages: int64(len(magic))}
	z.bounds = make([]int64, len(s.Leaves))
	z.clear()
	return z, nil
}

const (
	longest   = 10 // bytes of the longest number
	fieldHead = 3  // bytes before a field's number, or its list: its id
	listHead  = fieldHead + 5
)

func (z *Sizer) clear() {
	for i := range z.bounds {
		z.bounds[i] = -1
	}
	z.open = false
}

// Add adds a page, of any column, to the last row group.
func (z *Sizer) Add(column int, m *Meta) {
	leaf := z.schema.Leaves[column]
	if !z.open {
		z.open = true
		z.groups += 5*(fieldHead+longest) + listHead + z.sorting
	}
	if z.bounds[column] < 0 {
		z.bounds[column] = 0
		z.groups += chunkBytes(leaf)
		z.pending += 10 * listHead // lists of both indexes
	}
	z.pages += m.Stored
	if m.Kind != DataPage && m.Kind != DataPageV2 {
		return
	}
	z.pending += pageBytes(leaf, m)
	if longer := int64(len(m.Min)+len(m.Max)) - z.bounds[column]; longer > 0 {
		z.groups += longer
		z.bounds[column] += longer
	}
}

// EndRowGroup ends the row group: pages that are added are of the next.
func (z *Sizer) EndRowGroup() {
	z.ended++
	z.clear()
	if z.every > 0 && z.ended%z.every == 0 {
		z.pages += z.pending + z.tail()
		z.pending = 0
	}
}

// Size returns a bound of the size of the file with the pages that were added.
func (z *Sizer) Size() int64 { return z.pages + z.pending + z.tail() }

// tail returns a bound of the footer and what follows it.
func (z *Sizer) tail() int64 { return z.base + z.groups + 4 + int64(len(magic)) }

// chunkBytes returns the most bytes that the footer has for a chunk, but for its bounds, which
// may be longer together than apart by what they are in one page.
func chunkBytes(l *Leaf) int64 {
	n := int64(11*(fieldHead+longest) + 3*listHead) // numbers and lists of ColumnChunk and ColumnMetaData
	n += 4 * (fieldHead + longest)                  // Statistics
	n += 2*shortBound + 6*12                        // its bounds may be of two pages; encodings and their counts
	n += 3 * listHead                               // SizeStatistics
	n += int64((l.MaxDef + l.MaxRep + 2) * longest)
	for _, name := range l.Path {
		n += int64(len(name)) + 5
	}
	return n
}

// pageBytes returns the most bytes that the indexes have for a data page.
func pageBytes(l *Leaf, m *Meta) int64 {
	n := int64(3 + longest + 5 + 5 + 1) // PageLocation: offset, size, row
	n += 1 + number(int64(m.Nulls))
	n += 2*3 + int64(len(m.Min)+len(m.Max))
	if l.Type == ByteArray {
		n += number(m.Bytes)
	}
	if l.real() {
		n += number(int64(m.NaNs))
	}
	for _, k := range m.DefHistogram {
		n += number(k)
	}
	for _, k := range m.RepHistogram {
		n += number(k)
	}
	return n
}

// number returns the bytes of a number of at least 0.
func number(n int64) int64 { return int64(bits.Len64(uint64(n))+1+6) / 7 }
