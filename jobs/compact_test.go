package jobs

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"avro2trevni/internal/exit"
	"avro2trevni/internal/jobtest"
	"avro2trevni/internal/storage"
	"avro2trevni/internal/storage/storagetest"
	"avro2trevni/internal/units"
	"avro2trevni/internal/version"
	"avro2trevni/jobs/publish"
	"avro2trevni/jobs/report"
)

func compactRun(t testing.TB, m storage.FS) (*report.Report, error) {
	t.Helper()
	return Compact(t.Context(), &Options{FS: m, Output: "/out", Memory: 64 << 20, TempDirs: []string{os.TempDir()}, Workers: 1, SplitSize: 1 << 10})
}

// smallFiles are the options of outputs whose files are small.
var smallFiles = Options{FileSize: 16 << 10, BlockSize: 1 << 10, SplitSize: 1 << 10}

// appended makes an output by one run a file of so many rows.
func appended(t testing.TB, o Options, rows ...int) *storagetest.Mem {
	t.Helper()
	m, from := storagetest.NewMem(), 0
	for i, n := range rows {
		put(t, m, fmt.Sprintf("/in/%03d.avro", i), from, from+n)
		from += n
		_, err := addRun(t, m, o)
		must(t, err)
	}
	return m
}

// Small files become full ones, in order, others stay as they are; then there is nothing
// to do, and a run that appends goes on after them.
func TestCompact(t *testing.T) {
	rows := []int{700, 100, 100, 100, 1000, 50, 900, 900, 10, 1, 0, 20}
	total := int64(0)
	for _, n := range rows {
		total += int64(n)
	}
	m := appended(t, smallFiles, rows...)
	ids, was := shown(t, m, "/out")
	before := m.Files()
	rep, err := compactRun(t, m)
	must(t, err)
	got, is := shown(t, m, "/out")
	if !slices.Equal(got, ids) || int64(len(ids)) != total {
		t.Errorf("%d rows, then %d, of %d", len(ids), len(got), total)
	}
	if d := cmp.Diff(was.Inputs, is.Inputs); d != "" {
		t.Error(d)
	}
	c := rep.Run.Compacted
	if c.Files < 4 || c.Into >= c.Files || int(c.Files-c.Into) != len(was.Outputs)-len(is.Outputs) || c.Rows == 0 {
		t.Errorf("%+v: %v, then %v", c, partNames(was), partNames(is))
	}
	after := m.Files()
	for _, o := range was.Outputs { // those that stay are not written again
		if o.Bytes >= smallFiles.FileSize/2 && before["/out/"+o.Path] != after["/out/"+o.Path] {
			t.Errorf("%s of %d bytes is another", o.Path, o.Bytes)
		}
	}
	for name := range after {
		if strings.HasPrefix(name, "/out/") && !slices.Contains(append(partNames(is), "_SUCCESS", ""), strings.TrimPrefix(name, "/out/")) {
			t.Errorf("left: %s", name)
		}
	}
	rep, err = compactRun(t, m)
	must(t, err)
	if d := cmp.Diff(after, m.Files()); d != "" || rep.Run.Compacted.Files != 0 {
		t.Errorf("again: %+v %s", rep.Run.Compacted, d)
	}
	put(t, m, "/in/more.avro", int(total), int(total)+100)
	_, err = addRun(t, m, smallFiles)
	must(t, err)
	if got, _ := shown(t, m, "/out"); !slices.Equal(got, idsFrom(0, total+100)) {
		t.Errorf("%d rows after one more run", len(got))
	}
}

// files that were merged are as full as any.
func TestCompactFills(t *testing.T) {
	m := appended(t, smallFiles, slices.Repeat([]int{170}, 60)...)
	_, err := compactRun(t, m)
	must(t, err)
	_, is := shown(t, m, "/out")
	for i, o := range is.Outputs {
		if o.Bytes > smallFiles.FileSize || i < len(is.Outputs)-1 && o.Bytes < smallFiles.FileSize*80/100 { // splits are not cut here
			t.Errorf("%s has %d bytes of %d", o.Path, o.Bytes, smallFiles.FileSize)
		}
	}
	if len(is.Outputs) < 3 {
		t.Errorf("%v", partNames(is))
	}
}

