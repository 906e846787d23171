package jobs

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"sync"
	"testing"

	"avro2trevni/internal/exit"
	"avro2trevni/internal/storage"
	"avro2trevni/internal/storage/storagetest"
	"avro2trevni/jobs/history"
	"avro2trevni/jobs/publish"
	"avro2trevni/jobs/report"
)

// hours is how many hourly runs are simulated; HOURS asks for more, 8760 is a year.
func hours(t *testing.T) int {
	if text := os.Getenv("HOURS"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil {
			t.Fatalf("HOURS=%s: %v", text, err)
		}
		return n
	}
	return 72
}

// year is an output that is appended to by the hour, and what its inputs hold.
type year struct {
	t    *testing.T
	r    *rand.Rand
	m    *storagetest.Mem
	o    Options
	next int64              // id
	ids  map[string][]int64 // of each input ever written

	crashes, refused, overlaps, changed, late int
}

// A year of hourly runs over a folder that grows: runs are killed at random calls, with
// or without what was not synced, two run at a time, inputs come late, are named twice,
// change after they were converted and are removed. Then --compact, killed too. All rows
// are there once, in the order of the inputs that _SUCCESS lists, all the time.
func TestYear(t *testing.T) {
	seed := uint64(1)
	if os.Getenv("HOURS") != "" {
		seed = rand.Uint64()
	}
	if text := os.Getenv("SEED"); text != "" {
		var err error
		seed, err = strconv.ParseUint(text, 10, 64)
		must(t, err)
	}
	y := &year{
		t: t, r: rand.New(rand.NewPCG(seed, 0)), m: storagetest.NewMem(), ids: map[string][]int64{},
		o: Options{FileSize: 96 << 10, BlockSize: 2 << 10, SplitSize: 4 << 10, Inputs: []string{"/in", "/in/*/*.avro"}},
	}
	n := hours(t)
	t.Logf("seed %d, %d hours", seed, n)
	for hour := range n {
		y.arrive(hour)
		y.change(hour)
		y.hour()
		if hour%500 == 499 || hour < 20 {
			y.check(hour)
		}
	}
	before := y.check(n)
	y.compact()
	after := y.check(n)
	if !slices.Equal(before, after) {
		t.Error("compaction changed the rows or their order")
	}
	_, rep := shown(t, y.m, "/out")
	for i, out := range rep.Outputs[:len(rep.Outputs)-1] {
		if n >= 1000 && out.Bytes < y.o.FileSize*9/10 {
			t.Errorf("file %d of %d has %d bytes of %d", i, len(rep.Outputs), out.Bytes, y.o.FileSize)
		}
	}
	t.Logf("%d rows of %d inputs in %d files; %d runs killed, %d overlapping, %d refused for changes in %d inputs, %d inputs late; manifest %d bytes",
		len(after), len(rep.Inputs), len(rep.Outputs), y.crashes, y.overlaps, y.refused, y.changed, y.late, len(y.m.Files()["/out/_SUCCESS"]))
	// What a few days may pass by, three weeks don't.
	if n > 50 && (y.crashes == 0 || y.overlaps == 0) || n >= 500 && (y.refused == 0 || y.late == 0) {
		t.Error("something was never tried")
	}
}

// file writes an input of a few rows.
func (y *year) file(name string) {
	from := y.next
	y.next += int64(y.r.IntN(60))
	y.ids[name] = append([]int64{}, idsFrom(from, y.next)...)
	put(y.t, y.m, name, int(from), int(y.next))
}

func hourName(hour int) string { return fmt.Sprintf("/in/%03d/%02d.avro", hour/24, hour%24) }

// arrive writes the hour's input, or not yet.
func (y *year) arrive(hour int) {
	if y.r.IntN(20) > 0 {
		y.file(hourName(hour))
	}
	if late := hourName(max(0, hour-1-y.r.IntN(30))); hour > 0 && y.ids[late] == nil {
		y.late++
		y.file(late)
	}
}

