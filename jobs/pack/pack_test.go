package pack

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"avro2trevni/internal/tuple"
	"avro2trevni/mapper"
	"avro2trevni/reducer"
)

// model is a job whose exact sizes are known: each row has its bytes, and the mappers'
// estimates are off by a factor that drifts, and by chance at each row.
type model struct {
	fixed   int64
	results []*mapper.Result
	exact   []int64 // of each row of the job
	starts  []int   // the job's row that each split begins with
}

// newModel returns a model of splits of up to rows rows, of mean bytes on average,
// estimated at factor times what they take, more or less by noise (0 to 1) of that.
func newModel(r *rand.Rand, splits, rows int, mean, mark int64, factor, noise float64) *model {
	m := &model{fixed: r.Int64N(100)}
	for range splits {
		m.starts = append(m.starts, len(m.exact))
		res := &mapper.Result{Rows: int64(r.IntN(rows + 1))}
		since, drift := int64(0), 0.98+0.04*r.Float64()
		for n := range res.Rows {
			size := r.Int64N(2*mean + 1)
			m.exact = append(m.exact, size)
			res.Bytes += int64(float64(size) * factor * drift * (1 - noise + 2*noise*r.Float64()))
			if since += size; since >= mark && n+1 < res.Rows {
				res.Marks, since = append(res.Marks, mapper.Mark{Row: n + 1, Bytes: res.Bytes}), 0
			}
		}
		m.results = append(m.results, res)
	}
	return m
}

// row returns the job's row that r stands for.
func (m *model) row(r tuple.Row) int {
	if r.Split() == len(m.starts) {
		return len(m.exact)
	}
	return m.starts[r.Split()] + int(r.InSplit())
}

// size returns the exact bytes of a range's file. It is not quite the sum of the
// rows': the edges cost something.
func (m *model) size(rng reducer.Range) int64 {
	n := m.fixed
	for _, size := range m.exact[m.row(rng.From):m.row(rng.To)] {
		n += size
	}
	return n + int64(rng.From^rng.To)%7
}

// packing is what became of a model.
type packing struct {
	Groups  []reducer.Range
	Sizes   []int64
	Layouts int
	Over    int
}

// pack runs the packer over the model, the splits done in the given order.
func (m *model) pack(t interface{ Fatalf(string, ...any) }, limit int64, order []int) packing {
	p, err := NewPart(0, len(m.results), limit, m.fixed)
	if err != nil {
		t.Fatalf("newPacker: %v", err)
	}
	var out packing
	for {
		for rng, ok := p.Next(); ok; rng, ok = p.Next() {
			if size := m.size(rng); p.Laid(size) {
				out.Groups, out.Sizes = append(out.Groups, rng), append(out.Sizes, size)
			}
			if p.Layouts > 100*(len(m.exact)+1) {
				t.Fatalf("the packer does not end")
			}
		}
		if len(order) == 0 {
			break
		}
		if err := p.Done(order[0], m.results[order[0]]); err != nil {
			t.Fatalf("split %d: %v", order[0], err)
		}
		order = order[1:]
	}
	if !p.Ended() {
		t.Fatalf("the packer waits for more than all splits")
	}
	out.Layouts, out.Over = p.Layouts, p.Over
	return out
}

// inOrder returns 0, 1, 2, ...
func inOrder(n int) []int {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	return order
}

// check checks that the groups are the rows in order, each once, and as large as was
// promised; full ones where estimates are in proportion.
func (m *model) check(t interface{ Fatalf(string, ...any) }, got packing, limit int64, full bool) {
	at, over := 0, 0
	for i, g := range got.Groups {
		if from, to := m.row(g.From), m.row(g.To); from != at || int64(to-from) != g.Rows {
			t.Fatalf("group %d, %v of %d rows, is rows %d to %d; %d were packed", i, g, g.Rows, from, to, at)
		}
		at += int(g.Rows)
		switch {
		case limit > 0 && got.Sizes[i] > limit:
			over++
			if m.marksIn(g) > 0 {
				t.Fatalf("group %d is %d bytes, the limit %d, and it could be split", i, got.Sizes[i], limit)
			}
		case full && limit > 0 && got.Sizes[i] < limit-limit/20 && i+1 < len(got.Groups):
			if next := m.size(m.longer(g)); next <= limit-limit/4 {
				t.Fatalf("group %d is %d bytes of %d, and could be %d", i, got.Sizes[i], limit, next)
			}
		}
	}
	if at != len(m.exact) || over != got.Over {
		t.Fatalf("%d of %d rows packed, %d files over the limit, %d counted", at, len(m.exact), over, got.Over)
	}
}

// points returns all rows at which a group may end.
func (m *model) points() (all []tuple.Row) {
	for s, r := range m.results {
		for _, k := range r.Marks {
			all = append(all, tuple.RowOf(s, k.Row))
		}
		if r.Rows > 0 {
			all = append(all, tuple.RowOf(s+1, 0))
		}
	}
	return all
}

// marksIn returns the number of points within a range.
func (m *model) marksIn(g reducer.Range) (n int) {
	for _, at := range m.points() {
		if at > g.From && at < g.To {
			n++
		}
	}
	return n
}

// longer returns the range up to the next point.
func (m *model) longer(g reducer.Range) reducer.Range {
	points := m.points()
	g.To = points[slices.Index(points, g.To)+1]
	return g
}

