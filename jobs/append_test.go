package jobs

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"avro2trevni/internal/exit"
	"avro2trevni/internal/jobtest"
	"avro2trevni/internal/ocf"
	"avro2trevni/internal/storage"
	"avro2trevni/internal/storage/storagetest"
	"avro2trevni/jobs/publish"
	"avro2trevni/jobs/report"
)

// addRun is a run that appends what is in /in to /out.
func addRun(t testing.TB, m storage.FS, o Options) (*report.Report, error) {
	t.Helper()
	o.FS, o.Memory, o.TempDirs, o.Workers = m, 64<<20, []string{os.TempDir()}, 1
	o.IfExists, o.Output = IfExistsAppend, orDefault(o.Output, "/out")
	if o.Inputs == nil {
		o.Inputs = []string{"/in"}
	}
	return Convert(t.Context(), &o)
}

// put puts a file of the rows [from, to) there.
func put(t testing.TB, m *storagetest.Mem, name string, from, to int) {
	t.Helper()
	rows := slices.Repeat([]int{50}, (to-from)/50)
	if n := (to - from) % 50; n > 0 {
		rows = append(rows, n)
	}
	file, _ := blocksOf(t, "snappy", int64(from), rows...)
	m.Write(name, string(file))
}

// shown reads an output by its manifest: the ids, after checking each file's digest
// and that the counters are the sums.
func shown(t testing.TB, m *storagetest.Mem, out string) (ids []int64, r *report.Report) {
	t.Helper()
	all, r := m.Files(), new(report.Report)
	must(t, json.Unmarshal([]byte(all[out+"/_SUCCESS"]), r))
	c, list := report.Counters{}, int64(0)
	for _, o := range r.Outputs {
		file := all[out+"/"+o.Path]
		if digest(file) != o.XXH64 || int64(len(file)) != o.Bytes {
			t.Fatalf("%s: not the file that _SUCCESS lists", o.Path)
		}
		ids = append(ids, idsOf(t, file, false)...)
		c.Rows += o.Rows
		c.OutputBytes += o.Bytes
		c.OutputFiles++
	}
	for _, in := range r.Inputs {
		list += in.Rows
		c.InputFiles++
		c.InputBytes += in.Size
	}
	got := report.Counters{Rows: r.Counters.Rows, OutputBytes: r.Counters.OutputBytes, OutputFiles: r.Counters.OutputFiles,
		InputFiles: r.Counters.InputFiles, InputBytes: r.Counters.InputBytes}
	if c != got || int64(len(ids)) != c.Rows || list != c.Rows {
		t.Fatalf("%d ids, %d rows of inputs; counters\n%+v, listed are\n%+v", len(ids), list, got, c)
	}
	return ids, r
}

func idsFrom(from, to int64) (ids []int64) {
	for ; from < to; from++ {
		ids = append(ids, from)
	}
	return ids
}

func partNames(r *report.Report) (names []string) {
	for _, o := range r.Outputs {
		names = append(names, o.Path)
	}
	return names
}

