package parquet

import (
	"bytes"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go/format"
)

// two returns a schema of two columns of numbers, a and b.
func two(t testing.TB) *Schema {
	t.Helper()
	return mustSchema(t, Group("m", Required, Column("a", Required, Int32, Logical{}), Column("b", Required, Int32, Logical{})))
}

func TestFooter(t *testing.T) {
	s := mustSchema(t, Group("m", Required,
		List("a", Optional, Column("", Optional, Int64, Logical{Kind: TimestampType, Unit: Millis})),
		Column("b", Required, ByteArray, Logical{Kind: StringType})))
	a := Values{Rows: 2, Data: make([]byte, 16), Def: []byte{3, 3, 0}, Rep: []byte{0, 1, 0}}
	group := [][]Values{{a}, {strings1("x", "y")}}
	file := build(t, s, EncoderOptions{Codec: Codec{Name: "zstd", Level: "1"}}, WriterOptions{
		CreatedBy: "convert version 1.2.3 (build 0)",
		KeyValues: []KeyValue{{"k", "v"}, {"empty", ""}},
		Sorting:   []SortingColumn{{Column: 1, Descending: true, NullsFirst: true}},
	}, group, group)
	f := footerOf(t, file)
	if f.Version != 1 || f.NumRows != 4 || f.CreatedBy != "convert version 1.2.3 (build 0)" || len(f.ColumnOrders) != 2 {
		t.Errorf("%+v", f)
	}
	if want := []format.KeyValue{{Key: "k", Value: "v"}, {Key: "empty"}}; !reflect.DeepEqual([]format.KeyValue(f.KeyValueMetadata), want) {
		t.Errorf("%+v", f.KeyValueMetadata)
	}
	if len(f.Schema) != 5 || f.Schema[0].RepetitionType.Valid || f.Schema[1].LogicalType.String() != "LIST" || f.Schema[3].LogicalType.String() != "TIMESTAMP(isAdjustedToUTC=false,unit=MILLIS)" {
		t.Errorf("%+v", f.Schema)
	}
	at := int64(4)
	for i, g := range f.RowGroups {
		if g.NumRows != 2 || g.Ordinal.V != int16(i) || !g.Ordinal.Valid || g.FileOffset.V != at {
			t.Errorf("row group %d: %+v", i, g)
		}
		if len(g.SortingColumns) != 1 || g.SortingColumns[0] != (format.SortingColumn{ColumnIdx: 1, Descending: true, NullsFirst: true}) {
			t.Errorf("row group %d: %+v", i, g.SortingColumns)
		}
		raw, stored := int64(0), int64(0)
		for _, c := range g.Columns {
			if c.FileOffset != 0 || c.MetaData.Codec != format.Zstd {
				t.Errorf("row group %d: %+v", i, c)
			}
			raw, stored = raw+c.MetaData.TotalUncompressedSize, stored+c.MetaData.TotalCompressedSize
		}
		if g.TotalByteSize != raw || g.TotalCompressedSize.V != stored {
			t.Errorf("row group %d: %d and %d bytes, its columns have %d and %d", i, g.TotalByteSize, g.TotalCompressedSize.V, raw, stored)
		}
		at += stored
	}
}

// TestFooterEvery cuts a file after each of its footers.
func TestFooterEvery(t *testing.T) {
	group := [][]Values{{ints1(1, 2), ints1(3)}, {ints1(4, 5, 6)}}
	groups := [][][]Values{group, group, group, group, group}
	file := build(t, two(t), EncoderOptions{}, WriterOptions{FooterEvery: 2}, groups...)
	found := 0
	for n := 12; n <= len(file); n++ {
		if string(file[n-4:n]) != magic {
			continue
		}
		found++
		f := footerOf(t, file[:n])
		if want := min(2*found, 5); len(f.RowGroups) != want || f.NumRows != int64(3*want) {
			t.Errorf("footer %d has %d row groups", found, len(f.RowGroups))
		}
		for i := range f.RowGroups {
			if x := columnIndexOf(t, file[:n], &f.RowGroups[i].Columns[0]); len(x.NullPages) != 2 {
				t.Errorf("footer %d, row group %d: %+v", found, i, x)
			}
		}
	}
	if found != 3 {
		t.Errorf("%d footers", found)
	}
	if even := build(t, two(t), EncoderOptions{}, WriterOptions{FooterEvery: 2}, groups[:4]...); strings.Count(string(even), magic) != 3 {
		t.Error("the last footer is not written, or twice")
	}
}

