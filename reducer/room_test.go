package reducer

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"avro2trevni/internal/tuple"
)

// takes returns what the layout of a range takes.
func takes(t interface{ Fatalf(string, ...any) }, src Source, rng Range, o *Options) int64 {
	g, err := Layout(context.Background(), src, rng, o)
	if err != nil {
		t.Fatalf("Layout of %v: %v", rng, err)
	}
	defer g.Close()
	return g.Memory()
}

// A layout takes what it says, and no more than it may; one that is refused says what would
// do: at once, or once the blocks fit and notes are known.
func TestLayoutMemory(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		splits := rapid.IntRange(1, 5).Draw(rt, "splits")
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 1))
		tb := drawRaw(r, drawFormat(rt), splits, 60, rapid.SampledFrom([]int{1, 5, 40}).Draw(rt, "run"))
		o := &Options{Format: tb.f, Workers: rapid.IntRange(1, 3).Draw(rt, "workers")}
		rng := tb.span(0, tuple.RowOf(splits, 0))
		want, need := layout(t, tb.runs, rng, o), takes(t, tb.runs, rng, o)
		tries := 0
		for o.LayoutMemory = 1; ; tries++ {
			g, err := Layout(context.Background(), tb.runs, rng, o)
			var more *LayoutError
			if errors.As(err, &more) && more.Need > o.LayoutMemory && more.Need <= need && tries < 2 {
				o.LayoutMemory = more.Need
				continue
			}
			if err != nil {
				t.Fatalf("try %d of %d bytes, where %d would do: %v", tries, o.LayoutMemory, need, err)
			}
			all, made := g.Blocks()
			if n := g.Memory(); n != need || n > o.LayoutMemory || n < all*(blockBytes+tb.f.shape.WriterMemory)+made*refBytes {
				t.Fatalf("%d blocks, %d of them made, take %d bytes of %d, and took %d", all, made, n, o.LayoutMemory, need)
			}
			if got := written(t, g); !bytes.Equal(got, want) {
				t.Fatal("other bytes")
			}
			g.Close()
			return
		}
	})
}
