package publish

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"testing"

	"avro2trevni/internal/exit"
	"avro2trevni/internal/jobtest"
	"avro2trevni/internal/storage/storagetest"
)

// A job stands still before each of its requests, while another one takes its lock over and
// does all of its work; then the first goes on, and does not know it.
func TestStagingStalledAtEachRequest(t *testing.T) {
	histories, thin := 0, jobtest.Thin(t, 7)
	for _, s := range objectScenes {
		base := s.set(t)
		for k := 1; ; k += thin {
			h := &overlap{s: &s, b: base.Copy(), k: k}
			if !h.run(t) {
				break
			}
			histories++
		}
	}
	t.Logf("%d histories", histories)
}

// A request of a job is late: it is made between any two of another one, which has taken the
// lock over. The job knows by its clock, after that request, that it may have lost the lock.
// The other one is not disturbed.
func TestStagingLateRequest(t *testing.T) {
	histories, thin := 0, jobtest.Thin(t, 7)
	step := 61 // each k begins elsewhere
	if os.Getenv("HISTORIES") == "all" {
		step = 1
	}
	for _, s := range objectScenes {
		base := s.set(t)
		for k, more := 1, true; more; k += thin {
			for j := 1 + k%step; ; j += step {
				h := &overlap{s: &s, b: base.Copy(), k: k, j: j}
				more = h.run(t)
				if !more || h.otherCalls < j {
					break
				}
				histories++
			}
		}
	}
	t.Logf("%d histories", histories)
}

// overlap is two jobs of a scene at the same time: the first stands still before its request
// k, and the other then runs until its request j, or to its end if j is 0. The first goes on
// to its end, and then the other. With j the first one's clock says how long it stood still.
type overlap struct {
	s    *objectScene
	b    *storagetest.Bucket
	k, j int

	locked     bool // the first had the lock when it stood still
	otherCalls int
	other      error
	whole      string // the manifest when the other had done all before the first went on
}

// run runs both, and reports whether the first has that many requests.
func (h *overlap) run(t *testing.T) bool {
	t.Helper()
	s, b := h.s, h.b
	was := s.inputs(b)
	what := fmt.Sprintf("%s, stalled at request %d, the other at %d", s.name, h.k, h.j)
	seen := func() string { return what }
	first, second := s.watched(t, b, seen), s.watched(t, b, seen)
	timing, forward := settableClock()
	pause, ended, goOn := make(chan struct{}), make(chan struct{}), make(chan struct{})
	second.Before = func(n int, _, _ string) {
		if n == h.j {
			close(pause)
			<-goOn
		}
	}
	stalled := false
	first.Before = func(n int, op, name string) {
		if n < h.k && op == "put" && name == (&Output{Name: s.job.output(), single: s.job.single}).lockName() {
			h.locked = true
		}
		if n != h.k {
			return
		}
		stalled = true
		if h.j > 0 {
			forward(timing.lease)
		}
		go func() {
			defer close(ended)
			h.other = s.again.run(second)
			h.otherCalls = second.Calls()
		}()
		select {
		case <-pause:
		case <-ended:
			h.whole = b.Files()[s.job.output()+"/_SUCCESS"]
		}
	}
	err := s.job.runWith(first, Options{timing: timing})
	if !stalled {
		must(t, err)
		return false
	}
	close(goOn)
	<-ended
	h.check(t, what, was, err)
	return true
}

// check checks what two jobs have made of an output, and what a third then does.
func (h *overlap) check(t *testing.T, what string, was []string, err error) {
	t.Helper()
	s, b := h.s, h.b
	if h.j > 0 && h.locked && h.other != nil && !errors.Is(h.other, exit.ErrExists) {
		t.Errorf("%s: the other: %v", what, h.other)
	}
	for _, err := range []error{err, h.other} {
		if exit.Code(err) != exit.StatusDone && exit.Code(err) != exit.StatusRetry && !errors.Is(err, exit.ErrExists) && !errors.Is(err, errBack) && !errors.Is(err, errLeft) {
			t.Errorf("%s: exit %d: %v", what, exit.Code(err), err)
		}
	}
	if err := s.seen(b); err != nil {
		t.Errorf("%s: %v", what, err)
	}
	is := s.inputs(b)
	if h.whole != "" && h.locked && h.other == nil && b.Files()[s.job.output()+"/_SUCCESS"] != h.whole {
		t.Errorf("%s: the other had published, and inputs are %v now", what, is)
	}
	for _, j := range []struct {
		job *objectJob
		err error
	}{{&s.job, err}, {&s.again, h.other}} {
		if j.job.mode == "append" && j.err == nil && !slices.Contains(is, j.job.name) && s.job.mode != "replace" && s.again.mode != "replace" {
			t.Errorf("%s: job %s is done, and inputs are %v", what, j.job.name, is)
		}
	}
	if h.other == nil && h.locked && !slices.Contains(is, s.again.name) && s.again.mode != "fail" {
		t.Errorf("%s: the other is done, and inputs are %v", what, is)
	}
	for _, name := range was {
		if !slices.Contains(is, name) && s.job.mode != "replace" && s.again.mode != "replace" && is != nil {
			t.Errorf("%s: the rows of %s are lost: inputs %v", what, name, is)
		}
	}
	third := objectJob{name: "c", mode: s.again.mode, files: 2, single: s.again.single, parted: s.again.parted}
	if third.single {
		third.name, third.files = "b", 1
	}
	if err := third.run(s.watched(t, b, func() string { return what + ", then a third" })); err != nil && !errors.Is(err, exit.ErrExists) {
		t.Errorf("%s, then a third: %v", what, err)
	}
	if left := s.left(b); len(left) > 0 {
		t.Errorf("%s, then a third: left %v", what, left)
	}
	if now := s.inputs(b); third.mode == "append" && !slices.Equal(now, append(is, "c")) || third.mode != "append" && len(now) == 0 {
		t.Errorf("%s, then a third: inputs %v, before %v", what, now, is)
	}
}