// New inputs become new part files after the others, which stay as they are; what is
// listed is not even opened.
func TestAppend(t *testing.T) {
	m := storagetest.NewMem()
	put(t, m, "/in/a.avro", 0, 100)
	put(t, m, "/in/b.avro", 100, 200)
	r, err := addRun(t, m, Options{})
	must(t, err)
	want := report.Append{Inputs: 2, Rows: 200, Files: 1, Bytes: r.Counters.InputBytes, FileBytes: r.Counters.OutputBytes}
	if d := cmp.Diff(&want, r.Run.Appended); d != "" {
		t.Error(d)
	}
	before := m.Files()

	f := &storagetest.Fault{FS: m}
	r, err = addRun(t, f, Options{Inputs: []string{"/in", "/in/a.avro"}})
	must(t, err)
	if d := cmp.Diff(&report.Append{Unchanged: 2}, r.Run.Appended); d != "" || len(r.Inputs) != 2 || r.Counters.Rows != 200 {
		t.Errorf("%s%+v", d, r)
	}
	if d := cmp.Diff(before, m.Files()); d != "" {
		t.Errorf("nothing was new (-before +after):\n%s", d)
	}
	if f.Calls() > 30 {
		t.Errorf("%d calls for nothing", f.Calls())
	}

	put(t, m, "/in/c/1.avro", 200, 700)
	put(t, m, "/in/c/none.avro", 0, 0)
	_, err = addRun(t, m, Options{FileSize: 4 << 10})
	wantExit(t, err, exit.StatusRefused, "/out: was made with --file-size 1073741824, not 4096")
	r, err = addRun(t, m, Options{})
	must(t, err)
	ids, listed := shown(t, m, "/out")
	if d := cmp.Diff(idsFrom(0, 700), ids); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"part-00000.trv", "part-00001.trv"}, partNames(listed)); d != "" {
		t.Error(d)
	}
	if r.Run.Appended.Inputs != 2 || r.Run.Appended.Rows != 500 || r.Run.Appended.Unchanged != 2 {
		t.Errorf("%+v", r.Run.Appended)
	}

	put(t, m, "/in/d.avro", 0, 0) // listed, and no file for it
	_, err = addRun(t, m, Options{})
	must(t, err)
	if _, listed = shown(t, m, "/out"); len(listed.Inputs) != 5 || len(listed.Outputs) != 2 {
		t.Errorf("%d inputs, %d files", len(listed.Inputs), len(listed.Outputs))
	}
	must(t, m.Remove("/in/a.avro")) // whoever removes what is converted may
	_, err = addRun(t, m, Options{})
	must(t, err)
}

// A first run may be any; and what is in a folder beside our files is left alone.
func TestAppendToOthersOutput(t *testing.T) {
	m := storagetest.NewMem()
	m.Write("/out/notes.txt", "notes")
	put(t, m, "/in/a.avro", 0, 1000)
	o := Options{FS: m, Inputs: []string{"/in"}, Output: "/out", Memory: 64 << 20, TempDirs: []string{os.TempDir()}, FileSize: 4 << 10, BlockSize: 1 << 10, SplitSize: 1 << 10}
	_, err := Convert(t.Context(), &o)
	must(t, err)
	_, was := shown(t, m, "/out")
	put(t, m, "/in/b.avro", 1000, 3000)
	_, err = addRun(t, m, Options{FileSize: o.FileSize, BlockSize: o.BlockSize, SplitSize: o.SplitSize})
	must(t, err)
	ids, is := shown(t, m, "/out")
	if d := cmp.Diff(idsFrom(0, 3000), ids); d != "" {
		t.Error(d)
	}
	if len(is.Outputs) < len(was.Outputs)+2 || m.Files()["/out/notes.txt"] != "notes" {
		t.Errorf("%v, then %v", partNames(was), partNames(is))
	}
}

// Schemas of one meaning may have any text: the files have one. Those of another are
// refused.
func TestAppendOneSchema(t *testing.T) {
	m := storagetest.NewMem()
	put(t, m, "/in/a.avro", 0, 10)
	_, err := addRun(t, m, Options{})
	must(t, err)
	file, _ := blocksOf(t, "null", 10, 20)
	m.Write("/in/b.avro", strings.Replace(string(file), `"name":"s"`, `"doc": "" `, 1)) // no name
	_, err = addRun(t, m, Options{})
	wantExit(t, err, exit.StatusRefused, "/in/b.avro")
	m.Write("/in/b.avro", strings.Replace(string(file), `"name":"s"`, `"name":"t"`, 1))
	_, err = addRun(t, m, Options{})
	wantExit(t, err, exit.StatusRefused, `/out and the new inputs, /in/b.avro first, have different schemas: schema: field 1 differs at "s"`)
	m.Write("/in/b.avro", strings.Replace(string(file), `{"name":"id","type"`, `{"type":"long","name"`, 1)) // not JSON's order
	m.Write("/in/b.avro", strings.Replace(string(file), `"name":"id","type":"long"`, `"type":"long","name":"id"`, 1))
	_, err = addRun(t, m, Options{})
	must(t, err)
	all := m.Files()
	if strings.Contains(all["/out/part-00001.trv"], `"type":"long","name"`) || !strings.Contains(all["/out/part-00001.trv"], blocksSchema) {
		t.Error("the second file's schema has another text than the first's")
	}
}

