package publish

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"avro2trevni/internal/exit"
	"avro2trevni/internal/jobtest"
	"avro2trevni/internal/storage/storagetest"
	"avro2trevni/jobs/report"
)

// objectJob is a job on object storage that does to its output what jobs do, and nothing
// else. Its name is that of its input, and in the content of its files.
type objectJob struct {
	name   string
	mode   string // fail, replace, append, compact
	files  int
	single bool
	parted bool
}

func (j *objectJob) output() string {
	if j.single {
		return "s3://bucket/dir/out.trv"
	}
	return "s3://bucket/dir/out"
}

// ownClock is the clock of one process: it stands, but for waiting, and nobody else sees it.
func ownClock() *timing {
	timing, _ := settableClock()
	return timing
}

// settableClock is ownClock, and what puts it forward.
func settableClock() (_ *timing, forward func(time.Duration)) {
	now := time.Unix(1_700_000_000, 0)
	forward = func(d time.Duration) { now = now.Add(d) }
	return &timing{lease: time.Minute, poll: 5 * time.Second, now: func() time.Time { return now }, wait: func(_ context.Context, d time.Duration) error {
		forward(d)
		return nil
	}}, forward
}

// run runs the job as one process.
func (j *objectJob) run(c *storagetest.Client) error { return j.runWith(c, Options{}) }

func (j *objectJob) runWith(c *storagetest.Client, o Options) (err error) {
	o.FS, o.Name, o.Single, o.Ext = c, j.output(), j.single, ".trv"
	o.Replace, o.Adds, o.Merges = j.mode == "replace", j.mode == "append" || j.mode == "compact", j.mode == "compact"
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.timing == nil {
		o.timing = ownClock()
	}
	if j.parted {
		o.Prefix = "k="
	}
	ctx := context.Background()
	out, err := Open(ctx, o)
	if err != nil {
		return err
	}
	defer func() {
		closeErr := out.Close()
		if out.ended && closeErr != nil {
			closeErr = fmt.Errorf("%w: %w", errLeft, closeErr)
		}
		err = errors.Join(err, closeErr)
	}()
	r := new(report.Report)
	if o.Adds {
		if r, err = j.earlier(c, out); err != nil {
			return err
		}
		if slices.ContainsFunc(r.Inputs, func(in report.Input) bool { return in.Path == j.name }) {
			return nil // done already
		}
	}
	if err := out.Begin(ctx); err != nil {
		return err
	}
	return j.work(ctx, out, r)
}

// earlier reads what the output has.
func (j *objectJob) earlier(c *storagetest.Client, out *Output) (*report.Report, error) {
	r := new(report.Report)
	if out.Locked() {
		if _, err := out.Repair(); err != nil {
			return nil, err
		}
	}
	data, _, err := c.Load(j.output()+"/_SUCCESS", 1<<20)
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	if err == nil {
		err = json.Unmarshal(data, r)
	}
	next := map[string]int{}
	for _, o := range r.Outputs {
		next[path.Dir(o.Path)] = PartNumber(o.Path) + 1
	}
	out.Follows(There{
		Lists: func(name string) bool {
			return slices.ContainsFunc(r.Outputs, func(o report.Output) bool { return o.Path == name })
		},
		Next: func(folder string) int { return next[folder] }, Ext: ".trv",
	}, next["."])
	return r, err
}

// work writes the files and publishes them.
func (j *objectJob) work(ctx context.Context, out *Output, r *report.Report) error {
	if j.mode == "compact" {
		out.StartAt(PartNumber(r.Outputs[0].Path))
	}
	for i := range j.files {
		if j.parted {
			out.Place(i, fmt.Sprintf("k=%d", i%2))
		}
		f, err := out.Create(i, 0)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(f, "%s, file %d", j.name, i); err != nil {
			return err
		}
		if err := f.Finish(1); err != nil {
			return err
		}
	}
	outs, err := out.Outputs()
	if err != nil {
		return err
	}
	if j.mode == "compact" { // the first two files become others
		out.Replaces([]string{r.Outputs[0].Path, r.Outputs[1].Path})
		r.Outputs = slices.Concat(outs, r.Outputs[2:])
	} else {
		r.AddOutputs(outs)
	}
	r.Inputs = append(r.Inputs, report.Input{Path: j.name})
	r.Run.Started = time.Now()
	return out.Commit(ctx, r.Final)
}

// objectScene is an output before a job, made by other jobs.
type objectScene struct {
	name   string
	before []objectJob
	job    objectJob
	again  objectJob // what runs after the job, or in between
}

