package parquet

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"
)

func float64s(values ...float64) []byte {
	var b []byte
	for _, v := range values {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
	}
	return b
}

func float32s(values ...float64) []byte {
	var b []byte
	for _, v := range values {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(v)))
	}
	return b
}

func TestFloatBounds(t *testing.T) {
	nan, inf, minus := math.NaN(), math.Inf(1), math.Copysign(0, -1)
	tests := []struct {
		values   []float64
		min, max float64
		nans     int
		none     bool
	}{
		{values: []float64{1, 2}, min: 1, max: 2},
		{values: []float64{nan, 3, nan, -3}, min: -3, max: 3, nans: 2},
		{values: []float64{nan, nan}, nans: 2, none: true},
		{values: []float64{0}, min: minus, max: 0},
		{values: []float64{minus}, min: minus, max: 0},
		{values: []float64{minus, 5, nan}, min: minus, max: 5, nans: 1},
		{values: []float64{-5, minus}, min: -5, max: 0},
		{values: []float64{inf, -inf}, min: -inf, max: inf},
		{values: []float64{inf}, min: inf, max: inf},
		{values: []float64{-inf, nan}, min: -inf, max: -inf, nans: 1},
	}
	for _, test := range tests {
		for o, plain := range map[order]func(...float64) []byte{floats: float32s, doubles: float64s} {
			var m Meta
			m.setBounds(o, plain(test.values...), len(test.values))
			lo, hi := plain(test.min), plain(test.max)
			if test.none {
				lo, hi = nil, nil
			}
			if !bytes.Equal(m.Min, lo) || !bytes.Equal(m.Max, hi) || m.NaNs != test.nans || m.bounded() == test.none || m.MinExact == test.none {
				t.Errorf("%v: %x to %x, %d NaNs; want %x to %x, %d", test.values, m.Min, m.Max, m.NaNs, lo, hi, test.nans)
			}
		}
	}
}

func TestShortBounds(t *testing.T) {
	ff := strings.Repeat("\xff", 70)
	last := strings.Repeat("\U0010ffff", 20)
	tests := []struct {
		name, value string
		text        bool
		min, max    string
	}{
		{"short", "abc", true, "abc", "abc"},
		{"64 bytes", strings.Repeat("a", 64), true, strings.Repeat("a", 64), strings.Repeat("a", 64)},
		{"65 bytes", strings.Repeat("a", 65), true, strings.Repeat("a", 64), strings.Repeat("a", 63) + "b"},
		{"within a character", strings.Repeat("a", 63) + "éé", true, strings.Repeat("a", 63), strings.Repeat("a", 62) + "b"},
		{"before the surrogates", strings.Repeat("a", 61) + "\ud7ffx", true, strings.Repeat("a", 61) + "\ud7ff", strings.Repeat("a", 61) + "\ue000"},
		{"the last character", "a" + last, true, "a" + last[:60], "b"},
		{"the last characters only", last, true, last[:64], last},
		{"replacement characters", strings.Repeat("\ufffd", 30), true, strings.Repeat("\ufffd", 21), strings.Repeat("\ufffd", 20) + "\ufffe"},
		{"ends in 0xff", "a" + ff, false, "a" + ff[:63], "b"},
		{"0xff only", ff, false, ff[:64], ff},
		{"no text", strings.Repeat("\x80", 80), true, strings.Repeat("\x80", 60), strings.Repeat("\x80", 80)},
	}
	for _, test := range tests {
		lo, hi := shortMin([]byte(test.value), test.text), shortMax([]byte(test.value), test.text)
		if string(lo) != test.min || string(hi) != test.max {
			t.Errorf("%s: %q to %q, want %q to %q", test.name, lo, hi, test.min, test.max)
		}
	}
}

func TestShortBoundsHold(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 20000 {
		var text []rune
		for range 10 + r.IntN(30) {
			text = append(text, []rune{'a', 0x7f, 0x7ff, 0xd7ff, 0xffff, utf8.MaxRune, rune(r.IntN(0xd800))}[r.IntN(7)])
		}
		v := []byte(string(text))
		for _, isText := range []bool{true, false} {
			lo, hi := shortMin(v, isText), shortMax(v, isText)
			if bytes.Compare(lo, v) > 0 || bytes.Compare(hi, v) < 0 || isText && (!utf8.Valid(lo) || !utf8.Valid(hi)) {
				t.Fatalf("%q is not in %q to %q", v, lo, hi)
			}
		}
	}
}

func TestNoLongBounds(t *testing.T) {
	var m Meta
	x := extent{o: lexical}
	x.add(bytes.Repeat([]byte{0xff}, longBound+1))
	m.setExtent(&Node{Type: ByteArray}, &x)
	if m.bounded() || m.MinExact || m.MaxExact {
		t.Errorf("%d bytes", len(m.Max))
	}
}

func TestExtent(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, o := range []order{lexical, signedDigits} {
		for range 3000 {
			n := 1 + r.IntN(12)
			x := extent{o: o}
			var all [][]byte
			for range 1 + r.IntN(5) {
				v := make([]byte, n)
				if o == lexical {
					v = v[:r.IntN(n+1)]
				}
				for i := range v {
					v[i] = []byte{0, 1, 0x7f, 0x80, 0xff}[r.IntN(5)]
				}
				all = append(all, v)
				x.add(v)
			}
			for _, v := range all {
				if o.compare(v, x.min) < 0 || o.compare(v, x.max) > 0 {
					t.Fatalf("%x is not in %x to %x", v, x.min, x.max)
				}
			}
		}
	}
}

func TestCompare(t *testing.T) {
	le32 := func(n int32) []byte { return binary.LittleEndian.AppendUint32(nil, uint32(n)) }
	le64 := func(n int64) []byte { return binary.LittleEndian.AppendUint64(nil, uint64(n)) }
	ascending := map[order][][]byte{
		booleans:     {{0}, {1}},
		signed32:     {le32(math.MinInt32), le32(-1), le32(0), le32(255), le32(256), le32(math.MaxInt32)},
		signed64:     {le64(math.MinInt64), le64(-1), le64(0), le64(1 << 40), le64(math.MaxInt64)},
		floats:       {float32s(math.Inf(-1)), float32s(-1), float32s(0), float32s(0.5), float32s(math.Inf(1))},
		doubles:      {float64s(math.Inf(-1)), float64s(-1), float64s(0), float64s(0.5), float64s(math.Inf(1))},
		lexical:      {{}, {0}, {0, 0}, {1}, {0x7f}, {0x80}, {0xff}},
		signedDigits: {{0x80, 0}, {0x80, 1}, {0xff, 0xff}, {0, 0}, {0, 1}, {0x7f, 0xff}},
	}
	for o, values := range ascending {
		for i, a := range values {
			for j, b := range values {
				if got, want := o.compare(a, b), compareInts(i, j); got != want {
					t.Errorf("order %d: %x and %x compare as %d", o, a, b, got)
				}
			}
		}
	}
}

func compareInts(a, b int) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func TestBooleanBounds(t *testing.T) {
	for _, test := range []struct {
		data     []byte
		n        int
		min, max byte
	}{{[]byte{0}, 3, 0, 0}, {[]byte{7}, 3, 1, 1}, {[]byte{2}, 3, 0, 1}, {[]byte{255, 1}, 9, 1, 1}} {
		var m Meta
		m.setBounds(booleans, test.data, test.n)
		if got := fmt.Sprint(m.Min, m.Max); got != fmt.Sprint([]byte{test.min}, []byte{test.max}) {
			t.Errorf("%x: %s", test.data, got)
		}
	}
}
