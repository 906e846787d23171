package show

import (
	"strings"
	"testing"
)

func TestGrid(t *testing.T) {
	lines := func(width int, pages ...[][]string) string {
		g := NewGrid("", "<name", "size", "<note")
		g.Width = width
		var b strings.Builder
		for _, page := range pages {
			for _, row := range page {
				g.Add(row...)
			}
			if err := g.Write(&b); err != nil {
				t.Fatal(err)
			}
		}
		return b.String()
	}
	rows := [][]string{{"short", "1", ""}, {"a-name-that-is-quite-long", "12", "n"}}
	for _, c := range []struct {
		name, got, want string
	}{
		{"any width", lines(0, rows), "name                       size  note\nshort                         1\na-name-that-is-quite-long    12  n\n"},
		{"30", lines(30, rows), "name                size  note\nshort                  1\na-name-that-is-qu…    12  n\n"},
		{"as narrow as names get", lines(10, rows), "name     …\nshort    …\na-name-th…\n"},
		{"pages", lines(0, rows[:1], rows[1:]), "name   size  note\nshort     1\na-name-that-is-quite-long    12  n\n"},
		{"none", lines(0, nil), "name  size  note\n"},
	} {
		if c.got != c.want {
			t.Errorf("%s:\n%swant\n%s", c.name, c.got, c.want)
		}
	}
}

func TestBar(t *testing.T) {
	for share, want := range map[float64]string{0: "", 1e-6: "▏", 0.1: "▊", 0.125: "█", 0.5: "████", 0.99: "███████▉", 1: "████████"} {
		if got := Bar(share, 8); got != want {
			t.Errorf("%v: %q, want %q", share, got, want)
		}
	}
}

func TestShort(t *testing.T) {
	for in, want := range map[string]string{
		"a\nb\x1b[1m": "a b [1m", "\xff\x00": "0xff00", strings.Repeat("é", 101): strings.Repeat("é", 100) + "... (202 bytes)",
	} {
		if got := Short([]byte(in)); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
	if got := Line([]byte("a\xff\t")); got != "a\ufffd " {
		t.Errorf("%q", got)
	}
}
