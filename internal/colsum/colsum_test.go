package colsum

import (
	"math/rand/v2"
	"testing"
)

// Digests of pieces combine to that of the whole, wherever it is cut.
func TestThen(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	data := make([]byte, 5000)
	for i := range data {
		data[i] = byte(r.Uint32())
	}
	var whole Sum
	whole.Write(data)
	for range 300 {
		var all Sum
		for rest := data; len(rest) > 0; {
			n := min(len(rest), r.IntN(1+r.IntN(3000)))
			var s Sum
			s.Write(rest[:n])
			all = all.Then(s)
			rest = rest[n:]
		}
		if all != whole {
			t.Fatalf("%+v, want %+v", all, whole)
		}
	}
	var a, b, c Sum
	a.Write(data[:100])
	b.Write(data[100:177])
	c.Write(data[177:900])
	if a.Then(b).Then(c) != a.Then(b.Then(c)) || a.Then(b) == b.Then(a) {
		t.Error("it depends on the grouping, or not on the order")
	}
}

func TestRepeat(t *testing.T) {
	for _, n := range []int64{0, 1, 2, 3, 7, 1000, 4097} {
		var one, all Sum
		one.Write([]byte{1, 2, 3, 4})
		for range n {
			all.Write([]byte{1, 2, 3, 4})
		}
		if got := one.Repeat(n); got != all {
			t.Errorf("%d times: %+v, want %+v", n, got, all)
		}
	}
}