// All shapes of data come back the same.
func TestCompactKeepsAllShapes(t *testing.T) {
	names, err := os.ReadDir(fixtures + "avro")
	must(t, err)
	tried := 0
	for _, e := range names {
		data, err := os.ReadFile(fixtures + "avro/" + e.Name())
		must(t, err)
		if !strings.HasSuffix(e.Name(), ".avro") || len(data) > 100<<10 || strings.Contains(e.Name(), "wide") {
			continue
		}
		m := storagetest.NewMem()
		for i := range 3 {
			m.Write(fmt.Sprintf("/in/%d.avro", i), string(data))
			r, err := addRun(t, m, Options{Meta: metaOf("k", "v")})
			must(t, err)
			if i > 0 && r.Run.Appended.Files == 0 {
				break // no rows
			}
		}
		if _, more := m.Files()["/out/part-00001.trv"]; !more {
			continue
		}
		tried++
		_, err = Compact(t.Context(), &Options{FS: m, Output: "/out", Memory: 64 << 20, TempDirs: []string{os.TempDir()}})
		must(t, err)
		_, err = Convert(t.Context(), &Options{FS: m, Inputs: []string{"/in"}, Output: "/all", Memory: 64 << 20, TempDirs: []string{os.TempDir()}, Meta: metaOf("k", "v")})
		must(t, err)
		all := m.Files()
		if all["/out/part-00001.trv"] != "" || all["/out/part-00000.trv"] != all["/all/part-00000.trv"] {
			t.Errorf("%s: the merged file is not what converting all at once gives", e.Name())
		}
	}
	if tried < 20 {
		t.Errorf("only %d fixtures", tried)
	}
}

// What is to be merged is told without a change to anything, and what cannot be as the
// compaction would.
func TestDescribeCompact(t *testing.T) {
	m := appended(t, smallFiles, 1000, 100, 100, 1000)
	before := m.Files()
	describe := func() (string, error) {
		var text strings.Builder
		err := DescribeCompact(t.Context(), &Options{FS: m, Output: "/out"}, &text)
		return text.String(), err
	}
	got, err := describe()
	must(t, err)
	_, is := shown(t, m, "/out")
	b := func(i int) string { return units.Size(is.Outputs[i].Bytes) }
	want := fmt.Sprintf(`Output: /out, 4 part files, %s, files of at most 16 KiB

  part-00001.trv  %s  100 rows
  part-00002.trv  %s  100 rows
become about 1 file from part-00001.trv on: %s, 200 rows
`, units.Size(is.Counters.OutputBytes), b(1), b(2), units.Size(is.Outputs[1].Bytes+is.Outputs[2].Bytes))
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(before, m.Files()); d != "" {
		t.Error(d)
	}
	_, err = compactRun(t, m)
	must(t, err)
	if got, err := describe(); err != nil || !strings.HasSuffix(got, "Nothing to do: no adjacent files are less than half full.\n") {
		t.Errorf("%v: %s", err, got)
	}
	must(t, m.Remove("/out/_SUCCESS"))
	_, err = describe()
	wantExit(t, err, exit.StatusRefused, "but no _SUCCESS that lists its files")
	must(t, storage.RemoveAll(m, "/out"))
	_, err = describe()
	wantExit(t, err, exit.StatusRefused, "/out: jobs: no such input")
}

// With Verify the merged files are read back before anything is published.
func TestCompactVerifies(t *testing.T) {
	m := appended(t, smallFiles, 100, 100, 100)
	before := m.Files()
	o := Options{FS: &stagedLiar{FS: m}, Output: "/out", Memory: 64 << 20, TempDirs: []string{t.TempDir()}, Verify: true}
	_, err := Compact(t.Context(), &o)
	wantExit(t, err, exit.StatusFailed, "part-00000.trv does not hold what was written to it")
	if d := cmp.Diff(before, m.Files()); d != "" {
		t.Error(d)
	}
	o.FS = m
	rep, err := Compact(t.Context(), &o)
	must(t, err)
	if ids, r := shown(t, m, "/out"); !rep.Run.Verified || !r.Run.Verified || !slices.Equal(ids, idsFrom(0, 300)) {
		t.Errorf("verified %v, %d rows", rep.Run.Verified, len(ids))
	}
}

