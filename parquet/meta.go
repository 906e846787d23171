package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// A Kind is what a page holds.
type Kind uint8

// The kinds of pages, in their order in a chunk. A bloom filter is not a page in the
// format's terms, but travels like one.
const (
	DictionaryPage Kind = iota
	DataPage
	DataPageV2
	BloomFilter
)

// String returns the kind in words.
func (k Kind) String() string {
	switch k {
	case DictionaryPage:
		return "dictionary page"
	case DataPage, DataPageV2:
		return "data page"
	case BloomFilter:
		return "bloom filter"
	}
	return fmt.Sprintf("kind %d of page", uint8(k))
}

// A Meta describes a page: all that a file says about it in addition to its bytes. A
// dictionary page has only Kind, Encoding, Entries, Raw and Stored, a bloom filter only
// Kind, Raw and Stored.
type Meta struct {
	Kind     Kind
	Encoding Encoding // of the values
	Rows     int
	Entries  int   // values and nulls; in a dictionary page, values
	Nulls    int   // entries without a value
	Raw      int64 // bytes of the header, and of the body before compression
	Stored   int64 // bytes of the header, and of the body as it is in the file

	// The least and the greatest value in the column's order, PLAIN, without length. They are
	// nil where there is no value, or nothing is known: the column has no order, all values are
	// NaN, or a long value has no short bound. A zero of a float is -0 as Min and +0 as Max, as
	// Parquet wants it.
	Min, Max           []byte
	MinExact, MaxExact bool // they are values of the page, not only bounds of them
	NaNs               int  // values that are NaN

	DefHistogram []int64 // entries by definition level, where MaxDef is at least 2, else nil
	RepHistogram []int64 // entries by repetition level, where MaxRep is at least 1, else nil
	Bytes        int64   // of a BYTE_ARRAY: bytes of the values, without lengths
}

// Values returns the number of entries that are not null.
func (m *Meta) Values() int { return m.Entries - m.Nulls }

// bounded reports whether Min and Max are known.
func (m *Meta) bounded() bool { return m.Min != nil && m.Max != nil }

// The flags of a Meta's encoding.
const (
	metaBounds = 1 << iota
	metaMinExact
	metaMaxExact
)

// Append appends the Meta as bytes, for [ParseMeta], and returns dst:
//
//	kind       1 byte
//	encoding   1 byte
//	flags      1 byte: bounds, exact minimum, exact maximum
//	rows, entries, nulls, raw, stored, NaNs, bytes      varints, unsigned
//	length and bytes of minimum and maximum             with the first flag
//	number and values of definition level histogram     varints
//	number and values of repetition level histogram     varints
func (m *Meta) Append(dst []byte) []byte {
	var flags byte
	if m.bounded() {
		flags |= metaBounds
	}
	if m.MinExact {
		flags |= metaMinExact
	}
	if m.MaxExact {
		flags |= metaMaxExact
	}
	dst = append(dst, byte(m.Kind), byte(m.Encoding), flags)
	for _, n := range [...]int64{int64(m.Rows), int64(m.Entries), int64(m.Nulls), m.Raw, m.Stored, int64(m.NaNs), m.Bytes} {
		dst = binary.AppendUvarint(dst, uint64(n))
	}
	if flags&metaBounds != 0 {
		dst = append(binary.AppendUvarint(dst, uint64(len(m.Min))), m.Min...)
		dst = append(binary.AppendUvarint(dst, uint64(len(m.Max))), m.Max...)
	}
	for _, histogram := range [...][]int64{m.DefHistogram, m.RepHistogram} {
		dst = binary.AppendUvarint(dst, uint64(len(histogram)))
		for _, n := range histogram {
			dst = binary.AppendUvarint(dst, uint64(n))
		}
	}
	return dst
}

// ErrMeta is the error for bytes that are no Meta.
var ErrMeta = errors.New("parquet: damaged description of a page")

// ParseMeta reads what [Meta.Append] wrote from the front of b, and returns what follows it.
// Any bytes give a Meta or an error that is [ErrMeta]; what is allocated is in proportion to
// b. The Meta keeps nothing of b.
func ParseMeta(b []byte) (Meta, []byte, error) {
	if len(b) < 3 {
		return Meta{}, nil, fmt.Errorf("%w: %d bytes", ErrMeta, len(b))
	}
	m := Meta{Kind: Kind(b[0]), Encoding: Encoding(b[1])}
	flags := b[2]
	m.MinExact, m.MaxExact = flags&metaMinExact != 0, flags&metaMaxExact != 0
	c := cursor{rest: b[3:]}
	m.Rows, m.Entries, m.Nulls = int(c.uint(math.MaxInt32)), int(c.uint(math.MaxInt32)), int(c.uint(math.MaxInt32))
	m.Raw, m.Stored = c.uint(math.MaxInt64), c.uint(math.MaxInt64)
	m.NaNs, m.Bytes = int(c.uint(math.MaxInt32)), c.uint(1<<48)
	if flags&metaBounds != 0 {
		m.Min, m.Max = c.bytes(), c.bytes()
	}
	m.DefHistogram, m.RepHistogram = c.histogram(), c.histogram()
	if c.bad || flags >= metaMaxExact<<1 || !m.plausible() {
		return Meta{}, nil, ErrMeta
	}
	return m, c.rest, nil
}

// plausible reports whether the Meta's fields fit each other.
func (m *Meta) plausible() bool {
	return m.Kind <= BloomFilter && m.Encoding.valid() &&
		m.Nulls <= m.Entries && m.NaNs <= m.Values() && m.Rows <= m.Entries &&
		m.Raw <= 2*maxPage && m.Stored <= 2*maxPage
}

// A cursor reads numbers from the front of bytes, and remembers if one was not there.
type cursor struct {
	rest []byte
	bad  bool
}

// uint reads a number of at most limit.
func (c *cursor) uint(limit uint64) int64 {
	u, n := binary.Uvarint(c.rest)
	if n <= 0 || u > limit {
		c.bad, c.rest = true, nil
		return 0
	}
	c.rest = c.rest[n:]
	return int64(u)
}

func (c *cursor) bytes() []byte {
	n := c.uint(uint64(len(c.rest)))
	if c.bad || n > int64(len(c.rest)) {
		c.bad = true
		return nil
	}
	b := make([]byte, n)
	c.rest = c.rest[copy(b, c.rest):]
	return b
}

func (c *cursor) histogram() []int64 {
	n := c.uint(maxLevel + 1)
	if n == 0 || c.bad || n > int64(len(c.rest)) {
		c.bad = c.bad || n != 0
		return nil
	}
	h := make([]int64, n)
	for i := range h {
		h[i] = c.uint(math.MaxInt32)
	}
	return h
}
