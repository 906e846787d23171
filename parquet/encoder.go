package parquet

import (
	"errors"
	"fmt"
	"math"
)

// EncoderOptions are how an [Encoder] makes pages. The zero value has all defaults.
type EncoderOptions struct {
	// Codec compresses pages. The default is null, which does not.
	Codec Codec
	// Codecs are those of single columns, one for each of the schema's leaves; nil if all have
	// Codec.
	Codecs []Codec
	// PageVersion is that of data pages, 1 or 2. Pages of version 2 have their levels
	// uncompressed in front, and values only compressed where that makes them smaller. Some
	// readers know only version 1, the default.
	PageVersion int
	// Modern allows other encodings than PLAIN and dictionaries: DELTA_BINARY_PACKED,
	// DELTA_LENGTH_BYTE_ARRAY, DELTA_BYTE_ARRAY, BYTE_STREAM_SPLIT. The first
	// page of a chunk is tried in each. Spark 4.1 cannot read BYTE_STREAM_SPLIT, which floats and
	// doubles may get, unless its vectorized reader is off.
	Modern bool
	// DictionaryBytes is the largest size of a column's dictionary page before compression.
	// The default is 1 MiB, or less with more than 32 columns: 32 MiB divided by their number.
	// A negative number means no dictionaries, except for columns with symbols, which always
	// have one.
	DictionaryBytes int
	// AllDictionaries is the largest size of the dictionary pages of all columns of a row group
	// together, except of columns with symbols. 0 means no bound but DictionaryBytes.
	AllDictionaries int
	// Filters are the columns, by their numbers among the schema's leaves, whose chunks get a
	// bloom filter: of 32 bytes to 1 MiB, by how many different values there are, such that it
	// is wrong for one in a hundred values that are not there. Booleans cannot have any. Each
	// takes 1 MiB while its chunk is made.
	Filters []int
}

const (
	maxDictionary   = 1 << 20  // of a column
	allDictionaries = 32 << 20 // of all columns
)

// An Encoder makes the pages of all columns of a schema, chunk after chunk. What it makes
// depends on the options and on what a chunk's pages were given, and on nothing before. It
// has state: one goroutine at a time.
type Encoder struct {
	codec   codec // of the column at hand
	codecs  []codec
	version int
	modern  bool
	chunks  []chunk

	arranger arranger
	offsets  []uint32 // of the page's byte arrays
	entries  []int32  // of the page's values in the dictionary
	body     []byte   // of the page before compression, where that is not the values alone
	packed   []byte   // compressed, where there was no room for it after the page before
}

// A chunk is the state of an unfinished column chunk.
type chunk struct {
	leaf     *Leaf
	order    order
	dict     *dictionary // nil where the column has none
	symbols  *symbols    // of a column that has symbols, else nil
	state    state
	fallback Encoding // of pages without a dictionary, once state is settled or indexed
	used     bool     // there is a page that needs the dictionary page
	filter   filter   // of a column that has a bloom filter, else nil
}

// NewEncoder returns an encoder.
func NewEncoder(s *Schema, o EncoderOptions) (*Encoder, error) {
	codecs, err := openAll(o.Codec, o.Codecs, len(s.Leaves))
	if err != nil {
		return nil, err
	}
	if o.PageVersion < 0 || o.PageVersion > 2 {
		return nil, fmt.Errorf("parquet: data pages of version %d; there are 1 and 2", o.PageVersion)
	}
	limit := o.DictionaryBytes
	if limit == 0 {
		limit = min(maxDictionary, allDictionaries/len(s.Leaves))
	}
	room := new(int)
	if *room = o.AllDictionaries; *room == 0 {
		*room = math.MaxInt
	}
	e := &Encoder{codecs: codecs, version: o.PageVersion, modern: o.Modern, chunks: make([]chunk, len(s.Leaves))}
	for i, leaf := range s.Leaves {
		c := &e.chunks[i]
		c.leaf, c.order = leaf, leaf.order()
		switch {
		case leaf.Symbols != nil:
			c.symbols = newSymbols(leaf.Symbols)
		case limit > 0 && leaf.Type != Boolean && leaf.Logical.Kind != NullType:
			c.dict = newDictionary(leaf.width(), min(limit, maxPage), room)
		}
		c.reset()
	}
	for _, column := range o.Filters {
		if column < 0 || column >= len(s.Leaves) || s.Leaves[column].Type == Boolean {
			return nil, fmt.Errorf("parquet: column %d cannot have a bloom filter", column)
		}
		e.chunks[column].filter = newFilter()
	}
	return e, nil
}

func (c *chunk) reset() {
	c.state, c.fallback, c.used = undecided, Plain, false
	clear(c.filter)
	switch {
	case c.symbols != nil:
		c.state = indexed
		c.symbols.reset()
	case c.dict != nil:
		c.dict.reset()
	}
}

