package peers

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"

	"avro2trevni/parquet"
)

// An entry is one of a column: its levels and, if it has one, its value, PLAIN without length.
type entry struct {
	def, rep int
	value    []byte // nil: null
}

func (e entry) String() string { return fmt.Sprintf("%d %d %x", e.def, e.rep, e.value) }

// A page is the entries of a page. The first begins a row.
type page []entry

// values returns the page as the encoder takes it.
func (p page) values(l *parquet.Leaf) parquet.Values {
	var v parquet.Values
	bits := 0
	for _, e := range p {
		if e.rep == 0 {
			v.Rows++
		}
		if l.MaxDef > 0 {
			v.Def = append(v.Def, byte(e.def))
		}
		if l.MaxRep > 0 {
			v.Rep = append(v.Rep, byte(e.rep))
		}
		switch {
		case e.value == nil:
		case l.Type == parquet.Boolean:
			if bits%8 == 0 {
				v.Data = append(v.Data, 0)
			}
			v.Data[bits/8] |= e.value[0] << (bits % 8)
			bits++
		case l.Symbols != nil:
			for i, symbol := range l.Symbols {
				if symbol == string(e.value) {
					v.Data = binary.LittleEndian.AppendUint32(v.Data, uint32(i))
				}
			}
		case l.Type == parquet.ByteArray:
			v.Data = append(binary.LittleEndian.AppendUint32(v.Data, uint32(len(e.value))), e.value...)
		default:
			v.Data = append(v.Data, e.value...)
		}
	}
	return v
}

// made is a file in the making: row groups of columns of pages.
type made [][][]page

// write makes the file.
func (m made) write(t testing.TB, s *parquet.Schema, o parquet.EncoderOptions, wo parquet.WriterOptions) []byte {
	t.Helper()
	enc, err := parquet.NewEncoder(s, o)
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	wo.Codec = o.Codec
	w, err := parquet.NewWriter(&file, s, wo)
	if err != nil {
		t.Fatal(err)
	}
	for _, group := range m {
		writeGroup(t, s, enc, w, group)
		if err := w.EndRowGroup(); err != nil {
			t.Fatal(err)
		}
	}
	bound := w.Size()
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if int64(file.Len()) > bound {
		t.Errorf("a file of %d bytes, which should not be past %d", file.Len(), bound)
	}
	return file.Bytes()
}

func writeGroup(t testing.TB, s *parquet.Schema, enc *parquet.Encoder, w *parquet.Writer, group [][]page) {
	t.Helper()
	type finished struct {
		column int
		meta   parquet.Meta
		bytes  []byte
	}
	var filters []finished
	for c, pages := range group {
		var data, front []finished
		for _, p := range pages {
			b, m, err := enc.Page(nil, c, p.values(s.Leaves[c]))
			if err != nil {
				t.Fatal(err)
			}
			data = append(data, finished{c, travel(t, m), b})
		}
		b, metas, err := enc.EndChunk(nil, c)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range metas {
			f := finished{c, travel(t, m), b[:m.Stored]}
			b = b[m.Stored:]
			if m.Kind == parquet.BloomFilter {
				filters = append(filters, f)
			} else {
				front = append(front, f)
			}
		}
		for _, f := range append(front, data...) {
			if err := w.WritePage(f.column, f.meta, f.bytes); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, f := range filters {
		if err := w.WritePage(f.column, f.meta, f.bytes); err != nil {
			t.Fatal(err)
		}
	}
}

// travel sends a Meta through bytes.
func travel(t testing.TB, m parquet.Meta) parquet.Meta {
	t.Helper()
	back, rest, err := parquet.ParseMeta(m.Append(nil))
	if err != nil || len(rest) > 0 {
		t.Fatal(err, len(rest))
	}
	return back
}

// randomPage returns entries for n rows, with values of which there are few or many.
func randomPage(r *rand.Rand, l *parquet.Leaf, n int, few bool) page {
	var p page
	for rows := 0; rows < n || l.MaxRep > 0 && r.IntN(3) == 0; {
		e := entry{def: l.MaxDef}
		if l.MaxRep > 0 && len(p) > 0 {
			e.rep = r.IntN(l.MaxRep + 1)
		}
		if e.rep == 0 {
			if rows == n {
				break
			}
			rows++
		}
		if l.MaxDef > 0 && r.IntN(4) == 0 {
			e.def = r.IntN(l.MaxDef + 1)
		}
		if e.def == l.MaxDef {
			e.value = randomValue(r, l, few)
		}
		p = append(p, e)
	}
	return p
}

func randomValue(r *rand.Rand, l *parquet.Leaf, few bool) []byte {
	n := r.Uint64()
	if few {
		n %= 50
		n *= 0x9e3779b97f4a7c15
	}
	wide := binary.LittleEndian.AppendUint64(nil, n)
	switch {
	case l.Type == parquet.Boolean:
		return []byte{byte(n & 1)}
	case l.Symbols != nil:
		return []byte(l.Symbols[n%uint64(len(l.Symbols))])
	case l.Type == parquet.Int32 || l.Type == parquet.Float:
		return wide[:4]
	case l.Type == parquet.Int64 || l.Type == parquet.Double:
		return wide
	case l.Type == parquet.FixedLenByteArray:
		for len(wide) < l.Length {
			wide = append(wide, wide...)
		}
		return wide[:l.Length]
	}
	text := fmt.Sprintf("%x and %[1]x again, so that some values are long enough to be cut: %[1]x", n)
	return []byte(text[:n%uint64(len(text)+1)])
}
