package jobs

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"avro2trevni/internal/exit"
	"avro2trevni/internal/storage"
	"avro2trevni/internal/storage/storagetest"
	"avro2trevni/jobs/publish"
)

// A file where the folder of a partition would go is refused while the old output stands.
func TestFileInPlaceOfPartition(t *testing.T) {
	t.Chdir(t.TempDir())
	must(t, os.Mkdir("in", 0o777))
	writeAvro(t, "in/1.avro", partedSchema, parted(1, "a", "x"))
	o := Options{PartitionBy: "part"}
	_, _, err := partitioned(t, o)
	must(t, err)
	must(t, os.WriteFile("out/part=b", []byte("mine"), 0o666))
	must(t, os.WriteFile("out/other=b", nil, 0o666)) // which is in nobody's way
	writeAvro(t, "in/2.avro", partedSchema, parted(2, "b", "y"))
	for _, how := range []string{IfExistsReplace, IfExistsAppend} {
		o.IfExists = how
		_, got, err := partitioned(t, o)
		wantExit(t, err, exit.StatusRefused, "out/part=b: is a file where the folder of a partition would go")
		if _, err := os.Stat("out/_SUCCESS"); err != nil || len(got) != 1 {
			t.Errorf("%s: %v, %v", how, err, got)
		}
		if _, err := os.Stat("out/_temporary"); err == nil {
			t.Errorf("%s: temporary files are left", how)
		}
	}
	must(t, os.Remove("out/part=b"))
	_, got, err := partitioned(t, o)
	must(t, err)
	if len(got) != 2 {
		t.Errorf("%v", slices.Collect(maps.Keys(got)))
	}
}

// Pipes and devices with the names of a job's own files end a run, and do not stop it.
func TestPipesInOutput(t *testing.T) {
	for _, name := range []string{publish.LockName, publish.TempName + "/" + publish.JournalName, publish.SuccessName} {
		t.Run(filepath.Base(name), func(t *testing.T) {
			t.Chdir(t.TempDir())
			must(t, errors.Join(os.Mkdir("in", 0o777), os.MkdirAll(filepath.Join("out", publish.TempName), 0o777)))
			writeAvro(t, "in/1.avro", partedSchema, parted(1, "a", "x"))
			if err := syscall.Mkfifo(filepath.Join("out", name), 0o666); err != nil {
				t.Skip(err)
			}
			_, err := Convert(t.Context(), &Options{Inputs: []string{"in"}, Output: "out", IfExists: IfExistsAppend})
			if err == nil || !strings.Contains(err.Error(), "is not a file") {
				t.Errorf("%v", err)
			}
		})
	}
}

// A file's name of any length that a folder takes can be an output's: those that stand
// beside it are cut, and told apart all the same.
func TestLongNames(t *testing.T) {
	t.Chdir(t.TempDir())
	writeAvro(t, "a.avro", partedSchema, parted(1, "a", "x"))
	for _, unit := range []string{"n", "é", "\xff"} {
		var names []string
		for n := 225; n <= 251; n += 2 {
			names = append(names, strings.Repeat(unit, n/len(unit))+".trv")
		}
		names = append(names, names[len(names)-1][len(unit):len(unit)*2]+names[len(names)-1][len(unit)*2:len(names[len(names)-1])-5]+"o.trv")
		hidden := map[string]bool{}
		for _, name := range names {
			_, err := Convert(t.Context(), &Options{Inputs: []string{"a.avro"}, Output: name})
			must(t, err)
			temp := storage.Base(publish.SingleTemp(name))
			if hidden[publish.HiddenName(name)] = true; len(temp) > 255 || !publish.IsSingleTemp(name, temp) {
				t.Errorf("%d bytes: %q", len(name), temp)
			}
		}
		if len(hidden) != len(names) {
			t.Errorf("%d names beside %d outputs", len(hidden), len(names))
		}
	}
	left, _ := filepath.Glob(".*")
	if len(left) > 0 {
		t.Errorf("left %q", left)
	}
}

// A link that leads nowhere is an output that exists.
func TestDanglingOutput(t *testing.T) {
	t.Chdir(t.TempDir())
	writeAvro(t, "a.avro", partedSchema, parted(1, "a", "x"))
	for _, name := range []string{"out.trv", "out"} {
		must(t, os.Symlink("gone", name))
		o := &Options{Inputs: []string{"a.avro"}, Output: name}
		_, err := Convert(t.Context(), o)
		wantExit(t, err, exit.StatusRefused, "a link that leads nowhere")
		wantExit(t, Describe(t.Context(), o, io.Discard), exit.StatusRefused, "a link that leads nowhere")
		if to, err := os.Readlink(name); to != "gone" || err != nil {
			t.Errorf("%s leads to %q: %v", name, to, err)
		}
	}
	o := &Options{Inputs: []string{"a.avro"}, Output: "out.trv", IfExists: IfExistsReplace}
	_, err := Convert(t.Context(), o)
	must(t, err)
}

// TestCommitTakenOver for whole jobs of every kind: at some of its calls a job is taken over by another
// run of it. The outcome is that of one run.
func TestJobTakenOver(t *testing.T) {
	for _, s := range faultScenes {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			_, want, clean := s.clean(t)
			calls := clean.fault.Calls()
			for k := 1; k <= calls; k += stride(calls) {
				m := s.set(t)
				first := &faultRun{s: s, m: m, fault: &storagetest.Fault{FS: m}}
				second := &faultRun{s: s, m: m, fault: &storagetest.Fault{FS: m}}
				var otherErr error
				came := ""
				first.fault.Before = func(call int, op, name string) {
					if call == k {
						came = op + " " + name
						m.LoseLocks()
						otherErr = second.convert(t)
					}
				}
				err := first.convert(t)
				what := fmt.Sprintf("taken over at call %d, %s (%v; %v)", k, came, err, otherErr)
				if otherErr != nil && !errors.Is(otherErr, exit.ErrExists) {
					t.Error(what)
				}
				if code := exit.Code(err); code != exit.StatusRetry && code != exit.StatusDone && !errors.Is(err, exit.ErrExists) {
					t.Errorf("%s: exit %d", what, code)
				}
				if got := s.published(t, m); !maps.Equal(got, want) {
					t.Errorf("%s: %s", what, cmp.Diff(keys(want), keys(got)))
				}
				if n := left(m); len(n) > 0 {
					t.Errorf("%s: left %v", what, n)
				}
				s.again(t, what, m, want)
			}
		})
	}
}
