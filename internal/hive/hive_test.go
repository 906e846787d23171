package hive

import (
	"strings"
	"testing"
)

func TestIsPartition(t *testing.T) {
	for _, name := range []string{
		"a=b", "_a=b", "__a=_b", "_=_", "$x=1", "a b=c d", "a.b=c", "%2Ea=b", "ü=€😀", "a=.b", "a=b=c",
		"a=" + NoValue, strings.Repeat("x", 200) + "=y",
	} {
		if !IsPartition(name) {
			t.Errorf("%q is not taken for a partition's folder", name)
		}
	}
	for _, name := range []string{"", "a", "a=", "=b", "=", ".a=b", "..=b", "../a=b", "a=b/c", "a=\xff", "_temporary", "_SUCCESS"} {
		if IsPartition(name) {
			t.Errorf("%q is taken for a partition's folder", name)
		}
	}
}

// Whatever a field's name and a value are, what they become is a partition's folder, and
// two that differ become two.
func FuzzEscape(f *testing.F) {
	for _, pair := range [][2]string{{"_id", "a"}, {".a", ".."}, {"a=b", "c=d"}, {"a/b", "%2F"}, {"\xff", "\x00"}, {"é ", " "}} {
		f.Add(pair[0], pair[1])
	}
	f.Fuzz(func(t *testing.T, field, value string) {
		if field == "" || value == "" {
			return
		}
		a := string(Escape(nil, []byte(field))) + "=" + string(Escape(nil, []byte(value)))
		if !IsPartition(a) || strings.Count(a, "=") != 1 {
			t.Errorf("%q, %q become %q, which is no partition's folder", field, value, a)
		}
		if b := string(EscapeBytes(nil, []byte(field))) + "=" + string(EscapeBytes(nil, []byte(value))); !IsPartition(b) {
			t.Errorf("%q, %q become %q, which is no partition's folder", field, value, b)
		}
	})
}
