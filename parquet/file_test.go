package parquet

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"testing"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// finished is a page on its way from an encoder to a writer.
type finished struct {
	column int
	meta   Meta
	bytes  []byte
}

// chunkPages returns the pages of a chunk in the order in which a file has them, and its bloom
// filter, if there is one.
func chunkPages(t testing.TB, e *Encoder, column int, pages []Values) (chunk, filter []finished) {
	t.Helper()
	for _, v := range pages {
		b, m, err := e.Page(nil, column, v)
		if err != nil {
			t.Fatal(err)
		}
		chunk = append(chunk, finished{column, m, b})
	}
	b, metas, err := e.EndChunk(nil, column)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range metas {
		f := finished{column, m, b[:m.Stored]}
		b = b[m.Stored:]
		if m.Kind == BloomFilter {
			filter = append(filter, f)
		} else {
			chunk = slices.Insert(chunk, 0, f)
		}
	}
	return chunk, filter
}

// build makes a file of row groups of columns of pages.
func build(t testing.TB, s *Schema, o EncoderOptions, wo WriterOptions, groups ...[][]Values) []byte {
	t.Helper()
	e, err := NewEncoder(s, o)
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	wo.Codec = o.Codec
	w, err := NewWriter(&file, s, wo)
	if err != nil {
		t.Fatal(err)
	}
	for _, group := range groups {
		var pages, filters []finished
		for c := range group {
			chunk, filter := chunkPages(t, e, c, group[c])
			pages, filters = append(pages, chunk...), append(filters, filter...)
		}
		for _, p := range append(pages, filters...) {
			if err := w.WritePage(p.column, p.meta, p.bytes); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.EndRowGroup(); err != nil {
			t.Fatal(err)
		}
	}
	bound := w.Size()
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if size := int64(file.Len()); size > bound || wo.FooterEvery == 0 && size < bound-int64(len(groups)*len(s.Leaves))*350-100 {
		t.Errorf("a file of %d bytes, bounded by %d", size, bound)
	}
	return file.Bytes()
}

// footerOf parses a file's footer.
func footerOf(t testing.TB, file []byte) fileMetaData {
	t.Helper()
	if len(file) < 12 || string(file[:4]) != magic || string(file[len(file)-4:]) != magic {
		t.Fatalf("no Parquet file: %d bytes", len(file))
	}
	n := int(binary.LittleEndian.Uint32(file[len(file)-8:]))
	var f fileMetaData
	parse(t, file[len(file)-8-n:len(file)-8], &f)
	return f
}

func parse(t testing.TB, b []byte, to any) {
	t.Helper()
	if err := thrift.Unmarshal(&compact, b, to); err != nil {
		t.Fatal(err)
	}
}

// headerOf parses the page header that b begins with.
func headerOf(t testing.TB, b []byte) pageHeader {
	t.Helper()
	var h pageHeader
	if err := thrift.NewDecoder(compact.NewReader(bytes.NewReader(b))).Decode(&h); err != nil {
		t.Fatal(err)
	}
	return h
}

// columnIndexOf parses a chunk's column index; nil if there is none.
func columnIndexOf(t testing.TB, file []byte, c *columnChunk) *columnIndex {
	t.Helper()
	if !c.ColumnIndexOffset.Valid {
		return nil
	}
	var x columnIndex
	parse(t, file[c.ColumnIndexOffset.V:][:c.ColumnIndexLength.V], &x)
	return &x
}

// one returns a schema of one column, named v.
func one(t testing.TB, leaf *Node) *Schema {
	t.Helper()
	leaf.Name = "v"
	return mustSchema(t, Group("m", Required, leaf))
}

func doubles1(values ...float64) Values { return Values{Rows: len(values), Data: float64s(values...)} }

func strings1(values ...string) Values {
	v := Values{Rows: len(values)}
	for _, s := range values {
		v.Data = append(binary.LittleEndian.AppendUint32(v.Data, uint32(len(s))), s...)
	}
	return v
}

func ints1(values ...int32) Values {
	v := Values{Rows: len(values)}
	for _, n := range values {
		v.Data = binary.LittleEndian.AppendUint32(v.Data, uint32(n))
	}
	return v
}

// repeat returns n strings, some of them different.
func repeat(n, different int, name string) []string {
	var all []string
	for i := range n {
		all = append(all, fmt.Sprintf("%s number %d", name, i%different))
	}
	return all
}

// TestDictionaryToPlain is a chunk that begins with a dictionary and goes on without.
func TestDictionaryToPlain(t *testing.T) {
	s := one(t, Column("", Required, ByteArray, Logical{Kind: StringType}))
	file := build(t, s, EncoderOptions{DictionaryBytes: 500, Codec: Codec{Name: "snappy"}}, WriterOptions{}, [][]Values{{
		strings1(repeat(1000, 10, "few")...),
		strings1(repeat(1000, 11, "few")...),
		strings1(repeat(1000, 100, "many")...),
		strings1(repeat(1000, 10, "few")...),
	}})
	m := footerOf(t, file).RowGroups[0].Columns[0].MetaData
	want := []format.PageEncodingStats{
		{PageType: format.DataPage, Encoding: format.Plain, Count: 2},
		{PageType: format.DataPage, Encoding: format.RLEDictionary, Count: 2},
		{PageType: format.DictionaryPage, Encoding: format.Plain, Count: 1},
	}
	if !slices.Equal([]format.PageEncodingStats(m.EncodingStats), want) {
		t.Errorf("pages %v", m.EncodingStats)
	}
	if !slices.Equal([]format.Encoding(m.Encodings), []format.Encoding{format.Plain, format.RLE, format.RLEDictionary}) {
		t.Errorf("encodings %v", m.Encodings)
	}
	if !m.DictionaryPageOffset.Valid || m.DictionaryPageOffset.V != 4 || m.DataPageOffset <= 4 {
		t.Errorf("dictionary at %v, data at %d", m.DictionaryPageOffset, m.DataPageOffset)
	}
}

func TestNoDictionary(t *testing.T) {
	tests := []struct {
		name  string
		o     EncoderOptions
		pages []Values
	}{
		{"all different", EncoderOptions{}, []Values{strings1(repeat(100, 100, "v")...)}},
		{"not allowed", EncoderOptions{DictionaryBytes: -1}, []Values{strings1(repeat(100, 1, "v")...)}},
		{"first page without, second could have one", EncoderOptions{}, []Values{strings1(repeat(100, 100, "v")...), strings1(repeat(100, 1, "v")...)}},
		{"too large", EncoderOptions{DictionaryBytes: 10}, []Values{strings1(repeat(100, 1, "v")...)}},
		{"smaller when compressed", EncoderOptions{Codec: Codec{Name: "gzip"}}, []Values{strings1(repeat(40, 20, "v")...)}},
	}
	for _, test := range tests {
		file := build(t, one(t, Column("", Required, ByteArray, Logical{})), test.o, WriterOptions{}, [][]Values{test.pages})
		m := footerOf(t, file).RowGroups[0].Columns[0].MetaData
		if m.DictionaryPageOffset.Valid || len(m.EncodingStats) != 1 || m.EncodingStats[0].Encoding != format.Plain {
			t.Errorf("%s: %v", test.name, m.EncodingStats)
		}
	}
}

func TestModern(t *testing.T) {
	var rising Values
	var noise []byte
	for i := range 1000 {
		rising.Data = binary.LittleEndian.AppendUint64(rising.Data, uint64(i*i))
		noise = append(noise, byte(i*i>>3), byte(i*7919>>5))
	}
	rising.Rows = 1000
	prices := Values{Rows: 1000}
	for i := range 1000 {
		prices.Data = append(prices.Data, noise[2*i], noise[2*i+1], 0, byte(i*i*i>>4), 1, 2, 0x50, 0x40)
	}
	var lengths, prefixes []string
	for i := range 300 {
		lengths = append(lengths, fmt.Sprintf("%x", uint64(i+1)*0x9e3779b97f4a7c15))
		prefixes = append(prefixes, fmt.Sprintf("http://example.com/%06d", i))
	}
	bits := Values{Rows: 8000, Data: make([]byte, 1000)}
	tests := []struct {
		leaf *Node
		v    Values
		want format.Encoding
	}{
		{Column("", Required, Int64, Logical{}), rising, format.DeltaBinaryPacked},
		{Column("", Required, Double, Logical{}), prices, format.ByteStreamSplit},
		{Column("", Required, ByteArray, Logical{}), strings1(lengths...), format.DeltaLengthByteArray},
		{Column("", Required, ByteArray, Logical{}), strings1(prefixes...), format.DeltaByteArray},
		{Column("", Required, Boolean, Logical{}), bits, format.Plain},
	}
	for _, test := range tests {
		file := build(t, one(t, test.leaf), EncoderOptions{Modern: true, Codec: Codec{Name: "snappy"}}, WriterOptions{}, [][]Values{{test.v}})
		m := footerOf(t, file).RowGroups[0].Columns[0].MetaData
		if len(m.EncodingStats) != 1 || m.EncodingStats[0].Encoding != test.want {
			t.Errorf("%v: %v", test.want, m.EncodingStats)
		}
	}
}

func TestSymbols(t *testing.T) {
	leaf := Column("", Required, ByteArray, Logical{Kind: StringType})
	leaf.Symbols = []string{"SPADES", "HEARTS", "DIAMONDS", "CLUBS"}
	file := build(t, one(t, leaf), EncoderOptions{DictionaryBytes: -1}, WriterOptions{}, [][]Values{{ints1(2, 2, 0), ints1(3)}}, [][]Values{{ints1(1)}})
	f := footerOf(t, file)
	for i, want := range []struct{ min, max, dictionary string }{
		{"CLUBS", "SPADES", "\x08\x00\x00\x00DIAMONDS\x06\x00\x00\x00SPADES\x05\x00\x00\x00CLUBS"},
		{"HEARTS", "HEARTS", "\x06\x00\x00\x00HEARTS"},
	} {
		m := f.RowGroups[i].Columns[0].MetaData
		if string(m.Statistics.MinValue) != want.min || string(m.Statistics.MaxValue) != want.max {
			t.Errorf("%q to %q, want %v", m.Statistics.MinValue, m.Statistics.MaxValue, want)
		}
		page := file[m.DictionaryPageOffset.V:m.DataPageOffset]
		if !bytes.HasSuffix(page, []byte(want.dictionary)) {
			t.Errorf("dictionary page %q, want %q", page, want.dictionary)
		}
	}
	if n := f.RowGroups[0].Columns[0].MetaData.SizeStatistics.Bytes.V; n != 8+8+6+5 {
		t.Errorf("%d bytes of values", n)
	}
}

// TestSameBytes shows that a chunk's bytes do not depend on what the encoder made before.
func TestSameBytes(t *testing.T) {
	s := one(t, Column("", Required, ByteArray, Logical{}))
	for _, codec := range []string{"null", "snappy", "gzip", "zstd"} {
		used, err := NewEncoder(s, EncoderOptions{Codec: Codec{Name: codec}, Modern: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, different := range []int{1000, 3, 200, 999} {
			pages := []Values{strings1(repeat(1000, different, "v")...), strings1(repeat(500, different/2+1, "w")...)}
			fresh, _ := NewEncoder(s, EncoderOptions{Codec: Codec{Name: codec}, Modern: true})
			want, _ := chunkPages(t, fresh, 0, pages)
			got, _ := chunkPages(t, used, 0, pages)
			for i := range want {
				if !bytes.Equal(got[i].bytes, want[i].bytes) || !bytes.Equal(got[i].meta.Append(nil), want[i].meta.Append(nil)) {
					t.Errorf("%s, %d different values: page %d differs", codec, different, i)
				}
			}
		}
	}
}
