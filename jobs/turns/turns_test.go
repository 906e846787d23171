package turns

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"

	"avro2trevni/internal/avrotest"
)

// Of the tasks that fail, the first is the one that is reported, whichever was done first; all
// before it are done, and none is done twice.
func TestTurns(t *testing.T) {
	rnd := rand.New(rand.NewPCG(avrotest.Seed(t), 0))
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
		err := Each(t.Context(), workers, n, func(_ context.Context, i int) error {
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
	err := Each(t.Context(), 3, 3, func(ctx context.Context, i int) error {
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
	err = Each(ctx, 2, 5, func(ctx context.Context, i int) error {
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
