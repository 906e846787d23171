package run

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"avro2trevni/bench/internal/data"
	"avro2trevni/bench/internal/report"

	"github.com/google/go-cmp/cmp"
)

func TestMeasuringFlags(t *testing.T) {
	for _, test := range []struct {
		args  []string
		pairs int
		out   string
	}{
		{nil, 5, filepath.Join("bench", "results", "convert.json")},
		{[]string{"-quick"}, 1, ""},
		{[]string{"-quick", "-pairs", "3", "-out", "o.json"}, 3, "o.json"},
		{[]string{"-input", "/somewhere/a.avro"}, 5, ""},
	} {
		m, err := NewMeasuring("convert", test.args, true)
		if err != nil {
			t.Fatal(err)
		}
		if m.pairs != test.pairs || m.out != test.out {
			t.Errorf("%v: %d rounds into %q, want %d into %q", test.args, m.pairs, m.out, test.pairs, test.out)
		}
	}
}

func TestToldHasNoFolders(t *testing.T) {
	m := &Measuring{args: []string{"-input", "/home/me/a.avro", "-out=/tmp/o.json", "-quick", "lineitem-snappy"}}
	want := []string{"-input", "a.avro", "-out=o.json", "-quick", "lineitem-snappy"}
	if diff := cmp.Diff(want, m.told()); diff != "" {
		t.Errorf("arguments (-want +got):\n%s", diff)
	}
	h := &Harness{Paths: data.Paths{Root: "/home/me/.cache"}}
	got := h.named([]string{"/usr/bin/java", "-jar", "/home/me/.cache/java/a.jar", "/data/in.avro", "/home/me/.cache/bench/work/out"}, "/data/in.avro")
	want = []string{"java", "-jar", ".cache/java/a.jar", "in.avro", ".cache/bench/work/out"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("command (-want +got):\n%s", diff)
	}
	r := &runner{Job: Job{Command: []string{"/usr/bin/java"}}, input: "/data/in.avro"}
	err := errors.New("/usr/bin/java -jar /home/me/.cache/java/a.jar: exit status 1: cannot read file:/data/in.avro")
	if got, want := h.why(err, r), "java -jar .cache/java/a.jar: exit status 1: cannot read file:in.avro"; got != want {
		t.Errorf("why it is missing: %q, want %q", got, want)
	}
}

func TestExpected(t *testing.T) {
	t.Chdir(t.TempDir())
	m := &Measuring{verb: "v", pairs: 2}
	if got := m.expected([]string{"a"}); !strings.Contains(got, "2 rounds") {
		t.Errorf("without results: %q", got)
	}
	if err := os.MkdirAll(filepath.Join("bench", "results"), 0o755); err != nil {
		t.Fatal(err)
	}
	r := &report.Results{Runs: []report.RunInfo{{Pairs: 5}}, Cases: []report.CaseResult{{Name: "a", Effort: report.Effort{Seconds: 600}}, {Name: "b", Effort: report.Effort{Seconds: 1e6}}}}
	if err := r.Save(filepath.Join("bench", "results", "v.json")); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		m    *Measuring
		todo []string
		want string
	}{
		{m, []string{"a"}, "about 5m"}, // 3 rounds of the 6 that took 600 s
		{m, []string{"a", "c"}, "2 rounds after"},
		{&Measuring{verb: "v", pairs: 1, Quick: true}, []string{"a"}, "about 15s"},
		{&Measuring{verb: "scale", pairs: 5}, nil, "about 4m, on an idle machine"},
	} {
		if got := test.m.expected(test.todo); !strings.Contains(got, test.want) {
			t.Errorf("of %v with %d rounds: %q, want %q", test.todo, test.m.pairs, got, test.want)
		}
	}
}

func TestWantedCases(t *testing.T) {
	p := Programs{}
	all := p.convertCases()
	for _, test := range []struct {
		m    Measuring
		want string
	}{
		{Measuring{}, "lineitem-snappy lineitem-files lineitem-deflate lineitem-null wide-snappy nested-snappy nullable-snappy sparse-snappy events-snappy"},
		{Measuring{Names: []string{"sparse-snappy"}}, "sparse-snappy"},
		{Measuring{Quick: true}, "lineitem-snappy"},
		{Measuring{Input: "a.avro"}, "input"},
		{Measuring{only: []string{"ours", "limit"}, Names: []string{"lineitem-snappy"}}, "lineitem-snappy"},
	} {
		var names []string
		test.m.verb = "convert"
		for _, c := range test.m.Wanted(all, p) {
			if test.m.only != nil && (len(c.contenders) != 2 || len(c.figures) != 1) {
				t.Errorf("%d contenders and %d figures, want %v and their one", len(c.contenders), len(c.figures), test.m.only)
			}
			names = append(names, c.name)
			if test.m.Quick && (c.input != data.QuickInput || c.figures[0].AtLeast != 0) {
				t.Errorf("quick mode takes %s and asks for %v", c.input, c.figures[0].AtLeast)
			}
		}
		if got := strings.Join(names, " "); got != test.want {
			t.Errorf("%+v: cases %s, want %s", test.m, got, test.want)
		}
	}
}

func TestEndOfPart(t *testing.T) {
	spans := []data.Span{{Offset: 100, Size: 10, Rows: 5}, {Offset: 200, Size: 20, Rows: 5}, {Offset: 300, Size: 30, Rows: 90}}
	for n, want := range map[int64]int64{10: 200 + 20 + data.SyncSize, 20: 100 + 10 + data.SyncSize, 1: 300 + 30 + data.SyncSize} {
		if got := data.EndOfPart(spans, n); got != want {
			t.Errorf("a %dth ends at %d, want %d", n, got, want)
		}
	}
}

func TestWorkerCounts(t *testing.T) {
	for n, want := range map[int]string{1: "1", 2: "1 2", 6: "1 2 4 6"} {
		if got := strings.Join(workerCounts(n), " "); got != want {
			t.Errorf("workers up to %d: %s, want %s", n, got, want)
		}
	}
}

// TestBeside checks that another build is run as ours is, with its own program and output.
func TestBeside(t *testing.T) {
	p := Programs{Ours: "bin/convert"}
	c := p.convertCases()[0]
	c.choose([]string{"ours", "limit"})
	c.beside("old/convert")
	var names []string
	for _, o := range c.contenders {
		names = append(names, o.name)
	}
	if diff := cmp.Diff([]string{"ours", "other", "limit"}, names); diff != "" {
		t.Fatalf("contenders (-want +got):\n%s", diff)
	}
	l := layout{input: "i", output: "o", temp: "t"}
	ours, other := c.contenders[0].command(l), c.contenders[1].command(l)
	if diff := cmp.Diff(ours[1:], other[1:]); diff != "" || ours[0] != "bin/convert" || other[0] != "old/convert" {
		t.Errorf("%v beside %v", ours, other)
	}
	if c.contenders[0].output == c.contenders[1].output {
		t.Error("the two have one output")
	}
	if f := c.figures[len(c.figures)-2]; f.Of != "ours" || f.To != "other" {
		t.Errorf("figure %+v", f)
	}
}
