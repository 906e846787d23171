package publish

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"

	"avro2trevni/internal/exit"
	"avro2trevni/internal/storage"
	"avro2trevni/internal/storage/storagetest"
)

// noFolders is a file system without room for new partitions' folders in the output.
type noFolders struct{ storage.FS }

func (f noFolders) MkdirAll(name string) error {
	if strings.Contains(name, "=") && !strings.Contains(name, TempName) {
		return &os.PathError{Op: "mkdir", Path: name, Err: syscall.ENOSPC}
	}
	return f.FS.MkdirAll(name)
}

// Where folders of partitions cannot be made the old output stands, and nothing else is left.
func TestNoRoomForPartitions(t *testing.T) {
	for _, s := range scenes {
		if s.o.Prefix == "" {
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
			if completed == 0 && s.old != nil && !strings.HasSuffix(s.o.Name, ".trv") && s.o.Replace {
				t.Error("no publication was completed")
			}
		})
	}
}