var objectScenes = []objectScene{
	{"fail", nil, objectJob{name: "a", mode: "fail", files: 3}, objectJob{name: "b", mode: "fail", files: 2}},
	{"fail, then replace", nil, objectJob{name: "a", mode: "fail", files: 3}, objectJob{name: "b", mode: "replace", files: 2}},
	{"replace", []objectJob{{name: "0", mode: "fail", files: 3}}, objectJob{name: "a", mode: "replace", files: 2}, objectJob{name: "b", mode: "replace", files: 2}},
	{"replace, then append", []objectJob{{name: "0", mode: "fail", files: 3}}, objectJob{name: "a", mode: "replace", files: 2}, objectJob{name: "b", mode: "append", files: 2}},
	{"append two", []objectJob{{name: "0", mode: "fail", files: 3}}, objectJob{name: "a", mode: "append", files: 2}, objectJob{name: "b", mode: "append", files: 2}},
	{"append one", []objectJob{{name: "0", mode: "fail", files: 3}}, objectJob{name: "a", mode: "append", files: 1}, objectJob{name: "b", mode: "append", files: 1}},
	{"append two, then replace", []objectJob{{name: "0", mode: "fail", files: 3}}, objectJob{name: "a", mode: "append", files: 2}, objectJob{name: "b", mode: "replace", files: 2}},
	{"append to a replaced one", []objectJob{{name: "0", mode: "fail", files: 3}, {name: "1", mode: "replace", files: 1}}, objectJob{name: "a", mode: "append", files: 2}, objectJob{name: "b", mode: "append", files: 2}},
	{"compact", []objectJob{{name: "0", mode: "fail", files: 3}}, objectJob{name: "a", mode: "compact", files: 1}, objectJob{name: "b", mode: "append", files: 2}},
	{"partition", nil, objectJob{name: "a", mode: "fail", files: 3, parted: true}, objectJob{name: "b", mode: "replace", files: 3, parted: true}},
	{"replace partitions", []objectJob{{name: "0", mode: "fail", files: 3, parted: true}}, objectJob{name: "a", mode: "replace", files: 1, parted: true}, objectJob{name: "b", mode: "append", files: 2, parted: true}},
	{"file", nil, objectJob{name: "a", mode: "fail", files: 1, single: true}, objectJob{name: "b", mode: "fail", files: 1, single: true}},
	{"replace a file", []objectJob{{name: "0", mode: "fail", files: 1, single: true}}, objectJob{name: "a", mode: "replace", files: 1, single: true}, objectJob{name: "b", mode: "replace", files: 1, single: true}},
}

// set returns the bucket before the job.
func (s *objectScene) set(t *testing.T) *storagetest.Bucket {
	t.Helper()
	b := storagetest.NewBucket()
	b.Write("s3://bucket/dir/other", "another program's")
	b.Write("s3://bucket/dir/out/notes.txt", "another program's")
	for _, j := range s.before {
		must(t, j.run(&storagetest.Client{Bucket: b}))
	}
	return b
}

// seen returns what is wrong with what a reader sees: a _SUCCESS and other files than those
// that it lists, or of other content. Of a job that adds one file, one more may be seen.
func (s *objectScene) seen(b *storagetest.Bucket) error {
	all := b.Files()
	if all["s3://bucket/dir/other"] == "" || all["s3://bucket/dir/out/notes.txt"] == "" {
		return errors.New("a file of another program is gone")
	}
	if s.job.single {
		data, ok := all[s.job.output()]
		if name, file, _ := strings.Cut(data, ", "); ok && (file != "file 0" || !strings.Contains("0ab", name)) {
			return fmt.Errorf("the file holds %q", data)
		}
		return nil
	}
	text, ok := all[s.job.output()+"/_SUCCESS"]
	if !ok {
		return nil
	}
	var r report.Report
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		return err
	}
	parts := map[string]string{}
	for name, data := range all {
		if below, ok := strings.CutPrefix(name, s.job.output()+"/"); ok && below != SuccessName && IsPublishedName(below) {
			parts[below] = data
		}
	}
	if len(parts) == len(r.Outputs)+1 && s.name == "append one" {
		maps.DeleteFunc(parts, func(name, _ string) bool {
			return !slices.ContainsFunc(r.Outputs, func(o report.Output) bool { return o.Path == name })
		})
	}
	if err := sameAsReport(text, parts); err != nil {
		return fmt.Errorf("%w; there are %v", err, slices.Sorted(maps.Keys(parts)))
	}
	return nil
}

