package reader

import (
	"avro2trevni/parquet"
	"github.com/parquet-go/parquet-go/format"
)

// Statistics are what a file says about the values of a chunk or a page. Nothing of it was
// checked. Bounds are in the encoding PLAIN, byte arrays without length.
type Statistics struct {
	Min, Max           []byte // nil if unknown
	MinExact, MaxExact bool   // whether the bound is a value; false also if it is not said
	NullCount          int64  // negative if unknown
	NaNCount           int64  // negative if unknown
	DistinctCount      int64  // negative if unknown
	// OldMin and OldMax are the deprecated fields, in an order that depends on the writer.
	OldMin, OldMax []byte
}

func (s *statistics) public() *Statistics {
	if s == nil {
		return nil
	}
	p := &Statistics{
		Min: s.MinValue, Max: s.MaxValue, OldMin: s.Min, OldMax: s.Max,
		MinExact: s.IsMinExact.V, MaxExact: s.IsMaxExact.V,
		NullCount: -1, NaNCount: -1, DistinctCount: -1,
	}
	if s.NullCount.Valid {
		p.NullCount = s.NullCount.V
	}
	if s.NaNCount.Valid {
		p.NaNCount = s.NaNCount.V
	}
	if s.DistinctCount.Valid {
		p.DistinctCount = s.DistinctCount.V
	}
	return p
}

// A Chunk is what the footer says about the values of a column in a row group. Nothing of it was
// checked but that its pages lie within the file.
type Chunk struct {
	Leaf         *Node
	Codec        Codec
	Encodings    []parquet.Encoding
	Entries      int64 // nulls, and empty lists, count
	Raw, Stored  int64 // bytes of all pages, headers included, before compression and in the file
	Start        int64 // offset of the first page, which may be a dictionary page
	DataStart    int64 // offset of the first data page, as the footer has it
	Statistics   *Statistics
	RepHistogram []int64 // how often each repetition level is there; nil if unknown
	DefHistogram []int64 // the same of definition levels
	ByteArrays   int64   // bytes of all values, if they are byte arrays, without lengths; negative if unknown

	// Places of the chunk's indexes and its bloom filter. Those of length 0 are not there,
	// but a bloom filter's length may be unknown.
	OffsetIndex, ColumnIndex, BloomFilter Place

	group   *RowGroup
	end     int64 // no page reaches further
	missing error // why the chunk cannot be read
}

// A Place is a part of the file.
type Place struct {
	Offset int64
	Length int
}

// chunkOf returns the chunk that the footer describes.
func (g *RowGroup) chunkOf(leaf *Node, w *columnChunk) (*Chunk, error) {
	c := &Chunk{Leaf: leaf, group: g, ByteArrays: -1}
	c.OffsetIndex = Place{w.OffsetIndexOffset.V, int(w.OffsetIndexLength.V)}
	c.ColumnIndex = Place{w.ColumnIndexOffset.V, int(w.ColumnIndexLength.V)}
	m := w.MetaData
	switch {
	case w.Crypto != nil:
		c.missing = unsupportedf("the column is encrypted")
		return c, nil
	case w.FilePath != "":
		c.missing = unsupportedf("the column is in another file, %q", w.FilePath)
	case m == nil:
		return nil, corruptf("no metadata")
	}
	if m == nil {
		return c, nil
	}
	if m.Type != format.Type(leaf.Type) {
		return nil, corruptf("values of type %s, where the schema has %s", m.Type, format.Type(leaf.Type))
	}
	if m.Codec < 0 || m.Codec > 255 {
		return nil, corruptf("codec %d", m.Codec)
	}
	c.Codec, c.Entries, c.Raw, c.Stored = Codec(m.Codec), m.NumValues, m.TotalUncompressedSize, m.TotalCompressedSize
	for _, e := range m.Encodings {
		c.Encodings = append(c.Encodings, parquet.Encoding(e))
	}
	c.Statistics = m.Statistics.public()
	if s := m.SizeStatistics; s != nil {
		c.RepHistogram, c.DefHistogram = s.RepHistogram, s.DefHistogram
		if s.Bytes.Valid {
			c.ByteArrays = s.Bytes.V
		}
	}
	c.BloomFilter = Place{m.BloomFilterOffset.V, int(m.BloomFilterLength.V)}
	c.DataStart, c.Start = m.DataPageOffset, m.DataPageOffset
	if d := m.DictionaryPageOffset.V; d > 0 && d < c.Start { // some writers say 0
		c.Start = d
	}
	return c, c.bound()
}

// bound sets where the pages end.
func (c *Chunk) bound() error {
	if c.missing != nil {
		return nil
	}
	f := c.group.file
	if c.Start < 0 || c.Stored < 0 || c.Entries < 0 || c.Start > f.dataEnd || c.Stored > f.dataEnd-c.Start {
		return corruptf("%d entries in %d bytes at %d of a file of %d", c.Entries, c.Stored, c.Start, f.size)
	}
	c.end = c.Start + c.Stored
	if f.oldSizes() {
		c.end = min(c.end+oldHeader, f.dataEnd)
	}
	return nil
}
