package trevni

import (
	"math/rand/v2"
	"testing"

	"avro2trevni/internal/colsum"
	"avro2trevni/trevni"
	"avro2trevni/trevni/block"
)

func newSummer(c trevni.Column) *Summer { return NewSummers([]trevni.Column{c})[0] }

// encode makes blocks of an array column's lengths, with a value of a byte each.
func encode(lengths []int) []byte {
	var l block.Lengths
	l.Reset()
	var b []byte
	for _, n := range lengths {
		if !l.Repeat(n) {
			b = l.Add(b, n)
		}
		for range n {
			b = append(b, byte(n))
		}
	}
	return l.Close(b)
}

// An array column has one digest however it is cut, and others if a length or a value is
// another, or stands elsewhere.
func TestArrayCuts(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	lengths := make([]int, 9000)
	for i := range lengths {
		if i > 3000 { // a long run of zeros first
			lengths[i] = []int{0, 0, 0, 1, 1, 5}[r.IntN(6)]
		}
	}
	of := func(parts ...[]int) colsum.Column {
		s := newSummer(trevni.Column{Name: "a[]", Type: trevni.Fixed32, Array: true})
		s.of.Type = trevni.Int
		for _, p := range parts {
			if err := s.Add(encode(p), int64(len(p))); err != nil {
				t.Fatal(err)
			}
		}
		return s.Column
	}
	want := of(lengths)
	for range 100 {
		var parts [][]int
		var combined colsum.Column
		for rest := lengths; len(rest) > 0; {
			n := min(len(rest), 1+r.IntN(4000))
			parts = append(parts, rest[:n])
			combined = combined.Then(of(rest[:n]))
			rest = rest[n:]
		}
		if got := of(parts...); got != want || combined != want {
			t.Fatalf("cut in %d: %+v and %+v, want %+v", len(parts), got, combined, want)
		}
	}
	other := append([]int{1}, lengths[1:]...)
	if of(other) == want || of(lengths[1:], lengths[:1]) == want {
		t.Error("other lengths, and the same digest")
	}
}

// Packed booleans: the same at any cut, where their number is known; counted else.
func TestBooleans(t *testing.T) {
	pack := func(bits []int) (b []byte) {
		for i, v := range bits {
			if i&7 == 0 {
				b = append(b, 0)
			}
			b[len(b)-1] |= byte(v) << (i & 7)
		}
		return b
	}
	r := rand.New(rand.NewPCG(5, 6))
	all := make([]int, 5000)
	for i := range all {
		all[i] = r.IntN(2)
	}
	for _, parent := range []string{"", "p[]"} {
		of := func(parts ...[]int) colsum.Column {
			s := newSummer(trevni.Column{Name: "b", Type: trevni.Boolean, Parent: parent})
			for _, p := range parts {
				if err := s.Add(pack(p), int64(len(p))); err != nil {
					t.Fatal(err)
				}
			}
			return s.Column
		}
		want := of(all)
		for cut := 1; cut < len(all); cut += 13 {
			if got := of(all[:cut], all[cut:]); got != want {
				t.Fatalf("parent %q, cut at %d: %+v, want %+v", parent, cut, got, want)
			}
		}
		flipped := append([]int{1 - all[0]}, all[1:]...)
		if of(flipped) == want {
			t.Errorf("parent %q: another value, and the same digest", parent)
		}
	}
	if err := newSummer(trevni.Column{Type: trevni.Boolean}).Add([]byte{1}, 9); err == nil {
		t.Error("nine booleans in a byte")
	}
	if err := newSummer(trevni.Column{Type: trevni.Int, Array: true}).Add([]byte{4, 2}, 1); err == nil {
		t.Error("a length past the block's end")
	}
}
