package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/cespare/xxhash/v2"
	"github.com/google/go-cmp/cmp"

	"avro2trevni/internal/storage"
	"avro2trevni/internal/storage/storagetest"
)

// newFiles is what the job of these tests writes.
var newFiles = []string{"new zero", "new one", "new two"}

// fakeJob does what a job does to its output, and nothing else.
func fakeJob(f storage.FS, o Options) error { return writeJob(f, o, newFiles) }

// writeJob is fakeJob for a job of other files.
func writeJob(f storage.FS, o Options, files []string) error {
	o.Log = slog.New(slog.DiscardHandler)
	return commitJob(context.Background(), f, o, files)
}

// commitJob is writeJob with a context, which is for the publishing, and a log.
func commitJob(ctx context.Context, f storage.FS, o Options, files []string) (err error) {
	o.FS = f
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	out, err := openOutput(&o)
	if err != nil {
		return err
	}
	defer func() {
		closeErr := out.close()
		if out.ended && closeErr != nil {
			closeErr = fmt.Errorf("%w: %w", errLeft, closeErr)
		}
		err = errors.Join(err, closeErr)
	}()
	if err := out.begin(); err != nil {
		return err
	}
	if err := storage.WriteFile(context.Background(), f, out.tempDir()+"/spill", []byte("spilled")); err != nil {
		return err
	}
	if o.single() {
		files = files[:1]
	}
	for i, data := range files {
		out.place(i, o.folderOfFile(i))
		w, err := out.create(i, 0)
		if err != nil {
			return err
		}
		for half := range strings.SplitSeq(data, " ") {
			if _, err := w.Write([]byte(half)); err != nil {
				return err // which leaves the file to close
			}
		}
		if err := w.Finish(int64(i)); err != nil {
			return err
		}
	}
	outs, err := out.outputs()
	if err != nil {
		return err
	}
	r := &Report{}
	r.addOutputs(outs)
	return out.commit(ctx, r)
}

// folderOfFile returns the folder that file i of these tests goes to, if there are partitions:
// files of two are written in turn.
func (o *Options) folderOfFile(i int) string {
	if o.PartitionBy == "" {
		return ""
	}
	return fmt.Sprintf("%s=%d", o.PartitionBy, i%2)
}

// nameOfFile returns the name of that file.
func (o *Options) nameOfFile(i int) string {
	if o.PartitionBy == "" {
		return partName(i)
	}
	return o.folderOfFile(i) + "/" + partName(i/2)
}

// errLeft is that of a job that published, and could not clear away its temporary files.
var errLeft = errors.New("files are left")

// scene is an output before a job, and the job's options.
type scene struct {
	name string
	o    Options
	old  map[string]string // files there before
	kept map[string]string // those of them that the job must leave alone
}

var scenes = []scene{
	{name: "new folder", o: Options{Output: "/data/out"}},
	{name: "new folders", o: Options{Output: "/data/a/b/out"}},
	{name: "new file in new folders", o: Options{Output: "/data/new/a/out.trv"}},
	{
		name: "folder with other files", o: Options{Output: "/data/out"},
		old:  map[string]string{"/data/out/notes.txt": "notes", "/data/out/_temporary/0/x": "hadoop's"},
		kept: map[string]string{"/data/out/notes.txt": "notes", "/data/out/_temporary/0/x": "hadoop's"},
	},
	{
		name: "replace", o: Options{Output: "/data/out", IfExists: IfExistsReplace},
		old: map[string]string{
			"/data/out/part-00000.trv": "old zero", "/data/out/part-00003.trv": "old three",
			"/data/out/_SUCCESS": oldSuccess("part-00000.trv", "old zero", "part-00003.trv", "old three"),
			"/data/out/notes":    "notes",
		},
		kept: map[string]string{"/data/out/notes": "notes"},
	},
	{
		name: "replace without success", o: Options{Output: "/data/out", IfExists: IfExistsReplace},
		old: map[string]string{"/data/out/part-00001.trv": "old one"},
	},
	{name: "new partitions", o: Options{Output: "/data/out", PartitionBy: "_k"}},
	{
		name: "replace partitions", o: Options{Output: "/data/out", PartitionBy: "_k", IfExists: IfExistsReplace},
		old: map[string]string{
			"/data/out/_k=0/part-00001.trv": "old zero", "/data/out/_k=9/part-00000.trv": "old nine", "/data/out/_k=0/notes": "notes",
			"/data/out/_SUCCESS": oldSuccess("_k=0/part-00001.trv", "old zero", "_k=9/part-00000.trv", "old nine"),
		},
		kept: map[string]string{"/data/out/_k=0/notes": "notes"},
	},
	{name: "new file", o: Options{Output: "/data/out.trv"}, old: map[string]string{"/data/x": "x"}, kept: map[string]string{"/data/x": "x"}},
	{
		name: "replace file", o: Options{Output: "/data/out.trv", IfExists: IfExistsReplace},
		old:  map[string]string{"/data/out.trv": "old", "/data/.out.trv.x.tmp": "not ours"},
		kept: map[string]string{"/data/.out.trv.x.tmp": "not ours"},
	},
}

