package parquet

import (
	"encoding/binary"
	"strings"
	"testing"
)

// fuzzLeaves are columns of all types, with and without levels.
func fuzzLeaves() []*Node {
	symbols := Column("", Optional, ByteArray, Logical{Kind: StringType})
	symbols.Symbols = []string{"A", "", "CC"}
	return []*Node{
		Column("", Required, Boolean, Logical{}), Column("", Optional, Int32, Logical{}), Column("", Repeated, Int64, Logical{}),
		Column("", Required, Float, Logical{}), Column("", Optional, Double, Logical{}), Column("", Required, ByteArray, Logical{}),
		Group("", Repeated, Column("w", Optional, ByteArray, Logical{Kind: StringType})), symbols,
		{Type: FixedLenByteArray, Length: 3}, {Type: FixedLenByteArray, Length: 12, Logical: Logical{Kind: IntervalType}},
		{Type: FixedLenByteArray, Length: 9, Logical: Logical{Kind: DecimalType, Precision: 19}},
	}
}

// FuzzPage gives an encoder any bytes as values and levels. It makes pages of them or returns an
// error; its pages have the sizes that their Metas say, and a Writer takes them.
func FuzzPage(f *testing.F) {
	f.Add(byte(5), byte(1), strings1("a", "bb", "").Data, []byte{}, []byte{}, uint16(3))
	f.Add(byte(6), byte(3), strings1("a", "é").Data, []byte{2, 0, 2}, []byte{0, 1, 0}, uint16(2))
	f.Add(byte(4), byte(7), doubles1(1, 2).Data, []byte{1, 1, 0}, []byte{}, uint16(3))
	f.Add(byte(7), byte(2), binary.LittleEndian.AppendUint32(nil, 2), []byte{1}, []byte{}, uint16(1))
	f.Fuzz(func(t *testing.T, column, how byte, data, def, rep []byte, rows uint16) {
		leaves := fuzzLeaves()
		s := one(t, leaves[int(column)%len(leaves)])
		v := Values{Rows: int(rows), Data: data}
		if l := s.Leaves[0]; l.MaxDef > 0 {
			v.Def = def
			if l.MaxRep > 0 {
				v.Rep = rep
			}
		}
		o := EncoderOptions{PageVersion: 1 + int(how&1), Modern: how&2 != 0}
		if how&4 != 0 {
			o.Codec.Name = "snappy"
		}
		e, err := NewEncoder(s, o)
		if err != nil {
			t.Fatal(err)
		}
		var pages []finished
		for range 2 {
			page, m, err := e.Page(nil, 0, v)
			if err != nil {
				if !strings.HasPrefix(err.Error(), "parquet: column ") {
					t.Fatal(err)
				}
				return
			}
			if int64(len(page)) != m.Stored || m.Rows != v.Rows || len(page) > e.MaxPage(0, len(v.Data), m.Values(), m.Entries) {
				t.Fatalf("%d bytes, %+v", len(page), m)
			}
			pages = append(pages, finished{0, m, page})
		}
		front, metas, err := e.EndChunk(nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		if len(metas) > 0 {
			pages = append([]finished{{0, metas[0], front}}, pages...)
		}
		writeFuzzed(t, s, o, pages)
	})
}

func writeFuzzed(t *testing.T, s *Schema, o EncoderOptions, pages []finished) {
	t.Helper()
	var file strings.Builder
	w, err := NewWriter(&file, s, WriterOptions{Codec: o.Codec})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range pages {
		if err := w.WritePage(p.column, p.meta, p.bytes); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.EndRowGroup(); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	footerOf(t, []byte(file.String()))
}
