package jobs

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path"
	"regexp"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"unicode/utf8"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"avro2trevni/internal/exit"
	"avro2trevni/internal/jobtest"
	"avro2trevni/internal/storage/storagetest"
	"avro2trevni/jobs/memory"
	"avro2trevni/jobs/publish"
	"avro2trevni/jobs/report"
	"avro2trevni/parquet/reader"
)

// CROSS is how many draws are tried, CROSS_SEED the seed of the first. By default they are the same each
// time.
func crossDraws(t *testing.T) (n int, first uint64) {
	n, first = 60/jobtest.Thin(t, 3), 1
	if text := os.Getenv("CROSS"); text != "" {
		var err error
		n, err = strconv.Atoi(text)
		must(t, err)
	}
	if text := os.Getenv("CROSS_SEED"); text != "" {
		var err error
		first, err = strconv.ParseUint(text, 10, 64)
		must(t, err)
	}
	return n, first
}

// All features drawn together: schemas, resolution, projection, damage, sorting, partitions,
// appending and replacing, with the least memory that the program asks for and with plenty. The
// rows, folders, counts and exit statuses are those of a model; the bytes are the same whatever the
// memory, the workers and the temporary folders.
func TestCross(t *testing.T) {
	n, first := crossDraws(t)
	t.Logf("CROSS=%d CROSS_SEED=%d", n, first)
	var next atomic.Int64
	var sum crossCounts
	t.Run("draws", func(t *testing.T) {
		for range 2 {
			t.Run("", func(t *testing.T) {
				t.Parallel()
				for i := next.Add(1) - 1; i < int64(n); i = next.Add(1) - 1 {
					c := newCross(first + uint64(i))
					if err := c.check(&sum); err != nil {
						t.Errorf("CROSS=1 CROSS_SEED=%d: %v\n%s", c.seed, err, c)
						if os.Getenv("CROSS") == "" {
							return
						}
					}
				}
			})
		}
	})
	t.Log(sum.String())
	if n >= 60 && slices.Contains(sum.all(), 0) {
		t.Error("one of these never was")
	}
}

// crossCounts counts what the draws came to.
type crossCounts struct {
	rows, failed, skipped, appended, sorted, parted, spilled, least, several, parquet atomic.Int64
}

func (s *crossCounts) all() (all []int64) {
	for _, n := range []*atomic.Int64{&s.rows, &s.failed, &s.skipped, &s.appended, &s.sorted, &s.parted, &s.spilled, &s.least, &s.several, &s.parquet} {
		all = append(all, n.Load())
	}
	return all
}

func (s *crossCounts) String() string {
	n := s.all()
	return fmt.Sprintf("%d rows; runs: %d failed, %d skipped damage, %d appended, %d sorted, %d partitioned, %d spilled, %d with the least memory, %d of several files, %d to Parquet",
		n[0], n[1], n[2], n[3], n[4], n[5], n[6], n[7], n[8], n[9])
}

// crossWorld is the storage in which the runs of a draw take place, and how they are run.
type crossWorld struct {
	c       *crossDraw
	m       *storagetest.Mem
	memory  string // least, spill or plenty
	workers int
	temps   []string
	shuffle int64
	there   map[string]*crossFile
	sum     *crossCounts
}

// check runs a draw in two worlds, which must come to the same.
func (c *crossDraw) check(sum *crossCounts) error {
	r := rand.New(rand.NewPCG(c.seed, 9))
	for {
		a := c.world(r, "least", sum)
		b := c.world(r, []string{"spill", "plenty"}[r.IntN(2)], sum)
		err := c.compare(a, b)
		if err == nil || !strings.Contains(err.Error(), "has no room for rows") && !strings.Contains(err.Error(), "is too small for this table") {
			return err
		}
		c.o.FileSize *= 4
		for _, r := range c.runs {
			r.o.FileSize = c.o.FileSize
		}
	}
}

func (c *crossDraw) world(r *rand.Rand, limit string, sum *crossCounts) *crossWorld {
	w := &crossWorld{c: c, m: storagetest.NewMem(), memory: limit, workers: 1 + r.IntN(5), shuffle: r.Int64N(1 << (8 + r.IntN(13))), there: map[string]*crossFile{}, sum: sum}
	for i := range 1 + r.IntN(3) {
		w.temps = append(w.temps, fmt.Sprint("/tmp/", i))
	}
	if c.resolved {
		w.m.Write(c.o.Schema, c.rows.text())
	}
	return w
}