// oldSuccess is the _SUCCESS of files given by name and content.
func oldSuccess(files ...string) string {
	r := &Report{}
	for i := 0; i < len(files); i += 2 {
		out := OutputReport{Path: files[i], Rows: int64(i / 2), Bytes: int64(len(files[i+1])), XXH64: digest(files[i+1])}
		r.addOutputs([]OutputReport{out})
	}
	data, err := r.JSON()
	if err != nil {
		panic(err)
	}
	return string(data)
}

func digest(s string) string {
	return fmt.Sprintf("%016x", xxhash.Sum64String(s))
}

func (s *scene) set() *storagetest.Mem {
	m := storagetest.NewMem()
	m.Write("/data/in.avro", "in")
	for name, data := range s.old {
		m.Write(name, data)
	}
	return m
}

// files returns all files that are not folders; in a _SUCCESS the time the run took
// is zero.
func files(m *storagetest.Mem) map[string]string {
	all := m.Files()
	maps.DeleteFunc(all, func(name, _ string) bool { return strings.HasSuffix(name, "/") })
	for name, text := range all {
		all[name] = seconds.ReplaceAllString(text, `"seconds": 0`)
	}
	return all
}

var seconds = regexp.MustCompile(`"seconds": [0-9.e+]+`)

// done returns the files as they are to be when the job is done.
func (s *scene) done() map[string]string { return s.doneWith(newFiles) }

// doneWith is done for a job of other files.
func (s *scene) doneWith(files []string) map[string]string {
	want := map[string]string{"/data/in.avro": "in"}
	maps.Copy(want, s.kept)
	if s.o.single() {
		want[s.o.Output] = strings.ReplaceAll(files[0], " ", "")
		return want
	}
	var outs []string
	for i, data := range files {
		data = strings.ReplaceAll(data, " ", "")
		want[s.o.Output+"/"+s.o.nameOfFile(i)] = data
		outs = append(outs, s.o.nameOfFile(i), data)
	}
	want[s.o.Output+"/_SUCCESS"] = oldSuccess(outs...)
	return want
}

// whole returns why the output is neither what it was nor a complete job nor, after
// a crash, one that a reader can tell is unfinished.
func (s *scene) whole(m *storagetest.Mem, crashed bool) error {
	all := files(m)
	for name, data := range s.kept {
		if all[name] != data {
			return fmt.Errorf("%s holds %q", name, all[name])
		}
	}
	if s.o.single() {
		switch all[s.o.Output] {
		case s.old[s.o.Output], s.done()[s.o.Output], s.doneWith(otherFiles)[s.o.Output]:
			return nil
		}
		return fmt.Errorf("the file holds %q", all[s.o.Output])
	}
	parts := map[string]string{}
	for name, data := range all {
		if base, ok := strings.CutPrefix(name, s.o.Output+"/"); ok && base != successName && oursBelow(base) {
			parts[base] = data
		}
	}
	text, ok := all[s.o.Output+"/_SUCCESS"]
	if ok {
		return sameAsReport(text, parts)
	}
	if old := s.old[s.o.Output+"/_SUCCESS"]; !crashed && (old != "" || len(parts) > 0 && s.old == nil) {
		return fmt.Errorf("no _SUCCESS after an error, with files %v", slices.Sorted(maps.Keys(parts)))
	}
	return nil
}

