package jobs

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"avro2trevni/internal/exit"
	"avro2trevni/internal/storage"
	"avro2trevni/internal/storage/storagetest"
	"avro2trevni/jobs/report"
)

// Names of ordinary letters are the strings that they were; others come back as they are.
func TestJSONNames(t *testing.T) {
	for name, want := range map[string]string{
		"in/a.avro": `"in/a.avro"`, "<&é\n\ufffd.avro": "\"\\u003c\\u0026é\\n\ufffd.avro\"", "\xe9t\xe9": `{"base64":"6XTp"}`, "": `""`,
	} {
		text, err := json.Marshal(report.Name(name))
		must(t, err)
		var back report.Name
		must(t, json.Unmarshal(text, &back))
		if string(text) != want || string(back) != name {
			t.Errorf("%q: %s, and back %q", name, text, back)
		}
	}
	at := time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)
	was := report.Report{
		Inputs:  []report.Input{{Path: "a\xe9", File: "/b\xe9", Size: 1, Modified: at, Header: "0", Rows: 2}, {Path: "c", Modified: at}},
		Outputs: []report.Output{{Path: "o\xe9.trv", Rows: 2, Bytes: 3, XXH64: "4"}},
		Skipped: []report.Skipped{{Path: "s\xe9", Real: "/s\xe9", Size: 5, Modified: at, File: true, Cause: "c", Ranges: []report.Range{{Offset: 6}}}},
	}
	text, err := was.JSON()
	must(t, err)
	var is report.Report
	must(t, json.Unmarshal(text, &is))
	if d := cmp.Diff(was.Inputs, is.Inputs) + cmp.Diff(was.Outputs, is.Outputs) + cmp.Diff(was.Skipped, is.Skipped); d != "" {
		t.Errorf("%s\n%s", d, text)
	}
	for _, key := range []string{"path\": {\n        \"base64\"", "\"path\": \"c\",\n      \"size\": 0,"} {
		if !strings.Contains(string(text), key) {
			t.Errorf("no %q in\n%s", key, text)
		}
	}
}

// A run knows an input again whose name, or folder's, is not UTF-8: also from a manifest
// of the time when such names were not kept.
func TestAppendKnowsAnyName(t *testing.T) {
	for _, name := range []string{"/in/\xe9t\xe9.avro", "/in/d\xe9/a.avro"} {
		for _, old := range []bool{false, true} {
			t.Run(fmt.Sprintf("%q/old=%v", name, old), func(t *testing.T) {
				m := storagetest.NewMem()
				put(t, m, name, 0, 10)
				_, err := addRun(t, m, Options{})
				must(t, err)
				if old {
					forget(t, m)
				}
				put(t, m, "/in/z.avro", 10, 20)
				r, err := addRun(t, m, Options{})
				must(t, err)
				if want := (report.Append{Inputs: 1, Rows: 10, Files: 1, Unchanged: 1}); r.Run.Appended.Unchanged != 1 || r.Run.Appended.Rows != 10 {
					t.Errorf("%+v, want %+v", r.Run.Appended, want)
				}
				if ids, _ := shown(t, m, "/out"); !slices.Equal(ids, idsFrom(0, 20)) {
					t.Errorf("%v", ids)
				}
				for range 2 { // each of many runs
					r, err = addRun(t, m, Options{Changed: ChangedConvert})
					must(t, err)
					if r.Run.Appended.Unchanged != 2 || r.Run.Appended.Inputs != 0 {
						t.Errorf("%+v", r.Run.Appended)
					}
				}
				put(t, m, name, 0, 15)
				_, err = addRun(t, m, Options{})
				wantExit(t, err, exit.StatusRefused, `\xe9`)
				wantExit(t, err, exit.StatusRefused, "changed since it was converted")
				put(t, m, strings.Replace(name, "\xe9", "\xe8", 1), 20, 30) // another name that reads alike
				_, err = addRun(t, m, Options{Changed: ChangedIgnore})
				must(t, err)
				if ids, _ := shown(t, m, "/out"); !old && !slices.Equal(ids, idsFrom(0, 30)) {
					t.Errorf("%v", ids)
				}
			})
		}
	}
}

// forget makes of an output's manifest one that has U+FFFD for what is not UTF-8.
func forget(t *testing.T, m *storagetest.Mem) {
	t.Helper()
	r := new(report.Report)
	must(t, json.Unmarshal([]byte(m.Files()["/out/_SUCCESS"]), r))
	for i := range r.Inputs {
		r.Inputs[i].Path, r.Inputs[i].File = report.Lossy(r.Inputs[i].Path), report.Lossy(r.Inputs[i].File)
	}
	text, err := r.JSON()
	must(t, err)
	m.Write("/out/_SUCCESS", string(text))
}

// A damaged file that was left out is known by whatever name leads to it.
func TestAppendSkipsOnceByAnyName(t *testing.T) {
	tree(t, "in/")
	file, _ := blocksOf(t, "snappy", 0, 10)
	must(t, os.WriteFile("in/a.avro", file, 0o666))
	must(t, os.WriteFile("in/b\xe9.avro", []byte("damaged"), 0o666))
	_, err := addRun(t, storage.Local{}, Options{Inputs: []string{"in"}, Output: "out", OnCorrupt: CorruptSkipFile})
	wantExit(t, err, exit.StatusSome, "1 file")
	r, err := addRun(t, storage.Local{}, Options{Inputs: []string{"./in", "in/../in"}, Output: "out", OnCorrupt: CorruptSkipFile})
	must(t, err)
	if r.Run.Appended.Unchanged != 2 || len(r.Skipped) != 1 {
		t.Errorf("%+v, %+v", r.Run.Appended, r.Skipped)
	}
}

// Tasks on Hadoop read the inputs of such names too.
func TestSimulatedAnyName(t *testing.T) {
	dir := writeShape(t, "flat", 2)
	must(t, os.Rename(filepath.Join(dir, "00.avro"), filepath.Join(dir, "\xe9.avro")))
	r, err := onSimulated(t, Options{Inputs: []string{dir}, Output: filepath.Join(t.TempDir(), "out\xe9")}, simulated{})
	must(t, err)
	if r.Counters.InputFiles != 2 || r.Inputs[1].Rows == 0 {
		t.Errorf("%+v", r.Inputs)
	}
}