// What is no finished output of the same options is refused, and nothing is changed.
func TestAppendRefused(t *testing.T) {
	tests := []struct {
		name   string
		o      Options
		change func(m *storagetest.Mem)
		says   string
	}{
		{"codec", Options{Codec: "deflate"}, nil, "/out: was made with --codec snappy, not deflate: give the same, or another output"},
		{"checksum", Options{Checksum: "null"}, nil, "--checksum crc32, not null"},
		{"block size", Options{BlockSize: 1 << 10}, nil, "--block-size 65536, not 1024"},
		{"meta", Options{Meta: metaOf("k", "v")}, nil, `--meta none, not {"k":"v"}`},
		{"index", Options{Index: []string{"id"}}, nil, `--index none, not ["id"]`},
		{"no success", Options{}, func(m *storagetest.Mem) { _ = m.Remove("/out/_SUCCESS") }, "/out: holds part-00000.trv, but no _SUCCESS"},
		{"empty success", Options{}, func(m *storagetest.Mem) { m.Write("/out/_SUCCESS", "") }, "/out/_SUCCESS: is not the report of a run of convert"},
		{"other success", Options{}, func(m *storagetest.Mem) { m.Write("/out/_SUCCESS", "{}") }, "/out/_SUCCESS: is not the report"},
		{"file gone", Options{}, func(m *storagetest.Mem) { _ = m.Remove("/out/part-00000.trv") }, "lists part-00000.trv, which is not there"},
		{"file cut", Options{}, func(m *storagetest.Mem) { m.Write("/out/part-00000.trv", "Trv") }, "part-00000.trv has 3 bytes, _SUCCESS says"},
		{"file more", Options{}, func(m *storagetest.Mem) { m.Write("/out/part-00007.trv", "Trv") }, "holds part-00007.trv, which its _SUCCESS does not list"},
		{"hostile name", Options{}, func(m *storagetest.Mem) {
			m.Write("/out/_SUCCESS", strings.Replace(m.Files()["/out/_SUCCESS"], "part-00000.trv", "../in/a.avro", 1))
		}, `lists "../in/a.avro", which is not a part file`},
	}
	for _, test := range tests {
		m := storagetest.NewMem()
		put(t, m, "/in/a.avro", 0, 10)
		_, err := addRun(t, m, Options{})
		must(t, err)
		if test.change != nil {
			test.change(m)
		}
		put(t, m, "/in/b.avro", 10, 20)
		before := m.Files()
		_, err = addRun(t, m, test.o)
		wantExit(t, err, exit.StatusRefused, test.says)
		if d := cmp.Diff(before, m.Files()); d != "" {
			t.Errorf("%s: a refusal changed something (-before +after):\n%s", test.name, d)
		}
	}
}

