package watch

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"
)

// StallAfter is the time without progress after which the log has a warning.
const StallAfter = 5 * time.Minute

// Activities are what a job's workers are doing. They explain why there is no progress.
type Activities struct {
	mu  sync.Mutex
	now map[*activity]bool
}

// activity is one thing that is being done.
type activity struct {
	What  string // mapping, writing, reading back: a file, and where in it
	since time.Time
}

// Begin records an activity, until end is called.
func (a *Activities) Begin(format string, args ...any) (end func()) {
	act := &activity{What: fmt.Sprintf(format, args...), since: time.Now()}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.now == nil {
		a.now = map[*activity]bool{}
	}
	a.now[act] = true
	return func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		delete(a.now, act)
	}
}

// List returns the current activities, the oldest first.
func (a *Activities) List() []activity {
	a.mu.Lock()
	defer a.mu.Unlock()
	all := make([]activity, 0, len(a.now))
	for act := range a.now {
		all = append(all, *act)
	}
	slices.SortFunc(all, func(x, y activity) int {
		return cmp.Or(x.since.Compare(y.since), cmp.Compare(x.What, y.What))
	})
	return all
}

// position is the progress of a job: if it does not change, nothing moves.
func (p *Progress) position() [5]int64 {
	return [5]int64{p.Mapped.Load(), p.Rows.Load(), p.Written.Load(), p.Files.Load(), p.Moved.Load()}
}

// Watch warns when a job has made no progress for the given time, and again each time that
// this time has passed. The warning has the current activities and their durations. The
// function that Watch returns ends it.
func (a *Activities) Watch(ctx context.Context, p *Progress, log *slog.Logger, while time.Duration) (stop func()) {
	ctx, stop = context.WithCancel(ctx) // #nosec G118 -- the caller calls it
	go func() {
		tick := time.NewTicker(while)
		defer tick.Stop()
		last := p.position()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			now := p.position()
			if now == last {
				a.warn(log, while)
			}
			last = now
		}
	}()
	return stop
}

// warn logs the activities that have lasted at least that long.
func (a *Activities) warn(log *slog.Logger, while time.Duration) {
	for _, act := range a.List() {
		if took := time.Since(act.since); took >= while {
			log.Warn("nothing has moved", "for", while, "doing", act.What, "since", took.Round(time.Second))
		}
	}
}