// madePages returns the pages of both columns of a row group of 3 rows, the first column with a
// dictionary.
func madePages(t *testing.T, s *Schema) (a, b []finished) {
	t.Helper()
	e, err := NewEncoder(s, EncoderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	same := make([]int32, 100)
	a, _ = chunkPages(t, e, 0, []Values{ints1(same...), ints1(same...)})
	different := make([]int32, 200)
	for i := range different {
		different[i] = int32(i)
	}
	b, _ = chunkPages(t, e, 1, []Values{ints1(different...)})
	if len(a) != 3 || len(b) != 1 {
		t.Fatalf("%d and %d pages", len(a), len(b))
	}
	return a, b
}

func TestWriterRefuses(t *testing.T) {
	s := two(t)
	a, b := madePages(t, s)
	moved := func(p finished, column int) finished { p.column = column; return p }
	changed := func(p finished, change func(*Meta)) finished { change(&p.meta); return p }
	filter := finished{0, Meta{Kind: BloomFilter, Stored: 1, Raw: 1}, []byte{0}}
	tests := []struct {
		name  string
		pages []finished
		want  string
	}{
		{"second column first", b, "column 0 of 2 is next"},
		{"no dictionary", a[1:], "no dictionary"},
		{"dictionary twice", []finished{a[0], a[0]}, "a dictionary page after another"},
		{"dictionary last", []finished{moved(b[0], 0), a[0]}, "a dictionary page after another"},
		{"only a dictionary", []finished{a[0], b[0]}, `column "a" has no data page`},
		{"rows missing", []finished{a[0], a[1], b[0]}, `column "b" has 200 rows, the columns before it have 100`},
		{"column missing", a, "a row group of 1 columns, the schema has 2"},
		{"no pages", nil, "a row group of 0 columns"},
		{"column again", append(append([]finished{}, append(a, b...)...), a[1]), "column 2 of 2 is next"},
		{"no such column", append(append([]finished{}, append(a, b...)...), moved(b[0], 2)), "column 2 of 2 is next"},
		{"negative column", []finished{moved(b[0], -1)}, "column 0 of 2"},
		{"cut short", []finished{{0, a[0].meta, a[0].bytes[1:]}}, "that should have"},
		{"filter in front", []finished{filter}, "a bloom filter where"},
		{"filter before the last column", append(append([]finished{}, a...), filter), "a bloom filter where"},
		{"filter twice", append(append([]finished{}, append(a, b...)...), filter, filter), "a bloom filter where"},
		{"no kind", []finished{moved(changed(b[0], func(m *Meta) { m.Kind = 9 }), 0)}, "kind 9"},
		{"other levels", []finished{moved(changed(b[0], func(m *Meta) { m.DefHistogram = []int64{1, 2, 3} }), 0)}, "levels of another column"},
		{"other bounds", []finished{moved(changed(b[0], func(m *Meta) { m.Min = []byte{1} }), 0)}, "bounds of another column"},
		{"no rows", []finished{moved(changed(b[0], func(m *Meta) { m.Rows = 0 }), 0)}, "a page of 0 rows"},
	}
	for _, test := range tests {
		w, err := NewWriter(io.Discard, s, WriterOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range test.pages {
			if err == nil {
				err = w.WritePage(p.column, p.meta, p.bytes)
			}
		}
		if err == nil {
			err = w.EndRowGroup()
		}
		if err == nil || !strings.Contains(err.Error(), test.want) || !strings.HasPrefix(err.Error(), "parquet: ") {
			t.Errorf("%s: %v; want %q", test.name, err, test.want)
		}
		if again := w.Close(); again != err {
			t.Errorf("%s: after %v Close returns %v", test.name, err, again)
		}
	}
}

func TestCloseRefuses(t *testing.T) {
	s := two(t)
	a, _ := madePages(t, s)
	w, _ := NewWriter(io.Discard, s, WriterOptions{})
	if err := w.WritePage(0, a[0].meta, a[0].bytes); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err == nil || !strings.Contains(err.Error(), "within a row group") {
		t.Error(err)
	}
	w, _ = NewWriter(io.Discard, s, WriterOptions{})
	if err := w.Close(); err != nil {
		t.Error(err)
	}
	for _, err := range []error{w.Close(), w.EndRowGroup(), w.WritePage(0, a[0].meta, a[0].bytes)} {
		if err == nil || !strings.Contains(err.Error(), "is closed") {
			t.Error(err)
		}
	}
}

func TestOptionsRefused(t *testing.T) {
	s := two(t)
	for _, o := range []WriterOptions{{Codec: Codec{Name: "lzo"}}, {Codec: Codec{Name: "zstd", Level: "23"}}, {Sorting: []SortingColumn{{Column: 2}}}, {Codecs: make([]Codec, 1)}, {Codecs: []Codec{{}, {Name: "lzo"}}}} {
		if _, err := NewWriter(io.Discard, s, o); err == nil {
			t.Errorf("%+v is taken", o)
		}
	}
	for _, o := range []EncoderOptions{{Codec: Codec{Name: "snappy", Level: "1"}}, {PageVersion: 3}, {PageVersion: -1}, {Codecs: make([]Codec, 3)}, {Codecs: []Codec{{Name: "lzo"}, {}}}} {
		if _, err := NewEncoder(s, o); err == nil {
			t.Errorf("%+v is taken", o)
		}
	}
	for _, codec := range []string{"", "snappy:", "zstd:0", "gzip:10", ":1"} {
		if c, err := ParseCodec(codec); err == nil {
			t.Errorf("%q is %v", codec, c)
		}
	}
}

// errFull is a full disk's.
var errFull = errors.New("no space")

// fullAfter fails when it was given n bytes.
type fullAfter struct{ n int }

func (w *fullAfter) Write(b []byte) (int, error) {
	if len(b) > w.n {
		n := w.n
		w.n = 0
		return n, errFull
	}
	w.n -= len(b)
	return len(b), nil
}

// TestWriterFails fails each byte of a file.
func TestWriterFails(t *testing.T) {
	s := two(t)
	a, b := madePages(t, s)
	write := func(to io.Writer) error {
		w, err := NewWriter(to, s, WriterOptions{FooterEvery: 1})
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range append(a, b...) {
			if err := w.CopyPage(p.column, p.meta, bytes.NewReader(p.bytes)); err != nil {
				return err
			}
		}
		if err := w.EndRowGroup(); err != nil {
			return err
		}
		return w.Close()
	}
	var whole bytes.Buffer
	if err := write(&whole); err != nil {
		t.Fatal(err)
	}
	for n := range whole.Len() {
		if err := write(&fullAfter{n}); !errors.Is(err, errFull) {
			t.Fatalf("after %d of %d bytes: %v", n, whole.Len(), err)
		}
	}
	if err := write(&fullAfter{whole.Len()}); err != nil {
		t.Error(err)
	}
}

func TestCopyPageCutShort(t *testing.T) {
	s := two(t)
	a, _ := madePages(t, s)
	w, _ := NewWriter(io.Discard, s, WriterOptions{})
	err := w.CopyPage(0, a[0].meta, bytes.NewReader(a[0].bytes[1:]))
	if !errors.Is(err, io.ErrUnexpectedEOF) || !strings.Contains(err.Error(), `dictionary page of column "a"`) {
		t.Error(err)
	}
}

// TestSizer holds a Sizer that was given the Metas alone against the writer that was given the
// pages.
func TestSizer(t *testing.T) {
	s := two(t)
	a, b := madePages(t, s)
	for every := range 4 {
		o := WriterOptions{FooterEvery: every, CreatedBy: "x", KeyValues: []KeyValue{{"key", strings.Repeat("v", 1000)}}}
		z, err := NewSizer(s, o)
		if err != nil {
			t.Fatal(err)
		}
		var file bytes.Buffer
		w, _ := NewWriter(&file, s, o)
		for range 7 {
			for _, p := range append(b[:len(b):len(b)], a...) { // in any order
				z.Add(p.column, &p.meta)
			}
			for _, p := range append(a[:len(a):len(a)], b...) {
				if err := w.WritePage(p.column, p.meta, p.bytes); err != nil {
					t.Fatal(err)
				}
			}
			if z.Size() != w.Size() {
				t.Fatalf("%d, the writer says %d", z.Size(), w.Size())
			}
			z.EndRowGroup()
			if err := w.EndRowGroup(); err != nil {
				t.Fatal(err)
			}
		}
		bound := z.Size()
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if size := int64(file.Len()); bound < size {
			t.Errorf("%d bytes, bounded by %d", size, bound)
		}
	}
}
