package parquet

import (
	"errors"
	"reflect"
	"testing"
)

func sampleMetas() []Meta {
	return []Meta{
		{Kind: DictionaryPage, Entries: 7, Raw: 90, Stored: 80},
		{Kind: DataPage, Encoding: RLEDictionary, Rows: 1, Entries: 1, Raw: 1, Stored: 1},
		{Kind: DataPageV2, Encoding: DeltaByteArray, Rows: 20000, Entries: 50000, Nulls: 49000, Raw: maxPage, Stored: maxPage,
			Min: []byte{}, Max: []byte("zz"), MinExact: true, NaNs: 3, Bytes: 1 << 40,
			DefHistogram: []int64{1, 2, 49997}, RepHistogram: []int64{20000, 30000}},
		{Kind: BloomFilter, Raw: 47, Stored: 47},
	}
}

func TestMetaTravels(t *testing.T) {
	var b []byte
	for _, m := range sampleMetas() {
		b = m.Append(b)
	}
	for _, want := range sampleMetas() {
		got, rest, err := ParseMeta(b)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%+v, %v; want %+v", got, err, want)
		}
		b = rest
	}
	if len(b) > 0 {
		t.Errorf("%d bytes left", len(b))
	}
}

func TestMetaCutShort(t *testing.T) {
	for _, m := range sampleMetas() {
		b := m.Append(nil)
		for n := range b {
			if got, _, err := ParseMeta(b[:n]); !errors.Is(err, ErrMeta) {
				t.Errorf("%d of %d bytes are %+v, %v", n, len(b), got, err)
			}
		}
	}
}

func FuzzParseMeta(f *testing.F) {
	for _, m := range sampleMetas() {
		f.Add(m.Append(nil))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		m, rest, err := ParseMeta(b)
		if err != nil {
			if !errors.Is(err, ErrMeta) {
				t.Fatal(err)
			}
			return
		}
		again, none, err := ParseMeta(m.Append(nil))
		if err != nil || len(none) > 0 || !reflect.DeepEqual(again, m) {
			t.Fatalf("%+v, %d left, %v; want %+v", again, len(none), err, m)
		}
		if len(rest) > len(b)-3 {
			t.Fatalf("%d of %d bytes left", len(rest), len(b))
		}
	})
}
