package trevni

import (
	"errors"
	"math"
	"testing"
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
				if bad, last, err := Ascending(append(append([]byte{}, a...), b...), typ, 2, nil); bad != want || string(last) != string(b) || err != nil {
					t.Errorf("%v: %v, %v: bad %d, last %x, %v; want %d", typ, v, w, bad, last, err, want)
				}
				if bad, _, err := Ascending(b, typ, 1, a); bad != want-1 || err != nil {
					t.Errorf("%v: %v behind %v: bad %d, %v; want %d", typ, w, v, bad, err, want-1)
				}
			}
		}
	}
}

func TestAscendingOfNoValues(t *testing.T) {
	prev := []byte{8}
	if bad, last, err := Ascending(nil, Long, 0, prev); bad != 0 || string(last) != "\x08" || err != nil {
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
		if _, _, err := Ascending([]byte(c.b), c.t, c.n, nil); !errors.Is(err, c.want) {
			t.Errorf("%q of %d %v: %v, want %v", c.b, c.n, c.t, err, c.want)
		}
	}
	if _, _, err := Ascending([]byte{2}, Long, 1, []byte{0x80}); !errors.Is(err, ErrCorrupt) {
		t.Errorf("a bad value before: %v", err)
	}
}