func TestAppendChanged(t *testing.T) {
	tests := []struct {
		name   string
		change func(t *testing.T, m *storagetest.Mem)
		says   string
		files  int     // with convert
		ids    []int64 // with convert
	}{
		{"grown", func(t *testing.T, m *storagetest.Mem) { put(t, m, "/in/a.avro", 0, 12) },
			"/in/a.avro: changed since it was converted: ", 3, append(idsFrom(0, 20), idsFrom(0, 12)...)},
		{"written again", func(t *testing.T, m *storagetest.Mem) { put(t, m, "/in/a.avro", 0, 10) },
			", its size and header are the same; --changed ignore leaves the rows in /out as they are, --changed convert adds", 3, append(idsFrom(0, 20), idsFrom(0, 10)...)},
		{"two", func(t *testing.T, m *storagetest.Mem) {
			put(t, m, "/in/a.avro", 0, 10)
			put(t, m, "/in/b.avro", 10, 21)
		}, "(and 1 input more)", 3, append(idsFrom(0, 20), idsFrom(0, 21)...)},
		{"moved", func(t *testing.T, m *storagetest.Mem) {
			must(t, m.MkdirAll("/in/old"))
			must(t, m.Rename("/in/a.avro", "/in/old/a.avro"))
		}, "/in/old/a.avro: has the header, size and time of /in/a.avro, which was converted: moved or copied", 3, append(idsFrom(0, 20), idsFrom(0, 10)...)},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			m := storagetest.NewMem()
			put(t, m, "/in/a.avro", 0, 10)
			_, err := addRun(t, m, Options{})
			must(t, err)
			put(t, m, "/in/b.avro", 10, 20)
			_, err = addRun(t, m, Options{})
			must(t, err)
			test.change(t, m)
			before := m.Files()
			_, err = addRun(t, m, Options{})
			wantExit(t, err, exit.StatusRefused, test.says)
			r, err := addRun(t, m, Options{Changed: ChangedIgnore})
			must(t, err)
			if d := cmp.Diff(before, m.Files()); d != "" || r.Run.Appended.Ignored == 0 {
				t.Errorf("ignore changed something: %s%+v", d, r.Run.Appended)
			}
			r, err = addRun(t, m, Options{Changed: ChangedConvert})
			must(t, err)
			ids, _ := shown(t, m, "/out")
			if d := cmp.Diff(test.ids, ids); d != "" || len(r.Outputs) != test.files || r.Run.Appended.Again == 0 {
				t.Errorf("convert: %s%+v", d, r.Run.Appended)
			}
			r, err = addRun(t, m, Options{}) // known as it is now
			must(t, err)
			if r.Run.Appended.Unchanged != 2 {
				t.Errorf("%+v", r.Run.Appended)
			}
		})
	}
}

// An input that changed and is to be ignored is not read: what is wrong with it is none of the run's.
func TestAppendIgnoresUnread(t *testing.T) {
	for _, skip := range []string{"", CorruptSkipBlock, CorruptSkipFile} {
		m := storagetest.NewMem()
		put(t, m, "/in/a.avro", 0, 10)
		_, err := addRun(t, m, Options{OnCorrupt: skip})
		must(t, err)
		m.Write("/in/a.avro", "junk")
		put(t, m, "/in/b.avro", 10, 20)
		r, err := addRun(t, m, Options{OnCorrupt: skip, Changed: ChangedIgnore})
		if err != nil || r.Run.Appended.Ignored != 1 || len(r.Skipped) != 0 {
			t.Errorf("--on-corrupt %q: %v", skip, err)
			continue
		}
		if ids, _ := shown(t, m, "/out"); len(ids) != 20 {
			t.Errorf("--on-corrupt %q: %d rows", skip, len(ids))
		}
	}
}

// The same file by another way of writing its name is the same.
func TestAppendKnowsFilesByAnyName(t *testing.T) {
	dir := tree(t, "in/", "l -> in")
	file, _ := blocksOf(t, "snappy", 0, 10)
	must(t, os.WriteFile("in/a.avro", file, 0o666))
	for i, in := range []string{"in", "./in", "in/", "l", dir + "/in", dir + "/in/../in/a.avro"} {
		r, err := addRun(t, storage.Local{}, Options{Inputs: []string{in}, Output: "out"})
		must(t, err)
		if i > 0 && (r.Run.Appended.Unchanged != 1 || r.Counters.Rows != 10) {
			t.Errorf("%s: %+v", in, r.Run.Appended)
		}
	}
}

// A file left out as damaged is left alone as long as it is what it was.
func TestAppendSkipsOnce(t *testing.T) {
	m := storagetest.NewMem()
	put(t, m, "/in/a.avro", 0, 10)
	m.Write("/in/b.avro", "damaged")
	o := Options{OnCorrupt: CorruptSkipFile}
	_, err := addRun(t, m, o)
	wantExit(t, err, exit.StatusSome, "1 file")
	r, err := addRun(t, m, o)
	must(t, err)
	if r.Run.Appended.Unchanged != 2 || r.Counters.SkippedFiles != 1 {
		t.Errorf("%+v, %+v", r.Run.Appended, r.Counters)
	}
	put(t, m, "/in/b.avro", 10, 20)
	_, err = addRun(t, m, o)
	must(t, err)
	if ids, _ := shown(t, m, "/out"); !slices.Equal(ids, idsFrom(0, 20)) {
		t.Errorf("%v", ids)
	}
}

