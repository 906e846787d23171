package reader

import (
	"fmt"
	"sort"

	"github.com/parquet-go/parquet-go/format"

	"avro2trevni/parquet/internal/thriftscan"
)

// An OffsetIndex says where the data pages of a chunk are (PageIndex.md). Its pages begin at
// rows' starts.
type OffsetIndex struct {
	Pages []PageLocation
	// ByteArrays are, for each page, the bytes of all values without lengths; nil if unknown.
	ByteArrays []int64
}

// A PageLocation is a data page's place.
type PageLocation struct {
	Offset   int64 // of its header
	Size     int   // bytes in the file, header included
	FirstRow int64 // of the row group
}

// A ColumnIndex says what the data pages of a chunk hold (PageIndex.md).
type ColumnIndex struct {
	Pages []PageBounds
	Order Order
}

// PageBounds are what a ColumnIndex says of a page.
type PageBounds struct {
	Null         bool    // all values are null: there are no bounds
	Min, Max     []byte  // as in [Statistics]; they need not be values
	NullCount    int64   // negative if unknown
	NaNCount     int64   // negative if unknown
	RepHistogram []int64 // how often each repetition level is there; nil if unknown
	DefHistogram []int64 // the same of definition levels
}

// An Order says how the bounds of pages follow each other, numbered as in files.
type Order uint8

// The orders.
const (
	Unordered  = Order(format.Unordered)
	Ascending  = Order(format.Ascending)
	Descending = Order(format.Descending)
)

// maxIndex is the largest index that is read, in bytes.
const maxIndex = 256 << 20

// index reads a structure of the file that is no page.
func (c *Chunk) index(p Place, s *thriftscan.Shape, v any) error {
	f := c.group.file
	if p.Length > maxIndex {
		return limitf("an index of %d bytes, above %d", p.Length, maxIndex)
	}
	if p.Offset < 0 || p.Length < 0 || p.Offset > f.size || int64(p.Length) > f.size-p.Offset {
		return corruptf("an index of %d bytes in a file of %d", p.Length, f.size)
	}
	b := make([]byte, p.Length)
	if n, err := f.r.ReadAt(b, p.Offset); n < len(b) {
		return readError(err)
	}
	return unmarshal(b, s, v)
}

// Offsets reads the chunk's offset index. It is nil if there is none.
func (c *Chunk) Offsets() (*OffsetIndex, error) {
	if c.OffsetIndex.Length == 0 {
		return nil, nil
	}
	var w offsetIndex
	err := c.index(c.OffsetIndex, offsetIndexShape, &w)
	if err == nil {
		err = c.checkOffsets(&w)
	}
	if err != nil {
		return nil, c.fail(-1, c.OffsetIndex.Offset, fmt.Errorf("offset index: %w", err))
	}
	x := &OffsetIndex{ByteArrays: w.ByteArrayData, Pages: make([]PageLocation, len(w.PageLocations))}
	for i, p := range w.PageLocations {
		x.Pages[i] = PageLocation{Offset: p.Offset, Size: int(p.CompressedSize), FirstRow: p.FirstRow}
	}
	return x, nil
}

// checkOffsets reports pages that are not in the chunk, or not in order.
func (c *Chunk) checkOffsets(w *offsetIndex) error {
	at, row := c.Start, int64(0)
	for i, p := range w.PageLocations {
		switch {
		case p.Offset < at || p.CompressedSize < 0 || p.Offset > c.end || int64(p.CompressedSize) > c.end-p.Offset:
			return corruptf("page %d has %d bytes at %d of a chunk from %d to %d", i, p.CompressedSize, p.Offset, c.Start, c.end)
		case p.FirstRow < row || i == 0 && p.FirstRow != 0 || p.FirstRow > c.group.Rows:
			return corruptf("page %d begins at row %d, the one before at %d", i, p.FirstRow, row)
		}
		at, row = p.Offset+int64(p.CompressedSize), p.FirstRow
	}
	if n := len(w.ByteArrayData); n > 0 && n != len(w.PageLocations) {
		return corruptf("%d sizes of %d pages", n, len(w.PageLocations))
	}
	return nil
}

// Bounds reads the chunk's column index. It is nil if there is none.
func (c *Chunk) Bounds() (*ColumnIndex, error) {
	if c.ColumnIndex.Length == 0 {
		return nil, nil
	}
	var w columnIndex
	err := c.index(c.ColumnIndex, columnIndexShape, &w)
	if err == nil {
		err = c.checkBounds(&w)
	}
	if err != nil {
		return nil, c.fail(-1, c.ColumnIndex.Offset, fmt.Errorf("column index: %w", err))
	}
	n := len(w.NullPages)
	x := &ColumnIndex{Order: Order(w.BoundaryOrder), Pages: make([]PageBounds, n)}
	for i := range x.Pages {
		p := &x.Pages[i]
		*p = PageBounds{Null: w.NullPages[i], NullCount: -1, NaNCount: -1}
		if !p.Null {
			p.Min, p.Max = w.MinValues[i], w.MaxValues[i]
		}
		if w.NullCounts != nil {
			p.NullCount = w.NullCounts[i]
		}
		if w.NaNCounts != nil {
			p.NaNCount = w.NaNCounts[i]
		}
		p.RepHistogram = part(w.RepHistograms, i, n)
		p.DefHistogram = part(w.DefHistograms, i, n)
	}
	return x, nil
}

// part returns the i-th of n parts of all, nil if all is empty.
func part(all []int64, i, n int) []int64 {
	if len(all) == 0 {
		return nil
	}
	size := len(all) / n
	return all[i*size : (i+1)*size]
}

// checkBounds reports lists of other lengths than that of pages.
func (c *Chunk) checkBounds(w *columnIndex) error {
	n := len(w.NullPages)
	for _, m := range []int{len(w.MinValues), len(w.MaxValues)} {
		if m != n {
			return corruptf("%d bounds of %d pages", m, n)
		}
	}
	for _, list := range [][]int64{w.NullCounts, w.NaNCounts} {
		if list != nil && len(list) != n {
			return corruptf("%d counts of %d pages", len(list), n)
		}
	}
	if m := len(w.RepHistograms); m > 0 && m != n*(c.Leaf.MaxRep+1) {
		return corruptf("histograms of %d numbers for %d pages", m, n)
	}
	if m := len(w.DefHistograms); m > 0 && m != n*(c.Leaf.MaxDef+1) {
		return corruptf("histograms of %d numbers for %d pages", m, n)
	}
	if w.BoundaryOrder < 0 || w.BoundaryOrder > format.Descending {
		return corruptf("order %d", w.BoundaryOrder)
	}
	return nil
}

// find returns the page that has the row: the last that begins at it or before.
func (x *OffsetIndex) find(row int64) int {
	return sort.Search(len(x.Pages), func(i int) bool { return x.Pages[i].FirstRow > row }) - 1
}
