package jobs

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"avro2trevni/internal/storage"
	"avro2trevni/internal/storage/storagetest"
	"avro2trevni/internal/units"
)

// Of the tasks that fail, the first is the one that is reported, whichever was done first; all
// before it are done, and none is done twice.
func TestTurns(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 0))
	for range 300 {
		n, workers := 1+rnd.IntN(20), 1+rnd.IntN(6)
		bad := map[int]error{}
		least := n
		for range rnd.IntN(5) {
			i := rnd.IntN(n)
			bad[i] = fmt.Errorf("task %d", i)
			least = min(least, i)
		}
		var mu sync.Mutex
		done := map[int]int{}
		err := each(t.Context(), workers, n, func(_ context.Context, i int) error {
			mu.Lock()
			defer mu.Unlock()
			done[i]++
			return bad[i]
		})
		if err != bad[least] {
			t.Fatalf("%d workers, %d tasks, %v: %v", workers, n, bad, err)
		}
		for i := range n {
			if done[i] > 1 || i <= least && done[i] == 0 {
				t.Fatalf("%d workers, %d tasks, %v: task %d done %d times", workers, n, bad, i, done[i])
			}
		}
	}
}

// A failure gives up the tasks after it, and not the one before it. An interrupt gives up all.
func TestTurnsGiveUp(t *testing.T) {
	var after atomic.Bool
	var begun sync.WaitGroup
	begun.Add(3)
	given := make(chan struct{})
	err := each(t.Context(), 3, 3, func(ctx context.Context, i int) error {
		begun.Done()
		begun.Wait()
		switch i {
		case 0:
			<-given
			return ctx.Err()
		case 1:
			return errors.New("the one")
		}
		<-ctx.Done()
		after.Store(true)
		close(given)
		return ctx.Err()
	})
	if err == nil || err.Error() != "the one" || !after.Load() {
		t.Errorf("%v, the task after it was given up: %v", err, after.Load())
	}
	ctx, cancel := context.WithCancel(t.Context())
	err = each(ctx, 2, 5, func(ctx context.Context, i int) error {
		if i == 1 {
			cancel()
		}
		<-ctx.Done()
		return ctx.Err()
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
}

// lateFS gives the data of one file when another has been read and closed.
type lateFS struct {
	storage.FS
	late, other string
	closed      atomic.Int32
	read        chan struct{}
}

// Open implements [storage.FS].
func (l *lateFS) Open(name string) (storage.File, error) {
	f, err := l.FS.Open(name)
	if err != nil {
		return nil, err
	}
	return &lateFile{f, l, name}, nil
}

type lateFile struct {
	storage.File
	l    *lateFS
	name string
}

// ReadAt implements io.ReaderAt.
func (f *lateFile) ReadAt(p []byte, off int64) (int, error) {
	if f.name == f.l.late && off > 0 {
		<-f.l.read
	}
	return f.File.ReadAt(p, off)
}

// Close implements io.Closer. The first time, it is the header that was read.
func (f *lateFile) Close() error {
	if f.name == f.l.other && f.l.closed.Add(1) == 2 {
		close(f.l.read)
	}
	return f.File.Close()
}

// What a job fails with is what is wrong with the first of its inputs, with rows in order and
// sorted, also if a later one is read first.
func TestFirstFailure(t *testing.T) {
	for _, sort := range [][]string{nil, {"id"}} {
		for _, workers := range []int{2, 4} {
			m := storagetest.NewMem()
			for i, bad := range []bool{false, true, false, true, true} {
				data, spans := blocksOf(t, "null", 0, 50, 50)
				if bad {
					data[spans[1].from+1] ^= 0x80 // the block's size
				}
				m.Write(fmt.Sprintf("/in/%d.avro", i), string(data))
			}
			o := Options{
				Inputs: []string{"/in"}, Output: "/out", SortBy: sort, Workers: workers, SplitSize: 8 * units.KiB, TempDirs: []string{t.TempDir()},
				FS: &lateFS{FS: m, late: "/in/1.avro", other: "/in/3.avro", read: make(chan struct{})},
			}
			_, err := Convert(t.Context(), &o)
			if err == nil || !strings.Contains(err.Error(), "/in/1.avro") {
				t.Errorf("sorted by %q, %d workers: %v", sort, workers, err)
			}
		}
	}
}
