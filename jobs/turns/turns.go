package turns

import (
	"context"
	"math"
	"sync"
	"sync/atomic"
)

// turns lets several workers do numbered tasks, and keeps the failure of the lowest number.
//
// When a task fails, later tasks are cancelled, and earlier ones are completed, because one
// of them may fail too. So the failure of a job depends on its inputs, not on the order in
// which workers finish. At most the tasks in progress are waited for.
//
//	task  0 ✓   1 ...   2 ✗   3 ...   4 ...
//	            goes on       given up
type turns struct {
	mu     sync.Mutex
	all    map[*Turn]bool
	failed int // the lowest task that failed; math.MaxInt if none did
	err    error
	last   int // the task after which none is wanted; math.MaxInt if all are
	why    error
	stop   chan struct{} // closed when a task has failed, or some are not wanted
}

// Turn is the place of one worker among others.
type Turn struct {
	of     *turns
	task   int // begun last, -1 before the first
	cancel context.CancelFunc
}

// Take runs the workers until all have returned, and returns the failure of the lowest
// task. A worker calls [Turn.Begin] before each task. Its context ends when a task before
// its own has failed; its error is that of the task that it began last.
func Take(ctx context.Context, workers int, work func(ctx context.Context, worker int, t *Turn) error) error {
	o := &turns{all: map[*Turn]bool{}, failed: math.MaxInt, last: math.MaxInt, stop: make(chan struct{})}
	var begin, end sync.WaitGroup
	begin.Add(1)
	for i := range workers {
		ctx, cancel := context.WithCancel(ctx)
		t := &Turn{of: o, task: -1, cancel: cancel}
		o.all[t] = true
		end.Go(func() {
			defer cancel()
			begin.Wait()
			t.leave(work(ctx, i, t))
		})
	}
	begin.Done()
	end.Wait()
	if o.last < o.failed {
		return o.why
	}
	return o.err
}

// Begin records that the worker begins a task, and reports whether it may: it may not if an
// earlier task failed.
func (t *Turn) Begin(task int) bool {
	t.of.mu.Lock()
	defer t.of.mu.Unlock()
	t.task = task
	return task < t.of.failed && task <= t.of.last
}

// End records that no task after last is wanted, and why: why is the failure of all, if
// neither last nor a task before it fails. Of several calls, the lowest last counts.
func (t *Turn) End(last int, why error) {
	o := t.of
	o.mu.Lock()
	defer o.mu.Unlock()
	if last < o.last {
		o.last, o.why = last, why
		o.giveUp(last)
	}
}

// Failed is closed when a task has failed, or when End was called. All tasks before that
// one have begun, so a worker that waits for a task can stop waiting.
func (t *Turn) Failed() <-chan struct{} { return t.of.stop }

// leave ends the worker, with the failure of its task or nil.
func (t *Turn) leave(err error) {
	o := t.of
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.all, t)
	if err != nil && (o.err == nil || t.task < o.failed) {
		o.failed, o.err = t.task, err
		o.giveUp(t.task)
	}
}

// giveUp cancels the tasks after one.
func (o *turns) giveUp(task int) {
	select {
	case <-o.stop:
	default:
		close(o.stop)
	}
	for other := range o.all {
		if other.task > task {
			other.cancel()
		}
	}
}

// Each does the tasks from 0 to n-1, one for each worker at a time, and returns the failure
// of the lowest one that failed.
func Each(ctx context.Context, workers, n int, do func(ctx context.Context, task int) error) error {
	var next atomic.Int64
	return Take(ctx, min(workers, n), func(ctx context.Context, _ int, t *Turn) error {
		for {
			task := int(next.Add(1)) - 1
			if task >= n || !t.Begin(task) {
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
