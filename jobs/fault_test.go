package jobs

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"avro2trevni/internal/exit"
	"avro2trevni/internal/jobtest"
	"avro2trevni/internal/storage/storagetest"
	"avro2trevni/jobs/memory"
	"avro2trevni/jobs/publish"
	"avro2trevni/reducer"
	"avro2trevni/shuffle"
)

// faultScene is a whole job over a storage that fails: its options, and what the output
// was before. A new way to write an output is one more line.
type faultScene struct {
	name  string
	o     Options
	old   int  // rows of a job that was done before; 0: none
	small int  // runs before that each appended a small file
	merge bool // whether the job is a compaction

	was string // format of the output that was before, if it is another

	once sync.Once
	base *storagetest.Mem // the storage before the job
}

var faultScenes = []*faultScene{
	{name: "folder", o: Options{Output: "/data/out", FileSize: 48 << 10}},
	{name: "replace", o: Options{Output: "/data/out", FileSize: 48 << 10, IfExists: IfExistsReplace}, old: 500},
	{name: "file", o: Options{Output: "/data/out.trv", Verify: true}},
	{name: "new folders", o: Options{Output: "/data/a/b/out", FileSize: 48 << 10}},
	{name: "file in a new folder", o: Options{Output: "/data/new/out.trv"}},
	{name: "replace file", o: Options{Output: "/data/out.trv", IfExists: IfExistsReplace}, old: 30},
	{name: "append", o: Options{Output: "/data/out", FileSize: 48 << 10, IfExists: IfExistsAppend}, old: 500},
	{name: "append to many", o: Options{Output: "/data/out", FileSize: 48 << 10, IfExists: IfExistsAppend}, small: 5},
	{name: "compact", o: Options{Output: "/data/out", FileSize: 48 << 10, IfExists: IfExistsAppend}, small: 12, merge: true},
	{name: "sort", o: Options{Output: "/data/out", FileSize: 48 << 10, SortBy: []string{"s", "id:desc"}}},
	{name: "partition", o: Options{Output: "/data/out", FileSize: 48 << 10, SortBy: []string{"id:desc"}, PartitionBy: "part"}},
	{name: "replace partitions", o: Options{Output: "/data/out", FileSize: 48 << 10, PartitionBy: "part", IfExists: IfExistsReplace}, old: 500},
	{name: "append partitions", o: Options{Output: "/data/out", FileSize: 48 << 10, PartitionBy: "part", IfExists: IfExistsAppend}, old: 500},
	{name: "skip damage", o: Options{Output: "/data/out", FileSize: 48 << 10, OnCorrupt: CorruptSkipBlock}},
	{name: "parquet", o: Options{Format: FormatParquet, Output: "/data/out", FileSize: 112 << 10, Codec: "null"}},
	{name: "parquet file", o: Options{Output: "/data/out.parquet", Codec: "null", PageVersion: 2, Verify: true}},
	{name: "parquet over trevni", o: Options{Format: FormatParquet, Output: "/data/out", FileSize: 112 << 10, Codec: "null", IfExists: IfExistsReplace}, old: 500, was: FormatTrevni},
	{name: "parquet append", o: Options{Format: FormatParquet, Output: "/data/out", FileSize: 112 << 10, Codec: "null", IfExists: IfExistsAppend}, old: 500},
	{name: "parquet summary", o: Options{Format: FormatParquet, Output: "/data/out", FileSize: 112 << 10, Codec: "null", Summary: true, IfExists: IfExistsAppend}, old: 500},
	{name: "parquet summary over one", o: Options{Format: FormatParquet, Output: "/data/out", FileSize: 112 << 10, Codec: "null", Summary: true, Bloom: []string{"id"}, IfExists: IfExistsReplace}, old: 500},
	{name: "parquet compact", o: Options{Format: FormatParquet, Output: "/data/out", FileSize: 112 << 10, Codec: "null", Summary: true, Verify: true, IfExists: IfExistsAppend}, small: 12, merge: true},
	{name: "parquet partition", o: Options{Format: FormatParquet, Output: "/data/out", FileSize: 48 << 10, SortBy: []string{"id:desc"}, PartitionBy: "part"}},
}