// sameAsReport returns an error unless the files are those of the _SUCCESS.
func sameAsReport(text string, parts map[string]string) error {
	var r Report
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		return fmt.Errorf("_SUCCESS: %w", err)
	}
	if len(r.Outputs) != len(parts) {
		return fmt.Errorf("_SUCCESS names %d files of %d", len(r.Outputs), len(parts))
	}
	for _, o := range r.Outputs {
		if digest(parts[o.Path]) != o.XXH64 {
			return fmt.Errorf("%s holds %q", o.Path, parts[o.Path])
		}
	}
	return nil
}

func TestCommit(t *testing.T) {
	for _, s := range scenes {
		t.Run(s.name, func(t *testing.T) {
			m := s.set()
			must(t, fakeJob(m, s.o))
			if d := cmp.Diff(s.done(), files(m)); d != "" {
				t.Errorf("files (-want +got):\n%s", d)
			}
			after := files(m.Crash(true)) // what comes back of the removed is hidden
			maps.DeleteFunc(after, func(name, _ string) bool { return strings.Contains(name, "/.") || strings.Contains(name, "/run-") })
			maps.Copy(after, s.kept)
			if d := cmp.Diff(s.done(), after); d != "" {
				t.Errorf("files after a crash (-want +got):\n%s", d)
			}
		})
	}
}

// Every call fails once: an error comes of it or it didn't matter, the output is as
// before or complete, and nothing else is left.
func TestCommitWithEachCallFailing(t *testing.T) {
	for _, s := range scenes {
		t.Run(s.name, func(t *testing.T) {
			for k := 1; ; k++ {
				m := s.set()
				f := &storagetest.Fault{FS: m, At: k, Short: k%2 == 0}
				err := fakeJob(f, s.o)
				if f.Calls() < k {
					must(t, err)
					return
				}
				if err == nil {
					if d := cmp.Diff(s.done(), files(m)); d != "" {
						t.Errorf("call %d failed, and the job did not; files (-want +got):\n%s", k, d)
					}
				} else if !errors.Is(err, storagetest.ErrFault) {
					t.Errorf("call %d: the error does not tell: %v", k, err)
				}
				if err := s.whole(m, false); err != nil {
					t.Errorf("call %d: %v", k, err)
				}
				s.rerun(t, k, m)
			}
		})
	}
}

// A job that dies at any call leaves the old output, or the new one, or one without
// _SUCCESS; whether or not the machine lost what wasn't synced. The next run ends
// as if nothing had been.
func TestCommitKilledAtEachCall(t *testing.T) {
	for _, s := range scenes {
		for _, synced := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/synced=%v", s.name, synced), func(t *testing.T) {
				for k := 1; ; k++ {
					m := s.set()
					f := &storagetest.Fault{FS: m, At: k, Dead: true}
					err := fakeJob(f, s.o)
					if f.Calls() < k {
						must(t, err)
						return
					}
					after := m.Crash(synced)
					if err := s.whole(after, true); err != nil {
						t.Errorf("call %d: %v", k, err)
					}
					s.rerun(t, k, after)
				}
			})
		}
	}
}

// Killed once, and killed again while the next run repairs.
func TestCommitKilledTwice(t *testing.T) {
	for _, s := range scenes {
		t.Run(s.name, func(t *testing.T) {
			for k := 1; ; k++ {
				m := s.set()
				f := &storagetest.Fault{FS: m, At: k, Dead: true}
				_ = fakeJob(f, s.o) // killed
				if f.Calls() < k {
					return
				}
				for again := 1; again < f.Calls(); again += 3 {
					second := m.Crash(true)
					_ = fakeJob(&storagetest.Fault{FS: second, At: again, Dead: true}, s.o) // killed
					after := second.Crash(again%2 == 0)
					if err := s.whole(after, true); err != nil {
						t.Errorf("calls %d, %d: %v", k, again, err)
					}
					s.rerun(t, k, after)
				}
			}
		})
	}
}

