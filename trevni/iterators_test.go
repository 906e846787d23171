package trevni

import (
	"errors"
	"testing"
)

// TestValuesOfEachType: each column is read into its own type, strings into two, and into
// no other.
func TestValuesOfEachType(t *testing.T) {
	for typ := range types {
		c := tableColumn{Column: Column{Name: "c", Type: typ}}
		for _, v := range samples[typ] {
			c.add(nil, []any{v})
		}
		n := len(samples[typ])
		r := open(t, (&table{n, []tableColumn{c}}).file(t, nil, 2), nil)
		got := map[string]int{
			"bool": count[bool](t, r), "int32": count[int32](t, r), "int64": count[int64](t, r),
			"uint32": count[uint32](t, r), "uint64": count[uint64](t, r), "float32": count[float32](t, r),
			"float64": count[float64](t, r), "[]byte": count[[]byte](t, r), "string": count[string](t, r),
		}
		want := map[Type][]string{
			Boolean: {"bool"}, Int: {"int32"}, Long: {"int64"}, Fixed32: {"uint32"}, Fixed64: {"uint64"},
			Float: {"float32"}, Double: {"float64"}, Bytes: {"[]byte"}, String: {"[]byte", "string"},
		}[typ]
		for _, name := range want {
			if got[name] != n {
				t.Errorf("%s into %s: %d values, want %d", typ, name, got[name], n)
			}
			delete(got, name)
		}
		for name, n := range got {
			if n != -1 {
				t.Errorf("%s into %s: %d values, want a refusal", typ, name, n)
			}
		}
	}
}

// count returns the values of the first column as T, -1 if it has no such.
func count[T any](t *testing.T, r *Reader) (n int) {
	t.Helper()
	c, err := r.Column(0)
	must(t, err)
	for _, err := range Values[T](c) {
		if errors.Is(err, ErrMisuse) {
			return -1
		}
		must(t, err)
		n++
	}
	return n
}
