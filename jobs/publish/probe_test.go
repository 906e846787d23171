package publish

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"avro2trevni/internal/exit"
	"avro2trevni/internal/storage"
	"avro2trevni/internal/storage/storagetest"
)

// Storage that ignores conditions, or gets them wrong, is refused, and left as it was; with a
// lock elsewhere it is used.
func TestStorageWithoutConditions(t *testing.T) {
	for _, test := range []struct {
		name string
		set  func(*storagetest.Bucket)
		says string // empty: it is not refused
	}{
		{"all", func(*storagetest.Bucket) {}, ""},
		{"writes", func(b *storagetest.Bucket) { b.IgnoreSwap = true }, "a write to a name that must be free; the replacing of a version that is not there. Two"},
		{"uploads", func(b *storagetest.Bucket) { b.IgnorePublish = true }, "the end of an upload to a name that must be free; the end of an upload in place"},
		{"right versions", func(b *storagetest.Bucket) { b.RefuseSwap = true }, "the replacing of a version that is there"},
		{"deletions", func(b *storagetest.Bucket) { b.IgnoreDelete = true }, ""},
		{"no list of uploads", func(b *storagetest.Bucket) { b.Unlisted = true }, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := objectScenes[0]
			b := s.set(t)
			test.set(b)
			job := objectJob{name: "a", mode: "replace", files: 2}
			err := job.run(s.watched(t, b, func() string { return test.name }))
			if test.says == "" {
				must(t, err)
			} else {
				wantExit(t, err, exit.StatusRefused, test.says)
				if s.inputs(b) != nil {
					t.Error("it was used")
				}
			}
			if left := s.left(b); len(left) > 0 {
				t.Errorf("left %v", left)
			}
			again := objectJob{name: "b", mode: "replace", files: 3}
			must(t, again.runWith(&storagetest.Client{Bucket: b}, Options{LockedElsewhere: true}))
			if err := s.seen(b); err != nil || !slices.Equal(s.inputs(b), []string{"b"}) || len(s.left(b)) > 0 {
				t.Errorf("with a lock elsewhere: %v, inputs %v, left %v", err, s.inputs(b), s.left(b))
			}
		})
	}
}

// Where the condition of a deletion is ignored, _SUCCESS stands all the time.
func TestSuccessStaysWithoutConditionalDeletion(t *testing.T) {
	s := objectScenes[2]
	b := s.set(t)
	b.IgnoreDelete = true
	c := &storagetest.Client{Bucket: b, Done: func(op, name string, _ error) {
		if b.Files()["s3://bucket/dir/out/_SUCCESS"] == "" {
			t.Errorf("no _SUCCESS after %s %s", op, name)
		}
	}}
	must(t, s.job.run(c))
	if !slices.Equal(s.inputs(b), []string{"a"}) {
		t.Errorf("inputs %v", s.inputs(b))
	}
}

// All pending uploads vanish before one of a job's requests: it fails, and the output is what
// it was, or it is done; and the next run is not disturbed.
func TestUploadsVanish(t *testing.T) {
	for _, s := range objectScenes {
		base := s.set(t)
		for k := 1; ; k++ {
			b := base.Copy()
			c := s.watched(t, b, func() string { return s.name })
			c.Before = func(n int, _, _ string) {
				if n == k {
					b.Expire()
				}
			}
			was := s.inputs(b)
			err := s.job.run(c)
			if c.Calls() < k {
				break
			}
			if is := s.inputs(b); err == nil && !slices.Equal(is, after(was, &s.job)) || err != nil && !slices.Equal(is, was) {
				t.Errorf("%s, request %d: inputs %v, %v", s.name, k, is, err)
			}
			if left := s.left(b); len(left) > 0 {
				t.Errorf("%s, request %d: left %v", s.name, k, left)
			}
			if err := s.again.run(&storagetest.Client{Bucket: b}); err != nil && !errors.Is(err, exit.ErrExists) {
				t.Errorf("%s, request %d, then another: %v", s.name, k, err)
			}
		}
	}
}

// A lock is taken from a run that does not renew it, and not from one that does.
func TestLeaseIsWatched(t *testing.T) {
	b := storagetest.NewBucket()
	take := func(timing *timing) (*lease, error) {
		l := &lease{o: &storagetest.Client{Bucket: b}, name: "s3://bucket/lock", run: "run-" + Random(), log: discard, timing: *timing}
		return l, l.take(t.Context())
	}
	first, err := take(ownClock())
	must(t, err)
	watching := ownClock()
	wait := watching.wait
	watching.wait = func(ctx context.Context, d time.Duration) error { return errors.Join(first.renew(), wait(ctx, d)) }
	if _, err := take(watching); !errors.Is(err, storage.ErrLocked) || !strings.Contains(err.Error(), "process ") {
		t.Errorf("taken from a run that renews it: %v", err)
	}
	second, err := take(ownClock())
	must(t, err)
	must(t, first.held()) // it cannot know
	if err := first.renew(); !errors.Is(err, storage.ErrLockLost) || !errors.Is(first.held(), storage.ErrLockLost) {
		t.Errorf("renewed after it was taken: %v, %v", err, first.held())
	}
	if err := first.release(); !errors.Is(err, storage.ErrLockLost) {
		t.Errorf("released after it was taken: %v", err)
	}
	if epoch, _ := second.epoch(); epoch != 2 {
		t.Errorf("epoch %d", epoch)
	}
	must(t, second.release())
	third, err := take(&timing{lease: time.Minute, now: time.Now}) // which does not wait
	must(t, err)
	must(t, third.release())
}

var discard = slog.New(slog.DiscardHandler)
