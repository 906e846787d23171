package report

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// savedAs saves results as those of a verb, and returns the folder and a document for the page.
func savedAs(t *testing.T, by map[string]*Results) (from, document string) {
	t.Helper()
	dir := t.TempDir()
	for verb, r := range by {
		if err := r.Save(filepath.Join(dir, verb+".json")); err != nil {
			t.Fatal(err)
		}
	}
	document = filepath.Join(dir, "page.md")
	if err := os.WriteFile(document, []byte("before\n<!-- page -->\nold\n<!-- end page -->\nafter\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir, document
}

// of makes an outcome with one sample.
func of(name string, wall float64, memory, output int64) Outcome {
	s := Sample{Wall: wall, User: wall, Memory: memory << 20, Output: output * 1e6}
	return Outcome{Name: name, Median: s, Samples: []Sample{s}}
}

// quiet is a run of a verb at a revision, on a machine without load.
func quiet(verb, revision string) RunInfo {
	r := onRevision(revision)
	r.Command, r.Date, r.Machine.Load = "bin/bench "+verb+" -pairs 5", "2026-11-22", "0.40"
	return r
}

func pageOf(t *testing.T, by map[string]*Results) string {
	t.Helper()
	from, document := savedAs(t, by)
	if err := WritePage(from, document, filepath.Join(from, "plots")); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	if s := string(text); !strings.HasPrefix(s, "before\n<!-- page -->\n") || !strings.HasSuffix(s, "<!-- end page -->\nafter\n") || strings.Contains(s, "old") {
		t.Errorf("the page is %s", s)
	}
	return string(text)
}

// fourVerbs are results of one quiet run of one revision.
func fourVerbs() map[string]*Results {
	return map[string]*Results{
		"convert": {Runs: []RunInfo{quiet("convert", "abc")}, Cases: []CaseResult{
			{Name: "lineitem-snappy", Contenders: []Outcome{of("ours", 2, 100, 258), of("limit", 1, 20, 0), {Name: "totrevni", Missing: "gone"}}},
		}},
		"parquet": {Runs: []RunInfo{quiet("parquet", "abc")}, Cases: []CaseResult{
			{Name: "parquet-lineitem", Contenders: []Outcome{of("ours", 1, 200, 203), of("ours-modern", 1.25, 210, 180), of("arrow-rs", 3, 50, 211)}},
			{Name: "parquet-nested", Contenders: []Outcome{of("ours", 4, 200, 90), {Name: "arrow-rs", Missing: "panics"}}},
		}},
		"queries": {Runs: []RunInfo{quiet("queries", "abc")}, Cases: []CaseResult{
			{Name: "duckdb-q1", What: "query 1", Contenders: []Outcome{of("ours", 0.02, 0, 0), of("duckdb", 0.01, 0, 0)}},
		}},
		"scan": {Runs: []RunInfo{quiet("scan", "abc")}, Cases: []CaseResult{scanned("double", 1, map[string]Sample{"ours": {Wall: 0.02}})}},
	}
}

// TestPage: one run on a quiet machine gives tables in which losses are bold, and no warning.
func TestPage(t *testing.T) {
	text := pageOf(t, fourVerbs())
	for _, want := range []string{
		"2026-11-22; revision abc.\n", "![Converting TPC-H lineitem, 6 million rows of snappy Avro](plots/convert.png)",
		"| Trevni | **convert** | 2 | 2 | 100 | 258.0 | – | – | – | – | – |\n", "| Trevni | totrevni | – | – | – | – |",
		"| Parquet | **convert** | 1 | 1 | 200 | 203.0 | – | 4 |", "| Parquet | convert, modern | 1.25 | 1.25 | 210 | 180.0 |",
		"| Parquet | arrow-rs | 3 | 3 | **50** | 211.0 | – | – |", "| duckdb: query 1 | 20 | **10** |\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in %s", want, text)
		}
	}
	for _, warning := range []string{"busy", "different runs", "Nothing", "lacks"} {
		if strings.Contains(text, warning) {
			t.Errorf("%q on a page of one quiet run: %s", warning, text)
		}
	}
}

// TestPageWarns: the page says what its figures are not fit for.
func TestPageWarns(t *testing.T) {
	for name, test := range map[string]struct {
		spoil func(by map[string]*Results)
		want  string
	}{
		"load":     {func(by map[string]*Results) { by["scan"].Runs[0].Machine.Load = "2.51" }, "`bin/bench scan` ran on a machine that was busy: load average 2.5"},
		"others":   {func(by map[string]*Results) { by["parquet"].Cases[1].Others = 0.3 }, "`bin/bench parquet` ran on a machine that was busy: other programs had up to 30%"},
		"revision": {func(by map[string]*Results) { by["queries"].Runs[0] = quiet("queries", "def") }, "different runs, revisions or machines"},
		"machine":  {func(by map[string]*Results) { by["queries"].Runs[0].Machine.Processor = "another" }, "different runs, revisions or machines"},
		"day":      {func(by map[string]*Results) { by["queries"].Runs[0].Date = "" }, "a day that was not noted"},
		"changes":  {func(by map[string]*Results) { by["queries"].Runs[0] = quiet("queries", "abc-dirty") }, "changes that its revision lacks"},
		"missing":  {func(by map[string]*Results) { delete(by, "convert") }, "Nothing was measured by `bin/bench convert`"},
	} {
		by := fourVerbs()
		test.spoil(by)
		if text := pageOf(t, by); !strings.Contains(text, test.want) {
			t.Errorf("%s: no %q in %s", name, test.want, text)
		}
	}
}

func TestPageRefuses(t *testing.T) {
	from, document := savedAs(t, fourVerbs())
	if err := os.WriteFile(document, []byte("no marks\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := WritePage(from, document, from); err == nil {
		t.Error("a document without marks was written")
	}
	if err := os.WriteFile(filepath.Join(from, "scan.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := WritePage(from, document, from); err == nil || !strings.Contains(err.Error(), "scan.json") {
		t.Errorf("a file of results that is none: %v", err)
	}
}

// TestQuestionsHaveTables: what was asked of files is printed apart from what was converted.
func TestQuestionsHaveTables(t *testing.T) {
	by := fourVerbs()
	r := &Results{Runs: by["parquet"].Runs, Cases: append(by["parquet"].Cases, by["queries"].Cases...)}
	r.Cases[2].Contenders = append(r.Cases[2].Contenders, Outcome{Name: "spark", Missing: "gone"})
	var b strings.Builder
	r.Print(&b)
	for _, want := range []string{"| parquet-lineitem | ours | 1.00 (1.00–1.00) |", "| duckdb-q1 | ours | 20.0 (20.0–20.0) | 20.0 | 1 |", "| duckdb-q1 | spark | missing: gone | | |"} {
		if strings.Count(b.String(), want) != 1 {
			t.Errorf("not once %q in %s", want, b.String())
		}
	}
	if strings.Count(b.String(), "| duckdb-q1 | ours |") != 1 {
		t.Errorf("a question is among the conversions: %s", b.String())
	}
}
