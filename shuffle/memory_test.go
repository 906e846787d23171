package shuffle

import (
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"

	"avro2trevni/internal/tuple"
)

// TestOneRowTuples sorts far more one-row tuples than the budget has room for entries,
// with the heap held against the budget.
func TestOneRowTuples(t *testing.T) {
	const n, memory = 100_000, 1 << 20
	s := mustNew(t, Options{Memory: memory, Writers: 1, fanIn: 4, TempDirs: []string{t.TempDir()}})
	defer mustClose(t, s)
	before := liveHeap()
	w := s.NewWriter()
	for i := range n {
		// Bit reversal, so that each spill spans all rows.
		row := tuple.Row((uint32(i) * 2654435761) % (1 << 31))
		b := []byte{byte(row), byte(row >> 8)}
		if err := w.Add(tuple.Tuple{Row: row, Rows: 1, Size: 2, Value: b}); err != nil {
			t.Fatal(err)
		}
		if i%10_000 == 0 {
			if heap := liveHeap() - before; heap > memory {
				t.Fatalf("%d bytes live, the budget is %d", heap, memory)
			}
		}
	}
	if err := w.Seal(); err != nil {
		t.Fatal(err)
	}
	sc := s.Scan(0, 0, 1<<40)
	var v []byte
	got, last := 0, tuple.Row(0)
	for sc.Next() {
		var err error
		if v, err = sc.Value(v[:0]); err != nil {
			t.Fatal(err)
		}
		row := sc.Tuple().Row
		if got > 0 && row <= last || v[0] != byte(row) || v[1] != byte(row>>8) {
			t.Fatalf("row %v after %v, value %x", row, last, v)
		}
		got, last = got+1, row
		if got%20_000 == 0 {
			if heap := liveHeap() - before; heap > memory {
				t.Fatalf("scanning: %d bytes live, the budget is %d", heap, memory)
			}
		}
	}
	if err := sc.Close(); err != nil || got != n {
		t.Fatalf("%d of %d tuples, %v", got, n, err)
	}
	if c := s.Counters(); c.Merges == 0 {
		t.Fatalf("the test wants more than one pass: %+v", c)
	}
}

func liveHeap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// TestNoAllocation shows that Buffer and Add allocate nothing within a chunk.
func TestNoAllocation(t *testing.T) {
	s := mustNew(t, Options{Memory: 64 << 20, chunkSize: 8 << 20, Writers: 1, Files: newMemFiles()})
	defer mustClose(t, s)
	w := s.NewWriter()
	x := tuple.Tuple{Rows: 1, Size: 100, Note: make([]byte, 20)}
	var src [100]byte
	add := func() {
		b, err := w.Buffer(200)
		if err != nil {
			t.Fatal(err)
		}
		x.Value = append(b, src[:]...)
		if err := w.Add(x); err != nil {
			t.Fatal(err)
		}
		x.Row++
	}
	add()
	if n := testing.AllocsPerRun(10_000, add); n != 0 {
		t.Errorf("%v allocations for Buffer and Add", n)
	}
	if len(s.segs) > 0 {
		t.Fatal("the test wants all in one chunk")
	}
}

// TestManyWriters lets far more writers than there is memory for one spill wait for
// one another, with values of all sizes, and checks the bound all along.
func TestManyWriters(t *testing.T) {
	const writers = 12
	s := mustNew(t, Options{Memory: 400 << 10, Writers: writers, fanIn: 2, Files: newMemFiles()})
	all := makeTuples(shape{columns: 4, tuples: 1500, maxRows: 3, maxSize: 500, bigSize: 100 << 10, seed: 9})
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				s.mu.Lock()
				over := s.used+int64(len(s.free))*s.plan.chunk+int64(len(s.spare)) > s.plan.pool
				s.mu.Unlock()
				if over {
					t.Error("more memory used than the budget has")
					return
				}
				runtime.Gosched()
			}
		}
	})
	addAll(t, s, flat(all, 4), writers)
	close(stop)
	wg.Wait()
	compareAll(t, s, all)
	mustClose(t, s)
}

