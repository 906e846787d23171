package assembly

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"avro2trevni/internal/avrotest"
)

// model makes random trees and rows of them. It is the other way around: it goes over a value
// by the plain rules of levels, value by value.
type model struct {
	r      *rand.Rand
	leaves []Leaf
	from   map[*Node][]int // of nodes that lost a part: the fields of the whole one
}

// value is a random value of a node.
type value struct {
	branch int
	fields []value // of a record; elements; entries of a map: key, value, key, value
	avro   []byte
	stored []byte
}

// kinds are values that the model makes: how they are stored, and what they are in Avro.
var kinds = []struct {
	value Value
	width int
	size  int
	make  func(r *rand.Rand) (stored, avro []byte)
}{
	{Boolean, 1, 0, func(r *rand.Rand) ([]byte, []byte) { b := []byte{byte(r.IntN(2))}; return b, b }},
	{Int, 4, 0, func(r *rand.Rand) ([]byte, []byte) { v := int32(number(r)); return le32(v), varint(int64(v)) }},
	{Long, 8, 0, func(r *rand.Rand) ([]byte, []byte) { v := number(r); return le64(v), varint(v) }},
	{Uint, 4, 0, func(r *rand.Rand) ([]byte, []byte) {
		v := uint32(number(r))
		return le32(int32(v)), varint(int64(v))
	}},
	{Four, 4, 0, func(r *rand.Rand) ([]byte, []byte) { b := le32(int32(r.Uint32())); return b, b }},
	{Eight, 8, 0, func(r *rand.Rand) ([]byte, []byte) { b := le64(int64(r.Uint64())); return b, b }},
	{Bytes, 0, 0, func(r *rand.Rand) ([]byte, []byte) { b := some(r); return b, text(string(b)) }},
	{Bytes, 3, 0, func(r *rand.Rand) ([]byte, []byte) { return []byte("abc"), text("abc") }},
	{Fixed, 5, 5, func(r *rand.Rand) ([]byte, []byte) { b := le64(int64(r.Uint64()))[:5]; return b, b }},
	{Fixed, 70, 70, func(r *rand.Rand) ([]byte, []byte) { b := bytes.Repeat([]byte{byte(r.IntN(256))}, 70); return b, b }},
	{Empty, 0, 0, func(r *rand.Rand) ([]byte, []byte) { return []byte{}, nil }},
	{Symbol, 0, 0, func(r *rand.Rand) ([]byte, []byte) {
		i := r.IntN(len(suits))
		return []byte(suits[i]), varint(int64(i))
	}},
	{IntDecimal, 4, 3, func(r *rand.Rand) ([]byte, []byte) { return le32(-2), []byte{0xff, 0xff, 0xfe} }},
	{IntDecimal, 8, 0, func(r *rand.Rand) ([]byte, []byte) { return le64(200), text("\x00\xc8") }},
	{BigDecimal, 9, 0, func(r *rand.Rand) ([]byte, []byte) {
		return []byte("\xff\xff\xff\xff\xff\xff\xff\x7f\x01"), text("\xff\x7f\x01")
	}},
}

var suits = []string{"SPADES", "HEARTS", "", "CLUBS"}

func number(r *rand.Rand) int64 { return int64(r.Uint64()) >> r.IntN(64) }

func some(r *rand.Rand) []byte {
	return bytes.Repeat([]byte{byte(r.IntN(256))}, []int{0, 1, 7, 16, 31, 32, 33, 63, 64, 300}[r.IntN(10)])
}

// node makes a random node.
func (m *model) node(depth, rep, def int) *Node {
	n := &Node{Kind: Kind(1 + m.r.IntN(5)), First: len(m.leaves), Def: def}
	if depth == 0 {
		n.Kind = Simple
	}
	switch n.Kind {
	case Simple:
		k := kinds[m.r.IntN(len(kinds))]
		m.simple(n, k.value, k.width, k.size, rep)
	case Record:
		m.record(n, depth, rep)
	case List, Map:
		n.Rep = rep + 1
		if n.Kind == Map {
			key := &Node{Kind: Simple, First: len(m.leaves), Def: def + 1}
			m.simple(key, Bytes, 0, 0, rep+1)
			n.Fields = append(n.Fields, key)
		}
		n.Fields = append(n.Fields, m.node(depth-1, rep+1, def+1))
	case Union:
		m.union(n, depth, rep)
	}
	n.Last = len(m.leaves)
	return n
}

