package record_test

import (
	"bytes"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/avro"

	"avro2trevni/internal/schema"
)

// spelled are the fixtures whose rows are not written the way that Avro's writers do
// by default: numbers longer than need be, arrays in blocks, or with their size.
var spelled = map[string]bool{
	"handmade-negative-counts":               true,
	"java-1.12.1-sized-blocks-arrays-snappy": true,
	"java-1.12.1-sized-blocks-events-snappy": true,
	"java-1.12.1-sized-blocks-maps-snappy":   true,
}

// Every fixture, converted, comes back: byte for byte if its rows are spelled as
// usual, else equal when decoded.
func TestFixtures(t *testing.T) {
	for _, path := range fixtures(t, "avro", ".avro") {
		t.Run(name(path), func(t *testing.T) {
			text, want, n := avroRows(t, path)
			for i, data := range [][]byte{convert(t, path, 1<<10), shred(t, text, want, n, 64<<10, "snappy")} {
				written := []string{asWritten(t, text), text}[i]
				r := reader(t, data, "")
				got, rows := all(t, r, 1<<20)
				if rows != n || r.NumRows() != n || r.Row() != n {
					t.Errorf("%d rows, then at %d of %d; want %d", rows, r.Row(), r.NumRows(), n)
				}
				if r.Schema() != written {
					t.Errorf("schema %q, want %q", r.Schema(), written)
				}
				if same := bytes.Equal(got, want); same == spelled[name(path)] {
					t.Errorf("rows the same: %v", same)
				}
				sameRows(t, text, got, want, n)
			}
		})
	}
}

// asWritten returns a schema's text as convert writes it.
func asWritten(t *testing.T, text string) string {
	t.Helper()
	s, err := schema.ParseText(text)
	if err != nil {
		t.Fatal(err)
	}
	if text, err = s.All().JSON(); err != nil {
		t.Fatal(err)
	}
	return text
}

// sameRows compares rows as decoded.
func sameRows(t *testing.T, text string, got, want []byte, n int64) {
	t.Helper()
	if bytes.Equal(got, want) {
		return
	}
	a, b := decode(t, text, got, n), decode(t, text, want, n)
	if d := cmp.Diff(b, a); d != "" {
		t.Errorf("rows differ (-want +got):\n%s", d)
	}
}

// decode decodes n rows, of which there must be no more.
func decode(t *testing.T, text string, rows []byte, n int64) []any {
	t.Helper()
	s, err := avro.Parse(text, avro.WithLaxNames(func(string) error { return nil }))
	if err != nil {
		t.Fatal(err)
	}
	var out []any
	for range n {
		var v any
		if rows, err = s.Decode(rows, &v); err != nil {
			t.Fatal(err)
		}
		out = append(out, v)
	}
	if len(rows) > 0 {
		t.Fatalf("%d bytes after the last row", len(rows))
	}
	return out
}

// Java's files of the fixtures come back as the fixtures.
func TestJavaFiles(t *testing.T) {
	for _, path := range fixtures(t, "trevni", ".trv") {
		t.Run(filepath.Base(filepath.Dir(path))+"/"+name(path), func(t *testing.T) {
			text, want, n := avroRows(t, filepath.Join(testdata, "avro", name(path)+".avro"))
			if name(path) == "handmade-empty-blocks" {
				want, n = nil, 0 // what Java found in it
			}
			got, rows := all(t, reader(t, read(t, path), ""), 7)
			if rows != n {
				t.Errorf("%d rows, want %d", rows, n)
			}
			sameRows(t, text, got, want, n)
		})
	}
}

// Rows may be taken any number at a time, from any row on.
func TestSeekRow(t *testing.T) {
	for _, path := range fixtures(t, "avro", ".avro") {
		t.Run(name(path), func(t *testing.T) {
			text, data, n := avroRows(t, path)
			r := reader(t, shred(t, text, data, n, 1<<10, "null"), "")
			var rows [][]byte
			for {
				row, n, err := r.ReadRows(nil, 1)
				if n == 0 {
					break
				}
				if err != nil {
					t.Fatal(err)
				}
				rows = append(rows, row)
			}
			step := max(1, len(rows)/40)
			for k := range len(rows)/step + 1 {
				at := min(k*7*step%(len(rows)+1), len(rows))
				if err := r.SeekRow(int64(at)); err != nil {
					t.Fatal(err)
				}
				end := min(at+5, len(rows))
				var got []byte
				for range end - at {
					var err error
					if got, _, err = r.ReadRows(got, 1); err != nil {
						t.Fatalf("row after %d: %v", at, err)
					}
				}
				if want := bytes.Join(rows[at:end], nil); !bytes.Equal(got, want) {
					t.Fatalf("rows %d to %d are\n%x, want\n%x", at, end, got, want)
				}
			}
		})
	}
}