// left returns what runs left that should be gone when one has ended.
func (s *objectScene) left(b *storagetest.Bucket) []string {
	left := b.Uploads()
	for name := range b.Files() {
		if strings.Contains(name, "/_temporary/") || strings.Contains(name, ".tmp/") {
			left = append(left, name)
		}
	}
	return left
}

// inputs returns the names of the jobs whose rows the output has, in order.
func (s *objectScene) inputs(b *storagetest.Bucket) (names []string) {
	if s.job.single {
		if data, ok := b.Files()[s.job.output()]; ok {
			return []string{data[:1]}
		}
		return nil
	}
	var r report.Report
	_ = json.Unmarshal([]byte(b.Files()[s.job.output()+"/_SUCCESS"]), &r) // none has none
	for _, in := range r.Inputs {
		names = append(names, in.Path)
	}
	return names
}

// after is what the inputs are when a job has run.
func after(before []string, j *objectJob) []string {
	switch {
	case j.mode == "replace", len(before) == 0:
		return []string{j.name}
	case j.mode == "fail":
		return before
	case slices.Contains(before, j.name):
		return before
	}
	return append(slices.Clone(before), j.name)
}

// watched is a client after each of whose requests a reader looks.
func (s *objectScene) watched(t *testing.T, b *storagetest.Bucket, what func() string) *storagetest.Client {
	return &storagetest.Client{Bucket: b, Done: func(op, name string, _ error) {
		if err := s.seen(b); err != nil {
			t.Errorf("%s, after %s %s: %v", what(), op, name, err)
		}
	}}
}

// A job on object storage, and what it leaves and what it makes.
func TestStagingPublishes(t *testing.T) {
	for _, s := range objectScenes {
		t.Run(s.name, func(t *testing.T) {
			b := s.set(t)
			was := s.inputs(b)
			for _, j := range []objectJob{s.job, s.again} {
				c := s.watched(t, b, func() string { return "job " + j.name })
				err := j.run(c)
				if j.mode == "fail" && len(was) > 0 {
					wantExit(t, err, exit.StatusRefused, exit.ErrExists.Error())
					err = nil
				}
				must(t, err)
				if was = after(was, &j); !slices.Equal(s.inputs(b), was) {
					t.Errorf("after job %s: inputs %v, want %v", j.name, s.inputs(b), was)
				}
				if left := s.left(b); len(left) > 0 {
					t.Errorf("after job %s: left %v", j.name, left)
				}
				t.Logf("job %s: %d requests", j.name, c.Calls())
			}
		})
	}
}

// A job that is killed before and after each of its requests, and another one then.
func TestStagingKilledAtEachRequest(t *testing.T) {
	histories, thin := 0, jobtest.Thin(t, 7)
	for _, s := range objectScenes {
		base := s.set(t)
		for k := 1; ; k += thin {
			crashed := false
			for _, after := range []bool{false, true} {
				crashed = s.killed(t, base.Copy(), k, after) || crashed
				histories++
			}
			if !crashed {
				break
			}
		}
	}
	t.Logf("%d histories", histories)
}

// killed kills the job at request k, runs the other one, and reports whether there is such a
// request.
func (s *objectScene) killed(t *testing.T, b *storagetest.Bucket, k int, after_ bool) bool {
	t.Helper()
	was := s.inputs(b)
	what := fmt.Sprintf("%s, killed at request %d, answered %v", s.name, k, after_)
	c := s.watched(t, b, func() string { return what })
	c.At, c.After, c.Dead = k, after_, true
	err := s.job.run(c)
	if c.Calls() < k && err != nil {
		t.Errorf("%s: %v", what, err)
	}
	if is := s.inputs(b); is != nil && !slices.Equal(is, was) && !slices.Equal(is, after(was, &s.job)) {
		t.Errorf("%s: inputs %v", what, is)
	}
	what += ", then another"
	err = s.again.run(s.watched(t, b, func() string { return what }))
	if errors.Is(err, exit.ErrExists) {
		err = nil
	}
	if err != nil {
		t.Errorf("%s: %v", what, err)
	}
	is := s.inputs(b)
	if !slices.Equal(is, after(was, &s.again)) && !slices.Equal(is, after(after(was, &s.job), &s.again)) {
		t.Errorf("%s: inputs %v", what, is)
	}
	if left := s.left(b); len(left) > 0 {
		t.Errorf("%s: left %v", what, left)
	}
	return c.Calls() >= k
}
