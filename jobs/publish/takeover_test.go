package publish

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"avro2trevni/internal/exit"
	"avro2trevni/internal/storage"
	"avro2trevni/internal/storage/storagetest"
	"avro2trevni/jobs/report"
)

// otherFiles is what the run writes that takes the output over from another: fewer files,
// of other content, so that a file of the first run among them shows.
var otherFiles = []string{"other zero", "other one"}

// At each call of a run its lock is lost, and another run takes the output over and does its
// work: to the end, or it is killed at one of its calls. The first run touches nothing that
// is the other's, and says that it lost the lock. What is there in the end is one run's
// files, whole.
func TestCommitTakenOver(t *testing.T) {
	for _, s := range scenes {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			other := &storagetest.Fault{FS: s.set()}
			must(t, writeJob(other, s.o, otherFiles))
			for k := 1; ; k++ {
				for until := other.Calls() + 40; until > 0; until -= 7 {
					if !s.takenOver(t, k, until) {
						return
					}
				}
			}
		})
	}
}

// takenOver lets a run be taken over at call k by another that is killed at its call until,
// and reports whether the first has that many calls.
func (s *scene) takenOver(t *testing.T, k, until int) bool {
	t.Helper()
	m := s.set()
	var otherErr error
	second := &storagetest.Fault{FS: m, At: until, Dead: true}
	first := &storagetest.Fault{FS: m}
	locked := false // before the other came
	first.Before = func(call int, op, _ string) {
		locked = locked || op == "lock" && call < k
		if call == k {
			m.LoseLocks()
			otherErr = writeJob(second, s.o, otherFiles)
		}
	}
	err := writeJob(first, s.o, newFiles)
	if first.Calls() < k {
		must(t, err)
		return false
	}
	if errors.Is(err, errLeft) {
		err = nil
	}
	what := fmt.Sprintf("taken over at call %d by a run that is killed at call %d of %d", k, until, second.Calls())
	killed := second.Calls() >= until
	if exit.Code(err) != exit.StatusRetry && exit.Code(err) != exit.StatusDone && !errors.Is(err, exit.ErrExists) {
		t.Errorf("%s: exit %d: %v", what, exit.Code(err), err)
	}
	if err := s.whole(m, killed); err != nil {
		t.Errorf("%s: %v", what, err)
	}
	if !killed {
		if n := s.left(m); len(n) > 0 {
			t.Errorf("%s: left %v", what, n)
		}
		switch {
		case otherErr == nil && (locked || err != nil):
			s.holds(t, what, m, otherFiles)
		case err == nil:
			s.holds(t, what, m, newFiles)
		default:
			t.Errorf("%s: both failed: %v, %v", what, err, otherErr)
		}
	}
	after := m.Kill()
	next := writeJob(after, s.o, newFiles)
	if n := s.left(after); len(n) > 0 {
		t.Errorf("%s, then again: left %v", what, n)
	}
	switch what += ", then again"; {
	case next == nil:
		s.holds(t, what, after.PowerCut(), newFiles)
	case errors.Is(next, exit.ErrExists):
		s.holds(t, what, after.PowerCut(), newFiles, otherFiles)
	default:
		t.Errorf("%s: %v", what, next)
	}
	return true
}

// left returns what runs have left beside the output.
func (s *scene) left(m *storagetest.Mem) []string {
	before := s.set().Files()
	return slices.DeleteFunc(leftIn(m), func(name string) bool {
		_, ok := before[name]
		return ok || name == s.o.Name+"/_temporary/" && s.kept[s.o.Name+"/_temporary/0/x"] != ""
	})
}

// holds checks that what is seen of the output is one of some runs' files.
func (s *scene) holds(t *testing.T, what string, m *storagetest.Mem, runs ...[]string) {
	t.Helper()
	got := files(m)
	for name := range got {
		if strings.Contains(name, "/.") || strings.Contains(name, "/"+TempName+"/") {
			delete(got, name) // what comes back of the removed is hidden
		}
	}
	maps.Copy(got, s.kept)
	for _, run := range runs {
		if maps.Equal(got, s.doneWith(run)) {
			return
		}
	}
	t.Errorf("%s: not the files of one run (-want +got):\n%s", what, cmp.Diff(keys(s.doneWith(runs[0])), keys(got)))
}

// On local files: a lock file that is removed by hand lets another run in, and the first one
// leaves that alone, whatever it does next.
func TestLockFileRemoved(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"out", "out.trv"} {
		o := Options{Ext: ".trv", Name: filepath.Join(dir, name), Single: strings.HasSuffix(name, ".trv"), FS: storage.Local{}, Log: slog.New(slog.DiscardHandler)}
		first, err := Open(context.Background(), o)
		must(t, err)
		must(t, first.Begin(context.Background()))
		f, err := first.Create(0, 0)
		must(t, err)
		must(t, f.Finish(1))
		must(t, os.Remove(first.lockName()))

		second, err := Open(context.Background(), o)
		must(t, err)
		must(t, second.Begin(context.Background()))
		f, err = second.Create(0, 0)
		must(t, err)
		must(t, f.Finish(2))
		if err := first.Commit(t.Context(), new(report.Report).Final); exit.Code(err) != exit.StatusRetry {
			t.Errorf("%s: published without a lock: %v", name, err)
		}
		if err := first.Close(); !errors.Is(err, storage.ErrLockLost) {
			t.Errorf("%s: closed without a word: %v", name, err)
		}
		must(t, second.Commit(t.Context(), new(report.Report).Final))
		must(t, second.Close())
		if left, _ := filepath.Glob(filepath.Join(dir, "out*", "_*")); name == "out" && len(left) != 1 {
			t.Errorf("left %v", left)
		}
	}
}