// A run that dies at any call leaves the rows of before, or those and all new ones, or
// no _SUCCESS; the next run ends as if nothing had been. With one new file there is
// always a _SUCCESS.
func TestAppendKilledAtEachCall(t *testing.T) {
	thin := jobtest.Thin(t, 5)
	for name, o := range map[string]Options{"one file": {}, "several": {FileSize: 3 << 10, BlockSize: 1 << 10, SplitSize: 1 << 10}} {
		for _, synced := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/synced=%v", name, synced), func(t *testing.T) {
				base := storagetest.NewMem()
				put(t, base, "/in/a.avro", 0, 600)
				_, err := addRun(t, base, o)
				must(t, err)
				put(t, base, "/in/b.avro", 600, 1800)
				done := base.Crash(false)
				_, err = addRun(t, done, o)
				must(t, err)
				_, whole := shown(t, done, "/out")
				if added := len(whole.Outputs) - 1; name == "one file" && added != 1 || name == "several" && added < 3 {
					t.Fatalf("%d files were added", added)
				}
				states := map[int]int{}
				for k := 1; ; k += thin {
					m := base.Crash(false)
					f := &storagetest.Fault{FS: m, At: k, Dead: true}
					_, err := addRun(t, f, o)
					if f.Calls() < k {
						must(t, err)
						break
					}
					after := m.Crash(synced)
					states[checkAppended(t, k, after, name == "one file")]++
					_, err = addRun(t, after, o)
					must(t, err)
					if d := cmp.Diff(parts(done), parts(after)); d != "" {
						t.Fatalf("call %d, then again (-want +got):\n%s", k, d)
					}
				}
				t.Logf("by rows shown: %v", states)
				if states[600] == 0 || states[1800] == 0 || name == "several" && states[0] == 0 {
					t.Errorf("a state was never seen: %v", states)
				}
			})
		}
	}
}

// checkAppended checks what a reader sees, and returns how many rows _SUCCESS lists.
func checkAppended(t *testing.T, k int, m *storagetest.Mem, always bool) int {
	t.Helper()
	all := m.Files()
	if _, ok := all["/out/_SUCCESS"]; !ok {
		if always {
			t.Errorf("call %d: no _SUCCESS", k)
		}
		return 0
	}
	ids, r := shown(t, m, "/out")
	if !slices.Equal(ids, idsFrom(0, 600)) && !slices.Equal(ids, idsFrom(0, 1800)) {
		t.Errorf("call %d: %d rows", k, len(ids))
	}
	var seen []int64 // by who lists the folder
	for i := range 100 {
		if file, ok := all["/out/"+publish.PartName(i, ".trv")]; ok {
			seen = append(seen, idsOf(t, file, false)...)
		}
	}
	if !slices.Equal(seen, idsFrom(0, 600)) && !slices.Equal(seen, idsFrom(0, 1800)) {
		t.Errorf("call %d: the folder shows %d rows, _SUCCESS lists %v", k, len(seen), partNames(r))
	}
	return len(ids)
}

// parts returns an output's part files.
func parts(m *storagetest.Mem) map[string]string {
	all := files(m)
	for name := range all {
		if !strings.HasPrefix(name, "/out/part-") {
			delete(all, name)
		}
	}
	return all
}

