package parquet

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go/format"
)

// TestNaNs is a column with one page of NaN alone: the chunk has bounds, but no column
// index.
func TestNaNs(t *testing.T) {
	nan := math.NaN()
	s := one(t, Column("", Required, Double, Logical{}))
	file := build(t, s, EncoderOptions{}, WriterOptions{},
		[][]Values{{doubles1(1, nan), doubles1(nan, nan, nan), doubles1(-2, 0)}},
		[][]Values{{doubles1(1, nan), doubles1(0)}},
		[][]Values{{doubles1(nan)}})
	for i, want := range []struct {
		nans, pages int64
		min, max    []byte
		indexed     bool
	}{
		{4, 3, float64s(-2), float64s(1), false},
		{1, 2, float64s(math.Copysign(0, -1)), float64s(1), true},
		{1, 1, nil, nil, false},
	} {
		c := footerOf(t, file).RowGroups[i].Columns[0]
		got := c.MetaData.Statistics
		if !bytes.Equal(got.MinValue, want.min) || !bytes.Equal(got.MaxValue, want.max) || got.NaNCount.V != want.nans ||
			!got.NaNCount.Valid || got.IsMinExact.Valid != (want.min != nil) {
			t.Errorf("row group %d: %+v", i, got)
		}
		x := columnIndexOf(t, file, &c)
		if (x != nil) != want.indexed {
			t.Errorf("row group %d: column index %+v", i, x)
		}
		if x != nil && !slices.Equal([]int64(x.NaNCounts), []int64{1, 0}) {
			t.Errorf("row group %d: NaNs %v", i, x.NaNCounts)
		}
		if !c.OffsetIndexOffset.Valid {
			t.Errorf("row group %d has no offset index", i)
		}
	}
}

// TestNulls is a chunk without any value, one that begins with a page without, and one whose
// first values are better off without a dictionary.
func TestNulls(t *testing.T) {
	s := one(t, Column("", Optional, Int32, Logical{}))
	nulls := Values{Rows: 5, Def: make([]byte, 5)}
	some := ints1(slices.Repeat([]int32{7}, 100)...)
	some.Def = bytes.Repeat([]byte{1}, 100)
	different := ints1(5, 6, 7)
	different.Def = []byte{1, 1, 1}
	for i, test := range []struct {
		pages  []Values
		plain  int32 // data pages that are PLAIN
		values int32 // of the dictionary
	}{{[]Values{nulls, nulls}, 0, 0}, {[]Values{nulls, some}, 0, 1}, {[]Values{nulls, different, nulls}, 2, 0}} {
		file := build(t, s, EncoderOptions{}, WriterOptions{}, [][]Values{test.pages})
		c := footerOf(t, file).RowGroups[0].Columns[0]
		m := c.MetaData
		plain := int32(0)
		for _, kind := range m.EncodingStats {
			if kind.PageType == format.DataPage && kind.Encoding == format.Plain {
				plain = kind.Count
			}
		}
		if plain != test.plain || !m.DictionaryPageOffset.Valid {
			t.Errorf("%d: pages %v", i, m.EncodingStats)
		}
		h := headerOf(t, file[m.DictionaryPageOffset.V:])
		if h.Dictionary == nil || h.Dictionary.NumValues != test.values {
			t.Errorf("%d: dictionary %+v", i, h.Dictionary)
		}
		x := columnIndexOf(t, file, &c)
		if x == nil || !x.NullPages[0] || x.NullCounts[0] != 5 || len(x.MinValues[0]) != 0 {
			t.Errorf("%d: column index %+v", i, x)
		}
		if i == 0 && (m.Statistics.MinValue != nil || m.Statistics.NullCount != 10) {
			t.Errorf("%d: %+v", i, m.Statistics)
		}
	}
}

// TestBoundsOfChunks is text whose bounds are cut, and bytes that in part have no short bound.
func TestBoundsOfChunks(t *testing.T) {
	long, ff := strings.Repeat("m", 100), strings.Repeat("\xff", 5000)
	tests := []struct {
		pages              []Values
		min, max           string
		minExact, maxExact bool
		indexed            bool
	}{
		{[]Values{strings1("b", "c"), strings1("a", "bb")}, "a", "c", true, true, true},
		{[]Values{strings1(""), strings1("")}, "", "", true, true, true},
		{[]Values{strings1(long)}, long[:64], long[:63] + "n", false, false, true},
		{[]Values{strings1(long), strings1(long[:64])}, long[:64], long[:63] + "n", true, false, true},
		{[]Values{strings1("a"), strings1(ff[:100])}, "a", ff[:100], true, true, true},
		{[]Values{strings1("a"), strings1(ff)}, "", "", false, false, false},
	}
	for i, test := range tests {
		file := build(t, one(t, Column("", Required, ByteArray, Logical{})), EncoderOptions{}, WriterOptions{}, [][]Values{test.pages})
		c := footerOf(t, file).RowGroups[0].Columns[0]
		got := c.MetaData.Statistics
		if string(got.MinValue) != test.min || string(got.MaxValue) != test.max || got.IsMinExact.V != test.minExact || got.IsMaxExact.V != test.maxExact {
			t.Errorf("%d: %+v", i, got)
		}
		if (columnIndexOf(t, file, &c) != nil) != test.indexed {
			t.Errorf("%d: column index at %v", i, c.ColumnIndexOffset)
		}
		if got.NaNCount.Valid {
			t.Errorf("%d: text has NaNs", i)
		}
	}
}

