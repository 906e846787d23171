package shuffle

import (
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"sync"
	"testing"

	"avro2trevni/internal/tuple"

	"pgregory.net/rapid"
)

// drawOptions draws options small enough that a few kilobytes spill.
func drawOptions(t *rapid.T) Options {
	return Options{
		Memory:    int64(rapid.IntRange(300<<10, 1<<20).Draw(t, "memory")),
		chunkSize: rapid.SampledFrom([]int{0, minChunk, 5000, 16 << 10}).Draw(t, "chunk"),
		fanIn:     rapid.IntRange(2, 9).Draw(t, "fan-in"),
		Writers:   rapid.IntRange(1, 4).Draw(t, "writers"),
		TempDirs:  make([]string, rapid.IntRange(1, 3).Draw(t, "dirs")),
	}
}

func drawShape(t *rapid.T) shape {
	return shape{
		columns: rapid.IntRange(1, 6).Draw(t, "columns"),
		tuples:  rapid.IntRange(0, 1500).Draw(t, "tuples"),
		maxRows: rapid.SampledFrom([]int{1, 2, 1000, math.MaxInt32}).Draw(t, "rows"),
		maxSize: rapid.SampledFrom([]int{0, 1, 100, 2000}).Draw(t, "size"),
		bigSize: rapid.SampledFrom([]int{0, 0, 30 << 10}).Draw(t, "big"),
		seed:    rapid.Uint64().Draw(t, "seed"),
	}
}

// TestSort adds any tuples in any order from several writers at once, under any budget
// and fan-in, and scans them whole and in ranges, before and after releases.
func TestSort(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o, sh := drawOptions(t), drawShape(t)
		fs := newMemFiles()
		o.Files = fs
		for i := range o.TempDirs {
			o.TempDirs[i] = os.TempDir()
		}
		s := mustNew(t, o)
		all := makeTuples(sh)
		addAll(t, s, flat(all, sh.seed), o.Writers)
		checkBound(t, s)
		compareAll(t, s, all)
		rnd := rand.New(rand.NewPCG(sh.seed, 3))
		released := tuple.Row(0)
		for range 4 {
			released = ranges(t, s, all, rnd, released)
		}
		s.Release(math.MaxUint64)
		if len(fs.files) > 0 || s.used > int64(o.Writers)*s.plan.chunk {
			t.Fatalf("after everything was released: %d files, %d bytes", len(fs.files), s.used)
		}
		mustClose(t, s)
		if len(fs.locked) > 0 {
			t.Fatal("a private directory is still locked")
		}
	})
}

