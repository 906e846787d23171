package assembly

import (
	"errors"
	"math/rand/v2"
	"testing"
)

// raw gives one batch that is made of a fuzzer's bytes.
type raw struct {
	batches []Batch
}

func (c *raw) Next(b *Batch) error {
	if len(c.batches) == 0 {
		return errEnd
	}
	*b = c.batches[0]
	c.batches = c.batches[1:]
	return nil
}

var errEnd = errors.New("the column is cut")

// bytesOf takes up to n bytes off the front of data.
func bytesOf(data *[]byte, n int) []byte {
	b := (*data)[:min(n, len(*data))]
	*data = (*data)[len(b):]
	return b
}

// FuzzReader reads columns of any levels and values by any tree: rows or an error, and no panic.
func FuzzReader(f *testing.F) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 7))
		data := make([]byte, 20+r.IntN(400))
		for i := range data {
			data[i] = byte(r.IntN(1 + r.IntN(8)))
		}
		f.Add(seed, data)
	}
	f.Fuzz(func(t *testing.T, seed uint64, data []byte) {
		m := &model{r: rand.New(rand.NewPCG(seed, 0)), from: map[*Node][]int{}}
		top := m.part(m.node(m.r.IntN(4), 0, 0))
		p, err := Compile(top, m.leaves)
		if err != nil {
			t.Fatal(err)
		}
		var of []Column
		for _, i := range p.Leaves() {
			of = append(of, m.raw(m.leaves[i], &data))
		}
		rd, err := NewReader(p, of, Options{RowBytes: 1 << 16})
		if err != nil {
			t.Fatal(err)
		}
		var out []byte
		for err == nil {
			var n int
			out, n, err = rd.Read(out[:0], 7)
			if (n > 0) != (err == nil) || n == 0 && len(out) > 0 {
				t.Fatalf("%d rows, %d bytes, and %v", n, len(out), err)
			}
		}
	})
}

// raw makes a column of bytes.
func (m *model) raw(l Leaf, data *[]byte) *raw {
	c := &raw{}
	for range bytesOf(data, 1) {
		var b Batch
		b.Def = bytesOf(data, 1+m.r.IntN(30))
		if b.N = len(b.Def); b.N == 0 {
			break
		}
		if l.MaxRep > 0 {
			b.Rep = bytesOf(data, b.N)
		}
		for _, d := range b.Def {
			if int(d) == l.MaxDef {
				b.Values.N++
			}
		}
		if l.MaxDef == 0 {
			b.Def, b.Values.N = nil, b.N
		}
		b.Values.Width = l.Width
		b.Values.Data = bytesOf(data, b.Values.N*max(l.Width, 2))
		for i := range b.Values.N + 1 {
			b.Values.Offsets = append(b.Values.Offsets, uint32(2*i))
		}
		if m.r.IntN(4) == 0 {
			for i, x := range bytesOf(data, len(b.Values.Offsets)) {
				b.Values.Offsets[i] = uint32(x)
			}
		}
		c.batches = append(c.batches, b)
	}
	return c
}
