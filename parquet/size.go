package parquet

import "math/bits"

// MaxPage returns the largest number of bytes that Page appends for a column's values with
// the given number of values, bytes and entries. With that capacity Page does not allocate
// for them.
func (e *Encoder) MaxPage(column, data, values, entries int) int {
	c := &e.chunks[column]
	body := e.maxValues(c, data, values)
	for _, most := range [...]int{c.leaf.MaxDef, c.leaf.MaxRep} {
		if most > 0 {
			body += 4 + maxRuns(entries, bits.Len(uint(most)))
		}
	}
	if codec := e.codecs[column]; codec != nil {
		body = codec.maxLen(body)
	}
	return maxHeader + body
}

// maxValues returns the largest size of a page's values in any encoding that the chunk may
// have.
func (e *Encoder) maxValues(c *chunk, data, values int) int {
	n := data
	switch {
	case c.symbols != nil:
		return 1 + maxRuns(values, bits.Len(uint(len(c.symbols.names))))
	case c.dict != nil:
		n = max(n, 1+maxRuns(values, bits.Len(uint(c.dict.limit/max(c.dict.width, 1)))))
	}
	if e.modern {
		switch c.leaf.Type {
		case Int32:
			n = max(n, maxDeltas(values, 4))
		case Int64:
			n = max(n, maxDeltas(values, 8))
		case ByteArray:
			n = max(n, data-4*values+2*maxDeltas(values, 4))
		}
	}
	return n
}

// maxRuns returns the most bytes of n numbers of the width as runs. The worst is eight equal
// ones by turns with eight different ones, and different ones at the end.
func maxRuns(n, width int) int { return (n/8+1)*(width+1) + 7*(1+(width+7)/8) + 5 }

// maxDeltas returns the most bytes of n integers of size bytes in DELTA_BINARY_PACKED: blocks of
// 128 with their least number and four widths, the last filled up to 32.
func maxDeltas(n, size int) int { return 40 + (n/128+1)*(10+4) + size*(n+32) }