// compare runs all runs in both worlds, and holds them against the model and each other.
func (c *crossDraw) compare(a, b *crossWorld) error {
	state := &crossState{}
	for i, r := range c.runs {
		for _, w := range []*crossWorld{a, b} {
			for _, f := range r.files {
				w.m.Write(f.name, string(f.data))
				w.there[f.name] = f
			}
		}
		want := c.next(state, r, a.there)
		errA, errB := a.run(r, want), b.run(r, want)
		if exit.Code(errA) != exit.Code(errB) {
			return fmt.Errorf("run %d: %d workers, %s memory: %v; %d workers, %s memory: %v", i, a.workers, a.memory, errA, b.workers, b.memory, errB)
		}
		switch status := exit.Code(errA); {
		case slices.Contains(want.exits, status):
			state = want.state
		case want.free && (status == exit.StatusFailed || status == exit.StatusRefused):
		default:
			return fmt.Errorf("run %d: exit status %d, want %d: %w", i, status, want.exits, errA)
		}
		if err := cmp.Or(a.holds(state), b.holds(state), sameOutputs(a, b)); err != nil {
			return fmt.Errorf("run %d (%v): %w", i, errA, err)
		}
	}
	return nil
}

var needed = regexp.MustCompile(`needs at least .* \((\d+) bytes\)`)

// run does one run.
func (w *crossWorld) run(r *crossRun, want crossOutcome) error {
	o := r.o
	temp := &memTemp{fault: &storagetest.Fault{FS: w.m}}
	o.Inputs, o.FS, o.Workers, o.TempDirs = []string{"/in"}, w.m, w.workers, w.temps
	o.spills, o.stage = temp, temp.stage
	shuffle := w.shuffle
	o.divide = func(p *memory.Share) {
		debug.SetMemoryLimit(math.MaxInt64) // this process holds more than the job
		if w.memory == "spill" {
			p.Shuffle, p.Stage = shuffle+64<<10, 1
			p.Chunks, p.Runs, p.Merge = shuffle*4, 3<<20+shuffle, 1<<20
		}
	}
	o.Memory = 1 << 30
	if w.memory == "least" {
		o.Memory = 16 << 20
	}
	for range 30 {
		rep, err := Convert(context.Background(), &o)
		if err != nil && w.memory == "spill" && strings.Contains(err.Error(), "memory too small") {
			shuffle += shuffle/4 + 16<<10
			continue
		}
		if w.memory == "least" && strings.Contains(fmt.Sprint(err), "is too little for the schema of") {
			o.Memory += 1 << 20
			continue
		}
		if found := needed.FindStringSubmatch(fmt.Sprint(err)); w.memory == "least" && found != nil {
			o.Memory, _ = strconv.ParseInt(found[1], 10, 64)
			continue
		}
		if len(temp.files) > 0 || len(left(w.m)) > 0 {
			return fmt.Errorf("%d temporary files stay; %v: %w", len(temp.files), left(w.m), err)
		}
		w.count(rep, r, err)
		return err
	}
	return fmt.Errorf("no memory is enough; the last was %d", o.Memory)
}

func (w *crossWorld) count(rep *report.Report, r *crossRun, err error) {
	add := func(n *atomic.Int64, is bool) {
		if is {
			n.Add(1)
		}
	}
	add(&w.sum.failed, err != nil && exit.Code(err) != exit.StatusSome)
	add(&w.sum.skipped, exit.Code(err) == exit.StatusSome)
	if rep == nil || err != nil && exit.Code(err) != exit.StatusSome {
		return
	}
	add(&w.sum.appended, rep.Run.Appended != nil && rep.Run.Appended.Rows > 0 && rep.Run.Appended.Rows < rep.Counters.Rows)
	add(&w.sum.sorted, len(r.o.SortBy) > 0)
	add(&w.sum.parted, r.o.PartitionBy != "")
	add(&w.sum.spilled, rep.Run.SpilledBytes > 0)
	add(&w.sum.least, w.memory == "least")
	add(&w.sum.several, len(rep.Outputs) > 1)
	add(&w.sum.parquet, r.o.Format == FormatParquet)
}