// Page appends the next data page of a column's chunk to dst, and returns it with the page's
// description. It keeps nothing of v. An error means that v is not what the column has, or
// that a page would be past 2 GiB; the encoder is of no use then.
func (e *Encoder) Page(dst []byte, column int, v Values) ([]byte, Meta, error) {
	c := &e.chunks[column]
	e.codec = e.codecs[column]
	defer e.release()
	dst, m, err := e.page(dst, c, &v)
	if err != nil {
		return dst, m, fmt.Errorf("parquet: column %q: %w", c.leaf, err)
	}
	return dst, m, nil
}

func (e *Encoder) page(dst []byte, c *chunk, v *Values) ([]byte, Meta, error) {
	m, err := v.describe(c.leaf)
	if err != nil {
		return dst, m, err
	}
	if err := v.check(c.leaf, m.Values()); err != nil {
		return dst, m, err
	}
	p := plain{leaf: c.leaf, data: v.Data, n: m.Values()}
	if c.leaf.Type == ByteArray && c.symbols == nil {
		if e.offsets, err = split(e.offsets[:0], v.Data, p.n); err != nil {
			return dst, m, err
		}
		p.offsets = e.offsets
		m.Bytes = int64(len(v.Data) - 4*p.n)
	}
	values, err := e.values(c, &p, &m)
	if err != nil {
		return dst, m, err
	}
	return e.data(dst, c.leaf, v, values, m)
}

// pack returns b compressed: after dst, and room for a header and room bytes, if it fits
// there, else in a buffer that is good until the next call.
func (e *Encoder) pack(dst []byte, room int, b []byte) ([]byte, error) {
	if e.codec == nil {
		return b, nil
	}
	if at := len(dst) + maxHeader + room; cap(dst)-at >= e.codec.maxLen(len(b)) {
		return e.codec.encode(dst[at:at], b)
	}
	packed, err := e.codec.encode(e.packed, b)
	e.packed = packed
	return packed, err
}

// release frees what a page of large values has left.
func (e *Encoder) release() {
	const kept = 8 << 20
	if cap(e.body)+cap(e.packed) > kept {
		e.body, e.packed = nil, nil
	}
	if e.arranger.memory() > kept {
		e.arranger = arranger{}
	}
	if 4*(cap(e.offsets)+cap(e.entries)) > kept {
		e.offsets, e.entries = nil, nil
	}
}

// EndChunk ends a column's chunk: the column's next page is the first of another. It
// appends to dst the parts of the chunk other than its data pages, and returns it with
// their descriptions: a dictionary page, which precedes the data pages, if one of them
// needs it, and a bloom filter, if the options want one, which follows the pages of all
// columns.
func (e *Encoder) EndChunk(dst []byte, column int) ([]byte, []Meta, error) {
	c := &e.chunks[column]
	e.codec = e.codecs[column]
	defer c.reset()
	var metas []Meta
	for _, end := range [...]func([]byte, *chunk) ([]byte, []Meta, error){e.endDictionary, e.endFilter} {
		var some []Meta
		var err error
		if dst, some, err = end(dst, c); err != nil {
			return dst, nil, fmt.Errorf("parquet: column %q: %w", c.leaf, err)
		}
		metas = append(metas, some...)
	}
	return dst, metas, nil
}

// endDictionary appends the chunk's dictionary page, if a page needs it.
func (e *Encoder) endDictionary(dst []byte, c *chunk) ([]byte, []Meta, error) {
	if !c.used {
		return dst, nil, nil
	}
	body, n := []byte(nil), 0
	if c.symbols != nil {
		body, n = c.symbols.plain(), len(c.symbols.used)
	} else {
		body, n = c.dict.data, c.dict.n
	}
	dst, m, err := e.dictionary(dst, body, n)
	return dst, []Meta{m}, err
}

// endFilter appends the chunk's bloom filter, if there is to be one.
func (e *Encoder) endFilter(dst []byte, c *chunk) ([]byte, []Meta, error) {
	if c.filter == nil {
		return dst, nil, nil
	}
	if c.symbols != nil {
		for _, n := range c.symbols.used {
			c.filter.add([]byte(c.symbols.names[n]))
		}
	} else if c.used {
		for entry := range c.dict.n {
			c.filter.add(c.dict.value(entry))
		}
	}
	dst, m, err := c.filter.fold().encode(dst)
	return dst, []Meta{m}, err
}

// Memory returns the bytes that the encoder holds between pages. While it makes a page it
// holds up to five times the page's values more, and keeps at most 24 MiB of that; up to
// twice if neither dictionaries nor modern encodings are allowed, and once if dst has room
// for MaxPage.
func (e *Encoder) Memory() int64 {
	n := cap(e.body) + cap(e.packed) + e.arranger.memory() + 4*(cap(e.offsets)+cap(e.entries))
	for i := range e.chunks {
		n += blockBytes * len(e.chunks[i].filter)
		if d := e.chunks[i].dict; d != nil {
			n += d.memory()
		}
	}
	return int64(n)
}

var errTooLarge = errors.New("a page past 2 GiB")
