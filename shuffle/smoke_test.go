package shuffle

import (
	"fmt"
	"testing"

	"avro2trevni/internal/tuple"
)

func TestSmoke(t *testing.T) {
	s, err := New(&Options{Memory: 1 << 18, Writers: 1, TempDirs: []string{t.TempDir()}, FanIn: 3})
	if err != nil {
		t.Fatal(err)
	}
	w := s.NewWriter()
	for i := range 20000 {
		b, err := w.Buffer(100)
		if err != nil {
			t.Fatal(err)
		}
		b = fmt.Appendf(b, "value %d", i)
		tp := tuple.Tuple{Column: uint32(i % 7), Row: tuple.Row(i), Rows: 1, Values: 1, Raw: 9, Size: uint32(len(b)), Value: b}
		if i%3 == 0 {
			tp.Cuts = tp.Cuts.Append(tuple.Cut{Rows: uint32(i)})
		}
		if err := w.Add(tp); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Seal(); err != nil {
		t.Fatal(err)
	}
	t.Logf("%+v %+v", s.Counters(), s.plan)
	n := 0
	for c := range uint32(7) {
		sc := s.Scan(c, 0, 1<<60)
		for sc.Next() {
			v, err := sc.Value(nil)
			if err != nil {
				t.Fatal(err)
			}
			if want := fmt.Sprintf("value %d", sc.Tuple().Row); string(v) != want {
				t.Fatal(string(v), want)
			}
			n++
		}
		if err := sc.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if n != 20000 {
		t.Fatal(n)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}
