package parquet

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// A chunkWriter collects what footer and indexes say about a chunk while its pages are written.
type chunkWriter struct {
	leaf        *Leaf
	order       order
	pages       []Meta // data pages
	locations   []format.PageLocation
	sum         chunkMeta
	dictionary  thrift.Null[int64] // offset
	raw, stored int64
	kinds       map[format.PageEncodingStats]int32 // of pages, by type and encoding: their number
}

func newChunkWriter(l *Leaf) *chunkWriter {
	return &chunkWriter{leaf: l, order: l.order(), kinds: make(map[format.PageEncodingStats]int32)}
}

// add notes the page, which will be at the offset.
func (c *chunkWriter) add(m *Meta, at int64) error {
	kind := format.PageEncodingStats{Encoding: format.Encoding(m.Encoding)}
	switch m.Kind {
	case DictionaryPage:
		if c.dictionary.Valid || len(c.pages) > 0 {
			return errors.New("a dictionary page after another page")
		}
		c.dictionary = thrift.New(at)
		kind.PageType = format.DictionaryPage
	case DataPage, DataPageV2:
		if err := c.check(m); err != nil {
			return err
		}
		c.locations = append(c.locations, format.PageLocation{Offset: at, CompressedPageSize: int32(m.Stored), FirstRowIndex: c.sum.rows})
		c.pages = append(c.pages, *m)
		c.sum.add(c.order, m)
		if m.Kind == DataPageV2 {
			kind.PageType = format.DataPageV2
		}
	default:
		return fmt.Errorf("%s among the pages of a column", m.Kind)
	}
	c.kinds[kind]++
	c.raw += m.Raw
	c.stored += m.Stored
	return nil
}

// check is an error if the Meta cannot be of a data page of the column.
func (c *chunkWriter) check(m *Meta) error {
	levels := func(h []int64, most, least int) bool {
		return most < least && h == nil || most >= least && len(h) == most+1
	}
	if !levels(m.DefHistogram, c.leaf.MaxDef, 2) || !levels(m.RepHistogram, c.leaf.MaxRep, 1) {
		return fmt.Errorf("levels of another column, %d and %d", len(m.DefHistogram), len(m.RepHistogram))
	}
	if width := c.leaf.width(); m.bounded() && width != 0 && (len(m.Min) != width || len(m.Max) != width) {
		return fmt.Errorf("bounds of another column, of %d and %d bytes", len(m.Min), len(m.Max))
	}
	if m.Rows < 1 || m.Stored > maxPage {
		return fmt.Errorf("a page of %d rows, %d bytes", m.Rows, m.Stored)
	}
	if m.Encoding == RLEDictionary && !c.dictionary.Valid {
		return errors.New("a page of dictionary indices, and no dictionary")
	}
	if len(c.pages) == math.MaxInt32 {
		return errors.New("too many pages")
	}
	return nil
}

// metaData returns what the footer says about the chunk.
func (c *chunkWriter) metaData(codec format.CompressionCodec) columnMetaData {
	m := columnMetaData{
		Type:                  format.Type(c.leaf.Type),
		Encodings:             []format.Encoding{format.RLE}, // of levels
		PathInSchema:          c.leaf.Path,
		Codec:                 codec,
		NumValues:             c.sum.entries,
		TotalUncompressedSize: c.raw,
		TotalCompressedSize:   c.stored,
		DataPageOffset:        c.locations[0].Offset,
		DictionaryPageOffset:  c.dictionary,
		Statistics:            c.statistics(),
		SizeStatistics:        c.sizes(),
	}
	for kind, n := range c.kinds {
		m.Encodings = append(m.Encodings, kind.Encoding)
		kind.Count = n
		m.EncodingStats = append(m.EncodingStats, kind)
	}
	slices.Sort(m.Encodings)
	m.Encodings = slices.Compact(m.Encodings)
	slices.SortFunc(m.EncodingStats, func(a, b format.PageEncodingStats) int {
		return cmp.Or(cmp.Compare(a.PageType, b.PageType), cmp.Compare(a.Encoding, b.Encoding))
	})
	return m
}

func (c *chunkWriter) statistics() statistics {
	s := statistics{NullCount: c.sum.nulls, MinValue: c.sum.min, MaxValue: c.sum.max}
	if s.MinValue != nil {
		s.IsMinExact, s.IsMaxExact = thrift.New(c.sum.minExact), thrift.New(c.sum.maxExact)
	}
	if c.leaf.real() {
		s.NaNCount = thrift.New(c.sum.nans)
	}
	return s
}

// real reports whether values can be NaN.
func (n *Node) real() bool { return n.Type == Float || n.Type == Double }

func (c *chunkWriter) sizes() *sizeStatistics {
	if c.leaf.Type != ByteArray && c.sum.def == nil && c.sum.rep == nil {
		return nil
	}
	s := &sizeStatistics{DefHistogram: c.sum.def, RepHistogram: c.sum.rep}
	if c.leaf.Type == ByteArray {
		s.Bytes = thrift.New(c.sum.bytes)
	}
	return s
}

// indexes returns the chunk's indexes as bytes. There is no column index if a page has values
// without bounds.
func (c *chunkWriter) indexes() (chunkIndexes, error) {
	offsets := format.OffsetIndex{PageLocations: c.locations}
	if c.leaf.Type == ByteArray {
		for i := range c.pages {
			offsets.UnencodedByteArrayDataBytes = append(offsets.UnencodedByteArrayDataBytes, c.pages[i].Bytes)
		}
	}
	var indexes chunkIndexes
	var err error
	if indexes.offset, err = marshal(&offsets); err != nil {
		return indexes, err
	}
	for i := range c.pages {
		if p := &c.pages[i]; !p.bounded() && p.Values() > 0 {
			return indexes, nil
		}
	}
	indexes.column, err = marshal(c.columnIndex())
	return indexes, err
}

func (c *chunkWriter) columnIndex() *columnIndex {
	x := &columnIndex{BoundaryOrder: boundaryOrder(c.order, c.pages)}
	for i := range c.pages {
		p := &c.pages[i]
		lo, hi := p.Min, p.Max
		if p.Values() == 0 {
			lo, hi = []byte{}, []byte{}
		}
		x.NullPages = append(x.NullPages, p.Values() == 0)
		x.MinValues = append(x.MinValues, lo)
		x.MaxValues = append(x.MaxValues, hi)
		x.NullCounts = append(x.NullCounts, int64(p.Nulls))
		x.DefHistograms = append(x.DefHistograms, p.DefHistogram...)
		x.RepHistograms = append(x.RepHistograms, p.RepHistogram...)
		if c.leaf.real() {
			x.NaNCounts = append(x.NaNCounts, int64(p.NaNs))
		}
	}
	return x
}

// boundaryOrder says whether the bounds of pages rise or fall from page to page. Pages without
// values do not count.
func boundaryOrder(o order, pages []Meta) format.BoundaryOrder {
	up, down := true, true
	var last *Meta
	for i := range pages {
		p := &pages[i]
		if p.Values() == 0 {
			continue
		}
		if last != nil {
			lo, hi := o.compare(last.Min, p.Min), o.compare(last.Max, p.Max)
			up, down = up && lo <= 0 && hi <= 0, down && lo >= 0 && hi >= 0
		}
		last = p
	}
	switch {
	case up:
		return format.Ascending
	case down:
		return format.Descending
	}
	return format.Unordered
}