// holds checks that the output is as it ought to be.
func (w *crossWorld) holds(want *crossState) error {
	files := w.outputs()
	if !want.published {
		if len(files) > 0 {
			return fmt.Errorf("there is %v, and nothing is to be published", slices.Sorted(maps.Keys(files)))
		}
		return nil
	}
	got := map[string][]string{}
	total, summed := int64(0), int64(-1)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		switch path.Base(name) {
		case publish.SuccessName, "_common_metadata":
			continue
		case "_metadata":
			info, err := reader.Open(strings.NewReader(files[name]), int64(len(files[name])), nil)
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			summed = info.Rows
			continue
		}
		rows, err := w.c.rowsOf(files[name])
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		folder := strings.TrimPrefix(strings.TrimPrefix(path.Dir(name), path.Clean(w.c.o.Output)), "/")
		if w.c.o.Single() {
			folder = ""
		}
		got[folder] = append(got[folder], rows...)
		total += int64(len(rows))
	}
	w.sum.rows.Add(total)
	if w.c.o.Summary != (summed >= 0) || w.c.o.Summary && summed != total {
		return fmt.Errorf("_metadata has %d rows (-1: there is none), the files %d", summed, total)
	}
	for _, folder := range slices.Sorted(maps.Keys(want.rows)) {
		if err := w.c.equalFolder(got[folder], want.rows[folder]); err != nil {
			return fmt.Errorf("%s memory, folder %q: %w", w.memory, folder, err)
		}
		delete(got, folder)
	}
	for folder, rows := range got {
		if len(rows) > 0 {
			return fmt.Errorf("%d rows in folder %q, which is not to be", len(rows), folder)
		}
	}
	if w.c.o.Single() {
		return nil
	}
	return w.reported(want, files)
}

// reported checks the report in _SUCCESS.
func (w *crossWorld) reported(want *crossState, files map[string]string) error {
	rep, err := w.success()
	if err != nil {
		return err
	}
	c, sum, over := rep.Counters, int64(0), int64(0)
	for _, rows := range want.rows {
		sum += int64(len(rows))
	}
	if c.Rows != sum || c.SkippedBytes != want.skipped {
		return fmt.Errorf("the report tells of %d rows and %d bytes skipped, want %d and %d", c.Rows, c.SkippedBytes, sum, want.skipped)
	}
	for _, out := range rep.Outputs {
		file, ok := files[w.c.o.Output+"/"+out.Path]
		if !ok || int64(len(file)) != out.Bytes || digest(file) != out.XXH64 {
			return fmt.Errorf("%s is not as reported", out.Path)
		}
		if out.Bytes > w.c.o.FileSize {
			over++
		}
	}
	others := 1 // _SUCCESS
	if w.c.o.Summary {
		others += 2
	}
	if len(rep.Outputs) != len(files)-others || over != c.OversizeFiles {
		return fmt.Errorf("%d outputs reported, %d are too large, there are %d and %d", len(rep.Outputs), c.OversizeFiles, len(files)-others, over)
	}
	if len(rep.Inputs) != len(want.inputs) {
		return fmt.Errorf("%d inputs reported, want %d", len(rep.Inputs), len(want.inputs))
	}
	for i, in := range rep.Inputs {
		if is := want.inputs[i]; in.Rows != is.rows || utf8.ValidString(is.name) && in.Path != is.name {
			return fmt.Errorf("input %d is reported as %s of %d rows, want %s of %d", i, in.Path, in.Rows, is.name, is.rows)
		}
	}
	return nil
}

// outputs returns the files of the output.
func (w *crossWorld) outputs() map[string]string {
	files := w.m.Files()
	maps.DeleteFunc(files, func(name, _ string) bool {
		return strings.HasSuffix(name, "/") || name != w.c.o.Output && !strings.HasPrefix(name, w.c.o.Output+"/")
	})
	return files
}

// success reads the report of the runs.
func (w *crossWorld) success() (*report.Report, error) {
	r := new(report.Report)
	return r, json.Unmarshal([]byte(w.outputs()[w.c.o.Output+"/"+publish.SuccessName]), r)
}

// sameOutputs compares what two worlds hold: all bytes, but for what of a report is the run's.
func sameOutputs(a, b *crossWorld) error {
	x, y := a.outputs(), b.outputs()
	for _, name := range slices.Sorted(maps.Keys(x)) {
		if path.Base(name) != publish.SuccessName && x[name] != y[name] {
			return fmt.Errorf("%s: %d bytes with %d workers and %s memory, %d other ones with %d workers and %s memory",
				name, len(x[name]), a.workers, a.memory, len(y[name]), b.workers, b.memory)
		}
	}
	if len(x) != len(y) {
		return fmt.Errorf("%d files and %d", len(x), len(y))
	}
	if _, ok := x[a.c.o.Output+"/"+publish.SuccessName]; !ok {
		return nil
	}
	p, err := a.success()
	q, err2 := b.success()
	if d := gocmp.Diff(p, q, cmpopts.IgnoreFields(report.Report{}, "Run"), cmpopts.IgnoreUnexported(report.Report{}, report.SkippedCounters{})); d != "" || cmp.Or(err, err2) != nil {
		return fmt.Errorf("reports differ: %w\n%s", cmp.Or(err, err2), d)
	}
	return nil
}
