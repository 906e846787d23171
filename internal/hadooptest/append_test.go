package hadooptest_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"avro2trevni/internal/exit"
	"avro2trevni/internal/hadooptest"
	"avro2trevni/internal/ocf"
	"avro2trevni/internal/storage"
	"avro2trevni/jobs"
	"avro2trevni/jobs/report"
)

// small are the options of jobs whose files are small: half a megabyte, of some 1,300 rows.
func small(input, output string) *jobs.Options {
	return &jobs.Options{Inputs: []string{input}, Output: output, FileSize: mib / 2, SplitSize: mib / 4, Memory: 64 * mib,
		IfExists: jobs.IfExistsAppend, Index: []string{"id"}, Verify: true, TempDirs: []string{os.TempDir()}}
}

// rowFile returns an Avro file of the rows [from, to). Its blocks have checksums.
func rowFile(t *testing.T, from, to int) []byte {
	t.Helper()
	var file bytes.Buffer
	w, err := ocf.NewWriter(&file, &ocf.WriterOptions{Schema: schema, Codec: "snappy"})
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(4, uint64(from)))
	for id := from; id < to; id++ {
		row := binary.AppendVarint(nil, int64(id))
		row = binary.AppendVarint(row, 400)
		for range 400 {
			row = append(row, byte('!'+r.IntN(90)))
		}
		if err := w.Append(row, 1); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// site is where a series of runs takes place: a folder of inputs, and an output.
type site struct {
	fs      storage.FS
	in, out string
}

func newSite(t *testing.T, f storage.FS, at string) site {
	t.Helper()
	s := site{f, storage.Join(at, "in"), storage.Join(at, "out")}
	if err := f.MkdirAll(s.in); err != nil {
		t.Fatal(err)
	}
	return s
}

// put makes an input, or makes it anew.
func (s site) put(t *testing.T, name string, data []byte) {
	t.Helper()
	path := storage.Join(s.in, name)
	if err := storage.RemoveAll(s.fs, path); err != nil {
		t.Fatal(err)
	}
	if err := storage.WriteFile(t.Context(), s.fs, path, data); err != nil {
		t.Fatal(err)
	}
}

// step is one run of a series, after new inputs came.
type step struct {
	name    string
	puts    map[string][]byte
	set     func(*jobs.Options) // may be nil
	compact bool
	exit    int
	want    report.Append // its counts of inputs; rows and bytes are compared with the other site's
	check   func(*report.Report) error
	takes   []string // inputs that are removed after it
}

// run takes a step at a site.
func (s site) run(t *testing.T, st *step) *report.Report {
	t.Helper()
	for name, data := range st.puts {
		s.put(t, name, data)
	}
	o := small(s.in, s.out)
	if st.set != nil {
		st.set(o)
	}
	r, err := runJob(t.Context(), o, st.compact)
	if got := exit.Code(err); got != st.exit {
		t.Fatalf("%s: %s: exit %d, want %d: %v", s.out, st.name, got, st.exit, err)
	}
	for _, name := range st.takes {
		if err := s.fs.Remove(storage.Join(s.in, name)); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

// damaged returns a file with a byte changed in the middle of a block.
func damaged(file []byte) []byte {
	file = bytes.Clone(file)
	file[len(file)/2] ^= 1
	return file
}

// series is the life of an output that is appended to.
func series(t *testing.T) []step {
	rows := func(from, to int) []byte { return rowFile(t, from, to) }
	is := func(what string, got, want int64) error {
		if got != want {
			return fmt.Errorf("%d %s, want %d", got, what, want)
		}
		return nil
	}
	return []step{
		{name: "the first", puts: map[string][]byte{"00.avro": rows(0, 6000)}, want: report.Append{Inputs: 1}},
		{name: "more", puts: map[string][]byte{"01.avro": rows(6000, 8000)}, want: report.Append{Inputs: 1, Unchanged: 1}},
		{name: "a little", puts: map[string][]byte{"02.avro": rows(8000, 8500)}, want: report.Append{Inputs: 1, Unchanged: 2},
			set: func(o *jobs.Options) { o.ExpectRecords = 500 }},
		{name: "a little more", puts: map[string][]byte{"03.avro": rows(8500, 9000)}, want: report.Append{Inputs: 1, Unchanged: 3}},
		{name: "and more", puts: map[string][]byte{"04.avro": rows(9000, 9500)}, want: report.Append{Inputs: 1, Unchanged: 4}},
		{name: "nothing new", want: report.Append{Unchanged: 5}},
		{name: "compact", compact: true, check: func(r *report.Report) error { return is("files merged", r.Run.Compacted.Files, 3) }},
		{name: "compact again", compact: true, check: func(r *report.Report) error { return is("files merged", r.Run.Compacted.Files, 0) }},
		{name: "damaged", puts: map[string][]byte{"05.avro": damaged(rows(9500, 11500))}, exit: exit.StatusFailed},
		{name: "damage skipped", exit: exit.StatusSome, set: func(o *jobs.Options) { o.OnCorrupt = jobs.CorruptSkipBlock }, want: report.Append{Inputs: 1, Unchanged: 5},
			check: func(r *report.Report) error { return is("blocks skipped", r.Counters.SkippedBlocks, 1) }},
		{name: "too young", puts: map[string][]byte{"06.avro": rows(11500, 12000), "07.avro": rows(12000, 12500)},
			set: func(o *jobs.Options) { o.MinAge = time.Hour }, want: report.Append{Unchanged: 6, Left: 2}},
		{name: "its folder incomplete", set: func(o *jobs.Options) { o.RequireSuccess = true }, want: report.Append{Unchanged: 6, Left: 2}},
		{name: "too many", set: func(o *jobs.Options) { o.MaxInputs = 1 }, exit: exit.StatusRefused},
		{name: "not as many as expected", set: func(o *jobs.Options) { o.ExpectRecords = 7 }, exit: exit.StatusRefused},
		{name: "its folder complete", puts: map[string][]byte{"_SUCCESS": nil}, want: report.Append{Inputs: 2, Unchanged: 6},
			set: func(o *jobs.Options) { o.RequireSuccess, o.MaxInputs, o.ExpectRecords = true, 2, 1000 }},
		{name: "not sorted", puts: map[string][]byte{"08.avro": rows(300, 400), "09.avro": rows(100, 200)}, takes: []string{"08.avro", "09.avro"}, exit: exit.StatusFailed},
		{name: "changed", puts: map[string][]byte{"00.avro": rows(0, 5)}, exit: exit.StatusRefused},
		{name: "changed, and ignored", set: func(o *jobs.Options) { o.Changed = jobs.ChangedIgnore }, want: report.Append{Unchanged: 7, Ignored: 1}},
		{name: "made anew", exit: exit.StatusSome, set: func(o *jobs.Options) { o.IfExists, o.OnCorrupt = jobs.IfExistsReplace, jobs.CorruptSkipBlock }},
	}
}

// TestAppend takes an output on HDFS through the life of one on local storage: after each
// run both hold the same files, whether the run was to succeed or not. Then come runs that
// were killed meanwhile.
func TestAppend(t *testing.T) {
	t.Parallel()
	c := hadooptest.Shared(t)
	f := router(t)
	kills := killAppends(t, f, c)
	local, remote := newSite(t, f, t.TempDir()), newSite(t, f, c.URI()+"/append")
	files := 0
	for _, st := range series(t) {
		want, got := local.run(t, &st), remote.run(t, &st)
		equal(t, f, remote.out, local.out)
		if st.exit == exit.StatusDone || st.exit == exit.StatusSome {
			compare(t, &st, got, want)
			files = len(got.Outputs)
		}
		if t.Failed() {
			t.Fatalf("in step %q", st.name)
		}
	}
	if n := blocks(t, c, remote.out); n != files+1 { // and _SUCCESS
		t.Errorf("%d blocks of %d files", n, files+1)
	}
	for _, k := range kills {
		t.Run(k.String(), func(t *testing.T) { k.again(t, f, k.want) })
	}
}

// compare checks what a step's reports say.
func compare(t *testing.T, st *step, got, want *report.Report) {
	t.Helper()
	if got.Counters != want.Counters {
		t.Errorf("counters\n%+v, locally\n%+v", got.Counters, want.Counters)
	}
	if a := got.Run.Appended; a != nil {
		counts := report.Append{Inputs: a.Inputs, Unchanged: a.Unchanged, Ignored: a.Ignored, Again: a.Again, Left: a.Left}
		if counts != st.want || *a != *want.Run.Appended {
			t.Errorf("%+v, locally %+v, want %+v", a, want.Run.Appended, st.want)
		}
	}
	if st.check != nil {
		if err := st.check(got); err != nil {
			t.Error(err)
		}
	}
}

// killed is a job on HDFS that was killed, and an output as it is to be in the end.
type killed struct {
	*job
	want string
}

// killAppends kills jobs that append, and that compact, at each step of their work.
func killAppends(t *testing.T, f storage.FS, c *hadooptest.Cluster) (all []killed) {
	t.Helper()
	adding, merging := rowFile(t, 6000, 8000), [][]byte{rowFile(t, 6000, 6500), rowFile(t, 6500, 7000), rowFile(t, 7000, 7500)}
	first := rowFile(t, 0, 6000)
	// prepare makes an output, to be worked on by the last step.
	prepare := func(s site, compact bool) {
		s.put(t, "0.avro", first)
		s.run(t, &step{})
		if !compact {
			s.put(t, "1.avro", adding)
			return
		}
		for i, data := range merging {
			s.put(t, fmt.Sprintf("%d.avro", i+1), data)
			s.run(t, &step{})
		}
	}
	want := map[bool]string{}
	for _, compact := range []bool{false, true} {
		s := newSite(t, f, t.TempDir())
		prepare(s, compact)
		s.run(t, &step{compact: compact})
		want[compact] = s.out
	}
	for i, at := range []struct {
		compact  bool
		op, name string
	}{
		{false, "write", "part-00006.trv"}, // one file finished, one in work
		{false, "rename", "journal"},       // all finished
		{false, "rename", "part-00006.trv"},
		{false, "rename", "_SUCCESS"},
		{false, "remove", "retired"}, // all published, the journal gone
		{true, "write", "part-00006.trv"},
		{true, "rename", "part-00006.trv"}, // the old _SUCCESS gone
		{true, "rename", "part-00007.trv"}, // new files in place of old
		{true, "rename", "_SUCCESS"},
	} {
		s := newSite(t, f, fmt.Sprintf("%s/killed-%d", c.URI(), i))
		prepare(s, at.compact)
		j := &job{Small: true, Compact: at.compact, Input: s.in, Output: s.out, Op: at.op, Name: at.name}
		j.start(t).kill(t)
		all = append(all, killed{j, want[at.compact]})
	}
	return all
}
