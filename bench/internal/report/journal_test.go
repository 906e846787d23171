package report

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// onRevision is a run of five rounds at a revision.
func onRevision(name string) RunInfo {
	return RunInfo{Pairs: 5, Versions: map[string]string{"revision": name}}
}

// journalAt opens the journal of a file of results.
func journalAt(t *testing.T, path string, now RunInfo, resume bool, order ...string) *Journal {
	t.Helper()
	j, err := OpenJournal(path, now, false, resume, order)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// put puts cases of some seconds into a journal.
func put(t *testing.T, j *Journal, seconds float64, names ...string) {
	t.Helper()
	for _, name := range names {
		if err := j.PutCase(CaseResult{Name: name, Effort: Effort{Seconds: seconds}}); err != nil {
			t.Fatal(err)
		}
	}
}

// kept lists the cases in a file, each with the revision and the seconds it has.
func kept(t *testing.T, path string) (all []string) {
	t.Helper()
	r, err := LoadResults(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range r.Cases {
		all = append(all, c.Name+" "+r.Runs[c.Run].Versions["revision"])
	}
	if len(r.Runs) > len(r.Cases) {
		t.Errorf("%d runs of %d cases: some are of nothing", len(r.Runs), len(r.Cases))
	}
	return all
}

// TestJournal breaks a run off, has another measure one case again, and a third all.
func TestJournal(t *testing.T) {
	path := filepath.Join(t.TempDir(), "results", "r.json")
	put(t, journalAt(t, path, onRevision("one"), false, "a", "b", "c"), 1, "a", "old", "c")
	if diff := cmp.Diff([]string{"a one", "c one", "old one"}, kept(t, path)); diff != "" {
		t.Errorf("broken off (-want +got):\n%s", diff)
	}
	second := journalAt(t, path, onRevision("two"), false, "a", "b", "c")
	put(t, second, 1, "b", "a")
	if diff := cmp.Diff([]string{"a two", "b two", "c one", "old one"}, kept(t, path)); diff != "" {
		t.Errorf("merged (-want +got):\n%s", diff)
	}
	put(t, second, 1, "c")
	if err := second.Prune(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"a two", "b two", "c two"}, kept(t, path)); diff != "" {
		t.Errorf("all of it (-want +got):\n%s", diff)
	}
}

func TestJournalResumes(t *testing.T) {
	for name, test := range map[string]struct {
		first, second RunInfo
		resume        bool
		seconds       float64
		want          bool
	}{
		"the same":       {onRevision("one"), onRevision("one"), true, 1, true},
		"not asked":      {onRevision("one"), onRevision("one"), false, 1, false},
		"another one":    {onRevision("one"), onRevision("two"), true, 1, false},
		"changed":        {onRevision("one-dirty"), onRevision("one-dirty"), true, 1, false},
		"other rounds":   {onRevision("one"), RunInfo{Pairs: 3, Versions: onRevision("one").Versions}, true, 1, false},
		"quick":          {RunInfo{Pairs: 5, Quick: true, Versions: onRevision("one").Versions}, onRevision("one"), true, 1, false},
		"never measured": {onRevision("one"), onRevision("one"), true, 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "r.json")
			put(t, journalAt(t, path, test.first, false), test.seconds, "a")
			j := journalAt(t, path, test.second, test.resume)
			if got := j.Measured("a"); got != test.want {
				t.Errorf("measured already: %t, want %t", got, test.want)
			}
			if j.Measured("b") {
				t.Error("a case that there is not was measured")
			}
			if test.want && len(j.Seen) != 1 {
				t.Errorf("seen %v: what is passed over would be pruned", j.Seen)
			}
		})
	}
}

// TestJournalOfSweeps puts sweeps, in place of those of an earlier run, and prunes the others.
func TestJournalOfSweeps(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.json")
	j := journalAt(t, path, onRevision("one"), false)
	for _, name := range []string{"gone", "second", "first"} {
		if err := j.PutSweep(Sweep{Name: name}); err != nil {
			t.Fatal(err)
		}
	}
	again := journalAt(t, path, onRevision("two"), false)
	for _, name := range []string{"first", "second"} {
		if err := again.PutSweep(Sweep{Name: name}); err != nil {
			t.Fatal(err)
		}
	}
	if err := again.Prune(); err != nil {
		t.Fatal(err)
	}
	r, err := LoadResults(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Sweeps) != 2 || r.Sweeps[0].Name != "first" || len(r.Runs) != 1 || r.Runs[0].Versions["revision"] != "two" {
		t.Errorf("sweeps %+v of %+v", r.Sweeps, r.Runs)
	}
}

func TestResultsNameTheirRuns(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.json")
	for text, want := range map[string]string{
		`{"runs":[{}],"cases":[{"name":"a","run":1}]}`: "no run 1 of 1",
		`{"sweeps":[{"name":"a"}]}`:                    "no run 0 of 0",
		`{"cases":[{"name":"a","run":-1}]}`:            "no run -1 of 0",
		`{"runs":[`:                                    "unexpected end",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := LoadResults(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", text, err, want)
		}
		if _, err := OpenJournal(path, RunInfo{}, false, false, nil); err == nil {
			t.Errorf("%s: a journal of it", text)
		}
	}
}

// TestRunsAreTold checks what tables say of runs that are not to be trusted.
func TestRunsAreTold(t *testing.T) {
	r := &Results{
		Runs: []RunInfo{onRevision("abc"), onRevision("abc-dirty")},
		Cases: []CaseResult{
			{Name: "calm", Effort: Effort{Others: 0.02}}, {Name: "rough", Effort: Effort{Run: 1, Others: 0.4}},
		},
	}
	for run, want := range map[int][]string{
		0: {"revision abc.", "Cases of this run: calm."},
		1: {"revision abc-dirty.", "Cases of this run: rough.", "changes that the revision lacks", "other programs had up to 40%"},
	} {
		got := r.told(run)
		for _, w := range want {
			if !strings.Contains(got, w) {
				t.Errorf("run %d: no %q in %s", run, w, got)
			}
		}
		if run == 0 && (strings.Contains(got, "other programs") || strings.Contains(got, "changes")) {
			t.Errorf("a calm run: %s", got)
		}
	}
}
