package stages

import (
	"bytes"
	"errors"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"avro2trevni/internal/jobtest"
	"avro2trevni/internal/storage"
	"avro2trevni/jobs/memory"
	"avro2trevni/reducer"
)

// A stage's file is made in the first folder where that succeeds, and what it holds is
// counted until it is closed.
func TestStageTemp(t *testing.T) {
	good := t.TempDir()
	var log bytes.Buffer
	dirs := []string{filepath.Join(good, "gone"), good}
	temp := &Temp{Dirs: dirs, Make: reducer.TempDir, Space: &memory.TempSpace{Limit: 150}, Log: slog.New(slog.NewTextHandler(&log, nil))}
	f, err := temp.Stage()
	jobtest.Must(t, err)
	_, err = f.WriteAt(make([]byte, 100), 0)
	jobtest.Must(t, err)
	if _, err := f.WriteAt(make([]byte, 100), 100); err == nil || !strings.Contains(err.Error(), "temp-limit") {
		t.Errorf("past the limit: %v", err)
	}
	if temp.Space.Used() != 100 || temp.Space.Peak() != 100 {
		t.Errorf("%d bytes in use", temp.Space.Used())
	}
	jobtest.Must(t, f.Close())
	if temp.Space.Used() != 0 {
		t.Errorf("%d bytes in use after Close", temp.Space.Used())
	}
	if n := strings.Count(log.String(), "a temporary folder failed"); n != 1 || !slices.Equal(temp.folders(), dirs[1:]) {
		t.Errorf("%d warnings, folders %v left: %s", n, temp.folders(), &log)
	}
	gone := &Temp{Dirs: dirs[:1], Make: reducer.TempDir, Space: new(memory.TempSpace)}
	if _, err := gone.Stage(); err == nil || !strings.Contains(err.Error(), "gone") {
		t.Errorf("no folder: %v", err)
	}
}

// smallFolders is temporary folders each of which has room for so many bytes.
type smallFolders struct {
	room map[string]int
	at   []string // where files were begun
}

func (s *smallFolders) stage(dir string) func() (reducer.TempFile, error) {
	return func() (reducer.TempFile, error) {
		s.at = append(s.at, dir)
		return &smallFile{in: s, dir: dir}, nil
	}
}

type smallFile struct {
	in   *smallFolders
	dir  string
	data []byte
}

func (f *smallFile) WriteAt(p []byte, off int64) (int, error) {
	n := min(len(p), f.in.room[f.dir])
	f.in.room[f.dir] -= n
	if f.data = append(f.data[:off], p[:n]...); n < len(p) {
		return n, syscall.ENOSPC
	}
	return n, nil
}

func (f *smallFile) ReadAt(p []byte, off int64) (int, error) {
	return bytes.NewReader(f.data).ReadAt(p, off)
}

func (f *smallFile) Close() error {
	f.in.room[f.dir] += len(f.data)
	return nil
}

// A stage's file goes on in another folder where one has no more room, and so do all files
// that are made later; what was written is read back wherever it is.
func TestStageGoesOnInAnotherFolder(t *testing.T) {
	s := &smallFolders{room: map[string]int{"a": 1000, "b": 50, "c": 3000}}
	temp := &Temp{Dirs: []string{"a", "b", "c"}, Make: s.stage, Space: new(memory.TempSpace), Log: slog.New(slog.DiscardHandler)}
	f, err := temp.Stage()
	jobtest.Must(t, err)
	var want []byte
	for i := range 29 {
		piece := bytes.Repeat([]byte{byte(i)}, 100+i)
		_, err := f.WriteAt(piece, int64(len(want)))
		jobtest.Must(t, err)
		want = append(want, piece...)
	}
	for from := 0; from < len(want); from += 37 {
		for _, size := range []int{0, 1, 150, len(want) - from} {
			got := make([]byte, min(size, len(want)-from))
			if n, err := f.ReadAt(got, int64(from)); n < len(got) || !bytes.Equal(got, want[from:from+n]) {
				t.Fatalf("%d bytes at %d: %d, %v", len(got), from, n, err)
			}
		}
	}
	if _, err := f.ReadAt(make([]byte, 10), int64(len(want)-5)); err == nil {
		t.Error("no error past the end")
	}
	if got := strings.Join(s.at, " "); got != "a b c" || !slices.Equal(temp.folders(), []string{"c"}) {
		t.Errorf("files were begun in %s; left are %v", got, temp.folders())
	}
	if _, err = f.WriteAt(make([]byte, 3000), int64(len(want))); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("the last folder full: %v", err)
	}
	jobtest.Must(t, f.Close())
	if temp.Space.Used() != 0 || s.room["a"]+s.room["b"]+s.room["c"] != 4050 {
		t.Errorf("%d bytes in use, room %v", temp.Space.Used(), s.room)
	}
	again, err := temp.Stage()
	jobtest.Must(t, err)
	if s.at[len(s.at)-1] != "c" {
		t.Errorf("the next file was begun in %v", s.at)
	}
	jobtest.Must(t, again.Close())
}

// Too little room is warned of.
func TestCheckSpace(t *testing.T) {
	dir := t.TempDir()
	free, ok := storage.FreeBytes(dir)
	if !ok {
		t.Skip("the system does not tell the free space")
	}
	for _, need := range []int64{free / 2, 2 * free} {
		var log bytes.Buffer
		temp := &Temp{Dirs: []string{dir}, Space: new(memory.TempSpace), Log: slog.New(slog.NewTextHandler(&log, nil))}
		temp.Check(need)
		if warned := strings.Contains(log.String(), "may need more space than is free"); warned != (need > free) {
			t.Errorf("%d bytes needed, %d free: %q", need, free, log.String())
		}
	}
	var log bytes.Buffer
	temp := &Temp{Dirs: []string{dir}, Space: &memory.TempSpace{Limit: 1000}, Log: slog.New(slog.NewTextHandler(&log, nil))}
	temp.Check(2000)
	if !strings.Contains(log.String(), "may need more than --temp-limit") {
		t.Errorf("more than the limit: %q", log.String())
	}
	if _, ok := storage.FreeBytes(filepath.Join(dir, "gone")); ok {
		t.Error("free space of no folder")
	}
	if err := new(memory.TempSpace).Take(1 << 60); err != nil {
		t.Error(err)
	}
}
