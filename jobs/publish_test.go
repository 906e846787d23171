package jobs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"avro2trevni/internal/exit"
	"avro2trevni/internal/storage"
	"avro2trevni/internal/storage/storagetest"
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

// noFolders is a file system without room for new partitions' folders in the output.
type noFolders struct{ storage.FS }

func (f noFolders) MkdirAll(name string) error {
	if strings.Contains(name, "=") && !strings.Contains(name, tempName) {
		return &os.PathError{Op: "mkdir", Path: name, Err: syscall.ENOSPC}
	}
	return f.FS.MkdirAll(name)
}

// Where folders of partitions cannot be made the old output stands, and nothing else is left.
func TestNoRoomForPartitions(t *testing.T) {
	for _, s := range scenes {
		if s.o.PartitionBy == "" {
			continue
		}
		m := s.set()
		before := m.Files()
		if err := fakeJob(noFolders{m}, s.o); !errors.Is(err, syscall.ENOSPC) || exit.Code(err) != exit.StatusFailed {
			t.Errorf("%s: %v", s.name, err)
		}
		if !maps.Equal(before, m.Files()) {
			t.Errorf("%s: changed: %v", s.name, slices.Sorted(maps.Keys(m.Files())))
		}
	}
}

// Interrupted while it publishes, a job undoes what it did as long as the old output stands,
// and publishes all after that, and says which it was.
func TestInterruptedWhilePublishing(t *testing.T) {
	for _, s := range scenes {
		t.Run(s.name, func(t *testing.T) {
			undone, done := 0, 0
			for k := 1; ; k++ {
				m := s.set()
				ctx, cancel := context.WithCancelCause(t.Context())
				f := &storagetest.Fault{FS: m, Before: func(call int, _, _ string) {
					if call == k {
						cancel(&exit.Interrupt{Signal: syscall.SIGTERM})
					}
				}}
				err := commitJob(ctx, f, s.o, newFiles)
				cancel(nil)
				if f.Calls() < k {
					break
				}
				switch exit.Code(err) {
				case exit.StatusDone:
					done++
					s.holds(t, fmt.Sprintf("interrupted at call %d, and done", k), m, newFiles)
				case exit.StatusTERM:
					undone++
					if !maps.Equal(files(s.set()), files(m)) {
						t.Errorf("interrupted at call %d, and undone: %v", k, slices.Sorted(maps.Keys(files(m))))
					}
				default:
					t.Errorf("interrupted at call %d: %v", k, err)
				}
				if n := s.left(m); len(n) > 0 {
					t.Errorf("interrupted at call %d: left %v", k, n)
				}
			}
			if undone == 0 || done == 0 {
				t.Errorf("undone %d times, done %d times", undone, done)
			}
		})
	}
}

// A step of publishing that fails once does not fail the job if all is published all the
// same; and a job that fails has published nothing, or says that the next run will settle it.
func TestPublishingFailsOnce(t *testing.T) {
	for _, s := range scenes {
		t.Run(s.name, func(t *testing.T) {
			completed := 0
			for k := 1; ; k++ {
				m := s.set()
				var log strings.Builder
				o := s.o
				o.Log = slog.New(slog.NewTextHandler(&log, nil))
				f := &storagetest.Fault{FS: m, At: k}
				err := commitJob(t.Context(), f, o, newFiles)
				if f.Calls() < k {
					break
				}
				published := maps.Equal(files(m), s.done())
				switch {
				case strings.Contains(log.String(), "publishing failed, and was then completed"):
					completed++
					fallthrough
				case err == nil || errors.Is(err, errLeft):
					s.holds(t, fmt.Sprint("call ", k), m, newFiles)
				case published:
					t.Errorf("call %d: published, and %v", k, err)
				}
			}
			if completed == 0 && s.old != nil && !s.o.single() && s.o.IfExists == IfExistsReplace {
				t.Error("no publication was completed")
			}
		})
	}
}

// Pipes and devices with the names of a job's own files end a run, and do not stop it.
func TestPipesInOutput(t *testing.T) {
	for _, name := range []string{lockName, tempName + "/" + journalName, successName} {
		t.Run(filepath.Base(name), func(t *testing.T) {
			t.Chdir(t.TempDir())
			must(t, errors.Join(os.Mkdir("in", 0o777), os.MkdirAll(filepath.Join("out", tempName), 0o777)))
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
			temp := storage.Base(singleTemp(name))
			if hidden[hiddenName(name)] = true; len(temp) > 255 || !isSingleTemp(name, temp) {
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