func (m *model) simple(n *Node, v Value, width, size, rep int) {
	n.Value, n.Size, n.Last = v, size, n.First+1
	if v == Symbol {
		n.Symbols = suits
	}
	m.leaves = append(m.leaves, Leaf{Name: fmt.Sprint("c", n.First), MaxRep: rep, MaxDef: n.Def, Width: width})
}

// record makes a record; one of no fields is a leaf that is always null.
func (m *model) record(n *Node, depth, rep int) {
	for range m.r.IntN(4) {
		n.Fields = append(n.Fields, m.node(depth-1, rep, n.Def))
	}
	if n.Fields == nil {
		n.Kind = Null
		m.leaves = append(m.leaves, Leaf{Name: "_", MaxRep: rep, MaxDef: n.Def + 1, Width: 1})
	}
}

func (m *model) union(n *Node, depth, rep int) {
	branches, null, def := 1+m.r.IntN(3), -1, n.Def
	if m.r.IntN(3) > 0 {
		null = m.r.IntN(branches + 1)
		def++
	}
	n.Absent = def
	if branches > 1 {
		def++
	}
	for i := range branches {
		if i == null {
			n.Fields = append(n.Fields, &Node{})
		}
		n.Fields = append(n.Fields, m.node(depth-1, rep, def))
	}
	if null == branches {
		n.Fields = append(n.Fields, &Node{})
	}
}

// value makes a random value.
func (m *model) value(n *Node) (v value) {
	switch n.Kind {
	case Simple:
		for _, k := range kinds {
			if k.value == n.Value && k.width == m.leaves[n.First].Width && k.size == n.Size {
				v.stored, v.avro = k.make(m.r)
			}
		}
	case Record:
		for _, f := range n.Fields {
			v.fields = append(v.fields, m.value(f))
		}
	case List, Map:
		for range []int{0, 0, 1, 2, 3, 63, 64, 65}[m.r.IntN(5+m.r.IntN(20)/19*3)] {
			for _, f := range n.Fields {
				v.fields = append(v.fields, m.value(f))
			}
		}
	case Union:
		v.branch = m.r.IntN(len(n.Fields))
		v.fields = []value{m.value(n.Fields[v.branch])}
	}
	return v
}

// shred puts a value into leaves.
func (m *model) shred(to [][]entry, n *Node, v value, rep int) {
	switch n.Kind {
	case Simple:
		to[n.First] = append(to[n.First], entry{rep, n.Def, v.stored})
	case Null:
		m.absent(to, n.First, n.Last, rep, n.Def)
	case Record:
		for i, f := range n.Fields {
			m.shred(to, f, v.fields[i], rep)
		}
	case List, Map:
		if len(v.fields) == 0 {
			m.absent(to, n.First, n.Last, rep, n.Def)
		}
		for i, e := range v.fields {
			if i == len(n.Fields) {
				rep = n.Rep
			}
			m.shred(to, n.Fields[i%len(n.Fields)], e, rep)
		}
	case Union:
		f := n.Fields[v.branch]
		if f.null() {
			m.absent(to, n.First, n.Last, rep, n.Def)
			return
		}
		m.absent(to, n.First, f.First, rep, n.Absent)
		m.shred(to, f, v.fields[0], rep)
		m.absent(to, f.Last, n.Last, rep, n.Absent)
	}
}

func (m *model) absent(to [][]entry, lo, hi, rep, def int) {
	for i := lo; i < hi; i++ {
		to[i] = append(to[i], entry{rep, def, nil})
	}
}

// part returns a node with some fields of records, and branches of unions with null, left out.
func (m *model) part(n *Node) *Node {
	p := *n
	p.Fields = nil
	null := false
	for _, f := range n.Fields {
		null = null || f.null()
	}
	for i, f := range n.Fields {
		gone := n.Kind == Record || n.Kind == Union && null && !f.null()
		if gone && m.r.IntN(3) == 0 {
			p.Others = n.Kind == Union
			continue
		}
		p.Fields = append(p.Fields, m.part(f))
		m.from[&p] = append(m.from[&p], i)
	}
	return &p
}

