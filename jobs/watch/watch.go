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

// StallAfter is how long something may take without the job getting anywhere before the
// log tells.
const StallAfter = 5 * time.Minute

// Activities are what a job's workers are doing, for whoever asks why nothing moves.
type Activities struct {
	mu  sync.Mutex
	now map[*activity]bool
}

// activity is one thing that is being done.
type activity struct {
	What  string // mapping, writing, reading back: a file, and where in it
	since time.Time
}

// Begin notes that something is being done, until end is called.
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

// List returns what is being done, the oldest first.
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

// position is how far a job is: if it doesn't change, nothing moves.
func (p *Progress) position() [5]int64 {
	return [5]int64{p.Mapped.Load(), p.Rows.Load(), p.Written.Load(), p.Files.Load(), p.Moved.Load()}
}

// Watch warns when a job has got nowhere for a while, and again each time that while has
// passed, with what is being done and for how long. The function it returns ends that.
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

// warn logs what has been going on for so long.
func (a *Activities) warn(log *slog.Logger, while time.Duration) {
	for _, act := range a.List() {
		if took := time.Since(act.since); took >= while {
			log.Warn("nothing has moved", "for", while, "doing", act.What, "since", took.Round(time.Second))
		}
	}
}