// stagedLiar gives files that are not published yet back with a byte changed.
type stagedLiar struct{ storage.FS }

// Open implements [storage.FS].
func (l *stagedLiar) Open(name string) (storage.File, error) {
	if strings.Contains(name, publish.TempName) {
		return (&liar{FS: l.FS, at: 700}).Open(name)
	}
	return l.FS.Open(name)
}

func TestCompactRefused(t *testing.T) {
	tests := []struct {
		name   string
		change func(m *storagetest.Mem)
		exit   int
		says   string
	}{
		{"no output", func(m *storagetest.Mem) { must(t, storage.RemoveAll(m, "/out")) }, exit.StatusRefused, "/out: jobs: no such input"},
		{"empty", func(m *storagetest.Mem) {
			must(t, storage.RemoveAll(m, "/out"))
			m.Write("/out/notes", "")
		}, exit.StatusRefused, "/out: holds no part files"},
		{"no success", func(m *storagetest.Mem) { must(t, m.Remove("/out/_SUCCESS")) }, exit.StatusRefused, "no _SUCCESS"},
		{"damaged", func(m *storagetest.Mem) {
			file := []byte(m.Files()["/out/part-00001.trv"])
			file[len(file)-9] ^= 1
			m.Write("/out/part-00001.trv", string(file))
		}, exit.StatusFailed, "/out/part-00001.trv"},
		{"other rows", func(m *storagetest.Mem) {
			all := m.Files()
			must(t, m.Remove("/out/_SUCCESS"))
			m.Write("/out/_SUCCESS", strings.Replace(all["/out/_SUCCESS"], `"rows": 100,`+"\n"+`      "bytes"`, `"rows": 101,`+"\n"+`      "bytes"`, 1))
		}, exit.StatusFailed, "part-00000.trv: 100 rows, _SUCCESS says 101"},
	}
	for _, test := range tests {
		m := appended(t, smallFiles, 100, 100, 100)
		test.change(m)
		before := m.Files()
		_, err := compactRun(t, m)
		wantExit(t, err, test.exit, test.says)
		if d := cmp.Diff(before, m.Files()); d != "" {
			t.Errorf("%s: changed something (-before +after):\n%s", test.name, d)
		}
	}
}

// A compaction that dies at any call leaves all rows once, or no _SUCCESS; the next run
// ends as if nothing had been.
func TestCompactKilledAtEachCall(t *testing.T) {
	thin := jobtest.Thin(t, 5)
	rows := []int{100, 100, 1000, 100, 100, 900, 900, 100}
	base := appended(t, smallFiles, rows...)
	done := base.Crash(false)
	_, err := compactRun(t, done)
	must(t, err)
	want, _ := shown(t, done, "/out")
	for _, dead := range []bool{true, false} {
		states := map[bool]int{}
		for k := 1; ; k += thin {
			m := base.Crash(false)
			f := &storagetest.Fault{FS: m, At: k, Dead: dead, Short: k%2 == 0}
			_, err := compactRun(t, f)
			if f.Calls() < k {
				must(t, err)
				break
			}
			if err != nil && !errors.Is(err, storagetest.ErrFault) {
				t.Errorf("call %d: %v", k, err)
			}
			after := m
			if dead {
				after = m.Crash(k%2 == 0)
			}
			_, finished := after.Files()["/out/_SUCCESS"]
			if states[finished]++; finished {
				ids, r := shown(t, after, "/out")
				n := 0
				for name := range parts(after) {
					n++
					if !slices.Contains(partNames(r), strings.TrimPrefix(name, "/out/")) {
						t.Errorf("call %d: %s is not listed", k, name)
					}
				}
				if !slices.Equal(ids, want) || n != len(r.Outputs) {
					t.Errorf("call %d: %d rows in %d files of %d", k, len(ids), n, len(r.Outputs))
				}
			}
			_, err = compactRun(t, after)
			must(t, err)
			if d := cmp.Diff(parts(done), parts(after)); d != "" {
				t.Fatalf("call %d, then again (-want +got):\n%s", k, d)
			}
		}
		if states[true] == 0 || dead && states[false] == 0 {
			t.Errorf("a state was never seen: %v", states)
		}
	}
}

