package parquet

// A chunkMeta is the fold of the Metas of a chunk's data pages. Its counts pass 32 bits.
type chunkMeta struct {
	rows, entries, nulls, nans int64
	bytes                      int64
	min, max                   []byte
	minExact, maxExact         bool
	boundless                  bool // a page has values that are not NaN, and no bounds
	def, rep                   []int64
}

// add adds a data page.
func (c *chunkMeta) add(o order, m *Meta) {
	c.rows += int64(m.Rows)
	c.entries += int64(m.Entries)
	c.nulls += int64(m.Nulls)
	c.nans += int64(m.NaNs)
	c.bytes += m.Bytes
	c.def, c.rep = sum(c.def, m.DefHistogram), sum(c.rep, m.RepHistogram)
	switch {
	case m.Values() == m.NaNs:
	case c.boundless || !m.bounded():
		c.boundless, c.min, c.max = true, nil, nil
	case c.min == nil:
		c.min, c.max, c.minExact, c.maxExact = m.Min, m.Max, m.MinExact, m.MaxExact
	default:
		if by := o.compare(m.Min, c.min); by < 0 || by == 0 && m.MinExact {
			c.min, c.minExact = m.Min, m.MinExact
		}
		if by := o.compare(m.Max, c.max); by > 0 || by == 0 && m.MaxExact {
			c.max, c.maxExact = m.Max, m.MaxExact
		}
	}
}

// sum adds the second histogram to the first, which it may make.
func sum(to, h []int64) []int64 {
	if to == nil && h != nil {
		to = make([]int64, len(h))
	}
	for i, n := range h {
		to[i] += n
	}
	return to
}
