package publish

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"sync"
	"time"

	"avro2trevni/internal/exit"
	"avro2trevni/internal/storage"
	"avro2trevni/internal/units"
)

// lease is the lock of an output on object storage: a small object that its holder replaces
// again and again, each time on the condition that it is still the one it wrote.
//
//	none, or free --take--> held by A, epoch 7 --renew--> held by A, epoch 7, another nonce
//	                            |      ^---------------------'
//	                            |--release--> free, epoch 7
//	                            '--nothing for a lease, says the watch of B--> held by B, epoch 8
//
// No two processes compare their clocks. B waits a whole lease by its own clock, and sees that
// the object does not change. A takes itself for the holder for half a lease after the last
// renewal that was answered, counted from when it was sent.
//
// The lock saves work. It does not save the data: a holder can be stopped between a look at
// its clock and its next request. What saves the data is that each request that changes the
// output has a condition that fails once another run has begun: see staging.
//
// The object stays when the lock is released, because it holds the epoch. A lease is safe for
// several goroutines.
type lease struct {
	o       storage.Objects
	name    string
	run     string
	outside bool // runs are kept apart by something else: no conditions, no waiting
	log     *slog.Logger
	timing  timing

	changing sync.Mutex // held while the object is replaced, which may take minutes

	mu      sync.Mutex
	rec     leaseRecord
	version storage.Version
	sent    time.Time // when the last renewal that was answered was sent
	lost    bool      // another has it

	stop, stopped chan struct{} // end the renewals
}

// leaseRecord is the object.
type leaseRecord struct {
	State  string `json:"state"`            // held or free
	Epoch  int64  `json:"epoch"`            // how many times the lock was taken
	Unique bool   `json:"unique,omitempty"` // whether names of files carry the epoch: see staging
	Run    string `json:"run"`              // of the holder, see runPattern
	Nonce  string `json:"nonce"`            // of this writing of it
	Host   string `json:"host,omitempty"`   // for people
	PID    int    `json:"pid,omitempty"`
}

const (
	leaseHeld = "held"
	leaseFree = "free"
	maxLease  = units.MiB // of the object
	maxEpoch  = 1 << 52
)

// DefaultLease is how long the lock of a run that died stays, if [Options] do not say it.
const DefaultLease = time.Minute

// timing is the clock of a lease; tests have another.
type timing struct {
	lease, renew, poll time.Duration // renew 0: only when it is asked to
	now                func() time.Time
	wait               func(ctx context.Context, d time.Duration) error
}

// newTiming returns the timing of a lease of that duration, 0 for the default.
func newTiming(d time.Duration) timing {
	d = cmp.Or(d, DefaultLease)
	return timing{lease: d, renew: d / 6, poll: d / 12, now: time.Now, wait: func(ctx context.Context, d time.Duration) error {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(d):
			return nil
		}
	}}
}

// elapsed is how much time has passed, by the clock that says more: one does not count the
// time that a machine sleeps, and the other may be set.
func (t *timing) elapsed(since time.Time) time.Duration {
	now := t.now()
	return max(now.Sub(since), now.Round(0).Sub(since.Round(0)))
}

// cond is a version as a condition.
func (l *lease) cond(v storage.Version) storage.Version {
	if l.outside {
		return storage.Any
	}
	return v
}

// load returns what the lock is now.
func (l *lease) load() (rec leaseRecord, v storage.Version, err error) {
	data, v, err := l.o.Load(l.name, maxLease)
	if errors.Is(err, fs.ErrNotExist) {
		return leaseRecord{State: leaseFree}, storage.None, nil
	}
	if err != nil {
		return rec, v, err
	}
	if err := json.Unmarshal(data, &rec); err != nil || rec.State != leaseHeld && rec.State != leaseFree || rec.Epoch < 0 || rec.Epoch > maxEpoch {
		return rec, v, exit.Refused("%s: is not the lock of a run: remove it if no run is writing this output", l.name)
	}
	return rec, v, nil
}

// take takes the lock. It waits to see whether a holder is alive: [storage.ErrLocked].
func (l *lease) take(ctx context.Context) error {
	const tries = 5 // each lost to a run that took it, or ended, just then
	for range tries {
		rec, v, err := l.load()
		if err != nil {
			return err
		}
		if rec.State == leaseHeld && !l.outside {
			if err := l.watch(ctx, rec, v); err != nil {
				return err
			}
		}
		err = l.write(leaseRecord{State: leaseHeld, Epoch: rec.Epoch + 1, Unique: rec.Unique}, v)
		if err == nil {
			l.begin()
			return nil
		}
		if !errors.Is(err, storage.ErrChanged) {
			return err
		}
	}
	return fmt.Errorf("%s: %w", l.name, storage.ErrLocked)
}

