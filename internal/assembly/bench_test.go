package assembly

import (
	"bytes"
	"io"
	"testing"
)

// again gives one batch over and over.
type again struct {
	batch Batch
	left  int
}

func (c *again) Next(b *Batch) error {
	if c.left == 0 {
		return io.EOF
	}
	c.left--
	*b = c.batch
	return nil
}

// flat is a batch of n values.
func flat(n, width int, value []byte) Batch {
	b := Batch{N: n, Values: Values{N: n, Width: width, Data: bytes.Repeat(value, n)}}
	if width == 0 {
		for i := range n + 1 {
			b.Values.Offsets = append(b.Values.Offsets, uint32(i*len(value)))
		}
	}
	return b
}

// BenchmarkRead puts rows of sixteen columns together, or of one list.
func BenchmarkRead(b *testing.B) {
	const n, batches = 4096, 16
	for _, c := range []struct {
		name   string
		leaf   Leaf
		batch  Batch
		node   func(i int) *Node
		leaves int
	}{
		{"int", Leaf{Width: 4}, flat(n, 4, le32(70000)), func(i int) *Node {
			return &Node{Kind: Simple, First: i, Last: i + 1, Value: Int}
		}, 16},
		{"long", Leaf{Width: 8}, flat(n, 8, le64(1<<40)), func(i int) *Node { return number64(i, 0) }, 16},
		{"string", Leaf{}, flat(n, 0, []byte("some words here")), func(i int) *Node { return leaf(i, 0) }, 16},
		{"option", Leaf{MaxDef: 1, Width: 8}, func() Batch {
			x := flat(n, 8, le64(1<<40))
			x.Def = bytes.Repeat([]byte{1}, n)
			return x
		}(), func(i int) *Node { return optional(number64(i, 1)) }, 16},
		{"list", Leaf{MaxDef: 1, MaxRep: 1, Width: 8}, func() Batch {
			x := flat(n, 8, le64(1<<40))
			x.Def, x.Rep = bytes.Repeat([]byte{1}, n), bytes.Repeat([]byte{0, 1, 1, 1, 1, 1, 1, 1}, n/8)
			return x
		}(), func(i int) *Node { return list(1, number64(i, 1)) }, 1},
	} {
		b.Run("type="+c.name, func(b *testing.B) {
			var leaves []Leaf
			top := &Node{Kind: Record, Last: c.leaves}
			for i := range c.leaves {
				leaves = append(leaves, c.leaf)
				top.Fields = append(top.Fields, c.node(i))
			}
			p, err := Compile(top, leaves)
			if err != nil {
				b.Fatal(err)
			}
			var out []byte
			b.ReportAllocs()
			for b.Loop() {
				var of []Column
				for range leaves {
					of = append(of, &again{c.batch, batches})
				}
				rd, err := NewReader(p, of, Options{})
				if err != nil {
					b.Fatal(err)
				}
				for {
					var k int
					if out, k, err = rd.Read(out[:0], 4096); k == 0 {
						break
					}
				}
				if err != io.EOF {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n*batches*c.leaves), "ns/value")
		})
	}
}
