package parquet

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
)

// Values are what a page of one column is made of, as the page of this package says.
type Values struct {
	Rows int
	Data []byte // the values that are present, PLAIN; bits after the last boolean are 0
	Def  []byte // definition levels, a byte an entry; nil where the column's MaxDef is 0
	Rep  []byte // repetition levels, a byte an entry; nil where the column's MaxRep is 0
}

// describe returns what is known of a page without its values: rows, entries, nulls,
// histograms. It is an error if levels are missing, too high, or do not begin at a row's start.
func (v *Values) describe(l *Leaf) (Meta, error) {
	m := Meta{Kind: DataPage, Rows: v.Rows, Entries: v.Rows}
	if v.Rows < 1 || len(v.Data) > maxPage || len(v.Def) > maxPage {
		return m, fmt.Errorf("a page of %d rows, %d bytes of values, %d entries", v.Rows, len(v.Data), len(v.Def))
	}
	if l.MaxDef > 0 {
		m.Entries = len(v.Def)
	}
	if l.MaxRep == 0 && m.Entries != v.Rows || l.MaxRep > 0 && len(v.Rep) != m.Entries ||
		l.MaxRep == 0 && v.Rep != nil || l.MaxDef == 0 && v.Def != nil {
		return m, fmt.Errorf("%d rows with %d definition and %d repetition levels", v.Rows, len(v.Def), len(v.Rep))
	}
	if l.MaxDef == 1 {
		present := bytes.Count(v.Def, []byte{1})
		m.Nulls = len(v.Def) - present
		if m.Nulls != bytes.Count(v.Def, []byte{0}) {
			return m, fmt.Errorf("a definition level past 1")
		}
	} else if l.MaxDef > 1 {
		var err error
		if m.DefHistogram, err = histogram(v.Def, l.MaxDef); err != nil {
			return m, fmt.Errorf("definition levels: %w", err)
		}
		m.Nulls = m.Entries - int(m.DefHistogram[l.MaxDef])
	}
	if l.MaxRep > 0 {
		var err error
		if m.RepHistogram, err = histogram(v.Rep, l.MaxRep); err != nil {
			return m, fmt.Errorf("repetition levels: %w", err)
		}
		if rows := m.RepHistogram[0]; int(rows) != v.Rows || v.Rep[0] != 0 {
			return m, fmt.Errorf("%d rows, but %d entries begin one", v.Rows, rows)
		}
	}
	return m, nil
}

// histogram counts the levels, and is an error if one is higher than most.
func histogram(levels []byte, most int) ([]int64, error) {
	h := make([]int64, most+1)
	left := int64(len(levels))
	if most <= 8 { // a pass for each is faster, as it compares many bytes at a time
		for level := range h {
			h[level] = int64(bytes.Count(levels, []byte{byte(level)}))
			left -= h[level]
		}
	} else {
		var counts [maxLevel + 1]int64
		for _, level := range levels {
			counts[level]++
		}
		for level := range h {
			h[level] = counts[level]
			left -= h[level]
		}
	}
	if left > 0 {
		return nil, fmt.Errorf("one of %d, past %d", slices.Max(levels), most)
	}
	return h, nil
}

// check is an error if data is not n values of the leaf. Byte arrays are looked at by split.
func (v *Values) check(l *Leaf, n int) error {
	width := l.width()
	switch {
	case l.Symbols != nil:
		width = 4
	case l.Type == Boolean:
		if len(v.Data) != (n+7)/8 || n%8 != 0 && v.Data[n/8]>>(n%8) != 0 {
			return fmt.Errorf("%d bytes are not %d booleans", len(v.Data), n)
		}
		return nil
	case width == 0:
		return nil
	}
	if len(v.Data) != width*n {
		return fmt.Errorf("%d bytes are not %d values of %d bytes", len(v.Data), n, width)
	}
	return nil
}

// split appends to offsets where each of n byte arrays in data begins, with its length, and
// where the last ends. It is an error if they are not just as long as data.
func split(offsets []uint32, data []byte, n int) ([]uint32, error) {
	at := 0
	for range n {
		offsets = append(offsets, uint32(at))
		if len(data)-at < 4 {
			return nil, fmt.Errorf("%d bytes are not %d byte arrays", len(data), n)
		}
		size := uint64(binary.LittleEndian.Uint32(data[at:]))
		if size > uint64(len(data)-at-4) {
			return nil, fmt.Errorf("a byte array of %d bytes where there are %d", size, len(data)-at-4)
		}
		at += 4 + int(size)
	}
	if at != len(data) {
		return nil, fmt.Errorf("%d bytes after %d byte arrays", len(data)-at, n)
	}
	return append(offsets, uint32(at)), nil
}