// TestMemoryFor adds a value of a size beside all other writers' chunks, with the memory
// that is said to do for it and with more.
func TestMemoryFor(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	for range 300 {
		writers, value := 1+r.IntN(20), r.Int64N(1<<(1+r.IntN(24)))
		least := MemoryFor(writers, value)
		if least > 4*(value+int64(writers)<<16)+2<<20 {
			t.Fatalf("%d writers, a value of %d bytes: %d", writers, value, least)
		}
		s := mustNew(t, Options{Memory: least + r.Int64N(2)*r.Int64N(least), Writers: writers, Files: newMemFiles()})
		ws := make([]*Writer, writers)
		for i := range ws {
			n := int64(1)
			if i == len(ws)-1 {
				n = value
			}
			ws[i] = s.NewWriter()
			if _, err := ws[i].Buffer(int(n)); err != nil {
				t.Fatalf("%d writers, a value of %d bytes, memory %d: %v", writers, value, s.memory, err)
			}
		}
		for _, w := range ws {
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
		}
		mustClose(t, s)
	}
}

// TestIdleWriters lets one goroutine use all writers in turn: none may wait for
// another.
func TestIdleWriters(t *testing.T) {
	const writers = 6
	s := mustNew(t, Options{Memory: 300 << 10, Writers: writers, Files: newMemFiles()})
	defer mustClose(t, s)
	var ws [writers]*Writer
	for i := range ws {
		ws[i] = s.NewWriter()
	}
	all := makeTuples(shape{columns: 1, tuples: 3000, maxRows: 3, maxSize: 2000, bigSize: 20 << 10, seed: 9})
	for i, x := range all[0] {
		if err := put(ws[i%writers], x, true); err != nil {
			t.Fatal(err)
		}
		checkBound(t, s)
	}
	for _, w := range ws {
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if s.writers != 0 || s.idle != s.used {
		t.Fatalf("%d writers, %d bytes held, after all were closed", s.writers, s.used-s.idle)
	}
	compareAll(t, s, all)
}

// TestMemoryErrors checks the messages for budgets and values that cannot work.
func TestMemoryErrors(t *testing.T) {
	_, err := New(&Options{Memory: 50 << 10, Writers: 3})
	if !errors.Is(err, ErrMemory) || !strings.Contains(err.Error(), "the least is ") {
		t.Fatalf("New: %v", err)
	}
	s := mustNew(t, Options{Memory: 1 << 20, Writers: 1, Files: newMemFiles()})
	defer mustClose(t, s)
	w := s.NewWriter()
	if _, err := w.Buffer(1 << 20); !errors.Is(err, ErrMemory) {
		t.Fatalf("Buffer: %v", err)
	}
	if err := w.Add(tuple.Tuple{Rows: 1}); !errors.Is(err, ErrMemory) {
		t.Fatalf("Add after a failure: %v", err)
	}
	if _, err := s.NewWriter().Buffer(math.MaxInt); !errors.Is(err, ErrMemory) {
		t.Fatalf("largest Buffer: %v", err)
	}
	if b, err := s.NewWriter().Buffer(400 << 10); err != nil || cap(b) != 400<<10 {
		t.Fatalf("a Buffer that fits: %v", err)
	}
}

// TestLeast checks that the least memory is what the documentation says, and works
// with room for the largest tuple, which has a note of 6000 bytes.
func TestLeast(t *testing.T) {
	for _, writers := range []int{1, 2, 7, 100} {
		o := (&Options{Writers: writers, fanIn: 64}).withDefaults()
		least := int64(1)
		for !o.fits(o.divide(least)) {
			least += 64
		}
		if most := int64(110<<10 + writers*8<<10); least > most {
			t.Errorf("%d writers need %d bytes, the documentation says %d", writers, least, most)
		}
		s := mustNew(t, Options{Memory: least + 12<<10, Writers: writers, Files: newMemFiles()})
		all := makeTuples(shape{columns: 2, tuples: 300, maxRows: 3, maxSize: 300, seed: 2})
		addAll(t, s, flat(all, 1), min(writers, 5))
		compareAll(t, s, all)
		mustClose(t, s)
	}
}

func TestValidate(t *testing.T) {
	for _, o := range []Options{
		{Memory: -1}, {Memory: math.MaxInt64},
		{Writers: -1}, {Writers: math.MaxInt64},
	} {
		if err := o.Validate(); err == nil {
			t.Errorf("%+v is accepted", o)
		}
	}
	if err := (*Options)(nil).Validate(); err != nil {
		t.Error(err)
	}
	if _, err := New(&Options{TempDirs: []string{"/does/not/exist"}}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing directory: %v", err)
	}
}
