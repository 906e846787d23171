package rowsort

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"avro2trevni/shuffle"
)

// pair is a row and its key.
type pair struct {
	key  string
	kind uint32
	row  string
}

// pairs makes n rows, whose keys differ and none of which begins another: some alike but
// for their ends, some long, some rows large. Each row holds its key, so that one that went
// astray shows.
func pairs(r *rand.Rand, n int) []pair {
	all := make([]pair, n)
	size := []int{1, 20, 300, 3000}[r.IntN(4)]
	for i := range all {
		head := strings.Repeat("k", r.IntN(3)*r.IntN(9))
		if r.IntN(500) == 0 {
			head = strings.Repeat(string(rune('a'+r.IntN(26))), r.IntN(30_000))
		}
		key := string(binary.BigEndian.AppendUint64([]byte(head+"\x00"), uint64(i)))
		row := key + strings.Repeat("x", r.IntN(size))
		if r.IntN(1000) == 0 {
			row = key + strings.Repeat(string(rune('a'+i%26)), r.IntN(4*MaxSmall))
		}
		all[i] = pair{key, uint32(r.IntN(3)), row}
	}
	return all
}

func newSorter(t testing.TB, memory int64, writers int) *Sorter {
	t.Helper()
	o := &shuffle.Options{Memory: LeastShuffle(writers), Writers: writers, TempDirs: []string{t.TempDir()}}
	s, err := New(Options{Shuffle: o, Memory: memory, Writers: writers})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// fill adds rows by several writers, in turn.
func fill(t testing.TB, s *Sorter, all []pair, writers int) {
	t.Helper()
	var wg sync.WaitGroup
	for i := range writers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			w := s.NewWriter()
			for k := i; k < len(all); k += writers {
				if err := w.Add([]byte(all[k].key), all[k].kind, []byte(all[k].row)); err != nil {
					t.Error(err)
				}
			}
			if err := w.Close(); err != nil {
				t.Error(err)
			}
		}()
	}
	wg.Wait()
}

// drain returns all rows of a merger.
func drain(m *Merger) (all []pair, err error) {
	for m.Next() {
		row, err := m.Row(nil)
		if err != nil {
			return nil, err
		}
		if int64(len(row)) != m.Size() {
			return nil, fmt.Errorf("a row of %d bytes, said to have %d", len(row), m.Size())
		}
		all = append(all, pair{string(m.Key()), m.Kind(), string(row)})
	}
	if m.Next() {
		return nil, errors.New("a row after the last")
	}
	return all, m.Err()
}

