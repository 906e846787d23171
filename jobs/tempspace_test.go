package jobs

import (
	"bytes"
	"errors"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"avro2trevni/internal/exit"
	"avro2trevni/internal/storage"
	"avro2trevni/internal/units"
	"avro2trevni/jobs/inputs"
	"avro2trevni/jobs/memory"
	"avro2trevni/jobs/report"
	"avro2trevni/jobs/watch"
	"avro2trevni/reducer"
)

// Temporary files past --temp-limit fail the job, within it they don't, and what the
// report says was used is what is needed.
func TestTempLimit(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in.avro")
	makeInput(t, in, "nested", 0, 12000)
	run := func(limit int64) (*report.Report, error) {
		o := Options{Inputs: []string{in}, Output: filepath.Join(dir, "out"), Workers: 2, Memory: 256 << 20, SplitSize: 64 << 10, IfExists: IfExistsReplace, TempLimit: limit}
		return convertWith(t, o, 512<<10)
	}
	rep, err := run(0)
	must(t, err)
	peak := rep.Run.TempBytes
	if peak <= 0 || peak > 2*rep.Run.SpilledBytes {
		t.Fatalf("%d bytes at a time, %d in all", peak, rep.Run.SpilledBytes)
	}
	_, err = run(peak / 2)
	wantExit(t, err, exit.StatusFailed, "--temp-limit is")
	if _, err = run(2 * peak); err != nil {
		t.Error(err)
	}
	o := Options{Inputs: []string{in}, Output: "out", TempLimit: 5}
	wantExit(t, o.Validate(), exit.StatusUsage, "temp limit 5 bytes: must be at least 1 MiB")
}

// A stage's file is made in the first folder where that succeeds, and what it holds is
// counted until it is closed.
func TestStageTemp(t *testing.T) {
	good := t.TempDir()
	var log bytes.Buffer
	o := &Options{TempDirs: []string{filepath.Join(good, "gone"), good}, hooks: hooks{stage: reducer.TempDir}, Log: slog.New(slog.NewTextHandler(&log, nil))}
	o.TempLimit, o.Progress = 150, new(watch.Progress)
	temp := o.temporary("")
	f, err := temp.Stage()
	must(t, err)
	_, err = f.WriteAt(make([]byte, 100), 0)
	must(t, err)
	if _, err := f.WriteAt(make([]byte, 100), 100); err == nil || !strings.Contains(err.Error(), "temp-limit") {
		t.Errorf("past the limit: %v", err)
	}
	if temp.Space.Used() != 100 || temp.Space.Peak() != 100 {
		t.Errorf("%d bytes in use", temp.Space.Used())
	}
	must(t, f.Close())
	if temp.Space.Used() != 0 {
		t.Errorf("%d bytes in use after Close", temp.Space.Used())
	}
	if n := strings.Count(log.String(), "a temporary folder failed"); n != 1 || !slices.Equal(temp.folders(), o.TempDirs[1:]) {
		t.Errorf("%d warnings, folders %v left: %s", n, temp.folders(), &log)
	}
	o.TempDirs = o.TempDirs[:1]
	if _, err := o.temporary("").Stage(); err == nil || !strings.Contains(err.Error(), "gone") {
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
	o := &Options{TempDirs: []string{"a", "b", "c"}, hooks: hooks{stage: s.stage}, Log: slog.New(slog.DiscardHandler)}
	o.Progress = new(watch.Progress)
	temp := o.temporary("")
	f, err := temp.Stage()
	must(t, err)
	var want []byte
	for i := range 29 {
		piece := bytes.Repeat([]byte{byte(i)}, 100+i)
		_, err := f.WriteAt(piece, int64(len(want)))
		must(t, err)
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
	must(t, f.Close())
	if temp.Space.Used() != 0 || s.room["a"]+s.room["b"]+s.room["c"] != 4050 {
		t.Errorf("%d bytes in use, room %v", temp.Space.Used(), s.room)
	}
	again, err := temp.Stage()
	must(t, err)
	if s.at[len(s.at)-1] != "c" {
		t.Errorf("the next file was begun in %v", s.at)
	}
	must(t, again.Close())
}

// What temporary files may need is no more than the inputs, nor than the files that are
// made at a time.
func TestPending(t *testing.T) {
	for _, tt := range []struct {
		bytes, file int64
		out         string
		workers     int
		want        int64
	}{
		{10 * units.MiB, units.GiB, "out", 2, 10 * units.MiB},
		{10 * units.GiB, units.MiB, "out.trv", 2, 10 * units.GiB},
		{10 * units.GiB, 100 * units.MiB, "out", 1, 200*units.MiB + 16*units.MiB},
		{10 * units.GiB, 100 * units.MiB, "out", 16, 500*units.MiB + 256*units.MiB},
	} {
		p := &inputs.Plan{Bytes: tt.bytes, SplitSize: 8 * units.MiB}
		if got := pending(p, &Options{Output: tt.out, FileSize: tt.file}, tt.workers); got != tt.want {
			t.Errorf("%+v: %d", tt, got)
		}
	}
}

// Too little room is warned of.
func TestCheckSpace(t *testing.T) {
	dir := t.TempDir()
	free, ok := storage.Free(dir)
	if !ok {
		t.Skip("the system does not tell the free space")
	}
	for _, need := range []int64{free / 2, 2 * free} {
		var log bytes.Buffer
		o := &Options{TempDirs: []string{dir}, Progress: new(watch.Progress), Log: slog.New(slog.NewTextHandler(&log, nil))}
		o.temporary("").Check(need)
		if warned := strings.Contains(log.String(), "may need more space than is free"); warned != (need > free) {
			t.Errorf("%d bytes needed, %d free: %q", need, free, log.String())
		}
	}
	var log bytes.Buffer
	o := &Options{TempDirs: []string{dir}, Progress: new(watch.Progress), Log: slog.New(slog.NewTextHandler(&log, nil))}
	o.TempLimit = 1000
	o.temporary("").Check(2000)
	if !strings.Contains(log.String(), "may need more than --temp-limit") {
		t.Errorf("more than the limit: %q", log.String())
	}
	if _, ok := storage.Free(filepath.Join(dir, "gone")); ok {
		t.Error("free space of no folder")
	}
	if err := new(memory.TempSpace).Take(1 << 60); err != nil {
		t.Error(err)
	}
}
