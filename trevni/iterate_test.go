package trevni

import (
	"errors"
	"reflect"
	"slices"
	"sync"
	"testing"

	"avro2trevni/trevni/block"
)

func TestValues(t *testing.T) {
	tb := typed(String, 600)
	r := open(t, tb.file(t, nil, 70), nil)
	c, err := r.Column(0)
	must(t, err)
	var got []any
	for v, err := range Values[[]byte](c) {
		must(t, err)
		got = append(got, string(v))
	}
	if want := tb.columns[0].flat().values; !reflect.DeepEqual(got, want) {
		t.Errorf("values %v, want %v", got, want)
	}
	must(t, c.SeekRow(590))
	for range Values[[]byte](c) {
		break
	}
	array, err := r.Column(2)
	must(t, err)
	row := 0
	for vs, err := range Sequences[[]byte](array) {
		must(t, err)
		got := []any{}
		for _, v := range vs {
			got = append(got, string(v))
		}
		if want := tb.columns[2].values[row]; !slices.Equal(got, want) {
			t.Fatalf("row %d: %v, want %v", row, got, want)
		}
		row++
	}
	if row != 600 {
		t.Errorf("%d rows", row)
	}
}

// TestValuesErrors: an error comes once, and last.
func TestValuesErrors(t *testing.T) {
	r := open(t, packed("null", block.AppendLong(nil, block.MaxRaw), 5), nil)
	c, err := r.Column(0)
	must(t, err)
	n := 0
	for _, err := range Sequences[[]byte](c) {
		if n++; !errors.Is(err, ErrCorrupt) {
			t.Errorf("error is %v, want ErrCorrupt", err)
		}
	}
	for _, err := range Values[int64](c) {
		if n++; err == nil {
			t.Error("a value of another type")
		}
	}
	if n != 2 {
		t.Errorf("%d errors", n)
	}
}

// TestManyColumnReaders reads and seeks with many readers of one file at once.
func TestManyColumnReaders(t *testing.T) {
	tb := typed(Long, 120)
	r := open(t, tb.file(t, Metadata{{keyCodec, []byte("snappy")}, {keyChecksum, []byte("crc32")}}, 9), nil)
	var wg sync.WaitGroup
	for g := range 6 {
		wg.Go(func() {
			for from := g; from < 120; from += 7 {
				for i := range tb.columns {
					c, err := r.Column(i)
					if err == nil {
						err = c.SeekRow(uint64(from))
					}
					if err != nil {
						t.Error(err)
						return
					}
					if got, want := byValues(c, 50, 1<<20), tb.columns[i].slice(from, 120); !reflect.DeepEqual(got.values, want.values) {
						t.Errorf("column %d from row %d: %v, want %v", i, from, got, want)
					}
				}
			}
		})
	}
	wg.Wait()
}

// TestSeekValue looks for every value of sorted columns, and for those between.
func TestSeekValue(t *testing.T) {
	c := tableColumn{Column: Column{Name: "c", Type: Long, FirstValues: true}}
	s := tableColumn{Column: Column{Name: "s", Type: String, FirstValues: true}}
	b := tableColumn{Column: Column{Name: "b", Type: Boolean, FirstValues: true}}
	var want []int64
	for i := range 100 {
		v := int64(i/7*2 - 9)
		want = append(want, v)
		c.add(nil, []any{v})
		s.add(nil, []any{string([]byte{byte(v + 20)})})
		b.add(nil, []any{i >= 37})
	}
	plain := typed(Long, 100).columns[0]
	for step := 1; step < 102; step += 3 {
		r := open(t, (&table{100, []tableColumn{c, s, b, plain}}).file(t, nil, step), nil)
		src := &counting{ReaderAt: r.src}
		r.src = src
		cs := columnsOf(t, r)
		for v := int64(-12); v < 25; v++ {
			first, _ := slices.BinarySearch(want, v)
			src.reads = 0
			row, err := cs[0].SeekValue(v)
			if err != nil || row != uint64(first) || src.reads > 2 {
				t.Fatalf("blocks of %d, %d: row %d, %v, %d reads; want %d", step, v, row, err, src.reads, first)
			}
			if got := byValues(cs[0], 9, 1000); len(got.values) != 100-first {
				t.Fatalf("%d values after it", len(got.values))
			}
			if row, err := cs[1].SeekValue(string([]byte{byte(v + 20)})); err != nil || row != uint64(first) {
				t.Fatalf("blocks of %d, string %d: row %d, %v; want %d", step, v, row, err, first)
			}
		}
		if row, err := cs[2].SeekValue(true); err != nil || row != 37 {
			t.Fatalf("blocks of %d, true: row %d, %v", step, row, err)
		}
		for _, bad := range []any{"x", 7, nil, uint64(1)} {
			if _, err := cs[0].SeekValue(bad); !errors.Is(err, ErrMisuse) {
				t.Errorf("%T: error is %v, want ErrMisuse", bad, err)
			}
		}
		if _, err := cs[3].SeekValue(int64(1)); !errors.Is(err, ErrMisuse) {
			t.Errorf("no first values: error is %v, want ErrMisuse", err)
		}
	}
}