// files between which an indexed column descends, as runs that append leave them, stay
// apart; what can be merged is.
func TestCompactIndexed(t *testing.T) {
	m := storagetest.NewMem()
	o := smallFiles
	o.Index = []string{"id"}
	var want []int64
	for i, from := range []int{100, 200, 200, 0, 50, 10, 60, 0} { // each has 40 rows from there
		put(t, m, fmt.Sprintf("/in/%d.avro", i), from, from+40)
		want = append(want, idsFrom(int64(from), int64(from+40))...)
		_, err := addRun(t, m, o)
		must(t, err)
	}
	var text strings.Builder
	must(t, DescribeCompact(t.Context(), &Options{FS: m, Output: "/out"}, &text))
	if n := strings.Count(text.String(), "become about"); n != 3 {
		t.Errorf("%d groups: %s", n, text.String())
	}
	r, err := compactRun(t, m)
	must(t, err)
	ids, is := shown(t, m, "/out")
	if !slices.Equal(ids, want) {
		t.Errorf("%v", ids)
	}
	if d := cmp.Diff([]string{"part-00000.trv", "part-00002.trv", "part-00003.trv", "part-00005.trv", "part-00007.trv"}, partNames(is)); d != "" || r.Run.Compacted.Files != 6 {
		t.Errorf("%s%+v", d, r.Run.Compacted)
	}
	before := m.Files()
	r, err = compactRun(t, m) // nothing is left to merge
	must(t, err)
	if d := cmp.Diff(before, m.Files()); d != "" || r.Run.Compacted.Files != 0 {
		t.Errorf("%s%+v", d, r.Run.Compacted)
	}
}

// Where the rows are sorted by another column, those of several runs may have no index
// together: their files stay as they are.
func TestCompactSortedAndIndexed(t *testing.T) {
	m := storagetest.NewMem()
	o := smallFiles
	o.Index, o.SortBy = []string{"id"}, []string{"s"}
	for i, from := range []int{10, 32} { // "row 100" to "row 361", "row 1024" to "row 1681"
		put(t, m, fmt.Sprintf("/in/%d.avro", i), from, from+10)
		_, err := addRun(t, m, o)
		must(t, err)
	}
	before := m.Files()
	r, err := compactRun(t, m)
	must(t, err)
	if d := cmp.Diff(before, m.Files()); d != "" || r.Run.Compacted.Files != 0 {
		t.Errorf("%s%+v", d, r.Run.Compacted)
	}
}

// A compaction heeds nothing of how to convert inputs, and says which version it was.
func TestCompactHeedsNoOptionsOfInputs(t *testing.T) {
	m := appended(t, smallFiles, 10, 10)
	plain := m.Crash(false)
	_, err := compactRun(t, plain)
	must(t, err)
	m.Write("/out/_SUCCESS", strings.Replace(m.Files()["/out/_SUCCESS"], fmt.Sprintf("%q", version.Program()), `"before"`, 1))
	r, err := Compact(t.Context(), &Options{FS: m, Output: "/out", Memory: 64 << 20, TempDirs: []string{os.TempDir()}, Workers: 1, SplitSize: 1 << 10,
		Inputs: []string{"/gone"}, Columns: []string{"id"}, Exclude: []string{"s"}, Schema: "/gone", PartitionBy: "id", OnCorrupt: CorruptSkipFile,
		Codec: "null", Index: []string{"x"}, SortBy: []string{"x"}, Meta: metaOf("k", "v"), IfExists: IfExistsReplace, Changed: ChangedFail, MaxInputs: 1})
	must(t, err)
	if m.Files()["/out/part-00000.trv"] != plain.Files()["/out/part-00000.trv"] || r.Version != version.Program() {
		t.Errorf("another file, of version %s", r.Version)
	}
}
