package memory_test

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

	"avro2trevni/internal/exit"
	"avro2trevni/internal/jobtest"
	"avro2trevni/internal/units"
	"avro2trevni/jobs/memory"

	"pgregory.net/rapid"
)

// gather is what a writer takes for the goroutines past the first that gather blocks.
func gather(readers int) int64 { return int64(readers-1) * 256 * units.KiB }

func flat(n int64) func(int) int64 { return func(int) int64 { return n } }

func TestPlanMemory(t *testing.T) {
	tests := []struct {
		name    string
		total   int64
		workers int
		needs   memory.Needs
		want    int // workers
		says    string
	}{
		{"plenty", units.GiB, 8, memory.Needs{Mapper: 8 * units.MiB, Reducer: units.MiB, Write: gather, Shuffle: flat(units.MiB)}, 8, ""},
		{"fewer workers", 128 * units.MiB, 8, memory.Needs{Mapper: 16 * units.MiB, Reducer: units.MiB, Write: gather, Shuffle: flat(8 * units.MiB)}, 4, ""},
		{"one worker", 64 * units.MiB, 8, memory.Needs{Mapper: 16 * units.MiB, Reducer: units.MiB, Write: gather, Shuffle: flat(8 * units.MiB)}, 1, ""},
		{"too wide", 64 * units.MiB, 8, memory.Needs{Mapper: 200 * units.MiB, Reducer: units.MiB, Write: gather, Shuffle: flat(units.MiB)}, 0, "it needs at least 258 MiB"},
		{"too many inputs", 64 * units.MiB, 8, memory.Needs{Fixed: 100 * units.MiB, Write: gather, Shuffle: flat(units.MiB)}, 0, "64 MiB is too little"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			m, err := memory.Divide(test.total, test.workers, func(int64) memory.Needs { return test.needs }, "this table")
			if test.says != "" {
				jobtest.WantExit(t, err, exit.StatusRefused, test.says)
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

// What two parts hold at a time is the sum, but that only one reader needs more than its share.
func TestNeedsAddUp(t *testing.T) {
	n := memory.Needs{Fixed: 1, Mapper: 2, Reducer: 3, Group: 4, Read: 5, Shuffle: flat(6)}
	n.Add(memory.Needs{Fixed: 10, Mapper: 20, Reducer: 30, Group: 40, Read: 4, Write: flat(7)})
	n.Add(memory.Needs{Shuffle: flat(60)})
	if n.Fixed != 11 || n.Mapper != 22 || n.Reducer != 33 || n.Group != 44 || n.Read != 5 || n.Shuffle(1) != 66 || n.Write(1) != 7 {
		t.Errorf("%+v, shuffle %d, write %d", n, n.Shuffle(1), n.Write(1))
	}
}

// The parts never add up to more than the whole; what an error says would do, does,
// and a MiB less doesn't.
func TestPlanMemoryAddsUp(t *testing.T) {
	size := rapid.Int64Range(0, 2*units.GiB)
	rapid.Check(t, func(t *rapid.T) {
		n := memory.Needs{
			Fixed: size.Draw(t, "fixed"), Mapper: size.Draw(t, "mapper"), Reducer: size.Draw(t, "reducer"),
			Shuffle: flat(size.Draw(t, "shuffle")), Write: gather, Read: size.Draw(t, "read"), Group: rapid.Int64Range(0, 64*units.MiB).Draw(t, "group"),
		}
		buffers := rapid.Int64Range(0, 8).Draw(t, "buffers") // a share of the whole, up to a MiB
		of := func(total int64) memory.Needs {
			n := n
			n.Mapper += min(total*buffers/256, units.MiB)
			return n
		}
		total := size.Draw(t, "total")
		workers := rapid.IntRange(1, 64).Draw(t, "workers")
		m, err := memory.Divide(total, workers, of, "this table")
		if err != nil {
			least := leastTotal(t, err)
			if _, err := memory.Divide(least, workers, of, "this table"); err != nil {
				t.Fatalf("%d was said to do: %v", least, err)
			}
			if _, err := memory.Divide(least-2*units.MiB, workers, of, "this table"); err == nil {
				t.Fatalf("%d was said to be needed, and 2 MiB less does", least)
			}
			return
		}
		n = of(total)
		sum := int64(min(m.Workers, memory.MaxGroups))*m.Group + n.Fixed + int64(m.Workers)*(n.Mapper+n.Reducer+m.ReadShare) + m.ReadLarge + m.Stage + m.Shuffle
		if sum > total-memory.RuntimeMemory || m.Workers < 1 || m.Workers > workers || m.Shuffle < n.Shuffle(m.Workers) {
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
	p := memory.NewReadPool(10, 100)
	a, b := p.Reader(context.Background()), p.Reader(context.Background())
	jobtest.Must(t, a.Acquire(10))
	jobtest.Must(t, b.Acquire(10)) // each has its share
	jobtest.Must(t, a.Acquire(90)) // a has the room
	if err := a.Acquire(11); err == nil || !strings.Contains(err.Error(), "needs 11 B, and 10 B is left") {
		t.Errorf("more than there is: %v", err)
	}
	jobtest.Must(t, a.Acquire(10))
	got := make(chan error)
	go func() { got <- b.Acquire(1) }()
	select {
	case err := <-got:
		t.Fatalf("two had the room: %v", err)
	default:
	}
	a.Release(110)
	jobtest.Must(t, <-got)
	b.Release(11)
	jobtest.Must(t, a.Acquire(110))

	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(&exit.Interrupt{Signal: os.Interrupt})
	if err := p.Reader(ctx).Acquire(11); !errors.Is(err, exit.ErrInterrupted) {
		t.Errorf("waiting past the end of the context: %v", err)
	}
}

// Readers that grow step by step neither block each other for ever nor hold more
// together than there is.
func TestReadPoolIsShared(t *testing.T) {
	const readers, rounds, share, large = 8, 300, 10, 100
	p := memory.NewReadPool(share, large)
	var held, most atomic.Int64
	var wg sync.WaitGroup
	for range readers {
		m := p.Reader(context.Background())
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
	if err := p.Reader(context.Background()).Acquire(-1); err == nil {
		t.Error(io.ErrNoProgress)
	}
}

// The collector's limit is the least of the jobs that there are, and in the end what it was,
// whichever ends first.
func TestKeepTo(t *testing.T) {
	was := debug.SetMemoryLimit(-1)
	first, second := memory.KeepTo(300*units.MiB), memory.KeepTo(200*units.MiB)
	if n := debug.SetMemoryLimit(-1); n != 200*units.MiB-memory.BinaryMemory {
		t.Errorf("of two: %d", n)
	}
	first()
	if n := debug.SetMemoryLimit(-1); n != 200*units.MiB-memory.BinaryMemory {
		t.Errorf("of the second: %d", n)
	}
	second()
	if n := debug.SetMemoryLimit(-1); n != was {
		t.Errorf("of none: %d, it was %d", n, was)
	}
}