func TestBoundaryOrder(t *testing.T) {
	nulls := Values{Rows: 1, Def: []byte{0}}
	page := func(lo, hi int32) Values {
		v := ints1(lo, hi)
		v.Def = []byte{1, 1}
		return v
	}
	tests := []struct {
		pages []Values
		want  format.BoundaryOrder
	}{
		{[]Values{page(1, 2)}, format.Ascending},
		{[]Values{page(1, 2), page(1, 2)}, format.Ascending},
		{[]Values{page(-5, 2), nulls, page(0, 2)}, format.Ascending},
		{[]Values{page(3, 4), page(1, 4), nulls}, format.Descending},
		{[]Values{page(3, 4), page(1, 5)}, format.Unordered},
		{[]Values{page(1, 2), page(3, 4), page(2, 5)}, format.Unordered},
		{[]Values{nulls, nulls}, format.Ascending},
	}
	for i, test := range tests {
		file := build(t, one(t, Column("", Optional, Int32, Logical{})), EncoderOptions{}, WriterOptions{}, [][]Values{test.pages})
		if x := columnIndexOf(t, file, &footerOf(t, file).RowGroups[0].Columns[0]); x.BoundaryOrder != test.want {
			t.Errorf("%d: %v, want %v", i, x.BoundaryOrder, test.want)
		}
	}
}

// TestUnordered is types whose values have no order.
func TestUnordered(t *testing.T) {
	interval := &Node{Type: FixedLenByteArray, Length: 12, Logical: Logical{Kind: IntervalType}}
	file := build(t, one(t, interval), EncoderOptions{}, WriterOptions{}, [][]Values{{{Rows: 2, Data: make([]byte, 24)}}})
	c := footerOf(t, file).RowGroups[0].Columns[0]
	if c.MetaData.Statistics.MinValue != nil || c.ColumnIndexOffset.Valid {
		t.Errorf("intervals are ordered: %+v", c.MetaData.Statistics)
	}
}

func TestSignedDecimals(t *testing.T) {
	decimal := &Node{Type: FixedLenByteArray, Length: 2, Logical: Logical{Kind: DecimalType, Precision: 4, Scale: 1}}
	v := Values{Rows: 3, Data: []byte{0, 1, 0xff, 0xfe, 0, 0}}
	file := build(t, one(t, decimal), EncoderOptions{}, WriterOptions{}, [][]Values{{v}})
	got := footerOf(t, file).RowGroups[0].Columns[0].MetaData.Statistics
	if fmt.Sprintf("%x %x", got.MinValue, got.MaxValue) != "fffe 0001" {
		t.Errorf("%x to %x", got.MinValue, got.MaxValue)
	}
}

// TestHistograms is the column Name.Language.Country of the Dremel paper.
func TestHistograms(t *testing.T) {
	s := mustSchema(t, Group("m", Required, Group("Name", Repeated, Group("Language", Repeated, Column("Country", Optional, ByteArray, Logical{})))))
	v := strings1("us", "gb")
	v.Def, v.Rep = []byte{3, 2, 1, 3, 1}, []byte{0, 2, 1, 1, 0}
	file := build(t, s, EncoderOptions{}, WriterOptions{}, [][]Values{{v, v}})
	c := footerOf(t, file).RowGroups[0].Columns[0]
	sizes := c.MetaData.SizeStatistics
	if got := fmt.Sprint(sizes.DefHistogram, sizes.RepHistogram, sizes.Bytes.V); got != "[0 4 2 4] [4 4 2] 8" {
		t.Errorf("sizes %s", got)
	}
	x := columnIndexOf(t, file, &c)
	if got := fmt.Sprint(x.DefHistograms, x.RepHistograms, x.NullCounts); got != "[0 2 1 2 0 2 1 2] [2 2 1 2 2 1] [3 3]" {
		t.Errorf("column index %s", got)
	}
	var offsets format.OffsetIndex
	parse(t, file[c.OffsetIndexOffset.V:][:c.OffsetIndexLength.V], &offsets)
	if offsets.PageLocations[1].FirstRowIndex != 2 || fmt.Sprint(offsets.UnencodedByteArrayDataBytes) != "[4 4]" {
		t.Errorf("offset index %+v", offsets)
	}
	for i, at := range offsets.PageLocations {
		h := headerOf(t, file[at.Offset:])
		if h.Data == nil || h.Data.NumValues != 5 {
			t.Errorf("page %d: %+v", i, h)
		}
	}
}

