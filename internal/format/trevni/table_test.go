package trevni

import (
	"math/rand/v2"
	"slices"
	"testing"

	"avro2trevni/internal/tuple"
	"avro2trevni/reducer"
	"avro2trevni/trevni"
	"avro2trevni/trevni/block"
)

// cell is what one row has in one column.
type cell struct {
	lengths []int    // array columns: one, or with a parent one for each of its elements
	values  [][]byte // as the type is written; booleans a byte each
}

// table is rows by column, in splits, with the rows at which there are marks.
type table struct {
	cols   []trevni.Column
	splits [][][]cell // by split, column, row
	marks  [][]int    // by split, in order
}

var allTypes = []trevni.Type{
	trevni.Null, trevni.Boolean, trevni.Int, trevni.Long, trevni.Fixed32, trevni.Fixed64,
	trevni.Float, trevni.Double, trevni.String, trevni.Bytes,
}

// allColumns returns a plain and an array column of each type, and both again under a
// parent.
func allColumns() []trevni.Column {
	cols := []trevni.Column{{Name: "p[]", Array: true}}
	for _, t := range allTypes {
		cols = append(cols,
			trevni.Column{Name: t.String(), Type: t},
			trevni.Column{Name: t.String() + "[]", Type: t, Array: true},
			trevni.Column{Name: "p[]#" + t.String(), Type: t, Parent: "p[]"},
			trevni.Column{Name: "p[]#" + t.String() + "[]", Type: t, Parent: "p[]", Array: true})
	}
	return cols
}

// value returns a random value of a type.
func value(r *rand.Rand, t trevni.Type) []byte {
	random := func(n int) []byte {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(r.Uint32())
		}
		return b
	}
	switch t {
	case trevni.Null:
		return nil
	case trevni.Boolean:
		return []byte{byte(r.IntN(2))}
	case trevni.Int, trevni.Long:
		return block.AppendLong(nil, int64(int32(r.Uint32())>>r.IntN(32)))
	case trevni.Fixed32, trevni.Float:
		return random(4)
	case trevni.Fixed64, trevni.Double:
		return random(8)
	}
	n := r.IntN(1 << r.IntN(6))
	return append(block.AppendLong(nil, int64(n)), random(n)...)
}

// length returns a random length that is often that of the row before.
func length(r *rand.Rand, before int) int {
	if r.IntN(8) > 0 {
		return before
	}
	return [...]int{0, 0, 1, 1, 2, 3, 9}[r.IntN(7)]
}

// split appends a split of random rows with marks about every step rows.
func (tb *table) split(r *rand.Rand, rows, step int) {
	cells := make([][]cell, len(tb.cols))
	parent := make([]int, rows)
	for i := range tb.cols {
		cells[i] = make([]cell, rows)
		last := r.IntN(2)
		for n := range rows {
			c := &cells[i][n]
			elements := 1
			if tb.cols[i].Parent != "" {
				elements = parent[n]
			}
			if tb.cols[i].Array {
				for range elements {
					last = length(r, last)
					c.lengths = append(c.lengths, last)
				}
				elements = 0
				for _, l := range c.lengths {
					elements += l
				}
			}
			if i == 0 {
				parent[n] = elements
			}
			for range elements {
				c.values = append(c.values, value(r, tb.cols[i].Type))
			}
		}
	}
	var marks []int
	for n := 1 + r.IntN(step); n < rows; n += 1 + r.IntN(2*step) {
		marks = append(marks, n)
	}
	tb.splits, tb.marks = append(tb.splits, cells), append(tb.marks, marks)
}

// edges returns the rows at which a group may begin or end.
func (tb *table) edges() []tuple.Row {
	edges := []tuple.Row{0}
	for s, marks := range tb.marks {
		for _, n := range marks {
			edges = append(edges, tuple.RowOf(s, int64(n)))
		}
		edges = append(edges, tuple.RowOf(s+1, 0))
	}
	return edges
}

// rows returns the number of rows of [from, to).
func (tb *table) rows(from, to tuple.Row) int64 { return int64(len(tb.cells(0, from, to))) }

// cells returns the rows [from, to) of a column.
func (tb *table) cells(col int, from, to tuple.Row) (all []cell) {
	for s := from.Split(); s <= to.Split() && s < len(tb.splits); s++ {
		rows := tb.splits[s][col]
		lo, hi := 0, len(rows)
		if s == from.Split() {
			lo = int(from.InSplit())
		}
		if s == to.Split() {
			hi = int(to.InSplit())
		}
		all = append(all, rows[lo:hi]...)
	}
	return all
}

// builder encodes cells as a mapper would.
type builder struct {
	col     *trevni.Column
	kind    kind
	buf     []byte
	lengths block.Lengths
	values  int
}

func newBuilder(c *trevni.Column) *builder {
	b := &builder{col: c, kind: kindOf(c)}
	b.lengths.Reset()
	return b
}

func (b *builder) add(c cell) {
	switch b.kind {
	case packed:
		for _, v := range c.values {
			b.bit(b.values, v[0])
			b.values++
		}
		return
	case plain:
		for _, v := range c.values {
			b.buf = append(b.buf, v...)
		}
	default:
		values := c.values
		for _, n := range c.lengths {
			b.buf = b.lengths.Add(b.buf, n)
			b.sequence(values[:n])
			values = values[n:]
		}
	}
	b.values += len(c.values)
}

