package peers

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"

	pq "github.com/parquet-go/parquet-go"

	"avro2trevni/parquet"
)

// open reads a file with parquet-go, which checks the CRC of each page that it reads.
func open(t testing.TB, file []byte) *pq.File {
	t.Helper()
	f, err := pq.OpenFile(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// plain returns a value as this project's pages have them, without length.
func plain(v pq.Value) []byte {
	if v.IsNull() {
		return nil
	}
	if v.Kind() == pq.Boolean {
		if v.Boolean() {
			return []byte{1}
		}
		return []byte{0}
	}
	return append([]byte{}, v.AppendBytes(nil)...)
}

// entries returns all entries of a chunk.
func entries(t testing.TB, chunk pq.ColumnChunk) page {
	t.Helper()
	pages := chunk.Pages()
	defer pages.Close()
	var all page
	for {
		p, err := pages.ReadPage()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		values := make([]pq.Value, p.NumValues())
		n, err := p.Values().ReadValues(values)
		if n != len(values) {
			t.Fatal(n, len(values), err)
		}
		for _, v := range values {
			all = append(all, entry{def: v.DefinitionLevel(), rep: v.RepetitionLevel(), value: plain(v)})
		}
		pq.Release(p)
	}
}

// same compares what parquet-go reads with what was written.
func same(t *testing.T, s *parquet.Schema, m made, file []byte) {
	t.Helper()
	groups := open(t, file).RowGroups()
	if len(groups) != len(m) {
		t.Fatalf("%d row groups", len(groups))
	}
	for g, group := range m {
		for c, pages := range group {
			var want page
			for _, p := range pages {
				want = append(want, p...)
			}
			sameEntries(t, s.Leaves[c], want, entries(t, groups[g].ColumnChunks()[c]))
		}
	}
}

func sameEntries(t *testing.T, l *parquet.Leaf, want, got page) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("column %v: %d entries, want %d", l, len(got), len(want))
	}
	for i := range want {
		if w, g := want[i], got[i]; w.def != g.def || w.rep != g.rep || !bytes.Equal(w.value, g.value) || (w.value == nil) != (g.value == nil) {
			t.Fatalf("column %v: entry %d is %v, want %v", l, i, g, w)
		}
	}
}

// everyType is a schema of all types: required, optional, and below two repeated groups.
func everyType(t testing.TB) *parquet.Schema {
	t.Helper()
	leaf := func(name string, typ parquet.Type, length int) *parquet.Node {
		return &parquet.Node{Name: name, Type: typ, Length: length}
	}
	leaves := func() []*parquet.Node {
		symbols := leaf("symbol", parquet.ByteArray, 0)
		symbols.Symbols = []string{"SPADES", "HEARTS", "DIAMONDS", "CLUBS"}
		return []*parquet.Node{
			leaf("boolean", parquet.Boolean, 0), leaf("int32", parquet.Int32, 0), leaf("int64", parquet.Int64, 0),
			leaf("float", parquet.Float, 0), leaf("double", parquet.Double, 0), leaf("bytes", parquet.ByteArray, 0),
			leaf("fixed3", parquet.FixedLenByteArray, 3), leaf("fixed20", parquet.FixedLenByteArray, 20), symbols,
		}
	}
	optional := leaves()
	for _, l := range optional {
		l.Repetition = parquet.Optional
	}
	s, err := parquet.NewSchema(parquet.Group("m", parquet.Required,
		parquet.Group("required", parquet.Required, leaves()...),
		parquet.Group("optional", parquet.Required, optional...),
		parquet.Group("repeated", parquet.Repeated, parquet.Group("again", parquet.Repeated, leaves()...))))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// random returns a file of row groups of few distinct values, of many, and of few that become
// many, and one that begins with pages of nulls.
func random(r *rand.Rand, s *parquet.Schema) made {
	var m made
	for _, few := range [][]bool{{true, true}, {false, false}, {true, true, false, false}} {
		group := make([][]page, len(s.Leaves))
		for c, l := range s.Leaves {
			for _, f := range few {
				group[c] = append(group[c], randomPage(r, l, 1000, f))
			}
		}
		m = append(m, group)
	}
	sparse := make([][]page, len(s.Leaves))
	for c, l := range s.Leaves {
		nulls := make(page, 10)
		if l.MaxDef == 0 {
			nulls = randomPage(r, l, 10, true)
		}
		sparse[c] = []page{nulls, randomPage(r, l, 100, false), nulls, randomPage(r, l, 100, true)}
	}
	return append(m, sparse)
}

// options lists all ways to make pages of a codec, and one way for each of the other codecs.
func options(t testing.TB) []parquet.EncoderOptions {
	t.Helper()
	var all []parquet.EncoderOptions
	for _, modern := range []bool{false, true} {
		for _, limit := range []int{-1, 0, 700} {
			for version := 1; version <= 2; version++ {
				all = append(all, parquet.EncoderOptions{Codec: parquet.Codec{Name: "snappy"}, PageVersion: version, Modern: modern, DictionaryBytes: limit})
			}
		}
	}
	for i, codec := range []string{"null", "snappy:better", "gzip", "gzip:1", "zstd", "zstd:1", "zstd:9"} {
		c, err := parquet.ParseCodec(codec)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, parquet.EncoderOptions{Codec: c, PageVersion: 1 + i%2, Modern: true})
	}
	return all
}

func TestEveryType(t *testing.T) {
	s := everyType(t)
	m := random(rand.New(rand.NewPCG(1, 2)), s)
	for _, o := range options(t) {
		t.Run(fmt.Sprintf("%v,v%d,modern=%v,limit=%d", o.Codec, o.PageVersion, o.Modern, o.DictionaryBytes), func(t *testing.T) {
			same(t, s, m, m.write(t, s, o, parquet.WriterOptions{CreatedBy: "peers version 1.0.0 (build 0)"}))
		})
	}
}

func TestEmpty(t *testing.T) {
	s := everyType(t)
	if n := open(t, made{}.write(t, s, parquet.EncoderOptions{}, parquet.WriterOptions{})).NumRows(); n != 0 {
		t.Error(n)
	}
}
