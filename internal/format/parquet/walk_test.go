package parquet

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"avro2trevni/internal/avrotest"
	"avro2trevni/internal/format/parquet/leveltest"
	"avro2trevni/internal/schema"
	"avro2trevni/parquet"
)

// walker walks over a row's bytes by what the nodes say, as the package's text has it.
type walker struct {
	l      *Layout
	leaves [][]leveltest.Entry
	row    []byte
	rep    int
}

// walk returns the entries of each leaf that a row makes.
func walk(l *Layout, row []byte) [][]leveltest.Entry {
	w := walker{l: l, leaves: make([][]leveltest.Entry, len(l.Schema.Leaves)), row: row}
	w.value(l.Top)
	if len(w.row) > 0 {
		panic("bytes after the row")
	}
	return w.leaves
}

// value walks over a value; of n == nil there are no bytes but those of a union.
func (w *walker) value(n *Node) {
	switch n.Avro.Kind {
	case schema.Record:
		for i, f := range n.Avro.Fields {
			w.field(f.Type, n.Inner[i])
		}
		if n.Values == Nulls {
			w.nothing(n, n.Def)
		}
	case schema.Array, schema.Map:
		w.list(n)
	case schema.Union:
		w.union(n)
	default:
		w.simple(n)
	}
}

// field walks over a record's field, which may have no leaves: null, or a union of it.
func (w *walker) field(s *schema.Schema, n *Node) {
	if n != nil {
		w.value(n)
	} else if s.Kind == schema.Union {
		w.varint()
	}
}

func (w *walker) union(n *Node) {
	i := w.varint()
	inner := n.Inner[i]
	if inner == nil {
		w.nothing(n, n.Def)
		return
	}
	for _, other := range n.Inner {
		if other == inner {
			w.value(inner)
		} else if other != nil {
			w.nothing(other, n.Absent)
		}
	}
}

func (w *walker) list(n *Node) {
	outer, first := w.rep, true
	for count := w.varint(); count != 0; count = w.varint() {
		if count < 0 {
			w.varint()
			count = -count
		}
		for range count {
			if !first {
				w.rep = n.Rep
			}
			first = false
			if n.Avro.Kind == schema.Map {
				w.add(n.First, leveltest.Entry{Value: string(w.take(w.varint())), Rep: w.rep, Def: n.Def + 1})
			}
			w.value(n.Inner[0])
		}
	}
	if first {
		w.nothing(n, n.Def)
	}
	w.rep = outer
}

// nothing puts an entry without a value into all leaves of n.
func (w *walker) nothing(n *Node, def int) {
	for leaf := n.First; leaf < n.Last; leaf++ {
		w.add(leaf, leveltest.Entry{Rep: w.rep, Def: def})
	}
}

func (w *walker) add(leaf int, e leveltest.Entry) {
	w.leaves[leaf] = append(w.leaves[leaf], e)
}

func (w *walker) simple(n *Node) {
	column := w.l.Schema.Leaves[n.First].Node
	e := leveltest.Entry{Rep: w.rep, Def: n.Def}
	switch n.Values {
	case Nulls:
	case Booleans:
		e.Value = w.take(1)[0] == 1
	case Ints:
		e.Value = int32(w.varint())
	case Longs:
		e.Value = w.varint()
	case Fours, Eights, Fixeds:
		e.Value = string(w.take(map[parquet.Type]int64{parquet.Float: 4, parquet.Double: 8, parquet.FixedLenByteArray: int64(column.Length)}[column.Type]))
	case Texts, Octets:
		e.Value = string(w.take(w.varint()))
	case Empties:
		e.Value = ""
	case Symbols:
		e.Value = column.Symbols[w.varint()]
	case DecimalOctets, DecimalFixeds:
		size := n.Avro.Size
		if n.Values == DecimalOctets {
			size = w.varint()
		}
		v, ok := NewDecimal(column).Append(nil, w.take(size))
		if !ok {
			panic("a number of too many digits")
		}
		e.Value = string(v)
	default:
		panic(fmt.Sprintf("values %d", n.Values))
	}
	w.add(n.First, e)
}

func (w *walker) varint() int64 {
	n, k := binary.Varint(w.row)
	w.row = w.row[k:]
	return n
}

func (w *walker) take(n int64) []byte {
	b := w.row[:n]
	w.row = w.row[n:]
	return b
}

// TestWalk compares the two on random tables, values in plain form. The levels that a node says
// must be those of its leaves' paths.
func TestWalk(t *testing.T) {
	for seed := range uint64(400) {
		table := avrotest.NewTable(seed)
		rows := selection(t, table.Schema)
		o := Options{Logical: Logical(seed % 2), Binary: seed%3 == 0}
		l, err := Map(rows, o)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		for _, row := range table.Rows(20) {
			want, got := leveltest.Shred(l.Schema, rows, row), walk(l, row)
			for i, leaf := range l.Schema.Leaves {
				if d := cmp.Diff(inPlain(leaf.Node, want[i]), inPlain(leaf.Node, got[i])); d != "" {
					t.Fatalf("seed %d: %s: shredded, walked: %s", seed, leaf, d)
				}
				for _, e := range got[i] {
					if (e.Def == leaf.MaxDef) != (e.Value != nil) || e.Rep > leaf.MaxRep {
						t.Fatalf("seed %d: %s: %v", seed, leaf, e)
					}
				}
			}
		}
	}
}

// inPlain returns entries with their values in plain form, where they are not.
func inPlain(column *parquet.Node, entries []leveltest.Entry) (out []string) {
	for _, e := range entries {
		text, is := e.Value.(string)
		if e.Value != nil && !(is && (column.Type != parquet.ByteArray)) {
			text = string(leveltest.Plain(nil, column, e.Value))
		}
		out = append(out, fmt.Sprintf("%t %x r:%d d:%d", e.Value != nil, text, e.Rep, e.Def))
	}
	return out
}

// TestShredIsWhole has rows' entries begin at repetition level 0, and only there: that is what
// parts a column into rows.
func TestShredIsWhole(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	for range 100 {
		table := avrotest.NewTable(r.Uint64())
		rows := selection(t, table.Schema)
		l := lay(t, table.Schema, Options{})
		for _, row := range table.Rows(5) {
			for i, entries := range leveltest.Shred(l.Schema, rows, row) {
				for k, e := range entries {
					if (e.Rep == 0) != (k == 0) {
						t.Fatalf("%s: %s: entry %d is %v", table.Schema, l.Schema.Leaves[i], k, e)
					}
				}
				if len(entries) == 0 {
					t.Fatalf("%s: %s has no entry", table.Schema, l.Schema.Leaves[i])
				}
			}
		}
	}
}
