package publish

import (
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"avro2trevni/internal/exit"
	"avro2trevni/internal/storage/storagetest"
)

func TestCommit(t *testing.T) {
	for _, s := range scenes {
		t.Run(s.name, func(t *testing.T) {
			m := s.set()
			must(t, fakeJob(m, s.o))
			if d := cmp.Diff(s.done(), files(m)); d != "" {
				t.Errorf("files (-want +got):\n%s", d)
			}
			after := files(m.Crash(true)) // what comes back of the removed is hidden
			maps.DeleteFunc(after, func(name, _ string) bool { return strings.Contains(name, "/.") || strings.Contains(name, "/run-") })
			maps.Copy(after, s.kept)
			if d := cmp.Diff(s.done(), after); d != "" {
				t.Errorf("files after a crash (-want +got):\n%s", d)
			}
		})
	}
}

// Every call fails once: an error comes of it or it didn't matter, the output is as
// before or complete, and nothing else is left.
func TestCommitWithEachCallFailing(t *testing.T) {
	for _, s := range scenes {
		t.Run(s.name, func(t *testing.T) {
			for k := 1; ; k++ {
				m := s.set()
				f := &storagetest.Fault{FS: m, At: k, Short: k%2 == 0}
				err := fakeJob(f, s.o)
				if f.Calls() < k {
					must(t, err)
					return
				}
				if err == nil {
					if d := cmp.Diff(s.done(), files(m)); d != "" {
						t.Errorf("call %d failed, and the job did not; files (-want +got):\n%s", k, d)
					}
				} else if !errors.Is(err, storagetest.ErrFault) {
					t.Errorf("call %d: the error does not tell: %v", k, err)
				}
				if err := s.whole(m, false); err != nil {
					t.Errorf("call %d: %v", k, err)
				}
				s.rerun(t, k, m)
			}
		})
	}
}

// A job that dies at any call leaves the old output, or the new one, or one without
// _SUCCESS; whether or not the machine lost what wasn't synced. The next run ends
// as if nothing had been.
func TestCommitKilledAtEachCall(t *testing.T) {
	for _, s := range scenes {
		for _, synced := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/synced=%v", s.name, synced), func(t *testing.T) {
				for k := 1; ; k++ {
					m := s.set()
					f := &storagetest.Fault{FS: m, At: k, Dead: true}
					err := fakeJob(f, s.o)
					if f.Calls() < k {
						must(t, err)
						return
					}
					after := m.Crash(synced)
					if err := s.whole(after, true); err != nil {
						t.Errorf("call %d: %v", k, err)
					}
					s.rerun(t, k, after)
				}
			})
		}
	}
}

// Killed once, and killed again while the next run repairs.
func TestCommitKilledTwice(t *testing.T) {
	for _, s := range scenes {
		t.Run(s.name, func(t *testing.T) {
			for k := 1; ; k++ {
				m := s.set()
				f := &storagetest.Fault{FS: m, At: k, Dead: true}
				_ = fakeJob(f, s.o) // killed
				if f.Calls() < k {
					return
				}
				for again := 1; again < f.Calls(); again += 3 {
					second := m.Crash(true)
					_ = fakeJob(&storagetest.Fault{FS: second, At: again, Dead: true}, s.o) // killed
					after := second.Crash(again%2 == 0)
					if err := s.whole(after, true); err != nil {
						t.Errorf("calls %d, %d: %v", k, again, err)
					}
					s.rerun(t, k, after)
				}
			}
		})
	}
}

// rerun runs the job once more, without faults, and wants all as if it was the
// first time; also when the machine stops then.
func (s *scene) rerun(t *testing.T, k int, m *storagetest.Mem) {
	t.Helper()
	_, done := m.Files()[s.o.Name+"/_SUCCESS"]
	if strings.HasSuffix(s.o.Name, ".trv") {
		_, done = m.Files()[s.o.Name]
	}
	err := fakeJob(m, s.o)
	if done && !s.o.Replace {
		if !errors.Is(err, exit.ErrExists) {
			t.Errorf("call %d, then again: %v, want %v", k, err, exit.ErrExists)
		}
		// what the first run left is gone all the same
	} else if err != nil {
		t.Errorf("call %d, then again: %v", k, err)
	}
	if d := cmp.Diff(s.done(), files(m)); d != "" {
		t.Errorf("call %d, then again: files (-want +got):\n%s", k, d)
	}
	s.holds(t, fmt.Sprintf("call %d, then again, then a power cut", k), m.PowerCut(), newFiles)
}
