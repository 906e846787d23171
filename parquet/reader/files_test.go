package reader

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"

	"avro2trevni/parquet"
)

// seedOf returns the seed of random choices: 1, or SEED.
func seedOf(t testing.TB) uint64 {
	t.Helper()
	seed, err := strconv.ParseUint(os.Getenv("SEED"), 10, 64)
	if err != nil {
		seed = 1
	}
	t.Logf("SEED=%d", seed)
	return seed
}

// everyColumn is a schema of all types that the writer has, flat and nested.
func everyColumn(t testing.TB) *parquet.Schema {
	t.Helper()
	leaf := func(name string, r parquet.Repetition, p parquet.Type) *parquet.Node {
		return parquet.Column(name, r, p, parquet.Logical{})
	}
	fixed := leaf("fixed", parquet.Required, parquet.FixedLenByteArray)
	fixed.Length = 5
	one := leaf("one", parquet.Optional, parquet.FixedLenByteArray)
	one.Length = 1
	symbols := leaf("symbols", parquet.Optional, parquet.ByteArray)
	symbols.Symbols = []string{"red", "", "green"}
	s, err := parquet.NewSchema(parquet.Group("row", parquet.Required,
		leaf("bool", parquet.Required, parquet.Boolean), leaf("maybe", parquet.Optional, parquet.Boolean),
		leaf("int", parquet.Required, parquet.Int32), leaf("long", parquet.Optional, parquet.Int64),
		leaf("float", parquet.Repeated, parquet.Float), leaf("double", parquet.Required, parquet.Double),
		leaf("bytes", parquet.Optional, parquet.ByteArray), fixed, one, symbols,
		parquet.List("list", parquet.Optional, leaf("", parquet.Optional, parquet.Int32)),
		parquet.Map("map", parquet.Required, leaf("", parquet.Required, parquet.ByteArray),
			parquet.List("", parquet.Optional, leaf("", parquet.Optional, parquet.Int64))),
		parquet.Group("group", parquet.Optional, leaf("string", parquet.Optional, parquet.ByteArray)),
	))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// entries are a column's levels and values, collected.
type entries struct {
	rep, def []byte
	values   [][]byte
	rows     int
}

// randomPage makes a page of rows, and adds it to what is to be read.
func randomPage(r *rand.Rand, l *parquet.Leaf, rows int, want *entries) parquet.Values {
	v := parquet.Values{Rows: rows}
	var bits []bool
	distinct := []int{3, 40, 1 << 30}[r.IntN(3)]
	for range rows {
		for n, rep := 0, 0; ; n++ {
			def := r.IntN(l.MaxDef + 1)
			if r.IntN(3) > 0 {
				def = l.MaxDef
			}
			if l.MaxRep > 0 {
				v.Rep, want.rep = append(v.Rep, byte(rep)), append(want.rep, byte(rep))
			}
			if l.MaxDef > 0 {
				v.Def, want.def = append(v.Def, byte(def)), append(want.def, byte(def))
			}
			if def == l.MaxDef {
				value := randomValue(r, l, r.IntN(distinct))
				bits = appendValue(&v, bits, l, value)
				want.values = append(want.values, value.read)
			}
			if l.MaxRep == 0 || r.IntN(3) == 0 {
				break
			}
			rep = 1 + r.IntN(l.MaxRep)
		}
	}
	for i, b := range bits {
		if i%8 == 0 {
			v.Data = append(v.Data, 0)
		}
		if b {
			v.Data[i/8] |= 1 << (i % 8)
		}
	}
	want.rows += rows
	return v
}

// A value is as the writer takes it, and as it is read.
type value struct{ given, read []byte }

func randomValue(r *rand.Rand, l *parquet.Leaf, n int) value {
	number := binary.LittleEndian.AppendUint64(nil, uint64(n)*0x9E3779B97F4A7C15)
	switch {
	case l.Symbols != nil:
		n %= len(l.Symbols)
		return value{binary.LittleEndian.AppendUint32(nil, uint32(n)), []byte(l.Symbols[n])}
	case l.Type == parquet.Boolean:
		return value{read: []byte{byte(n & 1)}}
	case l.Type == parquet.ByteArray:
		b := bytes.Repeat([]byte(strconv.Itoa(n)), 1+n%4)
		if r.IntN(2000) == 0 {
			b = bytes.Repeat(b, 1000)
		}
		return value{append(binary.LittleEndian.AppendUint32(nil, uint32(len(b))), b...), b}
	case l.Type == parquet.FixedLenByteArray:
		b := number[:l.Length]
		return value{b, b}
	case l.Type == parquet.Int32 || l.Type == parquet.Float:
		return value{number[:4], number[:4]}
	}
	return value{number, number}
}

func appendValue(v *parquet.Values, bits []bool, l *parquet.Leaf, x value) []bool {
	if l.Type == parquet.Boolean {
		return append(bits, x.read[0] == 1)
	}
	v.Data = append(v.Data, x.given...)
	return bits
}

// randomFile makes a file of random rows, and what is to be read: by row group and column.
func randomFile(t testing.TB, r *rand.Rand, o parquet.EncoderOptions, wo parquet.WriterOptions, groups, pages, rows int) ([]byte, [][]entries) {
	t.Helper()
	s := everyColumn(t)
	wo.Codec = o.Codec
	e, err := parquet.NewEncoder(s, o)
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	w, err := parquet.NewWriter(&file, s, wo)
	if err != nil {
		t.Fatal(err)
	}
	want := make([][]entries, groups)
	for g := range want {
		want[g] = make([]entries, len(s.Leaves))
		for i, l := range s.Leaves {
			var chunk []page
			for range pages {
				b, m, err := e.Page(nil, i, randomPage(r, l, rows, &want[g][i]))
				if err != nil {
					t.Fatal(err)
				}
				chunk = append(chunk, page{m, b})
			}
			writeChunk(t, w, e, i, chunk)
		}
		if err := w.EndRowGroup(); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return file.Bytes(), want
}

type page struct {
	meta  parquet.Meta
	bytes []byte
}

func writeChunk(t testing.TB, w *parquet.Writer, e *parquet.Encoder, column int, chunk []page) {
	t.Helper()
	b, metas, err := e.EndChunk(nil, column)
	if err != nil {
		t.Fatal(err)
	}
	if len(metas) > 0 {
		chunk = slices.Insert(chunk, 0, page{metas[0], b})
	}
	for _, p := range chunk {
		if err := w.WritePage(column, p.meta, p.bytes); err != nil {
			t.Fatal(err)
		}
	}
}

// open opens a file in memory.
func open(t testing.TB, file []byte, o *Options) *File {
	t.Helper()
	f, err := Open(bytes.NewReader(file), int64(len(file)), o)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// collect reads a column to its end.
func collect(c *Column) (entries, error) {
	var got entries
	var b Batch
	for {
		err := c.Next(&b)
		if err != nil {
			return got, err
		}
		got.add(&b, c.chunk.Leaf)
	}
}

func (e *entries) add(b *Batch, l *Node) {
	if (b.Rep == nil) != (l.MaxRep == 0) || (b.Def == nil) != (l.MaxDef == 0) || b.N == 0 {
		panic("not the levels of the column")
	}
	e.rep, e.def = append(e.rep, b.Rep...), append(e.def, b.Def...)
	e.rows += b.rows()
	for i := range b.Values.N {
		e.values = append(e.values, bytes.Clone(b.Values.Bytes(i)))
	}
}

// equal returns what differs.
func (e *entries) equal(want *entries) string {
	switch {
	case !bytes.Equal(e.rep, want.rep):
		return "repetition levels differ"
	case !bytes.Equal(e.def, want.def):
		return "definition levels differ"
	case len(e.values) != len(want.values):
		return strconv.Itoa(len(e.values)) + " values, not " + strconv.Itoa(len(want.values))
	case e.rows != want.rows:
		return strconv.Itoa(e.rows) + " rows, not " + strconv.Itoa(want.rows)
	}
	for i := range e.values {
		if !bytes.Equal(e.values[i], want.values[i]) {
			return "value " + strconv.Itoa(i) + " differs"
		}
	}
	return ""
}