// set returns the storage before the job: two inputs, one of them damaged if that is to
// be skipped, and perhaps an output.
func (s *faultScene) set(t *testing.T) *storagetest.Mem {
	t.Helper()
	s.once.Do(func() { s.base = s.make(t) })
	return s.base.Crash(false)
}

func (s *faultScene) make(t *testing.T) *storagetest.Mem {
	t.Helper()
	m := storagetest.NewMem()
	adding := &faultScene{o: s.o}
	if s.o.PartitionBy != "" {
		return s.parted(t, m)
	}
	for i := range s.small {
		file, _ := blocksOf(t, "snappy", int64(90_000+2000*i), 700, 700)
		m.Write(fmt.Sprintf("/in/0%02d.avro", i), string(file))
		must(t, (&faultRun{s: adding, m: m, fault: &storagetest.Fault{FS: m}}).convert(t))
	}
	if s.merge {
		return m
	}
	if s.old > 0 {
		file, _ := blocksOf(t, "null", 90_000, s.old)
		name := "/in/a.avro" // which is written over
		if s.o.IfExists == IfExistsAppend {
			name = "/in/0.avro"
		}
		m.Write(name, string(file))
		before := &faultScene{o: s.o}
		before.o.Format = orDefault(s.was, s.o.Format)
		must(t, (&faultRun{s: before, m: m, fault: &storagetest.Fault{FS: m}}).convert(t))
	}
	rows := make([]int, 40)
	for i := range rows {
		rows[i] = 400
	}
	a, spans := blocksOf(t, "snappy", 0, rows...)
	if s.o.OnCorrupt == CorruptSkipBlock {
		a[spans[7].from+20]++
	}
	b, _ := blocksOf(t, "snappy", 50_000, rows[:10]...)
	m.Write("/in/a.avro", string(a))
	m.Write("/in/b.avro", string(b))
	return m
}

// parted is make for a job that partitions.
func (s *faultScene) parted(t *testing.T, m *storagetest.Mem) *storagetest.Mem {
	t.Helper()
	if s.old > 0 {
		name := "/in/a.avro" // which is written over
		if s.o.IfExists == IfExistsAppend {
			name = "/in/0.avro"
		}
		m.Write(name, partedFile(t, 90_000, s.old))
		must(t, (&faultRun{s: s, m: m, fault: &storagetest.Fault{FS: m}}).convert(t))
	}
	m.Write("/in/a.avro", partedFile(t, 0, 16_000))
	m.Write("/in/b.avro", partedFile(t, 50_000, 4000))
	return m
}

// partedFile makes a file of rows with ids from first on, of several partitions: those from
// 90,000 on are of others.
func partedFile(t *testing.T, first, rows int) string {
	t.Helper()
	all := make([][]byte, rows)
	for i := range all {
		id := int64(first + i)
		row := binary.AppendVarint(nil, id)
		switch name := []string{"", "a/b", "c", "c"}[id%4]; {
		case name == "" && id >= 90_000:
			row = append(row, 2, 6, 'o', 'l', 'd')
		case name == "":
			row = append(row, 0)
		default:
			row = append(append(row, 2, byte(2*len(name))), name...)
		}
		all[i] = append(row, textBytes(fmt.Sprint("row ", id*id))...)
	}
	return avroFile(t, partedSchema, all...)
}

func textBytes(s string) []byte { return append(binary.AppendVarint(nil, int64(len(s))), s...) }

const partedSchema = `{"type":"record","name":"r","fields":[{"name":"id","type":"long"},{"name":"part","type":["null","string"]},{"name":"s","type":"string"}]}`

// faultRun is one run of a scene's job.
type faultRun struct {
	s       *faultScene
	m       *storagetest.Mem
	fault   *storagetest.Fault
	workers int
	temp    memTemp
}