// addAll deals the tuples to writers that work side by side.
func addAll(t tb, s *Shuffle, tuples []tuple.Tuple, writers int) {
	t.Helper()
	errs := make([]error, writers)
	var wg sync.WaitGroup
	for k := range writers {
		wg.Go(func() {
			w := s.NewWriter()
			for i := k; i < len(tuples); i += writers {
				if err := put(w, tuples[i], i%3 > 0); err != nil {
					errs[k] = err
					return
				}
				if i%97 == 0 {
					errs[k] = errors.Join(errs[k], w.Seal())
				}
			}
			errs[k] = errors.Join(errs[k], w.Seal())
		})
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

// ranges compares a random range of each column, and releases some rows.
func ranges(t tb, s *Shuffle, all [][]tuple.Tuple, rnd *rand.Rand, released tuple.Row) tuple.Row {
	t.Helper()
	last := released
	for _, col := range all {
		if len(col) == 0 {
			continue
		}
		from := max(released, col[rnd.IntN(len(col))].Row+tuple.Row(rnd.IntN(3)))
		to := col[rnd.IntN(len(col))].End() - tuple.Row(rnd.IntN(2))
		want := wanted(col, from, to)
		if from >= to {
			want = nil
		}
		compare(t, s, col[0].Column, from, to, want)
		last = from
	}
	s.Release(last)
	return last
}

// TestScanWhileSpilling holds scanners open over what was sealed while writers push it
// from memory to files and from file to file, and releases what the scans passed.
func TestScanWhileSpilling(t *testing.T) {
	dirs := []string{t.TempDir(), t.TempDir()}
	s := mustNew(t, Options{Memory: 300 << 10, Writers: 2, fanIn: 3, TempDirs: dirs})
	early := makeTuples(shape{columns: 3, tuples: 800, maxRows: 9, maxSize: 300, seed: 5})
	addAll(t, s, flat(early, 1), 2)
	late := makeTuples(shape{columns: 8, tuples: 3000, maxRows: 9, maxSize: 300, seed: 6})[3:]
	var wg sync.WaitGroup
	for c := range early {
		wg.Go(func() {
			for range 3 {
				compareSlowly(t, s, early[c])
			}
		})
	}
	addAll(t, s, flat(late, 2), 2)
	wg.Wait()
	compareAll(t, s, late)
	if c := s.Counters(); c.Spills < 3 || c.Merges == 0 {
		t.Fatalf("nothing was spilled and merged: %+v", c)
	}
	mustClose(t, s)
	if left := diskFiles(t, dirs...); len(left) > 0 {
		t.Fatalf("left behind: %v", left)
	}
}

// compareSlowly is compare, with errors that a goroutine may report.
func compareSlowly(t *testing.T, s *Shuffle, want []tuple.Tuple) {
	sc := s.Scan(want[0].Column, 0, math.MaxUint64)
	var buf []byte
	i := 0
	for ; sc.Next() && i < len(want); i++ {
		if err := same(sc, sc.Tuple(), want[i], &buf); err != nil {
			t.Error(err)
			return
		}
	}
	if err := sc.Close(); err != nil || i != len(want) {
		t.Errorf("%d of %d tuples, %v", i, len(want), err)
	}
}

// TestReleaseBehindScan releases rows as a scan passes them.
func TestReleaseBehindScan(t *testing.T) {
	s := mustNew(t, Options{Memory: 256 << 10, Writers: 1, Files: newMemFiles()})
	defer mustClose(t, s)
	w := s.NewWriter()
	for i := range 5000 {
		if err := put(w, tuple.Tuple{Row: tuple.Row(i * 2), Rows: 2, Size: 60}, true); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Seal(); err != nil {
		t.Fatal(err)
	}
	sc := s.Scan(0, 0, 10000)
	n := 0
	for ; sc.Next(); n++ {
		if n%100 == 0 {
			s.Release(sc.cur.end())
			if _, err := sc.Value(nil); !errors.Is(err, ErrReleased) {
				t.Fatalf("value of a released tuple: %v", err)
			}
			sc.err = nil
		}
	}
	if err := sc.Close(); err != nil || n != 5000 {
		t.Fatalf("%d tuples, %v", n, err)
	}
	for _, row := range []tuple.Row{0, 9000} {
		sc := s.Scan(0, row, 10000)
		if row == 9000 {
			sc.Next()
			s.Release(9500)
		}
		if sc.Next() || !errors.Is(sc.Err(), ErrReleased) {
			t.Fatalf("scan from a released row: %v", sc.Err())
		}
	}
}

// TestOverlap adds tuples that share rows, in memory and on disk.
func TestOverlap(t *testing.T) {
	tests := []struct {
		name string
		a, b tuple.Tuple
		want error
	}{
		{"equal", tuple.Tuple{Row: 5, Rows: 1}, tuple.Tuple{Row: 5, Rows: 1}, ErrOverlap},
		{"inside", tuple.Tuple{Row: 5, Rows: 10}, tuple.Tuple{Row: 7, Rows: 1}, ErrOverlap},
		{"last row", tuple.Tuple{Row: 5, Rows: 10}, tuple.Tuple{Row: 14, Rows: 3}, ErrOverlap},
		{"next row", tuple.Tuple{Row: 5, Rows: 10}, tuple.Tuple{Row: 15, Rows: 3}, nil},
		{"other column", tuple.Tuple{Row: 5, Rows: 10}, tuple.Tuple{Column: 1, Row: 5, Rows: 10}, nil},
	}
	for _, tt := range tests {
		for _, spilled := range []int{0, 1, 2} {
			s := mustNew(t, Options{Writers: 1, Files: newMemFiles()})
			w := s.NewWriter()
			for i, x := range []tuple.Tuple{tt.b, tt.a} {
				if err := errors.Join(w.Add(x), w.Seal()); err != nil {
					t.Fatal(err)
				}
				if i < spilled {
					forceSpill(s)
				}
			}
			sc := s.Scan(0, 0, 100)
			for sc.Next() {
				s.Release(0)
			}
			if err := sc.Close(); !errors.Is(err, tt.want) {
				t.Errorf("%s, %d spilled: %v, want %v", tt.name, spilled, err, tt.want)
			}
			mustClose(t, s)
		}
	}
}

func forceSpill(s *Shuffle) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.spill()
}

// TestAddErrors checks that a malformed tuple is refused and the writer goes on.
func TestAddErrors(t *testing.T) {
	s := mustNew(t, Options{Files: newMemFiles()})
	defer mustClose(t, s)
	w := s.NewWriter()
	for name, x := range map[string]tuple.Tuple{
		"no rows":       {Row: 1},
		"rows overflow": {Row: math.MaxUint64, Rows: 2},
		"false size":    {Row: 1, Rows: 1, Size: 3, Value: []byte("ab")},
	} {
		if err := w.Add(x); !errors.Is(err, ErrTuple) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := put(w, tuple.Tuple{Row: 1, Rows: 1, Size: 3}, true); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatalf("second Close: %v", err)
	}
	if err := w.Add(tuple.Tuple{Row: 9, Rows: 1}); !errors.Is(err, ErrClosed) {
		t.Fatalf("Add after Close: %v", err)
	}
	compare(t, s, 0, 0, 10, []tuple.Tuple{{Row: 1, Rows: 1, Size: 3}})
}

// TestClosed checks that everything ends after Close.
func TestClosed(t *testing.T) {
	s := mustNew(t, Options{Files: newMemFiles()})
	w := s.NewWriter()
	if err := errors.Join(put(w, tuple.Tuple{Row: 1, Rows: 1, Size: 3}, true), w.Seal()); err != nil {
		t.Fatal(err)
	}
	sc := s.Scan(0, 0, 10)
	if !sc.Next() {
		t.Fatal(sc.Err())
	}
	mustClose(t, s)
	mustClose(t, s)
	s.Release(5)
	if _, err := sc.Value(nil); !errors.Is(err, ErrClosed) {
		t.Errorf("Value: %v", err)
	}
	if err := errors.Join(put(w, tuple.Tuple{Row: 2, Rows: 1}, true), w.Seal()); !errors.Is(err, ErrClosed) {
		t.Errorf("Seal: %v", err)
	}
	if _, err := s.NewWriter().Buffer(1); !errors.Is(err, ErrClosed) {
		t.Errorf("Buffer: %v", err)
	}
}