// TestV2 is a page that compression makes smaller, and one that it does not.
func TestV2(t *testing.T) {
	s := one(t, Column("", Optional, ByteArray, Logical{}))
	small := strings1("x")
	small.Def = []byte{1}
	large := strings1(strings.Repeat("x", 1000))
	large.Rows, large.Def = 3, []byte{1, 0, 0}
	e, err := NewEncoder(s, EncoderOptions{Codec: Codec{Name: "snappy"}, PageVersion: 2, DictionaryBytes: -1})
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range []Values{small, large} {
		page, m, err := e.Page(nil, 0, v)
		if err != nil {
			t.Fatal(err)
		}
		h := headerOf(t, page)
		d := h.DataV2
		if h.Type != format.DataPageV2 || d == nil || d.IsCompressed != (i == 1) || int(d.NumNulls) != m.Nulls || int(d.NumRows) != v.Rows ||
			d.RepetitionBytes != 0 || d.DefinitionBytes < 2 {
			t.Errorf("%d: %+v, %+v", i, h, d)
		}
		if i == 0 && h.CompressedSize != h.UncompressedSize || m.Stored-m.Raw != int64(h.CompressedSize-h.UncompressedSize) {
			t.Errorf("%d: sizes %+v, %+v", i, h, m)
		}
	}
}

func TestValuesRefused(t *testing.T) {
	flat, optional := Column("", Required, Int32, Logical{}), Column("", Optional, Int32, Logical{})
	repeated, nested := Column("", Repeated, Int32, Logical{}), Group("", Repeated, Column("w", Optional, Boolean, Logical{}))
	text, fixed := Column("", Required, ByteArray, Logical{}), &Node{Type: FixedLenByteArray, Length: 3}
	symbols := Column("", Required, ByteArray, Logical{})
	symbols.Symbols = []string{"A"}
	bits := Column("", Required, Boolean, Logical{})
	four := binary.LittleEndian.AppendUint32(nil, 4)
	tests := []struct {
		leaf *Node
		v    Values
		want string
	}{
		{flat, Values{}, "page of 0 rows"},
		{flat, Values{Rows: 2, Data: make([]byte, 7)}, "7 bytes are not 2 values of 4"},
		{flat, Values{Rows: 1, Data: make([]byte, 4), Def: []byte{1}}, "1 definition and 0 repetition"},
		{optional, Values{Rows: 2, Def: []byte{0}}, "2 rows with 1 definition"},
		{optional, Values{Rows: 1, Def: []byte{2}}, "past 1"},
		{optional, Values{Rows: 2, Def: []byte{0, 1}}, "0 bytes are not 1 values"},
		{repeated, Values{Rows: 1, Def: []byte{0, 0}, Rep: []byte{0}}, "2 definition and 1 repetition"},
		{repeated, Values{Rows: 1, Def: []byte{0}, Rep: []byte{2}}, "repetition levels: one of 2, past 1"},
		{repeated, Values{Rows: 1, Def: []byte{0, 0}, Rep: []byte{0, 0}}, "1 rows, but 2"},
		{repeated, Values{Rows: 1, Def: []byte{0, 0}, Rep: []byte{1, 0}}, "1 rows, but 1"},
		{nested, Values{Rows: 1, Def: []byte{3}, Rep: []byte{0}}, "definition levels: one of 3, past 2"},
		{text, Values{Rows: 2, Data: four[:3]}, "3 bytes are not 2 byte arrays"},
		{text, Values{Rows: 1, Data: four}, "4 bytes where there are 0"},
		{text, Values{Rows: 1, Data: []byte{255, 255, 255, 255, 1}}, "4294967295 bytes"},
		{text, Values{Rows: 1, Data: make([]byte, 5)}, "1 bytes after 1"},
		{fixed, Values{Rows: 1, Data: four}, "4 bytes are not 1 values of 3"},
		{symbols, Values{Rows: 1, Data: four}, "symbol 4 of 1"},
		{symbols, Values{Rows: 1, Data: four[:2]}, "2 bytes are not"},
		{bits, Values{Rows: 3, Data: []byte{8}}, "are not 3 booleans"},
		{bits, Values{Rows: 9, Data: []byte{8}}, "are not 9 booleans"},
	}
	for _, test := range tests {
		e, err := NewEncoder(one(t, test.leaf), EncoderOptions{})
		if err != nil {
			t.Fatal(err)
		}
		_, _, err = e.Page(nil, 0, test.v)
		if err == nil || !strings.Contains(err.Error(), test.want) || !strings.HasPrefix(err.Error(), `parquet: column "v`) {
			t.Errorf("%+v: %v; want %q", test.v, err, test.want)
		}
	}
}
