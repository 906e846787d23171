package reducer

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"avro2trevni/internal/tuple"
)

// layout lays out and writes a group, which must not fail, and checks what it told.
func layout(t testing.TB, src Source, rng Range, o *Options) []byte {
	t.Helper()
	g, err := Layout(context.Background(), src, rng, o)
	if err != nil {
		t.Fatalf("Layout of %v: %v", rng, err)
	}
	defer g.Close()
	return written(t, g)
}

// written writes a group's file and checks its size.
func written(t testing.TB, g *Group) []byte {
	t.Helper()
	var file bytes.Buffer
	if err := g.Write(context.Background(), &file); err != nil {
		t.Fatalf("Write of %v: %v", g.rng, err)
	}
	if int64(file.Len()) != g.Size() {
		t.Fatalf("%v is %d bytes, Size told %d", g.rng, file.Len(), g.Size())
	}
	return file.Bytes()
}

// drawFormat draws a format of three columns and, if nothing is joined, a dictionary.
func drawFormat(t *rapid.T) *rawFormat {
	look := rapid.SampledFrom([]Look{LookNothing, LookNote, LookValue})
	join := rapid.SampledFrom([]int{0, 1, 30, 200, 1 << 20}).Draw(t, "join")
	looks := []Look{look.Draw(t, "a"), look.Draw(t, "b"), look.Draw(t, "c")}
	bySplit := rapid.Bool().Draw(t, "by split")
	if join > 0 {
		return newRaw(join, bySplit, looks...)
	}
	return newRaw(join, bySplit, append(looks, LookNothing)...).withDictionary(3)
}

// Of any format, any grouping gives the rows, once, in the file's order; resized on the way
// or not; by any number of workers and readers; in the memory that the layout says.
func TestAnyFormat(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		f := drawFormat(rt)
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 1))
		tb := drawRaw(r, f, rapid.IntRange(1, 4).Draw(rt, "splits"), 40, rapid.SampledFrom([]int{1, 5, 40}).Draw(rt, "run"))
		o := &Options{
			Format: f, StageMemory: rapid.SampledFrom([]int64{1, 1 << 20}).Draw(rt, "stage"),
			Workers: rapid.IntRange(1, 4).Draw(rt, "workers"), Readers: rapid.IntRange(0, 4).Draw(rt, "readers"),
		}
		edges := tb.edges()
		var after [][]byte
		for i := 0; i+1 < len(edges); {
			k := i + 1 + r.IntN(len(edges)-i-1)
			rng := tb.span(edges[i], edges[k])
			rng.After = after
			before := tb.span(edges[i], edges[i+r.IntN(len(edges)-i)])
			before.After = after
			after = tb.checkGroup(t, o, before, rng)
			i = k
		}
	})
}

// checkGroup lays a range out, directly and from another, and returns what the next group's
// After is.
func (tb *rawTable) checkGroup(t *testing.T, o *Options, before, rng Range) [][]byte {
	t.Helper()
	direct, err := Layout(context.Background(), tb.runs, rng, o)
	if err != nil {
		t.Fatalf("Layout of %v: %v", rng, err)
	}
	defer direct.Close()
	file := written(t, direct)
	tb.check(t, file, direct)
	g, err := Layout(context.Background(), tb.runs, before, o)
	if err != nil {
		t.Fatalf("Layout of %v: %v", before, err)
	}
	defer g.Close()
	if err := g.Resize(context.Background(), rng); err != nil {
		t.Fatalf("%v resized to %v: %v", before, rng, err)
	}
	if !bytes.Equal(written(t, g), file) {
		t.Fatalf("%v resized from %v is another file", rng, before)
	}
	if g.Memory() != direct.Memory() {
		t.Fatalf("%v resized takes %d bytes, laid out %d", rng, g.Memory(), direct.Memory())
	}
	for i, c := range tb.f.shape.Columns {
		looked := c.Look == LookValue && rng.Rows > 0
		if has := direct.Last() != nil && direct.Last()[i] != nil; has != (looked || c.Look == LookValue && rng.After != nil && rng.After[i] != nil) {
			t.Fatalf("%v: column %s has %q of its last rows", rng, c.Name, direct.Last())
		}
		if has := direct.First() != nil && direct.First()[i] != nil; has != looked {
			t.Fatalf("%v: column %s has %q of its first rows", rng, c.Name, direct.First())
		}
	}
	return direct.Last()
}