// rerun runs the job once more, without faults, and wants all as if it was the
// first time; also when the machine stops then.
func (s *scene) rerun(t *testing.T, k int, m *storagetest.Mem) {
	t.Helper()
	_, done := m.Files()[s.o.Output+"/_SUCCESS"]
	if s.o.single() {
		_, done = m.Files()[s.o.Output]
	}
	err := fakeJob(m, s.o)
	if done && s.o.IfExists != IfExistsReplace {
		if !errors.Is(err, ErrExists) {
			t.Errorf("call %d, then again: %v, want %v", k, err, ErrExists)
		}
		// what the first run left is gone all the same
	} else if err != nil {
		t.Errorf("call %d, then again: %v", k, err)
	}
	if d := cmp.Diff(s.done(), files(m)); d != "" {
		t.Errorf("call %d, then again: files (-want +got):\n%s", k, d)
	}
	s.holds(t, fmt.Sprintf("call %d, then again, then a power cut", k), m.PowerCut(), newFiles)
}

func TestIfExists(t *testing.T) {
	tests := []struct {
		name   string
		output string
		mode   string
		there  string
		exit   int
		says   string
	}{
		{"success", "/out", "", "/out/_SUCCESS", ExitRefused, "/out holds _SUCCESS"},
		{"part", "/out", "fail", "/out/part-123456.trv", ExitRefused, "/out holds part-123456.trv"},
		{"other file", "/out", "fail", "/out/part-1.avro", ExitDone, ""},
		{"file in the way of the folder", "/out", "replace", "/out", ExitRefused, "is a file, not a folder"},
		{"folder in the way of a part", "/out", "replace", "/out/part-00000.trv/x", ExitRefused, "is a folder"},
		{"file", "/out.trv", "fail", "/out.trv", ExitRefused, "/out.trv: jobs: the output exists"},
		{"folder in the way of the file", "/out.trv", "replace", "/out.trv/x", ExitRefused, "is a folder"},
		{"file in the way of its folder", "/a/out.trv", "fail", "/a", ExitRefused, "is a file, not a folder"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			m := storagetest.NewMem()
			m.Write(test.there, "x")
			before := m.Files()
			err := fakeJob(m, Options{Output: test.output, IfExists: test.mode})
			wantExit(t, err, test.exit, test.says)
			if err == nil {
				return
			}
			if d := cmp.Diff(before, m.Files()); d != "" {
				t.Errorf("a refusal changed something (-before +after):\n%s", d)
			}
		})
	}
}

func TestOneRunAtATime(t *testing.T) {
	for _, output := range []string{"/data/out", "/data/out.trv"} {
		m := storagetest.NewMem()
		m.Write("/data/in.avro", "in")
		o := &Options{Output: output, FS: m}
		first, err := openOutput(o)
		must(t, err)
		must(t, first.begin())
		_, err = openOutput(o)
		wantExit(t, err, ExitRetry, output+": another run is writing this output")
		if !errors.Is(err, storage.ErrLocked) {
			t.Errorf("%v is not ErrLocked", err)
		}
		other := *o
		other.Output += "2.trv"
		must(t, fakeJob(m, other)) // which must not clean what is not its own
		if _, err := m.Stat(first.tempDir()); err != nil {
			t.Error(err)
		}
		must(t, first.close())
		must(t, first.close())
		must(t, fakeJob(m, *o))
	}
}