// What comes out is what went in, sorted, for any memory and number of writers, also when
// runs must be merged in several passes.
func TestSort(t *testing.T) {
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 3))
		n := []int{0, 1, 2, 100, 5000, 30_000}[r.IntN(6)]
		all := pairs(r, n)
		writers := 1 + r.IntN(4)
		memory := int64(writers) * (20<<10 + r.Int64N(1<<r.IntN(23)))
		merge := r.Int64N(2 << 20)
		t.Run(fmt.Sprintf("seed=%d/rows=%d/writers=%d/memory=%d/merge=%d", seed, n, writers, memory, merge), func(t *testing.T) {
			s := newSorter(t, memory, writers)
			fill(t, s, all, writers)
			m, err := s.Merge(t.Context(), merge)
			if err != nil {
				t.Fatal(err)
			}
			got, err := drain(m)
			if err != nil {
				t.Fatal(err)
			}
			slices.SortFunc(all, func(a, b pair) int { return strings.Compare(a.key, b.key) })
			if !slices.Equal(got, all) {
				t.Fatalf("%d rows of %d come out, or in another order", len(got), len(all))
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// Many runs and little memory for their merge: there are passes, and what a pass merged is
// given up behind it.
func TestPasses(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	s := newSorter(t, LeastMemory, 1)
	defer s.Close()
	var all []pair
	for i := range 40_000 {
		all = append(all, pair{fmt.Sprintf("%08d.%08d", r.IntN(1e8), i), 0, strings.Repeat("y", 200)})
	}
	fill(t, s, all, 1)
	before := len(s.runs)
	m, err := s.Merge(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	if before < 8 || len(s.runs) != 2 || s.runs[0].pass < 2 {
		t.Errorf("%d runs, then %d of pass %d", before, len(s.runs), s.runs[0].pass)
	}
	got, err := drain(m)
	if err != nil || len(got) != len(all) {
		t.Errorf("%d rows, %v", len(got), err)
	}
}

// A key that is too long is refused, and the writer goes on; keys alike, and rows that
// were lost, are found.
func TestWrong(t *testing.T) {
	s := newSorter(t, LeastMemory, 1)
	defer s.Close()
	w := s.NewWriter()
	if err := w.Add(make([]byte, MaxKey+1), 0, nil); !errors.Is(err, ErrLongKey) {
		t.Error(err)
	}
	long := bytes.Repeat([]byte{7}, MaxKey)
	for _, key := range [][]byte{long, []byte("a"), []byte("a")} {
		if err := w.Add(key, 1, []byte("row")); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	m, err := s.Merge(t.Context(), 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := drain(m); !errors.Is(err, ErrOrder) {
		t.Errorf("a key twice: %v", err)
	}
	s.runs[0].rows++
	if m, err = s.Merge(t.Context(), 1<<20); err != nil {
		t.Fatal(err)
	}
	m.begun = false
	for m.Next() {
		m.last = nil
	}
	if !errors.Is(m.Err(), ErrOrder) {
		t.Errorf("a row too few: %v", m.Err())
	}
}

// All keys but their ends alike, and rows that come sorted already.
func TestSkew(t *testing.T) {
	for _, keys := range []func(i int) string{
		func(i int) string { return fmt.Sprintf("same-%09d", i) },
		func(i int) string { return fmt.Sprintf("same-%09d", 1_000_000-i) },
		func(i int) string { return strings.Repeat("z", 3000) + fmt.Sprintf("%09d", i*7919%50_000) },
	} {
		var all []pair
		for i := range 20_000 {
			all = append(all, pair{keys(i), 0, "row"})
		}
		s := newSorter(t, 3*LeastMemory, 3)
		fill(t, s, all, 3)
		m, err := s.Merge(t.Context(), 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		got, err := drain(m)
		sorted := slices.IsSortedFunc(got, func(a, b pair) int { return strings.Compare(a.key, b.key) })
		if err != nil || len(got) != len(all) || !sorted {
			t.Errorf("%d rows, sorted %v, %v", len(got), sorted, err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// A writer holds no more than its share, but for a slab, whatever the rows.
func TestMemory(t *testing.T) {
	s := newSorter(t, 8<<20, 1)
	defer s.Close()
	w := s.NewWriter()
	for i := range 300_000 {
		row := make([]byte, i%2000)
		if i%5000 == 0 {
			row = make([]byte, 1<<20) // large: not held
		}
		if err := w.Add(fmt.Appendf(nil, "%09d", i), 0, row); err != nil {
			t.Fatal(err)
		}
		held := int64(cap(w.entries)) * 32
		for _, slab := range w.slabs {
			held += int64(cap(slab))
		}
		if held > w.most+LeastMemory {
			t.Fatalf("row %d: %d bytes are held, the share is %d", i, held, w.most)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// Nothing is left when a sorter is closed, wherever it stood.
func TestClose(t *testing.T) {
	dir := t.TempDir()
	s, err := New(Options{Shuffle: &shuffle.Options{Memory: LeastShuffle(1), Writers: 1, TempDirs: []string{dir}}, Memory: LeastMemory, Writers: 1})
	if err != nil {
		t.Fatal(err)
	}
	fill(t, s, pairs(rand.New(rand.NewPCG(4, 4)), 30_000), 1)
	if s.Counters().Disk == 0 {
		t.Error("nothing was spilled: nothing is shown")
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}