// A file in sections holds a dictionary before the blocks of each split, also where the split
// goes on in the next file, and one of no bytes too.
func TestDictionaries(t *testing.T) {
	f := newRaw(0, true, LookNothing, LookNote).withDictionary(0)
	rows := func(n int) (all [][]byte) {
		for i := range n {
			all = append(all, []byte{1, byte(i)})
		}
		return all
	}
	tb := &rawTable{f: f, runs: make(memory, 2)}
	for s, dictionary := range []string{"first", "", "third"} {
		tb.splits = append(tb.splits, [][][]byte{rows(6), rows(6)})
		tb.runs[0] = append(tb.runs[0], tuple.Tuple{
			Row: tuple.RowOf(s, 0), Rows: 6, Raw: uint32(len(dictionary)), Size: uint32(len(dictionary)), Value: []byte(dictionary),
		})
		for _, at := range []int64{0, 3} {
			tb.runs[1] = append(tb.runs[1], rawRun(1, tuple.RowOf(s, at), rows(6)[at:at+3]))
		}
	}
	blocks := func(from, to tuple.Row) (text string) {
		g, err := Layout(context.Background(), tb.runs, tb.span(from, to), &Options{Format: f})
		if err != nil {
			t.Fatal(err)
		}
		defer g.Close()
		file := written(t, g)
		tb.check(t, file, g)
		at := 3
		for c, k := range (&Laid{g}).Order() {
			n := int(g.cols[c].blocks[k].size)
			if c == 0 {
				text += fmt.Sprintf("%s:", file[at:at+n])
			} else {
				text += fmt.Sprintf("%d ", n)
			}
			at += n
		}
		return text
	}
	end := tuple.RowOf(3, 0)
	if got, want := blocks(0, end), "first:7 7 :7 7 third:7 7 "; got != want {
		t.Errorf("a whole file is %q, want %q", got, want)
	}
	for s, want := range [][2]string{{"first:7 ", "first:7 :7 7 third:7 7 "}, {"first:7 7 :7 ", ":7 third:7 7 "}, {"first:7 7 :7 7 third:7 ", "third:7 "}} {
		if got := [2]string{blocks(0, tuple.RowOf(s, 3)), blocks(tuple.RowOf(s, 3), end)}; got != want {
			t.Errorf("cut in split %d: %q, want %q", s, got, want)
		}
	}
}

// liar is a format that is wrong about the size of a file.
type liar struct{ *rawFormat }

func (l liar) Size(f *Laid) int64 { return l.rawFormat.Size(f) + 1 }

func TestSizeIsChecked(t *testing.T) {
	o, src, rng := small(t)
	g, err := Layout(context.Background(), src, rng, &Options{Format: liar{o.Format.(*rawFormat)}})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	if err := g.Write(context.Background(), &bytes.Buffer{}); err == nil {
		t.Error("a file of another size than was told is none")
	}
}

// memory returns the bytes that the group holds in memory: its index and what of
// its staged blocks is not in a file.
func (g *Group) memory() int64 {
	n := g.stage.memory()
	for i := range g.cols {
		c := &g.cols[i]
		n += blockBytes*int64(cap(c.blocks)) + refBytes*int64(cap(c.refs)) + int64(cap(c.notes.bytes)+8*cap(c.notes.ends))
	}
	return n
}

// memory returns the bytes that the stage holds in memory.
func (s *stage) memory() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.mem
}

func TestMemoryIsTheIndexAndTheStage(t *testing.T) {
	rows := make([][]byte, 1000)
	for i := range rows {
		rows[i] = append([]byte{60}, make([]byte, 60)...)
	}
	f := newRaw(64<<10, false, LookNothing, LookNothing, LookNothing, LookNothing)
	src := make(memory, 4)
	for c := range src {
		full, small := rawRun(uint32(c), 0, rows), rawRun(uint32(c), 0, rows[:200])
		for s := range 10 {
			for k := range 10 {
				x := full
				if k == 9 {
					x = small
				}
				x.Row = tuple.RowOf(s, int64(1000*k))
				src[c] = append(src[c], x)
			}
		}
	}
	o := &Options{Format: f, StageMemory: 64 << 10}
	g, err := Layout(context.Background(), src, Range{From: 500, To: tuple.RowOf(9, 500), Rows: 9 * 9200}, o)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	all, made := g.Blocks()
	if all < 4*90 || made < 8 || made > 20 {
		t.Errorf("%d blocks, %d of them made", all, made)
	}
	most := o.StageMemory + 2*maxChunk + 2*(all+4)*blockBytes + 4*made*refBytes
	if n := g.memory(); n < all*blockBytes || n > most {
		t.Errorf("%d bytes in memory for %d blocks; the most should be %d", n, all, most)
	}
}