// watch returns nil if a lock that is held may be taken: it did not change for a lease, or it
// is another now.
func (l *lease) watch(ctx context.Context, rec leaseRecord, v storage.Version) error {
	l.log.Info("another run has the lock of the output; waiting to see whether it is alive",
		"lock", l.name, "host", rec.Host, "process", rec.PID, "at most", l.timing.lease)
	for since := l.timing.now(); l.timing.now().Sub(since) < l.timing.lease; {
		if err := l.timing.wait(ctx, l.timing.poll); err != nil {
			return err
		}
		now, is, err := l.load()
		switch {
		case err != nil:
			return err
		case is != v && now.State == leaseHeld:
			return fmt.Errorf("%s: %w: process %d on %s", l.name, storage.ErrLocked, now.PID, now.Host)
		case is != v:
			return nil
		}
	}
	l.log.Warn("a run that died had the lock of the output", "lock", l.name, "host", rec.Host, "process", rec.PID)
	return nil
}

// write replaces the object on the condition that it has a version, and is the holder's
// knowledge of it then.
func (l *lease) write(rec leaseRecord, old storage.Version) error {
	rec.Run, rec.Nonce = l.run, Random()
	rec.Host, _ = os.Hostname() // for people
	rec.PID = os.Getpid()
	data, err := json.Marshal(rec)
	if err != nil {
		return err
	}
	sent := l.timing.now()
	v, err := l.o.Swap(l.name, l.cond(old), append(data, '\n'))
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.rec, l.version, l.sent = rec, v, sent
	return nil
}

// begin begins the renewals.
func (l *lease) begin() {
	if l.timing.renew == 0 || l.outside {
		return
	}
	l.stop, l.stopped = make(chan struct{}), make(chan struct{})
	go func() {
		defer close(l.stopped)
		tick := time.NewTicker(l.timing.renew)
		defer tick.Stop()
		for {
			select {
			case <-l.stop:
				return
			case <-tick.C:
				if err := l.renew(); err != nil {
					l.log.Debug("the lock was not renewed", "lock", l.name, "error", err)
				}
			}
		}
	}()
}

// renew proves that this run has had the lock since it took it, at the moment when the
// storage decides that.
func (l *lease) renew() error { return l.change(func(*leaseRecord) {}) }

// unique makes the names of all files of this and later runs carry the epoch, and is a
// renewal.
func (l *lease) unique() error { return l.change(func(r *leaseRecord) { r.Unique = true }) }

// change is a renewal with another record.
func (l *lease) change(do func(*leaseRecord)) error {
	l.changing.Lock()
	defer l.changing.Unlock()
	l.mu.Lock()
	was, version, lost := l.rec, l.version, l.lost
	l.mu.Unlock()
	if lost {
		return l.lostError("another run has it")
	}
	rec := was
	if do(&rec); l.outside && rec == was {
		return nil
	}
	err := l.write(rec, version)
	if !errors.Is(err, storage.ErrChanged) {
		return err
	}
	// An earlier request whose fate was unknown may have been made after all.
	now, v, loadErr := l.load()
	if loadErr != nil {
		return loadErr
	}
	if now.Run == l.run && now.Epoch == was.Epoch && now.State == leaseHeld {
		err = l.write(rec, v)
	}
	if !errors.Is(err, storage.ErrChanged) {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lost = true
	return l.lostError("another run has it")
}

func (l *lease) lostError(why string) error {
	return fmt.Errorf("%s: %w: %s", l.name, storage.ErrLockLost, why)
}

// held returns nil as long as no other run can have taken the lock, as far as this process
// knows. It makes no request.
func (l *lease) held() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.lost:
		return l.lostError("another run has it")
	case l.outside:
		return nil
	case l.timing.elapsed(l.sent) > l.timing.lease/2:
		return l.lostError("it was not renewed in time")
	}
	return nil
}

// epoch returns how many times the lock was taken, and whether names carry that.
func (l *lease) epoch() (epoch int64, unique bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.rec.Epoch, l.rec.Unique
}

// release gives the lock up, if this run has it.
func (l *lease) release() error {
	if l.stop != nil {
		close(l.stop)
		<-l.stopped
		l.stop = nil
	}
	return l.change(func(r *leaseRecord) { r.State = leaseFree })
}