// encode appends what is left of a value in Avro.
func (m *model) encode(dst []byte, n *Node, v value) []byte {
	switch n.Kind {
	case Simple:
		return append(dst, v.avro...)
	case Record:
		for i, f := range n.Fields {
			dst = m.encode(dst, f, v.fields[m.from[n][i]])
		}
	case List, Map:
		if k := len(v.fields) / len(n.Fields); k > 0 {
			dst = append(dst, varint(int64(k))...)
		}
		for i, e := range v.fields {
			dst = m.encode(dst, n.Fields[i%len(n.Fields)], e)
		}
		return append(dst, 0)
	case Union:
		null := 0
		for i, f := range n.Fields {
			if m.from[n][i] == v.branch {
				return m.encode(append(dst, varint(int64(i))...), f, v.fields[0])
			}
			if f.null() {
				null = i
			}
		}
		return append(dst, varint(int64(null))...)
	}
	return dst
}

// Rows of random trees come back, and what is asked of them alone.
func TestRandom(t *testing.T) {
	seed := avrotest.Seed(t)
	for i := range uint64(3000) {
		m := &model{r: rand.New(rand.NewPCG(seed, i)), from: map[*Node][]int{}}
		top := m.node(m.r.IntN(4), 0, 0)
		part := m.part(top)
		entries := make([][]entry, len(m.leaves))
		var want []byte
		rows := m.r.IntN(20)
		for range rows {
			v := m.value(top)
			m.shred(entries, top, v, 0)
			want = m.encode(want, part, v)
		}
		p, err := Compile(part, m.leaves)
		if err != nil {
			t.Fatalf("tree %d: %v", i, err)
		}
		of, _ := columns(m.r, p, m.leaves, entries)
		rd, err := NewReader(p, of, Options{BatchBytes: 1 + m.r.IntN(100)})
		if err != nil {
			t.Fatal(err)
		}
		got, n, err := readAll(rd, 1+m.r.IntN(5))
		if err != nil || n != rows || !bytes.Equal(got, want) {
			t.Fatalf("tree %d: %d rows of %d: %v\n got %x\nwant %x", i, n, rows, err, got, want)
		}
	}
}

// Levels, rows and values that are changed in any way are an error, or other rows: never a
// panic. A change of a repetition level is an error where another column has it too.
func TestRandomDamage(t *testing.T) {
	seed := avrotest.Seed(t)
	failed := 0
	for i := range uint64(3000) {
		m := &model{r: rand.New(rand.NewPCG(seed, i)), from: map[*Node][]int{}}
		top := m.node(1+m.r.IntN(3), 0, 0)
		entries := make([][]entry, len(m.leaves))
		for range 5 {
			m.shred(entries, top, m.value(top), 0)
		}
		p, err := Compile(m.part(top), m.leaves)
		if err != nil {
			t.Fatal(err)
		}
		leaf := p.Leaves()[m.r.IntN(len(p.Leaves()))]
		damage(m.r, &entries[leaf])
		of, _ := columns(m.r, p, m.leaves, entries)
		rd, err := NewReader(p, of, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := readAll(rd, 3); err != nil {
			failed++
			if at := (*Error)(nil); !errors.As(err, &at) {
				t.Fatalf("tree %d: an error without a place: %v", i, err)
			}
		}
	}
	if failed < 1000 {
		t.Errorf("%d of 3000 were found", failed)
	}
}

// damage changes an entry.
func damage(r *rand.Rand, entries *[]entry) {
	if len(*entries) == 0 {
		return
	}
	i := r.IntN(len(*entries))
	e := &(*entries)[i]
	switch r.IntN(4) {
	case 0:
		e.rep = r.IntN(5)
	case 1:
		e.def = r.IntN(9)
	case 2:
		*entries = append((*entries)[:i], (*entries)[i+1:]...)
	case 3:
		*entries = append(*entries, *e)
	}
}
