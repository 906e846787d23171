package report

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// took makes samples of the wall times given.
func took(wall ...float64) []Sample {
	var all []Sample
	for _, w := range wall {
		all = append(all, Sample{Wall: w, Memory: int64(w) << 20})
	}
	return all
}

func TestMedian(t *testing.T) {
	for _, test := range []struct {
		values []float64
		want   float64
	}{
		{nil, 0}, {[]float64{3}, 3}, {[]float64{3, 1}, 2}, {[]float64{9, 1, 5}, 5}, {[]float64{4, 1, 3, 2}, 2.5},
	} {
		if got := Median(test.values); got != test.want {
			t.Errorf("median(%v) = %v, want %v", test.values, got, test.want)
		}
	}
}

// TestFigure checks that ratios are of the same round, and how they are judged.
func TestFigure(t *testing.T) {
	outcomes := []Outcome{{Name: "slow", Samples: took(10, 12, 40)}, {Name: "fast", Samples: took(2, 2, 4)}, {Name: "gone"}}
	for _, test := range []struct {
		Figure
		median, least, most float64
		verdict             string
	}{
		{Figure{Measure: "wall", Of: "slow", To: "fast", AtLeast: 6}, 6, 5, 10, "reached"},
		{Figure{Measure: "wall", Of: "slow", To: "fast", AtLeast: 6.1}, 6, 5, 10, "missed"},
		{Figure{Measure: "wall", Of: "fast", To: "slow", AtMost: 0.1}, 1. / 6, 0.1, 0.2, "missed"},
		{Figure{Measure: "wall", Of: "fast", To: "slow"}, 1. / 6, 0.1, 0.2, ""},
		{Figure{Measure: "memory", Of: "fast", AtMost: 3 << 20}, 2 << 20, 2 << 20, 4 << 20, "missed"},
		{Figure{Measure: "memory", Of: "fast", AtMost: 4 << 20}, 2 << 20, 2 << 20, 4 << 20, "reached"},
		{Figure{Measure: "wall", Of: "gone", To: "fast", AtLeast: 1}, 0, 0, 0, ""},
		{Figure{Measure: "wall", Of: "slow", To: "gone", AtLeast: 1}, 0, 0, 0, ""},
	} {
		f := test.Figure
		f.Fill(outcomes)
		if f.Median != test.median || f.Least != test.least || f.Most != test.most || f.Verdict != test.verdict {
			t.Errorf("%s of %s to %s: %v (%v to %v) %q, want %v (%v to %v) %q", f.Measure, f.Of, f.To,
				f.Median, f.Least, f.Most, f.Verdict, test.median, test.least, test.most, test.verdict)
		}
	}
}

func someResults() *Results {
	r := &Results{Runs: []RunInfo{{Pairs: 3, Versions: map[string]string{"go": "go1.26"}}}, Cases: []CaseResult{{
		Name: "lineitem",
		Contenders: []Outcome{
			{Name: "ours", Samples: took(1, 2, 3), Median: MedianSample(took(1, 2, 3))},
			{Name: "theirs", Missing: "not installed"},
		},
		Figures: []Figure{
			{Name: "peak", Measure: "memory", Of: "ours", AtMost: 2 << 20},
			{Name: "times as fast", Measure: "wall", Of: "theirs", To: "ours", AtLeast: 5},
		},
		Columns: []ColumnResult{{Name: "a", Rows: 100, Ours: 10, Theirs: 105}},
	}}}
	for i := range r.Cases[0].Figures {
		r.Cases[0].Figures[i].Fill(r.Cases[0].Contenders)
	}
	return r
}

func TestPrint(t *testing.T) {
	var b strings.Builder
	someResults().Print(&b)
	for _, want := range []string{
		"| lineitem | ours | 2.00 (1.00–3.00) | 0.00 | 2 | 0.0 | 0.0 | 3 |",
		"| lineitem | theirs | missing: not installed | | | | | |",
		"| lineitem | peak | 2 MiB (1 MiB–3 MiB) | ≤ 2 MiB | missed |",
		"| lineitem | times as fast | not measured | ≥ 5.00 |  |",
		"| a | 100 | 10 | 105 | 0.950 |",
	} {
		if !strings.Contains(b.String(), want+"\n") {
			t.Errorf("no line %q in\n%s", want, b.String())
		}
	}
}

func TestPutInto(t *testing.T) {
	dir := t.TempDir()
	document, saved := filepath.Join(dir, "d.md"), filepath.Join(dir, "r.json")
	if err := someResults().Save(saved); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(document, []byte("a\n<!-- r -->\nold\n<!-- end r -->\nb\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second time replaces what the first put there
		if err := TableVerb(context.Background(), []string{"-into", document, saved}); err != nil {
			t.Fatal(err)
		}
	}
	var tables strings.Builder
	someResults().Print(&tables)
	got, err := os.ReadFile(document)
	if want := "a\n<!-- r -->\n" + tables.String() + "<!-- end r -->\nb\n"; err != nil || string(got) != want {
		t.Errorf("document, %v:\n%s\nwant\n%s", err, got, want)
	}
	if err := someResults().PutInto(document, "other"); err == nil {
		t.Error("no error for a document without the marks")
	}
}

func TestSaveAndLoad(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.json")
	want := someResults()
	if err := want.Save(path); err != nil {
		t.Fatal(err)
	}
	got, err := LoadResults(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(CaseResult{})); diff != "" {
		t.Errorf("read back (-written +read):\n%s", diff)
	}
	if err := got.Missed(); err == nil || !strings.Contains(err.Error(), "lineitem: peak") {
		t.Errorf("missed figures: %v, want the peak's", err)
	}
}

// TestPutPlots checks that a document shows each plot once, wherever its text has it.
func TestPutPlots(t *testing.T) {
	document := filepath.Join(t.TempDir(), "d.md")
	r := &Results{Runs: make([]RunInfo, 1), Sweeps: []Sweep{{Name: "block-size", Points: []Point{{X: 64 << 10, Values: map[string]ValueSpread{"file MB": {Median: 20}}}}}}}
	for text, want := range map[string]int{"": 1, "![seen](../plots/block-size.png)\n": 1} {
		if err := os.WriteFile(document, []byte(text+"<!-- r -->\n<!-- end r -->\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if err := r.PutInto(document, "r"); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(document)
		if n := strings.Count(string(got), "(../plots/block-size.png)"); err != nil || n != want {
			t.Errorf("%d times, want %d, %v in\n%s", n, want, err, got)
		}
	}
}
