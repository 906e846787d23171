package trevni

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"pgregory.net/rapid"

	"avro2trevni/internal/tuple"
	"avro2trevni/reducer"
)

// takes returns what the layout of a range takes.
func takes(t interface{ Fatalf(string, ...any) }, src reducer.Source, rng reducer.Range, o *options) int64 {
	g, err := lay(context.Background(), src, rng, o)
	if err != nil {
		t.Fatalf("Layout of %v: %v", rng, err)
	}
	defer g.Close()
	return g.Memory()
}

// A layout takes what it says, and no more than it may; one that is refused says what would
// do: at once, or once the blocks fit and first values are known.
func TestLayoutMemory(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		splits := rapid.IntRange(1, 5).Draw(t, "splits")
		tb, r := random(rapid.Uint64().Draw(t, "seed"), splits, 60)
		o := drawOptions(t, tb)
		o.Workers = rapid.IntRange(1, 3).Draw(t, "workers")
		src := tb.tuples(r, o, drawRun(t))
		to := tuple.RowOf(splits, 0)
		rng := tb.span(0, to)
		want, need := layout(t, src, rng, o), takes(t, src, rng, o)
		tries := 0
		for o.LayoutMemory = 1; ; tries++ {
			g, err := lay(context.Background(), src, rng, o)
			var more *reducer.LayoutError
			if errors.As(err, &more) && more.Need > o.LayoutMemory && more.Need <= need && tries < 2 {
				o.LayoutMemory = more.Need
				continue
			}
			if err != nil {
				t.Fatalf("try %d of %d bytes, where %d would do: %v", tries, o.LayoutMemory, need, err)
			}
			all, made := g.Blocks()
			if n := g.Memory(); n != need || n > o.LayoutMemory || n < all*(24+describedBytes)+8*made {
				t.Fatalf("%d blocks, %d of them made, take %d bytes of %d, and took %d", all, made, n, o.LayoutMemory, need)
			}
			if got := written(t, g, rng); !bytes.Equal(got, want) {
				t.Fatal("other bytes")
			}
			g.Close()
			return
		}
	})
}
