package trevni

import (
	"bytes"
	"errors"
	"math"
	"testing"

	"avro2trevni/trevni/block"
)

// ascending are values of each type that has an order, the least first.
var ascending = map[Type][]any{
	Int:     {int32(math.MinInt32), int32(-65), int32(-1), int32(0), int32(1), int32(64), int32(math.MaxInt32)},
	Long:    {int64(math.MinInt64), int64(-1), int64(0), int64(300), int64(math.MaxInt64)},
	Fixed32: {uint32(0), uint32(1), uint32(1 << 31), uint32(math.MaxUint32)},
	Fixed64: {uint64(0), uint64(256), uint64(1 << 63)},
	Float:   {float32(math.Inf(-1)), float32(-1), float32(math.Copysign(0, -1)), float32(0), float32(1e-40), float32(math.Inf(1)), float32(math.NaN())},
	Double:  {math.Inf(-1), -2.5, math.Copysign(0, -1), 0.0, 5e-324, math.Inf(1), math.NaN()},
	String:  {"", "a", "a\x00", "ab", "b", "\u00e9", "\uffff", "\U0001f600"},
	Bytes:   {[]byte{}, []byte{0}, []byte{0, 0}, []byte{127}, []byte{128}, []byte{255}, []byte{255, 0}},
}

func TestAscending(t *testing.T) {
	for typ, values := range ascending {
		for i, v := range values {
			a := appendValue(nil, v)
			for k, w := range values {
				b := appendValue(nil, w)
				want := 2
				if k < i {
					want = 1
				}
				if bad, last, err := block.CheckSorted(append(append([]byte{}, a...), b...), typ, 2, nil); bad != want || string(last) != string(b) || err != nil {
					t.Errorf("%v: %v, %v: bad %d, last %x, %v; want %d", typ, v, w, bad, last, err, want)
				}
				if bad, _, err := block.CheckSorted(b, typ, 1, a); bad != want-1 || err != nil {
					t.Errorf("%v: %v after %v: bad %d, %v; want %d", typ, w, v, bad, err, want-1)
				}
			}
		}
	}
}

// Every value of each type is found where it first stands, wherever blocks end; so is
// what follows one that is not there.
func TestSeekValueOfEachType(t *testing.T) {
	for typ, values := range ascending {
		for missing := range values {
			for size := 1; size < 8; size++ {
				file, first := sorted(t, typ, values, missing, size)
				r := open(t, file, nil)
				for i, v := range values {
					c := columnsOf(t, r)[0]
					if row, err := c.SeekValue(v); err != nil || row != first[i] {
						t.Errorf("%v without %v, blocks of %d: %v is at row %d, %v; want %d", typ, values[missing], size, v, row, err, first[i])
					}
				}
			}
		}
	}
}

// sorted makes a file of a sorted column, of three rows a value but for one that is
// missing, in blocks of so many rows. It returns the row where each begins.
func sorted(t *testing.T, typ Type, values []any, missing, size int) (file []byte, first []uint64) {
	t.Helper()
	var out bytes.Buffer
	b, err := NewWriter(&out, &Header{Columns: []Column{{Name: "c", Type: typ, FirstValues: true}}}, nil)
	must(t, err)
	c, rows := b.Column(0), 0
	for i, v := range values {
		first = append(first, uint64(rows))
		if i == missing {
			continue
		}
		for range 3 {
			if rows%size == 0 {
				must(t, c.EndBlock())
			}
			must(t, errors.Join(c.Row(), give(c, v)))
			rows++
		}
	}
	must(t, b.Close())
	return out.Bytes(), first
}

func TestAscendingOfNoValues(t *testing.T) {
	prev := []byte{8}
	if bad, last, err := block.CheckSorted(nil, Long, 0, prev); bad != 0 || string(last) != "\x08" || err != nil {
		t.Errorf("of nothing: %d, %x, %v", bad, last, err)
	}
	for _, c := range []struct {
		b    string
		t    Type
		n    int
		want error
	}{
		{"\x02", Long, 2, ErrCorrupt}, {"", Long, 1, ErrCorrupt}, {"\x02\x04", Long, 1, ErrCorrupt},
		{"\x80", Int, 1, ErrCorrupt}, {"\x04a", String, 1, ErrCorrupt}, {"abc", Float, 1, ErrCorrupt},
		{"abcdefg", Fixed64, 1, ErrCorrupt}, {"\x01", Boolean, 1, ErrMisuse}, {"", Null, 1, ErrMisuse},
	} {
		if _, _, err := block.CheckSorted([]byte(c.b), c.t, c.n, nil); !errors.Is(err, c.want) {
			t.Errorf("%q of %d %v: %v, want %v", c.b, c.n, c.t, err, c.want)
		}
	}
	if _, _, err := block.CheckSorted([]byte{2}, Long, 1, []byte{0x80}); !errors.Is(err, ErrCorrupt) {
		t.Errorf("a bad value before: %v", err)
	}
}
