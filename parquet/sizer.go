package parquet

import "math/bits"

// A Sizer bounds the size of a file by the Metas of its pages, before any of them is written. A
// program that fills files up to a limit adds pages as long as Size stays below it:
//
//	for each place where the row group can be cut {
//		for each column { sizer.Add the pages up to there }
//		if sizer.Size() > limit { cut at the place before }
//	}
//
// The size of pages is exact. That of indexes and footer is too large by some ten bytes a page
// and a hundred a chunk, as offsets are counted at their longest.
type Sizer struct {
	schema  *Schema
	every   int   // row groups to a footer
	base    int64 // the footer without row groups
	sorting int64 // sorting columns of each row group

	pages   int64        // magic, pages, bloom filters, and what was written of footers
	pending int64        // indexes since the last footer
	groups  int64        // row groups in the footer
	ended   int          // number of row groups, but the last
	columns []columnSize // of the row group
	open    bool         // the row group has a page
}

// A columnSize is a column of the row group.
type columnSize struct {
	open     bool  // it has a page
	min, max int64 // the longest bounds
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
	z := &Sizer{schema: s, every: o.FooterEvery, base: int64(len(b)) + 2*field, sorting: int64(12 * len(o.Sorting)), pages: int64(len(magic))}
	z.columns = make([]columnSize, len(s.Leaves))
	return z, nil
}

const (
	field = 8 // bytes of a field, or an element of a list, that is a number of up to 48 bits
	list  = 7 // bytes before the elements of a field that is a list
	text  = 6 // bytes before the bytes of a field that is text
)

// Add adds a page, of any column, to the last row group.
func (z *Sizer) Add(column int, m *Meta) {
	leaf := z.schema.Leaves[column]
	if !z.open {
		z.open = true
		z.groups += list + 4*field + 3 + 1 + z.sorting
	}
	c := &z.columns[column]
	if !c.open {
		c.open = true
		z.groups += chunkBytes(leaf)
		z.pending += 8*list + 2 + 2 // both indexes without their pages
	}
	z.pages += m.Stored
	if m.Kind == BloomFilter {
		z.groups += field + text
	}
	if m.Kind != DataPage && m.Kind != DataPageV2 {
		return
	}
	z.pending += pageBytes(leaf, m)
	lo, hi := max(c.min, int64(len(m.Min))), max(c.max, int64(len(m.Max)))
	z.groups += lo - c.min + hi - c.max
	c.min, c.max = lo, hi
}

// EndRowGroup ends the row group: pages that are added are of the next.
func (z *Sizer) EndRowGroup() {
	z.ended++
	z.open = false
	clear(z.columns)
	if z.every > 0 && z.ended%z.every == 0 {
		z.pages += z.pending + z.tail()
		z.pending = 0
	}
}

// Size returns a bound of the size of the file with the pages that were added.
func (z *Sizer) Size() int64 { return z.pages + z.pending + z.tail() }

// tail returns a bound of the footer and what follows it.
func (z *Sizer) tail() int64 { return z.base + z.groups + 4 + int64(len(magic)) }

// chunkBytes returns the most bytes that the footer has for a chunk, but for its bounds and
// bloom filter.
func chunkBytes(l *Leaf) int64 {
	n := int64(2 + 2*(field+text) + 1)      // ColumnChunk
	n += 1 + 2 + 2 + 2*list + 6*field + 1   // ColumnMetaData
	n += 5*1 + 5*(1+2+2+6)                  // its encodings, and their pages
	n += 1 + 2*field + 2*text + 2*1 + 1     // Statistics
	n += 1 + field + 2*list + 1             // SizeStatistics
	n += int64(l.MaxDef+l.MaxRep+2) * field // their histograms
	for _, name := range l.Path {
		n += int64(len(name)) + text
	}
	return n
}

// pageBytes returns the most bytes that the indexes have for a data page.
func pageBytes(l *Leaf, m *Meta) int64 {
	n := int64(2*field + text + 1) // PageLocation: offset, row, size
	n += 1 + number(int64(m.Nulls))
	n += number(int64(len(m.Min))) + int64(len(m.Min)) + number(int64(len(m.Max))) + int64(len(m.Max))
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

// number returns the bytes of a number of at least 0 in a list.
func number(n int64) int64 { return int64(bits.Len64(uint64(n))+1+6) / 7 }