func TestPackerPacksAnyRowsInAnyOrderOfSplits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 2))
		noise := rapid.SampledFrom([]float64{0, 1}).Draw(t, "noise")
		m := newModel(r, rapid.IntRange(0, 12).Draw(t, "splits"), rapid.SampledFrom([]int{0, 1, 40, 300}).Draw(t, "rows"),
			rapid.SampledFrom([]int64{0, 3, 50}).Draw(t, "bytes"), rapid.SampledFrom([]int64{1, 100, 1000}).Draw(t, "mark"),
			rapid.SampledFrom([]float64{0, 0.1, 0.9, 1, 1.1, 10}).Draw(t, "factor"), noise)
		limit := rapid.SampledFrom([]int64{0, 110, 300, 1000, 10000, 1 << 40}).Draw(t, "limit")
		want := m.pack(t, limit, inOrder(len(m.results)))
		m.check(t, want, limit, noise == 0)
		for range 3 {
			got := m.pack(t, limit, r.Perm(len(m.results)))
			if diff := cmp.Diff(want.Groups, got.Groups); diff != "" {
				t.Fatalf("another order of splits gave other groups (-in order +other):\n%s", diff)
			}
		}
	})
}

func TestPackerFillsFilesInFewLayouts(t *testing.T) {
	for _, factor := range []float64{0.5, 0.95, 1, 1.1, 3} {
		r := rand.New(rand.NewPCG(11, 3))
		m := newModel(r, 200, 1000, 100, 200, factor, 0.5) // 10 MB in marks of 200 bytes
		got := m.pack(t, 200_000, r.Perm(200))
		m.check(t, got, 200_000, true)
		least, files := slices.Min(got.Sizes[:len(got.Sizes)-1]), len(got.Groups)
		if got.Over > 0 || least < 196_000 {
			t.Errorf("factor %v: %d files over the limit, the smallest %d of 200000 bytes", factor, got.Over, least)
		}
		if got.Layouts > files+files/2 {
			t.Errorf("factor %v: %d layouts for %d files", factor, got.Layouts, files)
		}
	}
}

func TestPackerGivesALargeRowItsOwnFile(t *testing.T) {
	m := &model{starts: []int{0}, exact: []int64{10, 10, 5000, 10, 10}, results: []*mapper.Result{{
		Rows: 5, Bytes: 5040,
		Marks: []mapper.Mark{{Row: 1, Bytes: 10}, {Row: 2, Bytes: 20}, {Row: 3, Bytes: 5020}, {Row: 4, Bytes: 5030}},
	}}}
	got := m.pack(t, 100, []int{0})
	m.check(t, got, 100, true)
	if got.Over != 1 || len(got.Groups) != 3 || got.Groups[1].Rows != 1 {
		t.Errorf("packed as %+v", got)
	}
}

func TestPackerRefusesWhatCannotBe(t *testing.T) {
	if _, err := NewPart(0, 1, 100, 100); err == nil {
		t.Error("a limit that the header fills was taken")
	}
	marks := func(rows ...int64) *mapper.Result {
		r := &mapper.Result{Rows: 10}
		for _, n := range rows {
			r.Marks = append(r.Marks, mapper.Mark{Row: n})
		}
		return r
	}
	for name, c := range map[string]struct {
		split int
		r     *mapper.Result
	}{
		"split out of range": {2, marks()},
		"split done before":  {0, marks()},
		"negative split":     {-1, marks()},
		"marks out of order": {1, marks(5, 4)},
		"mark after the end": {1, marks(11)},
		"mark at the start":  {1, marks(0)},
	} {
		p, err := NewPart(0, 2, 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Done(0, marks(1, 10)); err != nil {
			t.Fatal(err)
		}
		if err := p.Done(c.split, c.r); !errors.Is(err, errPack) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestMulDiv(t *testing.T) {
	const huge = 1<<61 - 1
	for _, c := range []struct{ a, b, c, want int64 }{
		{6, 7, 2, 21}, {0, 5, 0, 0}, {9, 5, 0, 9}, {-3, 5, 1, 0}, {3, -5, 1, 0},
		{1 << 62, 1 << 62, 1 << 62, huge}, {1 << 40, 1 << 40, 1 << 41, 1 << 39}, {1 << 62, 4, 1, huge},
	} {
		if got := mulDiv(c.a, c.b, c.c); got != c.want {
			t.Errorf("mulDiv(%d, %d, %d) = %d, want %d", c.a, c.b, c.c, got, c.want)
		}
	}
}

// TestPackerWaitsWhereMoreSplitsCouldTell takes rows that are large for their files
// and badly estimated, where a choice made a split too early shows.
func TestPackerWaitsWhereMoreSplitsCouldTell(t *testing.T) {
	for seed := range uint64(1000) {
		r := rand.New(rand.NewPCG(seed, 4))
		m := newModel(r, 40, 3, 80, 1, 1, 1)
		forward, backward := inOrder(40), inOrder(40)
		slices.Reverse(backward)
		want, got := m.pack(t, 200, forward), m.pack(t, 200, backward)
		if diff := cmp.Diff(want.Groups, got.Groups); diff != "" {
			t.Fatalf("seed %d: splits backward gave other groups (-forward +backward):\n%s", seed, diff)
		}
	}
}
