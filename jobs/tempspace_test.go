package jobs

import (
	"bytes"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"

	"avro2trevni/internal/storage"
	"avro2trevni/reducer"
)

// Temporary files past --temp-limit fail the job, within it they don't, and what the
// report says was used is what is needed.
func TestTempLimit(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in.avro")
	makeInput(t, in, "nested", 0, 12000)
	run := func(limit int64) (*Report, error) {
		o := Options{Inputs: []string{in}, Output: filepath.Join(dir, "out"), Workers: 2, Memory: 256 << 20, SplitSize: 64 << 10, IfExists: IfExistsReplace, TempLimit: limit}
		return convertWith(t, o, 512<<10)
	}
	report, err := run(0)
	must(t, err)
	peak := report.Run.TempBytes
	if peak <= 0 || peak > 2*report.Run.SpilledBytes {
		t.Fatalf("%d bytes at a time, %d in all", peak, report.Run.SpilledBytes)
	}
	_, err = run(peak / 2)
	wantExit(t, err, ExitFailed, "--temp-limit is")
	if _, err = run(2 * peak); err != nil {
		t.Error(err)
	}
	o := Options{Inputs: []string{in}, Output: "out", TempLimit: 5}
	wantExit(t, o.Validate(), ExitUsage, "temp limit 5: must be from")
}

// A stage's file is made in the first folder where that succeeds, and what it holds is
// counted until it is closed.
func TestStageTemp(t *testing.T) {
	good := t.TempDir()
	o := &Options{TempDirs: []string{filepath.Join(good, "gone"), good}, stage: reducer.TempDir}
	j := &job{o: o, space: &tempSpace{limit: 150}}
	f, err := j.stageTemp()()
	must(t, err)
	_, err = f.WriteAt(make([]byte, 100), 0)
	must(t, err)
	if _, err := f.WriteAt(make([]byte, 100), 100); err == nil || !strings.Contains(err.Error(), "temp-limit") {
		t.Errorf("past the limit: %v", err)
	}
	if j.space.now != 100 || j.space.peak() != 100 {
		t.Errorf("%d bytes in use", j.space.now)
	}
	must(t, f.Close())
	if j.space.now != 0 {
		t.Errorf("%d bytes in use after Close", j.space.now)
	}
	o.TempDirs = o.TempDirs[:1]
	if _, err := j.stageTemp()(); err == nil || !strings.Contains(err.Error(), "gone") {
		t.Errorf("no folder: %v", err)
	}
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
		{10 * mib, gib, "out", 2, 10 * mib},
		{10 * gib, mib, "out.trv", 2, 10 * gib},
		{10 * gib, 100 * mib, "out", 1, 200*mib + 16*mib},
		{10 * gib, 100 * mib, "out", 16, 500*mib + 256*mib},
	} {
		p := &Plan{Bytes: tt.bytes, SplitSize: 8 * mib}
		if got := p.pending(&Options{Output: tt.out, FileSize: tt.file}, tt.workers); got != tt.want {
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
		o := &Options{Output: "out.trv", TempDirs: []string{dir}, Log: slog.New(slog.NewTextHandler(&log, nil))}
		j := &job{o: o, plan: &Plan{Bytes: need}, space: &tempSpace{}}
		j.checkSpace()
		if warned := strings.Contains(log.String(), "may need more room than there is"); warned != (need > free) {
			t.Errorf("%d bytes needed, %d free: %q", need, free, log.String())
		}
	}
	var log bytes.Buffer
	o := &Options{Output: "out.trv", TempDirs: []string{dir}, Log: slog.New(slog.NewTextHandler(&log, nil))}
	(&job{o: o, plan: &Plan{Bytes: 2000}, space: &tempSpace{limit: 1000}}).checkSpace()
	if !strings.Contains(log.String(), "may need more than --temp-limit") {
		t.Errorf("more than the limit: %q", log.String())
	}
	if _, ok := storage.Free(filepath.Join(dir, "gone")); ok {
		t.Error("free space of no folder")
	}
	if err := new(tempSpace).Take(1 << 60); err != nil {
		t.Error(err)
	}
}
