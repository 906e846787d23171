package trevni

import (
	"fmt"
	"math"

	"avro2trevni/internal/tuple"
	"avro2trevni/reducer"
	"avro2trevni/trevni"
)

// kind is how a column's runs are cut and joined.
type kind uint8

const (
	plain  kind = iota // values one after another
	packed             // booleans without lengths, eight in a byte
	array              // lengths before values
)

// kindOf returns the column's kind.
func kindOf(c *trevni.Column) kind {
	switch {
	case c.Array:
		return array
	case c.Type == trevni.Boolean:
		return packed
	}
	return plain
}

// maxItem is the most bytes of a length's varint.
const maxItem = 5

// piece is what is known of a tuple, or of the part of it between two cuts, without
// looking into its bytes.
type piece struct {
	values uint32
	raw    uint32 // bytes before compression; of a part of an array column's run, at most
	of     uint32 // raw bytes of the whole tuple
	lo, hi Cut    // where the part begins and ends; Rows is 0 at the tuple's own end
}

// cut reports whether the piece is only part of its tuple.
func (p *piece) cut() bool { return p.lo.Rows > 0 || p.hi.Rows > 0 }

// pieceOf returns rows [lo, hi) of t, of a column of kind k; note has its cuts.
func pieceOf(k kind, t *tuple.Tuple, note []byte, lo, hi uint32) (piece, error) {
	p := piece{values: t.Values, raw: t.Raw, of: t.Raw}
	var err error
	if hi < t.Rows {
		if p.hi, err = find(k, t, note, hi); err != nil {
			return p, err
		}
		p.values = p.hi.Values
	}
	if lo > 0 {
		if p.lo, err = find(k, t, note, lo); err != nil {
			return p, err
		}
		if lo >= hi || p.lo.Values > p.values {
			return p, runError("cuts out of order")
		}
		p.values -= p.lo.Values
	}
	if p.cut() {
		p.raw = p.bound(k)
	}
	return p, nil
}

// find returns the cut of t before row at, counted from its first; note has the cuts.
func find(k kind, t *tuple.Tuple, note []byte, at uint32) (Cut, error) {
	cuts := Cuts(note)
	if err := cuts.Check(); err != nil {
		return Cut{}, fmt.Errorf("%w: %w", reducer.ErrRun, err)
	}
	c, ok := cuts.Find(at)
	switch {
	case !ok:
		return c, rowsError("the run from %v to %v has no cut at %v", t.Row, t.End(), t.Row+tuple.Row(at))
	case c.Values > t.Values || k == plain && c.Run > 0:
		return c, runError("a cut that its run cannot have")
	}
	return c, nil
}

// bound returns the most bytes that the part between the cuts can have: exactly so
// many, but in an array column, where that depends on the lengths of varints.
func (p *piece) bound(k kind) uint32 {
	if k == packed {
		return p.values/8 + (p.values%8+7)/8
	}
	from, to := uint64(0), uint64(p.of)
	if p.lo.Rows > 0 {
		from = uint64(p.lo.Value)
	}
	if p.lo.Run > 0 {
		from += uint64(p.lo.Length) + 1 // its varint's bytes at least, written anew in maxItem at most
	}
	if p.hi.Rows > 0 {
		to = uint64(p.hi.Value)
	}
	if p.hi.Run > 0 {
		to = min(to+uint64(p.hi.Length)+maxItem, uint64(p.of))
	}
	if p.lo.Run > 0 {
		to += maxItem
	}
	return uint32(min(max(to, from)-from, math.MaxUint32))
}

// place is a cut looked up in the bytes of its run.
type place struct {
	at    int  // offset of the cut
	begin int  // offset of the length item it stands in; at where it stands in none
	it    item // that item; zero where there is none
	run   int  // its lengths before the cut
}

// placeOf looks the cut up.
func placeOf(raw []byte, c Cut) (place, error) {
	if c.Run == 0 {
		if uint64(c.Value) > uint64(len(raw)) {
			return place{}, runError("a cut at byte %d of %d", c.Value, len(raw))
		}
		return place{at: int(c.Value), begin: int(c.Value)}, nil
	}
	if uint64(c.Length) > uint64(len(raw)) {
		return place{}, runError("a cut at byte %d of %d", c.Length, len(raw))
	}
	it, err := itemAt(raw[c.Length:])
	if err != nil {
		return place{}, err
	}
	start := int(c.Length) + it.size // of the values
	if uint64(c.Run) > uint64(it.count) || it.each > 1 || uint64(c.Value) > uint64(len(raw)-start) {
		return place{}, runError("a cut after %d of %d lengths, at byte %d", c.Run, it.count, c.Value)
	}
	return place{at: start + int(c.Value), begin: int(c.Length), it: it, run: int(c.Run)}, nil
}

// part appends to dst the part of a run between its cuts; raw is the whole tuple's.
// Packed columns have no use for it: see [joiner].
func (p *piece) part(dst, raw []byte) ([]byte, error) {
	from, to := place{}, place{at: len(raw), begin: len(raw)}
	var err error
	if p.lo.Rows > 0 {
		if from, err = placeOf(raw, p.lo); err != nil {
			return dst, err
		}
	}
	if p.hi.Rows > 0 {
		if to, err = placeOf(raw, p.hi); err != nil {
			return dst, err
		}
	}
	return between(dst, raw, from, to)
}

// between appends what stands between two places, the items they stand in written
// anew.
func between(dst, raw []byte, from, to place) ([]byte, error) {
	if from.run > 0 && to.run > 0 && from.begin == to.begin {
		if from.run > to.run || from.at > to.at {
			return dst, runError("cuts out of order")
		}
		dst = appendItem(dst, to.run-from.run, from.it.each)
		return append(dst, raw[from.at:to.at]...), nil
	}
	if from.at > to.begin {
		return dst, runError("cuts out of order")
	}
	if from.run > 0 {
		dst = appendItem(dst, from.it.count-from.run, from.it.each)
	}
	dst = append(dst, raw[from.at:to.begin]...)
	if to.run > 0 {
		dst = appendItem(dst, to.run, to.it.each)
	}
	return append(dst, raw[to.begin+to.it.size:to.at]...), nil
}