// Every call fails once: an error comes of it or it did not matter, and the next run
// ends as if nothing had been.
func TestAppendWithEachCallFailing(t *testing.T) {
	o := Options{FileSize: 3 << 10, BlockSize: 1 << 10, SplitSize: 1 << 10}
	base := storagetest.NewMem()
	put(t, base, "/in/a.avro", 0, 600)
	_, err := addRun(t, base, o)
	must(t, err)
	put(t, base, "/in/b.avro", 600, 1800)
	for k := 1; ; k++ {
		m := base.Crash(false)
		f := &storagetest.Fault{FS: m, At: k, Short: k%2 == 0}
		_, err := addRun(t, f, o)
		if f.Calls() < k {
			must(t, err)
			return
		}
		if err != nil && !errors.Is(err, storagetest.ErrFault) {
			t.Errorf("call %d: the error does not tell: %v", k, err)
		}
		want := idsFrom(0, 1800)
		if ids, _ := shown(t, m, "/out"); len(ids) != 600 && !slices.Equal(ids, want) {
			t.Errorf("call %d: %d rows: %v", k, len(ids), err)
		}
		_, err = addRun(t, m, o)
		must(t, err)
		if ids, _ := shown(t, m, "/out"); !slices.Equal(ids, want) {
			t.Errorf("call %d, then again: %d rows", k, len(ids))
		}
	}
}

// An output that another run makes between plan and begin is not added to by a plan
// that did not know it.
func TestAppendOvertaken(t *testing.T) {
	m := storagetest.NewMem()
	put(t, m, "/in/a.avro", 0, 10)
	o := (&Options{FS: m, Inputs: []string{"/in"}, Output: "/out", IfExists: IfExistsAppend, Memory: 64 << 20}).withDefaults()
	out, err := publish.Open(t.Context(), o.Publishing())
	must(t, err)
	_, err = o.readEarlier(out)
	must(t, err)
	_, err = addRun(t, m, Options{})
	must(t, err)
	err = out.Begin(t.Context())
	wantExit(t, err, exit.StatusRetry, "another run has written to this output meanwhile")
	must(t, out.Close())
	if ids, _ := shown(t, m, "/out"); len(ids) != 10 {
		t.Error(ids)
	}
}

// Part files are numbered as long as they sort by name.
func TestAppendPastTheLastNumber(t *testing.T) {
	m := storagetest.NewMem()
	put(t, m, "/in/a.avro", 0, 10)
	_, err := addRun(t, m, Options{})
	must(t, err)
	must(t, m.Rename("/out/part-00000.trv", "/out/part-99998.trv"))
	m.Write("/out/_SUCCESS", strings.Replace(m.Files()["/out/_SUCCESS"], "part-00000.trv", "part-99998.trv", 1))
	put(t, m, "/in/b.avro", 10, 20)
	_, err = addRun(t, m, Options{})
	must(t, err)
	if ids, _ := shown(t, m, "/out"); len(ids) != 20 {
		t.Error(ids)
	}
	put(t, m, "/in/c.avro", 20, 30)
	_, err = addRun(t, m, Options{})
	wantExit(t, err, exit.StatusRefused, "/out: part files are numbered up to 99999")
}

// Nor does a run that begins below it go past it, or a first run.
func TestPastTheLastNumberInARun(t *testing.T) {
	m := storagetest.NewMem()
	put(t, m, "/in/a.avro", 0, 10)
	_, err := addRun(t, m, smallFiles)
	must(t, err)
	must(t, m.Rename("/out/part-00000.trv", "/out/part-99998.trv"))
	m.Write("/out/_SUCCESS", strings.Replace(m.Files()["/out/_SUCCESS"], "part-00000.trv", "part-99998.trv", 1))
	put(t, m, "/in/b.avro", 10, 10_000)
	before := m.Files()
	_, err = addRun(t, m, smallFiles)
	wantExit(t, err, exit.StatusRefused, "/out: part files are numbered up to 99999: a larger --file-size makes fewer")
	if d := cmp.Diff(before, m.Files()); d != "" {
		t.Error(d)
	}
}

func metaOf(pairs ...string) (m []ocf.Meta) {
	for i := 0; i < len(pairs); i += 2 {
		m = append(m, ocf.Meta{Key: pairs[i], Value: []byte(pairs[i+1])})
	}
	return m
}