// sequence appends the values after a length.
func (b *builder) sequence(values [][]byte) {
	at := len(b.buf) * 8
	for i, v := range values {
		if b.col.Type == trevni.Boolean {
			b.bit(at+i, v[0])
		} else {
			b.buf = append(b.buf, v...)
		}
	}
}

// bit sets bit i, the next.
func (b *builder) bit(i int, v byte) {
	if i/8 == len(b.buf) {
		b.buf = append(b.buf, 0)
	}
	b.buf[i/8] |= v << (i % 8)
}

// cut tells where the next row would begin.
func (b *builder) cut(rows int) Cut {
	k := Cut{Rows: uint32(rows), Values: uint32(b.values), Value: uint32(len(b.buf))}
	if b.kind == array {
		if at, count, values := b.lengths.Run(b.buf); count > 0 {
			k.Length, k.Run, k.Value = uint32(at), uint32(count), uint32(values)
		}
	}
	return k
}

func (b *builder) close() []byte {
	if b.kind == array {
		b.buf = b.lengths.Close(b.buf)
	}
	return b.buf
}

// raw returns the cells as one block, before compression.
func raw(c *trevni.Column, cells []cell) []byte {
	b := newBuilder(c)
	for _, c := range cells {
		b.add(c)
	}
	return b.close()
}

// memory is a reducer.Source in memory.
type memory [][]tuple.Tuple

// tuples makes a column's runs of a split: a run is cut where its buffer reaches a
// random size up to limit.
func (tb *table) tuples(r *rand.Rand, o *options, limit int) memory {
	src := make(memory, len(tb.cols))
	for i := range tb.cols {
		enc := encoder(o)
		for s := range tb.splits {
			src[i] = append(src[i], tb.splitTuples(r, enc, i, s, limit)...)
		}
	}
	return src
}

func (tb *table) splitTuples(r *rand.Rand, enc *block.Encoder, i, s, limit int) (out []tuple.Tuple) {
	cells := tb.splits[s][i]
	for n := 0; n < len(cells); {
		b, t := newBuilder(&tb.cols[i]), tuple.Tuple{Column: uint32(i), Row: tuple.RowOf(s, int64(n))}
		size, most := 1+r.IntN(limit), 1+r.IntN(len(cells))
		start := n
		for n < len(cells) && (n == start || len(b.buf) < size && n-start < most) {
			if n > start && slices.Contains(tb.marks[s], n) {
				t.Note = Cuts(t.Note).Append(b.cut(n - start))
			}
			b.add(cells[n])
			n++
		}
		block := b.close()
		value, err := enc.Append(nil, block)
		if err != nil {
			panic(err)
		}
		t.Rows, t.Values, t.Raw = uint32(n-start), uint32(b.values), uint32(len(block))
		t.Value, t.Size = value, uint32(len(value))
		out = append(out, t)
	}
	return out
}

// Scan implements Source.
func (m memory) Scan(col uint32, from, to tuple.Row) reducer.Scanner {
	var in []tuple.Tuple
	for _, t := range m[col] {
		if from < to && t.Row < to && t.End() > from {
			in = append(in, t)
		}
	}
	return &memoryScanner{left: in}
}

type memoryScanner struct {
	left []tuple.Tuple
	cur  tuple.Tuple
}

func (s *memoryScanner) Next() bool {
	if len(s.left) == 0 {
		return false
	}
	s.cur, s.left = s.left[0], s.left[1:]
	return true
}

func (s *memoryScanner) Tuple() tuple.Tuple {
	t := s.cur
	t.Value, t.Note = nil, nil
	return t
}

func (s *memoryScanner) Note() ([]byte, error) { return s.cur.Note, nil }

func (s *memoryScanner) Value(dst []byte) ([]byte, error) { return append(dst, s.cur.Value...), nil }
func (s *memoryScanner) Err() error                       { return nil }
func (s *memoryScanner) Close() error                     { return nil }

// random returns a table of all columns, its rows, splits and marks by chance.
func random(seed uint64, splits, rows int) (*table, *rand.Rand) {
	r := rand.New(rand.NewPCG(seed, 1))
	tb := &table{cols: allColumns()}
	for range splits {
		tb.split(r, r.IntN(rows+1), 1+r.IntN(rows/4+1))
	}
	return tb, r
}

// codec returns a codec for tests.
func codec(tb testing.TB, name string) block.Codec {
	spec, err := block.ParseCodec(name)
	if err != nil {
		tb.Fatal(err)
	}
	return spec
}

// encoder returns an encoder of the options' coding.
func encoder(o *options) *block.Encoder {
	enc, err := block.NewEncoder(block.Coding{Codec: o.Codec, Checksum: o.Checksum})
	if err != nil {
		panic(err)
	}
	return enc
}

// span returns the range from one row to another.
func (tb *table) span(from, to tuple.Row) reducer.Range {
	return reducer.Range{From: from, To: to, Rows: tb.rows(from, to)}
}