// convert runs the job with a shuffle so small that it spills and merges, and a stage
// that holds nothing in memory.
func (r *faultRun) convert(t *testing.T) error {
	t.Helper()
	o := r.s.o
	r.temp.fault = r.fault
	o.Inputs, o.FS, o.Workers, o.Memory = []string{"/in"}, r.fault, max(1, r.workers), 64<<20
	o.SplitSize, o.TempDirs = 40<<10, []string{"/tmp/1", "/tmp/2"}
	if o.formatName() == FormatParquet {
		o.PageSize = 2 << 10
	} else {
		o.BlockSize = 2 << 10
	}
	o.spills = &r.temp
	o.stage = r.temp.stage
	o.divide = func(m *memory.Share) {
		m.Shuffle, m.Stage = 155<<10, 1
		m.Chunks, m.Runs, m.Merge = int64(o.Workers)*40<<10, 350<<10, 100<<10
	}
	do := Convert
	if r.s.merge {
		do = Compact
	}
	_, err := do(t.Context(), &o)
	if exit.Code(err) == exit.StatusSome {
		err = nil // damage was skipped, as it should be
	}
	return err
}

// memTemp is a place for temporary files that fails when the storage does. It is a
// [shuffle.Files].
type memTemp struct {
	fault  *storagetest.Fault
	mu     sync.Mutex
	files  map[string]*memTempFile
	dirs   int
	spills int
}

func (m *memTemp) Prepare(dir string) error { return m.fault.Step("prepare", dir) }

