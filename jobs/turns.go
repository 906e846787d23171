package jobs

import (
	"context"
	"math"
	"sync"
	"sync/atomic"
)

// turns lets several workers do numbered tasks, and keeps the failure of the least number.
//
// When a task fails, those after it are given up, and those before it are brought to
// their end, for one of them may fail too. So a job's failure follows from its inputs,
// and not from which worker came first. What is waited for is at most the tasks in hand.
//
//	task  0 ✓   1 ...   2 ✗   3 ...   4 ...
//	            goes on       given up
type turns struct {
	mu     sync.Mutex
	all    map[*turn]bool
	failed int // the least task that failed; math.MaxInt if none did
	err    error
	stop   chan struct{} // closed when a task has failed
}

// turn is the place of one worker among others.
type turn struct {
	of     *turns
	task   int // begun last, -1 before the first
	cancel context.CancelFunc
}

// takeTurns runs the workers until all have returned, and returns the failure of the
// least task. A worker calls [turn.begin] before each task. Its context ends when a task
// before its own has failed; its error is that of the task it began last.
func takeTurns(ctx context.Context, workers int, work func(ctx context.Context, worker int, t *turn) error) error {
	o := &turns{all: map[*turn]bool{}, failed: math.MaxInt, stop: make(chan struct{})}
	var begin, end sync.WaitGroup
	begin.Add(1)
	for i := range workers {
		ctx, cancel := context.WithCancel(ctx)
		t := &turn{of: o, task: -1, cancel: cancel}
		o.all[t] = true
		end.Go(func() {
			defer cancel()
			begin.Wait()
			t.leave(work(ctx, i, t))
		})
	}
	begin.Done()
	end.Wait()
	return o.err
}

// begin notes that the worker begins a task, and reports whether it may: not if one before
// it failed.
func (t *turn) begin(task int) bool {
	t.of.mu.Lock()
	defer t.of.mu.Unlock()
	t.task = task
	return task < t.of.failed
}

// failed is closed when a task has failed. All before that one are in the workers' hands, so
// a worker that waits for a task need not wait any more.
func (t *turn) failed() <-chan struct{} { return t.of.stop }

// leave ends the worker, with the failure of its task or nil.
func (t *turn) leave(err error) {
	o := t.of
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.all, t)
	if err == nil || o.err != nil && t.task >= o.failed {
		return
	}
	if o.err == nil {
		close(o.stop)
	}
	o.failed, o.err = t.task, err
	for other := range o.all {
		if other.task > t.task {
			other.cancel()
		}
	}
}

// each does the tasks from 0 to n-1, one for each worker at a time, and returns the failure of the
// least that failed.
func each(ctx context.Context, workers, n int, do func(ctx context.Context, task int) error) error {
	var next atomic.Int64
	return takeTurns(ctx, min(workers, n), func(ctx context.Context, _ int, t *turn) error {
		for {
			task := int(next.Add(1)) - 1
			if task >= n || !t.begin(task) {
				return nil
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := do(ctx, task); err != nil {
				return err
			}
		}
	})
}
