package reducer

import "avro2trevni/internal/tuple"

// run is what is known of a tuple, or of the part of it that is in a range, without
// looking into its bytes.
type run struct {
	row    tuple.Row // the first row
	rows   uint32
	values uint32
	raw    uint32 // bytes before compression; of a part, at the most
	size   uint32 // bytes of the tuple's value
	cut    bool   // it is only part of its tuple
}

// rowsOf returns the rows of t, counted from its first, that are in [from, to), which
// overlaps it.
func rowsOf(t *tuple.Tuple, from, to tuple.Row) (lo, hi uint32) {
	hi = t.Rows
	if to < t.End() {
		hi = uint32(to - t.Row)
	}
	if from > t.Row {
		lo = uint32(from - t.Row)
	}
	return lo, hi
}

// runOf returns the part of t, sc's tuple, that is in [from, to).
func (g *Group) runOf(sc Scanner, t *tuple.Tuple, from, to tuple.Row) (run, error) {
	r := run{row: t.Row, rows: t.Rows, values: t.Values, raw: t.Raw, size: t.Size}
	lo, hi := rowsOf(t, from, to)
	if lo == 0 && hi == t.Rows {
		return r, nil
	}
	if lo >= hi {
		return r, runError("rows from %d to %d of it", lo, hi)
	}
	note, err := sc.Note()
	if err != nil {
		return r, err
	}
	p, err := g.o.Format.Part(t, note, lo, hi)
	r.row, r.rows, r.values, r.raw, r.cut = t.Row+tuple.Row(lo), hi-lo, p.Values, p.Raw, true
	return r, err
}
