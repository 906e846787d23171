package trevni

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"

	"avro2trevni/internal/tuple"
	"avro2trevni/reducer"
	"avro2trevni/trevni"
	"avro2trevni/trevni/block"
)

// wide is a group of columns of two types. Each column has several runs in each split, of
// 64 KiB raw, with a cut in the middle; the last of a split is a small one.
type wide struct {
	o   *options
	src memory
	rng reducer.Range // but for half a run at both ends
	raw int64
}

const benchRows = 8192 // of 8 bytes: a full run

func newWide(tb testing.TB, columns, splits, runs int) *wide {
	w := &wide{o: &options{Codec: codec(tb, "snappy"), Checksum: trevni.ChecksumCRC32}}
	w.src = make(memory, columns)
	for i := range columns {
		c := trevni.Column{Name: fmt.Sprint("c", i), Type: trevni.Long}
		if i%2 == 1 {
			c = trevni.Column{Name: fmt.Sprint("c", i, "/long"), Type: trevni.Long, Array: true}
		}
		w.o.Columns = append(w.o.Columns, c)
		full, small := w.run(tb, i, benchRows), w.run(tb, i, benchRows/5)
		for s := range splits {
			row := tuple.RowOf(s, 0)
			for k := range runs {
				t := full
				if k == runs-1 {
					t = small
				}
				t.Row = row
				row = t.End()
				w.raw += int64(t.Raw)
				w.src[i] = append(w.src[i], t)
			}
		}
	}
	perSplit := int64(runs-1)*benchRows + benchRows/5
	w.rng = reducer.Range{From: benchRows / 2, To: tuple.RowOf(splits-1, benchRows/2), Rows: int64(splits-1) * perSplit}
	return w
}

// run returns a run of column i with the given number of rows.
func (w *wide) run(tb testing.TB, i, rows int) tuple.Tuple {
	r := rand.New(rand.NewPCG(uint64(i), 9))
	b, t := newBuilder(&w.o.Columns[i]), tuple.Tuple{Column: uint32(i), Rows: uint32(rows)}
	for n := range rows {
		if n == benchRows/2 {
			t.Note = Cuts(t.Note).Append(b.cut(n))
		}
		b.add(cell{lengths: []int{1}, values: [][]byte{block.AppendLong(nil, 1<<52+r.Int64N(1<<20))}})
	}
	raw := b.close()
	var err error
	if t.Value, err = encoder(w.o).Append(nil, raw); err != nil {
		tb.Fatal(err)
	}
	t.Values, t.Raw, t.Size = uint32(b.values), uint32(len(raw)), uint32(len(t.Value))
	return t
}

// shapes are narrow tables of long columns and wide ones of small runs.
var shapes = []struct{ columns, splits, runs int }{{16, 20, 15}, {400, 40, 1}}

func benchShapes(b *testing.B, f func(*testing.B, *wide)) {
	for _, s := range shapes {
		b.Run(fmt.Sprintf("columns=%d/splits=%d/runs=%d", s.columns, s.splits, s.runs), func(b *testing.B) {
			w := newWide(b, s.columns, s.splits, s.runs)
			if s.runs == 1 {
				w.rng.From, w.rng.To, w.rng.Rows = 0, tuple.RowOf(s.splits, 0), int64(s.splits)*(benchRows/5)
			}
			b.SetBytes(w.raw)
			b.ReportAllocs()
			f(b, w)
		})
	}
}

func BenchmarkLayout(b *testing.B) {
	benchShapes(b, func(b *testing.B, w *wide) {
		for b.Loop() {
			g, err := lay(context.Background(), w.src, w.rng, w.o)
			if err != nil {
				b.Fatal(err)
			}
			g.Close()
		}
	})
}

func BenchmarkResize(b *testing.B) {
	benchShapes(b, func(b *testing.B, w *wide) {
		g, err := lay(context.Background(), w.src, w.rng, w.o)
		if err != nil {
			b.Fatal(err)
		}
		defer g.Close()
		last := tuple.RowOf(w.rng.To.Split()-1, 0)
		shorter := reducer.Range{From: w.rng.From, To: last, Rows: w.rng.Rows - w.rng.To.InSplit()}
		if w.rng.To.InSplit() > 0 {
			shorter.To = tuple.RowOf(w.rng.To.Split(), 0)
		} else {
			shorter.Rows -= benchRows / 5
		}
		for n := 0; b.Loop(); n++ {
			if err := g.Resize(context.Background(), []reducer.Range{shorter, w.rng}[n%2]); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkWrite(b *testing.B) {
	benchShapes(b, func(b *testing.B, w *wide) {
		g, err := lay(context.Background(), w.src, w.rng, w.o)
		if err != nil {
			b.Fatal(err)
		}
		defer g.Close()
		for b.Loop() {
			if err := g.Write(context.Background(), io.Discard); err != nil {
				b.Fatal(err)
			}
		}
	})
}