// change writes over an input that was converted: the next run is refused, or told to
// leave it. Then the input is removed, which nobody minds.
func (y *year) change(hour int) {
	name := hourName(y.r.IntN(hour + 1))
	if y.r.IntN(25) > 0 || !y.listed(name) {
		return
	}
	y.changed++
	put(y.t, y.m, name, 1_000_000, 1_000_000+y.r.IntN(50))
	_, err := addRun(y.t, y.m, y.o)
	wantExit(y.t, err, exit.StatusRefused, name+": changed since it was converted")
	y.refused++
	if y.r.IntN(2) == 0 {
		o := y.o
		o.Changed = ChangedIgnore
		_, err := addRun(y.t, y.m, o)
		must(y.t, err)
	}
	must(y.t, y.m.Remove(name))
	must(y.t, y.m.SyncDir(storage.Dir(name))) // or a crash brings it back
}

// listed reports whether an input was converted and is there.
func (y *year) listed(name string) bool {
	text, err := storage.ReadFile(y.m, "/out/"+publish.SuccessName, history.MaxManifest)
	if _, gone := y.m.Stat(name); gone != nil || errors.Is(err, fs.ErrNotExist) {
		return false
	}
	must(y.t, err)
	r := new(report.Report)
	must(y.t, json.Unmarshal(text, r))
	return slices.ContainsFunc(r.Inputs, func(in report.Input) bool { return in.Path == name })
}

// hour runs once, after runs that are killed, or beside another.
func (y *year) hour() {
	for y.r.IntN(6) == 0 {
		y.crash(func(f *storagetest.Fault) error { _, err := addRun(y.t, f, y.o); return err })
	}
	if y.r.IntN(6) == 0 {
		y.overlap()
	}
	_, err := addRun(y.t, y.m, y.o)
	must(y.t, err)
}

// crash kills a run at one of its calls, and perhaps the machine with it.
func (y *year) crash(run func(f *storagetest.Fault) error) {
	f := &storagetest.Fault{FS: y.m, At: 1 + y.r.IntN(120), Dead: true}
	err := run(f)
	if f.Calls() >= f.At {
		y.crashes++
	} else {
		must(y.t, err)
	}
	y.m = y.m.Crash(y.r.IntN(2) == 0)
}

// overlap runs twice at a time: one may find the other at work.
func (y *year) overlap() {
	y.overlaps++
	var wg sync.WaitGroup
	errs := make([]error, 2)
	for i := range errs {
		wg.Go(func() { _, errs[i] = addRun(y.t, y.m, y.o) })
	}
	wg.Wait()
	for _, err := range errs {
		if code := exit.Code(err); code != exit.StatusDone && code != exit.StatusRetry {
			y.t.Fatal(err)
		}
	}
}

// check checks that all rows of all inputs are there once, in the order in which
// _SUCCESS lists the inputs, and returns them.
func (y *year) check(hour int) []int64 {
	ids, r := shown(y.t, y.m, "/out")
	var want []int64
	seen := map[string]bool{}
	for _, in := range r.Inputs {
		if seen[in.Path] || y.ids[in.Path] == nil && in.Rows > 0 {
			y.t.Fatalf("hour %d: %s is listed twice, or never was", hour, in.Path)
		}
		seen[in.Path] = true
		want = append(want, y.ids[in.Path]...)
	}
	if len(seen) != len(y.ids) || !slices.Equal(want, ids) || int64(len(ids)) != y.next {
		y.t.Fatalf("hour %d: %d inputs of %d, %d rows of %d", hour, len(seen), len(y.ids), len(ids), y.next)
	}
	if n := len(parts(y.m)); n != len(r.Outputs) {
		y.t.Fatalf("hour %d: %d files, %d listed", hour, n, len(r.Outputs))
	}
	return ids
}

// compact merges the small files, once after being killed some times.
func (y *year) compact() {
	for range 5 {
		y.crash(func(f *storagetest.Fault) error { _, err := compactRun(y.t, f); return err })
	}
	_, err := compactRun(y.t, y.m)
	if err != nil && !errors.Is(err, storagetest.ErrFault) {
		y.t.Fatal(err)
	}
}