func (m *memTemp) Lock(parent string) (string, func() error, error) {
	if err := m.fault.Step("mkdir", parent); err != nil {
		return "", nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.dirs++
	return parent + "/private", func() error { return m.fault.Step("unlock", parent) }, nil
}

func (m *memTemp) Create(path string) (shuffle.File, error) {
	if err := m.fault.Step("create", path); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.files == nil {
		m.files = map[string]*memTempFile{}
	}
	m.spills++
	f := &memTempFile{m: m, path: path}
	m.files[path] = f
	return f, nil
}

// stage makes a reducer's temporary files.
func (m *memTemp) stage(dir string) func() (reducer.TempFile, error) {
	return func() (reducer.TempFile, error) {
		f, err := m.Create(dir + "/stage")
		if err != nil {
			return nil, err
		}
		m.mu.Lock()
		defer m.mu.Unlock()
		delete(m.files, dir+"/stage") // it has no name
		return f, nil
	}
}

func (m *memTemp) Remove(path string) error {
	m.mu.Lock()
	delete(m.files, path)
	m.mu.Unlock()
	return m.fault.Step("remove", path)
}

func (m *memTemp) RemoveAll(dir string) error { return m.fault.Step("removeall", dir) }

type memTempFile struct {
	m    *memTemp
	path string
	mu   sync.Mutex
	data []byte
}

func (f *memTempFile) WriteAt(p []byte, off int64) (int, error) {
	n, err := f.m.fault.Write("write", f.path, len(p))
	f.mu.Lock()
	defer f.mu.Unlock()
	if need := int(off) + n; need > len(f.data) {
		f.data = append(f.data, make([]byte, need-len(f.data))...)
	}
	return copy(f.data[off:], p[:n]), err
}

func (f *memTempFile) ReadAt(p []byte, off int64) (int, error) {
	n, err := f.m.fault.Read("read", f.path, len(p))
	if err != nil {
		return 0, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if off >= int64(len(f.data)) {
		return 0, io.EOF
	}
	n = copy(p[:n], f.data[off:])
	if n < len(p) && off+int64(n) == int64(len(f.data)) {
		return n, io.EOF
	}
	return n, nil
}

func (f *memTempFile) Close() error { return f.m.fault.Step("close", f.path) }

// published returns what a reader sees of an output: its files, and of a _SUCCESS those
// it names.
func (s *faultScene) published(t *testing.T, m *storagetest.Mem) map[string]string {
	t.Helper()
	all := map[string]string{}
	for name, data := range m.Files() {
		if name == s.o.Output {
			all[name] = data
		}
		if base, ok := strings.CutPrefix(name, s.o.Output+"/"); ok && publish.IsPublishedName(base) {
			all[base] = data
		}
	}
	if text, ok := all[publish.SuccessName]; ok {
		delete(all, publish.SuccessName)
		if err := sameAsReport(text, all); err != nil {
			t.Error(err)
		}
		all[publish.SuccessName] = "complete"
	}
	return all
}

// clean runs the scene without a fault, and returns the storage before, what is
// published, and the run.
func (s *faultScene) clean(t *testing.T) (before, want map[string]string, run *faultRun) {
	t.Helper()
	m := s.set(t)
	before = s.published(t, m)
	run = &faultRun{s: s, m: m, fault: &storagetest.Fault{FS: m}}
	must(t, run.convert(t))
	want = s.published(t, m)
	if len(left(m)) > 0 || len(run.temp.files) > 0 {
		t.Fatalf("left: %v, %v", left(m), run.temp.files)
	}
	if run.temp.spills < 5 || run.temp.dirs < 2 {
		t.Fatalf("the job makes only %d temporary files in %d folders", run.temp.spills, run.temp.dirs)
	}
	if !s.o.Single() && len(want) < 4 {
		t.Fatalf("the job makes only %v", want)
	}
	return before, want, run
}

// Each call of a whole job fails once, by an error, by half a write or read, or by a read
// that tells nothing: an error that names the call and the path comes of it, and nothing
// is published and nothing left, or the job is done, with the same bytes. The next run
// ends as if nothing had been.
func TestJobWithEachCallFailing(t *testing.T) {
	kinds := map[string]*storagetest.Fault{
		"EIO": {Err: syscall.EIO}, "half": {Short: true, Err: syscall.EIO}, "ENOSPC": {Err: syscall.ENOSPC}, "quiet": {Quiet: true},
	}
	thin := jobtest.Thin(t, 4)
	for _, s := range faultScenes {
		for kind, f := range kinds {
			t.Run(s.name+"/"+kind, func(t *testing.T) {
				t.Parallel()
				before, want, clean := s.clean(t)
				calls := clean.fault.Calls()
				tried, failed := 0, 0
				for k := 1; k <= calls; k += thin * stride(calls) {
					m := s.set(t)
					run := &faultRun{s: s, m: m, workers: 1 + k%2, fault: &storagetest.Fault{
						FS: m, At: k, Err: f.Err, Short: f.Short, Quiet: f.Quiet,
					}}
					err := run.convert(t)
					s.outcome(t, fmt.Sprintf("call %d %v", k, run.fault.Failed()), run, err, before, want)
					if tried++; err != nil {
						failed++
					}
				}
				t.Logf("%d calls, %d temporary files; %d calls failed: %d times the job did, %d times it was done all the same",
					calls, clean.temp.spills, tried, failed, tried-failed)
			})
		}
	}
}

// outcome checks what a run that met a failure did, and that the next one is well.
func (s *faultScene) outcome(t *testing.T, what string, run *faultRun, err error, before, want map[string]string) {
	t.Helper()
	got := s.published(t, run.m)
	done := maps.Equal(got, want)
	switch {
	case err == nil && !done:
		t.Errorf("%s: no error, and other files: %s", what, cmp.Diff(keys(want), keys(got)))
	case err != nil && !done && !maps.Equal(got, before):
		t.Errorf("%s: neither the old output nor the new is there: %s", what, cmp.Diff(keys(before), keys(got)))
	}
	failed := run.fault.Failed()
	op := ""
	if len(failed) > 0 {
		op, _, _ = strings.Cut(failed[0], " ")
	}
	cleanup := op == "remove" || op == "removeall" || op == "unlock" || op == "close" || op == "readdir" || op == "sync" || op == "stat" ||
		err == nil && (op == "held" || op == "rename") // the journal's
	if err != nil {
		named := slices.ContainsFunc(failed, func(f string) bool {
			op, path, _ := strings.Cut(f, " ")
			if path == "/tmp/1/stage" && errors.Is(err, io.ErrUnexpectedEOF) {
				path = "/tmp/1" // the reader of a file that told nothing knows its folder: it may have no name
			}
			return strings.Contains(err.Error(), op) && strings.Contains(err.Error(), path)
		})
		if !named {
			t.Errorf("%s: the error does not name call and path: %v", what, err)
		}
		if exit.Code(err) != exit.StatusFailed {
			t.Errorf("%s: exit %d: %v", what, exit.Code(err), err)
		}
	}
	if n := left(run.m); len(n) > 0 && !cleanup {
		t.Errorf("%s: left %v; %v", what, n, err)
	}
	if len(run.temp.files) > 0 && !cleanup {
		t.Errorf("%s: temporary files stay: %d; %v", what, len(run.temp.files), err)
	}
	s.again(t, what, run.m, want)
}

// again runs the job once more on what is there, without a fault.
func (s *faultScene) again(t *testing.T, what string, m *storagetest.Mem, want map[string]string) {
	t.Helper()
	next := &faultRun{s: s, m: m, fault: &storagetest.Fault{FS: m}}
	err := next.convert(t)
	if err != nil && !errors.Is(err, exit.ErrExists) {
		t.Errorf("%s, then again: %v", what, err)
	}
	if got := s.published(t, m); !maps.Equal(got, want) {
		t.Errorf("%s, then again: %v, other files: %s", what, err, cmp.Diff(keys(want), keys(got)))
	}
	if n := left(m); len(n) > 0 {
		t.Errorf("%s, then again: left %v", what, n)
	}
}

// The disk is full from each byte on: the same.
func TestJobWithFullDisk(t *testing.T) {
	thin := jobtest.Thin(t, 4)
	for _, s := range faultScenes {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			before, want, clean := s.clean(t)
			total := clean.fault.Filled()
			step := int64(thin) * (total/12 + 1)
			if os.Getenv("FAULTS") == "all" {
				step = total/2000 + 1
			}
			for room := int64(1); room < total; room += step {
				m := s.set(t)
				run := &faultRun{s: s, m: m, workers: 1 + int(room)%2, fault: &storagetest.Fault{FS: m, Room: room}}
				err := run.convert(t)
				if err == nil && slices.ContainsFunc(run.fault.Failed(), func(f string) bool { return !strings.Contains(f, "/tmp/") }) {
					t.Errorf("room for %d bytes of %d, and no error", room, total)
				}
				if err != nil && !errors.Is(err, syscall.ENOSPC) {
					t.Errorf("room for %d bytes: %v", room, err)
				}
				s.outcome(t, fmt.Sprintf("room for %d bytes %v", room, run.fault.Failed()), run, err, before, want)
			}
		})
	}
}

