package assembly

import (
	"encoding/binary"
	"io"
	"math/rand/v2"
)

// entry is an entry of a leaf, in a test.
type entry struct {
	rep, def int
	value    []byte // as a batch has it; nil if there is none
}

// column gives entries in batches of random sizes, whose memory it uses again. It counts calls.
type column struct {
	r       *rand.Rand
	leaf    Leaf
	entries []entry
	calls   int
	data    []byte
	offsets []uint32
}

func (c *column) Next(b *Batch) error {
	c.calls++
	if len(c.entries) == 0 {
		return io.EOF
	}
	n := 1 + c.r.IntN(len(c.entries))
	*b = Batch{N: n, Values: Values{Width: c.leaf.Width}}
	for i := range c.data {
		c.data[i] = 0xaa
	}
	c.data, c.offsets = c.data[:0], append(c.offsets[:0], 0)
	for _, e := range c.entries[:n] {
		if c.leaf.MaxRep > 0 {
			b.Rep = append(b.Rep, byte(e.rep))
		}
		if c.leaf.MaxDef > 0 {
			b.Def = append(b.Def, byte(e.def))
		}
		if e.def == c.leaf.MaxDef {
			b.Values.N++
			c.data = append(c.data, e.value...)
			c.offsets = append(c.offsets, uint32(len(c.data)))
		}
	}
	b.Values.Data = c.data
	if c.leaf.Width == 0 {
		b.Values.Offsets = c.offsets
	}
	c.entries = c.entries[n:]
	return nil
}

// columns returns those that a program needs.
func columns(r *rand.Rand, p *Program, leaves []Leaf, entries [][]entry) (of []Column, all []*column) {
	for _, i := range p.Leaves() {
		c := &column{r: r, leaf: leaves[i], entries: entries[i]}
		of, all = append(of, c), append(all, c)
	}
	return of, all
}

// readAll returns all rows, one after another.
func readAll(rd *Reader, most int) (rows []byte, n int, err error) {
	for {
		out, k, err := rd.Read(rows, most)
		rows, n = out, n+k
		if err == io.EOF {
			return rows, n, nil
		}
		if err != nil {
			return rows, n, err
		}
	}
}

func le32(v int32) []byte   { return binary.LittleEndian.AppendUint32(nil, uint32(v)) }
func le64(v int64) []byte   { return binary.LittleEndian.AppendUint64(nil, uint64(v)) }
func varint(v int64) []byte { return binary.AppendVarint(nil, v) }
func text(s string) []byte  { return append(varint(int64(len(s))), s...) }
