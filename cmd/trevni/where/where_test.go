package where

import (
	"encoding/binary"
	"errors"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"avro2trevni/cmd/trevni/colfile"
	"avro2trevni/internal/schema"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]Clause{
		"a=1":                {"a", Equal, "1"},
		" a.b  ==  x y ":     {"a.b", Equal, "x y"},
		"a!=1":               {"a", NotEqual, "1"},
		"a <> 1":             {"a", NotEqual, "1"},
		"a<1":                {"a", Less, "1"},
		"a <=1":              {"a", AtMost, "1"},
		"a> 1":               {"a", Greater, "1"},
		"a >= -1.5":          {"a", AtLeast, "-1.5"},
		"a=":                 {"a", Equal, ""},
		"a=b=c":              {"a", Equal, "b=c"},
		"a = ' b '":          {"a", Equal, " b "},
		"a = 'it''s'":        {"a", Equal, "it's"},
		`a = "say ""x"""`:    {"a", Equal, `say "x"`},
		"a = 'null'":         {"a", Equal, "null"},
		"a = null":           {"a", IsNull, ""},
		"a != NULL":          {"a", NotNull, ""},
		"a is null":          {"a", IsNull, ""},
		" a.b IS  Not Null ": {"a.b", NotNull, ""},
		"a = x is null":      {"a", Equal, "x is null"},
	} {
		if got, err := Parse(text); err != nil || got != want {
			t.Errorf("%s: %+v, %v; want %+v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "a", "= 1", " is null", "a ! b", "a is", "a = 'b", "a = 'b'c'", `a = "b`, "a < null", "a like b"} {
		if got, err := Parse(text); err == nil {
			t.Errorf("%s is %+v", text, got)
		}
	}
}

// row is a value of each kind.
const row = `{"type":"record","name":"R","fields":[{"name":"d","type":"double"},{"name":"s","type":["null","string"]},
	{"name":"l","type":{"type":"array","items":["null","long"]}},{"name":"m","type":{"type":"map","values":"boolean"}},
	{"name":"n","type":{"type":"array","items":"null"}},{"name":"r","type":["null",{"type":"record","name":"I","fields":[{"name":"x","type":"int"}]}]}]}`

// encoded returns a row: a double, no string or one, longs or nulls, one boolean in the map, so
// many nulls, and no record or one of x.
func encoded(d float64, s *string, longs []any, on byte, nulls int64, x []int64) []byte {
	b := binary.LittleEndian.AppendUint64(nil, math.Float64bits(d))
	if s == nil {
		b = append(b, 0)
	} else {
		b = append(binary.AppendVarint(append(b, 2), int64(len(*s))), *s...)
	}
	for _, l := range longs {
		b = append(b, 2) // a block of one
		if l == nil {
			b = append(b, 0)
			continue
		}
		b = binary.AppendVarint(append(b, 2), l.(int64))
	}
	b = append(b, 0, 2, 2, 'k', on, 0)
	if nulls > 0 {
		b = binary.AppendVarint(b, nulls)
	}
	if b = append(b, 0); len(x) == 0 {
		return append(b, 0)
	}
	return binary.AppendVarint(append(b, 2), x[0])
}

func TestMatch(t *testing.T) {
	s, err := schema.Parse(row)
	if err != nil {
		t.Fatal(err)
	}
	text := "b"
	full := encoded(math.NaN(), &text, []any{int64(7), nil, int64(9)}, 1, 1<<60, []int64{5})
	bare := encoded(math.Copysign(0, -1), nil, nil, 0, 0, nil)
	for clause, want := range map[string][2]bool{
		"d = NaN": {true, false}, "d > 1e308": {true, false}, "d = 0": {false, true}, "d >= 0": {true, true}, "d < 0": {false, false}, "d != 0": {true, false},
		"s = b": {true, false}, "s != b": {false, false}, "s < c": {true, false}, "s is null": {false, true}, "s is not null": {true, false},
		"l = 9": {true, false}, "l > 9": {false, false}, "l != 9": {true, false}, "l is null": {false, false}, "l is not null": {true, true},
		"m = true": {true, false}, "m = false": {false, true}, "m < true": {false, true},
		"n is not null": {true, true},
		"r.x = 5":       {true, false}, "r.x >= 5.5": {false, false}, "r is null": {false, true}, "r is not null": {true, false}, "r.x is not null": {true, false},
		"r.x is null": {false, false},
	} {
		c, err := Parse(clause)
		if err != nil {
			t.Fatal(err)
		}
		f, err := New(s, []Clause{c})
		if err != nil {
			t.Fatal(err)
		}
		for i, data := range [][]byte{full, bare} {
			rest, ok, err := f.Match(append(data, "rest"...))
			if err != nil || ok != want[i] || string(rest) != "rest" {
				t.Errorf("%s: row %d: %v, %q left, %v; want %v", clause, i, ok, rest, err, want[i])
			}
		}
	}
	f, err := New(s, []Clause{{"d", Equal, "1"}})
	if err != nil {
		t.Fatal(err)
	}
	for n := range full {
		if _, _, err := f.Match(full[:n]); !errors.Is(err, ErrRow) {
			t.Fatalf("%d of %d bytes: error %v", n, len(full), err)
		}
	}
}

func TestBounds(t *testing.T) {
	s, err := schema.Parse(row)
	if err != nil {
		t.Fatal(err)
	}
	for clause, want := range map[string][]colfile.Bounds{
		"d = 1": {{Path: "d", Low: 1.0, High: 1.0}}, "d < 1": {{Path: "d", High: 1.0}}, "d >= 1": {{Path: "d", Low: 1.0}},
		"s = b": {{Path: "s", Low: []byte("b"), High: []byte("b")}}, "r.x > 1": {{Path: "r.x", Low: int64(1)}},
		"d != 1": nil, "l = 1": nil, "m = true": nil, "d is not null": nil, "s is null": nil,
	} {
		c, err := Parse(clause)
		if err != nil {
			t.Fatal(err)
		}
		f, err := New(s, []Clause{c})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, f.Bounds()); diff != "" {
			t.Errorf("%s: %s", clause, diff)
		}
	}
}

// The values of a union of several types are not those of one column.
func TestBoundsOfUnions(t *testing.T) {
	s, err := schema.Parse(`{"type":"record","name":"R","fields":[{"name":"u","type":["null","long","string"]},{"name":"v","type":["long"]}]}`)
	if err != nil {
		t.Fatal(err)
	}
	f, err := New(s, []Clause{{"u", Equal, "1"}, {"u/long", Equal, "1"}, {"v", Equal, "1"}})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]colfile.Bounds{{Path: "v", Low: int64(1), High: int64(1)}}, f.Bounds()); diff != "" {
		t.Error(diff)
	}
}

// A type that contains itself is no trap.
func TestRecursive(t *testing.T) {
	s, err := schema.Parse(`{"type":"record","name":"T","fields":[{"name":"v","type":"int"},{"name":"t","type":["null","T"]}]}`)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := New(s, []Clause{{"t.v", Equal, "1"}}); !errors.Is(err, errRecursive) {
		t.Errorf("error %v", err)
	}
	if paths := Fields(s); len(paths) == 0 || len(paths) > mostPaths {
		t.Errorf("%d paths", len(paths))
	}
}