func TestFilesInWork(t *testing.T) {
	m := storagetest.NewMem()
	out, err := openOutput(&Options{Output: "/out", FS: m})
	must(t, err)
	must(t, out.begin())
	second, err := out.create(1, 0)
	must(t, err)
	if _, err := out.outputs(); err == nil {
		t.Error("a file is in work, and outputs says nothing")
	}
	must(t, second.Finish(5))
	must(t, second.Abort())
	if second.Finish(5) == nil {
		t.Error("finished twice")
	}
	if _, err := out.outputs(); err == nil || !strings.Contains(err.Error(), "output file 0 is missing") {
		t.Errorf("file 0 is missing: %v", err)
	}
	if err := out.commit(t.Context(), &Report{}); err == nil {
		t.Error("committed without file 0")
	}
	must(t, out.discard())
	if outs, err := out.outputs(); err != nil || len(outs) != 0 {
		t.Errorf("after discard: %v, %v", outs, err)
	}
	if _, err := out.create(0, 0); err != nil {
		t.Error(err)
	}
	must(t, out.close())
	if len(m.Files()) != 0 {
		t.Errorf("left: %v", m.Files())
	}
}

// A journal is a list of files to remove, so it is not believed blindly.
func TestHostileJournal(t *testing.T) {
	for _, text := range []string{
		"", "{", `{"run":"run-0123456789abcdef","old":["../../etc/passwd"]}`,
		`{"run":"../x","publish":["part-00000.trv"]}`,
		`{"run":"run-0123456789abcdef","publish":["notes.txt"]}`,
		`{"run":"run-0123456789abcdef","publish":["part-00000.trv"],"old":["_SUCCESS"]}`, // staged files are gone
	} {
		m := storagetest.NewMem()
		m.Write("/out/_temporary/journal", text)
		m.Write("/out/notes.txt", "notes")
		m.Write("/etc/passwd", "root")
		before := files(m)
		err := fakeJob(m, Options{Output: "/out", IfExists: IfExistsReplace})
		if ExitCode(err) != ExitFailed || !strings.Contains(err.Error(), "journal") {
			t.Errorf("%s: %v", text, err)
		}
		if d := cmp.Diff(before, files(m)); d != "" {
			t.Errorf("%s: changed (-before +after):\n%s", text, d)
		}
	}
}

// A journal that nobody could read again is not written.
func TestJournalOfOthersNames(t *testing.T) {
	m := storagetest.NewMem()
	m.Write("/data/in.avro", "in")
	out, err := openOutput(&Options{Output: "/data/out", FS: m})
	must(t, err)
	must(t, out.begin())
	f, err := out.create(0, 0)
	must(t, err)
	must(t, f.Finish(1))
	out.kept = []OutputReport{{Path: "notes.txt"}}
	if err := out.commit(t.Context(), &Report{}); err == nil || !strings.Contains(err.Error(), `"notes.txt" is not an output's name`) {
		t.Errorf("committed: %v", err)
	}
	must(t, out.close())
	if d := cmp.Diff(map[string]string{"/data/in.avro": "in"}, files(m)); d != "" {
		t.Errorf("left (-want +got):\n%s", d)
	}
}

func TestUnchanged(t *testing.T) {
	m := storagetest.NewMem()
	set := func(data string) *Plan {
		m.Write("/a.avro", data)
		info, err := m.Stat("/a.avro")
		must(t, err)
		return &Plan{Inputs: []Input{{Path: "/a.avro", Size: info.Size(), ModTime: info.ModTime()}}}
	}
	tests := []struct {
		change func()
		says   string
	}{
		{func() {}, ""},
		{func() { m.Write("/a.avro", "abc") }, "written at"},
		{func() { m.Write("/a.avro", "abcd") }, "3 bytes, then 4"},
		{func() { must(t, m.Remove("/a.avro")) }, "it is gone"},
	}
	for _, test := range tests {
		p := set("abc")
		test.change()
		exit := ExitRetry
		if test.says == "" {
			exit = ExitDone
		}
		wantExit(t, p.unchanged(context.Background(), m), exit, test.says)
		f, err := p.open(t.Context(), m, 0)
		wantExit(t, err, exit, test.says)
		if err == nil {
			must(t, f.Close())
		}
	}
}