// The process dies at each call, and with it the machine may: then only what was synced is
// there. Nobody takes what it leaves for a complete output that it isn't, and the next run
// ends as if nothing had been.
func TestJobKilledAtEachCall(t *testing.T) {
	thin := jobtest.Thin(t, 4)
	for _, s := range faultScenes {
		for _, synced := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/synced=%v", s.name, synced), func(t *testing.T) {
				t.Parallel()
				before, want, clean := s.clean(t)
				calls := clean.fault.Calls()
				deaths := 0
				for k := 1; k <= calls; k += thin * stride(calls) {
					deaths++
					m := s.set(t)
					run := &faultRun{s: s, m: m, fault: &storagetest.Fault{FS: m, At: k, Dead: true}}
					_ = run.convert(t) // killed
					after := m.Crash(synced)
					got := s.published(t, after)
					_, success := got[publish.SuccessName]
					if whole := maps.Equal(got, want) || maps.Equal(got, before); !whole && (success || s.o.Single()) {
						t.Errorf("call %d %v: what is there is neither the old output nor the new: %s", k, run.fault.Failed(), cmp.Diff(keys(want), keys(got)))
					}
					s.again(t, fmt.Sprintf("call %d %v", k, run.fault.Failed()), after, want)
				}
				t.Logf("%d calls, %d deaths", calls, deaths)
			})
		}
	}
}
