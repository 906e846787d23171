package parquet

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"
)

// TestMaxPage makes pages of random values of columns of all types, after a first page for which
// each encoding is the best, and compares their sizes with what was said before.
func TestMaxPage(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	fixed := func(length int) *Node { return &Node{Type: FixedLenByteArray, Length: length} }
	symbols := Column("", Required, ByteArray, Logical{})
	symbols.Symbols = []string{"A", "B", "C"}
	for _, leaf := range []*Node{
		Column("", Required, Boolean, Logical{}), Column("", Required, Int32, Logical{}), Column("", Required, Int64, Logical{}),
		Column("", Required, Float, Logical{}), Column("", Required, Double, Logical{}), Column("", Required, ByteArray, Logical{}),
		fixed(1), fixed(2), fixed(20), symbols,
	} {
		for _, repetition := range []Repetition{Required, Optional, Repeated} {
			leaf.Repetition = repetition
			for _, codec := range []string{"null", "snappy", "snappy:better", "gzip", "zstd"} {
				for version := 1; version <= 2; version++ {
					c, _ := ParseCodec(codec)
					e, err := NewEncoder(one(t, leaf), EncoderOptions{Codec: c, PageVersion: version, Modern: true})
					if err != nil {
						t.Fatal(err)
					}
					for range 8 {
						for _, smooth := range []bool{r.IntN(2) == 0, false, r.IntN(2) == 0} {
							entries := 1 + r.IntN(300)
							if r.IntN(50) == 0 {
								entries *= 100
							}
							v, values := roughValues(r, leaf, entries, smooth)
							most := e.MaxPage(0, len(v.Data), values, max(len(v.Def), v.Rows))
							page, m, err := e.Page(nil, 0, v)
							if err != nil {
								t.Fatal(err)
							}
							if len(page) > most {
								t.Fatalf("%s %s, %s, version %d: %d values in %d bytes, %v, are %d bytes, said to be at most %d",
									leaf.Repetition, leaf.physical(), codec, version, values, len(v.Data), m.Encoding, len(page), most)
							}
						}
						if _, _, err := e.EndChunk(nil, 0); err != nil {
							t.Fatal(err)
						}
					}
				}
			}
		}
	}
}

// roughValues returns a page of values that are hard to encode, or easy, and their number.
func roughValues(r *rand.Rand, leaf *Node, entries int, smooth bool) (v Values, values int) {
	values = entries
	if leaf.Repetition != Required {
		values = 0
		for i := range entries {
			def := byte(1)
			if i/8%2 == 0 {
				def = byte(r.IntN(2))
			}
			values += int(def)
			v.Def = append(v.Def, def)
		}
	}
	v.Rows = entries
	if leaf.Repetition == Repeated {
		v.Rows = 0
		for i := range entries {
			rep := byte(0)
			if i > 0 && i/8%2 == 0 {
				rep = byte(r.IntN(2))
			}
			v.Rep = append(v.Rep, rep)
			v.Rows += int(1 - rep)
		}
	}
	if leaf.Type == Boolean {
		v.Data = make([]byte, (values+7)/8)
		for i := range values {
			if i/8%2 == 0 && r.IntN(2) == 0 {
				v.Data[i/8] |= 1 << (i % 8)
			}
		}
		return v, values
	}
	for i := range values {
		n := r.Uint64()
		if smooth {
			n = uint64(i)
		}
		wide := binary.LittleEndian.AppendUint64(nil, n)
		switch width := leaf.width(); {
		case leaf.Symbols != nil:
			v.Data = append(v.Data, byte(n%3), 0, 0, 0)
		case width == 0:
			v.Data = append(append(v.Data, byte(n%9), 0, 0, 0), wide[:n%9]...)
		default:
			v.Data = append(v.Data, append(append(wide, wide...), wide...)[:width]...)
		}
	}
	return v, values
}
