package jobs

import (
	"context"
	"errors"
	"io"
	"os"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"
)

func flat(n int64) func(int) int64 { return func(int) int64 { return n } }

func TestPlanMemory(t *testing.T) {
	tests := []struct {
		name    string
		total   int64
		workers int
		needs   needs
		want    int // workers
		says    string
	}{
		{"plenty", gib, 8, needs{mapper: 8 * mib, reducer: mib, shuffle: flat(mib)}, 8, ""},
		{"fewer workers", 128 * mib, 8, needs{mapper: 16 * mib, reducer: mib, shuffle: flat(8 * mib)}, 4, ""},
		{"one worker", 64 * mib, 8, needs{mapper: 16 * mib, reducer: mib, shuffle: flat(8 * mib)}, 1, ""},
		{"too wide", 64 * mib, 8, needs{mapper: 200 * mib, reducer: mib, shuffle: flat(mib)}, 0, "it needs at least 258 MiB"},
		{"too many inputs", 64 * mib, 8, needs{fixed: 100 * mib, shuffle: flat(mib)}, 0, "64 MiB is too little"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			m, err := planMemory(test.total, test.workers, func(int64) needs { return test.needs }, "this table")
			if test.says != "" {
				wantExit(t, err, ExitRefused, test.says)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if m.Workers != test.want {
				t.Errorf("%d workers, want %d", m.Workers, test.want)
			}
		})
	}
}

// The parts never add up to more than the whole; what an error says would do, does,
// and a MiB less doesn't.
func TestPlanMemoryAddsUp(t *testing.T) {
	size := rapid.Int64Range(0, 2*gib)
	rapid.Check(t, func(t *rapid.T) {
		n := needs{
			fixed: size.Draw(t, "fixed"), mapper: size.Draw(t, "mapper"), reducer: size.Draw(t, "reducer"),
			shuffle: flat(size.Draw(t, "shuffle")), read: size.Draw(t, "read"),
		}
		buffers := rapid.Int64Range(0, 8).Draw(t, "buffers") // a share of the whole, up to a MiB
		of := func(total int64) needs {
			n := n
			n.mapper += min(total*buffers/256, mib)
			return n
		}
		total := size.Draw(t, "total")
		workers := rapid.IntRange(1, 64).Draw(t, "workers")
		m, err := planMemory(total, workers, of, "this table")
		if err != nil {
			least := leastTotal(t, err)
			if _, err := planMemory(least, workers, of, "this table"); err != nil {
				t.Fatalf("%d was said to do: %v", least, err)
			}
			if _, err := planMemory(least-2*mib, workers, of, "this table"); err == nil {
				t.Fatalf("%d was said to be needed, and 2 MiB less does", least)
			}
			return
		}
		n = of(total)
		sum := n.fixed + int64(m.Workers)*(n.mapper+n.reducer+m.ReadShare) + m.ReadLarge + m.Stage + m.Shuffle
		if sum > total-runtimeMemory || m.Workers < 1 || m.Workers > workers || m.Shuffle < n.shuffle(m.Workers) {
			t.Fatalf("%+v sums to %d of %d", m, sum, total)
		}
	})
}

// leastTotal reads the number of bytes that an error asks for.
func leastTotal(t *rapid.T, err error) (n int64) {
	_, tail, _ := strings.Cut(err.Error(), "(")
	for _, c := range tail {
		if c < '0' || c > '9' {
			break
		}
		n = n*10 + int64(c-'0')
	}
	if n == 0 {
		t.Fatalf("%v names no number", err)
	}
	return n
}

func TestReadPool(t *testing.T) {
	p := newReadPool(10, 100)
	a, b := p.reader(context.Background()), p.reader(context.Background())
	must(t, a.Acquire(10))
	must(t, b.Acquire(10)) // each has its share
	must(t, a.Acquire(90)) // a has the room
	if err := a.Acquire(11); err == nil || !strings.Contains(err.Error(), "needs 11 B, and 10 B is left") {
		t.Errorf("more than there is: %v", err)
	}
	must(t, a.Acquire(10))
	got := make(chan error)
	go func() { got <- b.Acquire(1) }()
	select {
	case err := <-got:
		t.Fatalf("two had the room: %v", err)
	default:
	}
	a.Release(110)
	must(t, <-got)
	b.Release(11)
	must(t, a.Acquire(110))

	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(&Interrupt{os.Interrupt})
	if err := p.reader(ctx).Acquire(11); !errors.Is(err, ErrInterrupted) {
		t.Errorf("waiting past the end of the context: %v", err)
	}
}

// Readers that grow step by step neither block each other for ever nor hold more
// together than there is.
func TestReadPoolIsShared(t *testing.T) {
	const readers, rounds, share, large = 8, 300, 10, 100
	p := newReadPool(share, large)
	var held, most atomic.Int64
	var wg sync.WaitGroup
	for range readers {
		m := p.reader(context.Background())
		wg.Go(func() {
			for range rounds {
				for range 11 {
					if err := m.Acquire(10); err != nil {
						t.Error(err)
					}
					if n := held.Add(10); n > most.Load() {
						most.Store(n)
					}
				}
				held.Add(-110)
				m.Release(110)
			}
		})
	}
	wg.Wait()
	if most.Load() > readers*share+large {
		t.Errorf("%d bytes were held at a time", most.Load())
	}
	if err := p.reader(context.Background()).Acquire(-1); err == nil {
		t.Error(io.ErrNoProgress)
	}
}

// The collector's limit is the least of the jobs that there are, and in the end what it was,
// whichever ends first.
func TestKeepTo(t *testing.T) {
	was := debug.SetMemoryLimit(-1)
	first, second := keepTo(300*mib), keepTo(200*mib)
	if n := debug.SetMemoryLimit(-1); n != 200*mib-binaryMemory {
		t.Errorf("of two: %d", n)
	}
	first()
	if n := debug.SetMemoryLimit(-1); n != 200*mib-binaryMemory {
		t.Errorf("of the second: %d", n)
	}
	second()
	if n := debug.SetMemoryLimit(-1); n != was {
		t.Errorf("of none: %d, it was %d", n, was)
	}
}
