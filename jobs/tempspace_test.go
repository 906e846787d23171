package jobs

import (
	"path/filepath"
	"testing"

	"avro2trevni/internal/exit"
	"avro2trevni/internal/units"
	"avro2trevni/jobs/inputs"
	"avro2trevni/jobs/report"
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
