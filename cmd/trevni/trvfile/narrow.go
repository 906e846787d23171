package trvfile

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math"

	"avro2trevni/cmd/trevni/colfile"
	"avro2trevni/internal/colname"
	"avro2trevni/trevni"
	"avro2trevni/trevni/block"
)

// Narrow implements [colfile.Narrower]: a column with first values is sorted, so a block has
// values from its first to the next block's first. If the first values do not ascend, they are
// no index.
func (f *file) Narrow(b colfile.Bounds, in colfile.Span) ([]colfile.Span, error) {
	i := f.sortedColumn(b.Path)
	if i < 0 {
		return []colfile.Span{in}, nil
	}
	t := f.Reader.Header().Columns[i].Type
	blocks, err := f.Blocks(i)
	if err != nil {
		return nil, err
	}
	if !sortedFirsts(t, blocks) {
		return []colfile.Span{in}, nil
	}
	var out colfile.Span
	row, some := int64(0), false
	for k := range blocks {
		from := row
		row += int64(blocks[k].Rows)
		var next []byte
		if k+1 < len(blocks) {
			next = blocks[k+1].FirstValue
		}
		above := b.High != nil && compareFirst(blocks[k].FirstValue, t, b.High) > 0
		below := b.Low != nil && len(next) > 0 && compareFirst(next, t, b.Low) < 0
		if above || below || blocks[k].Rows == 0 {
			continue
		}
		if !some {
			out.From, some = from, true
		}
		out.To = row
	}
	out = colfile.Span{From: max(out.From, in.From), To: min(out.To, in.To)}
	if out.Empty() {
		return nil, nil
	}
	return []colfile.Span{out}, nil
}

// sortedColumn returns the number of the column of a field that has one value in each row, and
// first values; -1 if there is none.
func (f *file) sortedColumn(path string) int {
	for i := range f.columns {
		c := &f.columns[i]
		if c.Sorted && !c.Array && c.Parent == "" && colname.Path(c.Name) == path {
			return i
		}
	}
	return -1
}

// compareFirst compares a block's first value with a bound of the same type. A value that
// cannot be compared is equal.
func compareFirst(first []byte, t trevni.Type, bound any) int {
	if len(first) == 0 {
		return 0
	}
	switch bound := bound.(type) {
	case bool:
		return cmp.Compare(first[0]&1, map[bool]byte{true: 1}[bound])
	case int64:
		v, _ := block.ReadLong(first)
		return cmp.Compare(v, bound)
	case float64:
		var v float64
		if t == trevni.Float {
			v = float64(math.Float32frombits(binary.LittleEndian.Uint32(first)))
		} else {
			v = math.Float64frombits(binary.LittleEndian.Uint64(first))
		}
		if v == bound { // the zeros too
			return 0
		}
		return block.CompareFloats(v, bound)
	case []byte:
		_, n := block.ReadLong(first)
		return bytes.Compare(first[n:], bound)
	}
	return 0
}

// sortedFirsts reports whether the first values of a column's blocks ascend. The writer who
// gives a column first values promises that it is sorted.
func sortedFirsts(t trevni.Type, blocks []trevni.Block) bool {
	var firsts []byte
	for i := range blocks {
		firsts = append(firsts, blocks[i].FirstValue...)
	}
	bad, _, err := block.CheckSorted(firsts, t, len(blocks), nil)
	return err == nil && bad == len(blocks)
}
