package run

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"avro2trevni/bench/internal/data"
	"avro2trevni/bench/internal/report"
)

// shell is a job of a shell script that writes into DIR/out and DIR/temp.
func shell(dir, script string) Job {
	return Job{
		Command: []string{"/bin/sh", "-c", "cd " + dir + " && " + script},
		Output:  filepath.Join(dir, "out"),
		Temp:    filepath.Join(dir, "temp"),
	}
}

func TestMeasure(t *testing.T) {
	j := shell(t.TempDir(), "mkdir out && printf 12345 >out/a && printf 678 >out/b && printf 123456789 >temp/t && sleep 0.3")
	if err := j.Clean(); err != nil {
		t.Fatal(err)
	}
	s, err := Measure(context.Background(), j)
	if err != nil {
		t.Fatal(err)
	}
	if s.Wall < 0.3 || s.Memory == 0 || s.Output != 8 || s.Temp != 9 {
		t.Errorf("measured %+v, want 0.3 s or more, some memory, 8 bytes of output, 9 of temporary files", s)
	}
	if err := j.Clean(); err != nil {
		t.Fatal(err)
	}
	if left, err := TreeSize(filepath.Dir(j.Output)); left != 0 || err != nil {
		t.Errorf("%d bytes left after cleaning, %v", left, err)
	}
}

func TestMeasureTellsWhatFailed(t *testing.T) {
	_, err := Measure(context.Background(), shell(t.TempDir(), "echo no such luck >&2; exit 3"))
	if err == nil || !strings.Contains(err.Error(), "exit status 3: no such luck") {
		t.Errorf("error %v, want the status and what was printed", err)
	}
}

// TestRun runs a whole case: of three contenders one is missing and one fails.
func TestRun(t *testing.T) {
	h := &Harness{Paths: data.Paths{Root: t.TempDir()}, Pairs: 2}
	h.Work = h.Data("work")
	if err := os.MkdirAll(h.Work, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(h.Data("in"), []byte("data"), 0o600); err != nil {
		t.Fatal(err)
	}
	script := func(name string, command ...string) contender {
		return contender{name: name, command: func(l layout) []string { return append(command, l.input) }}
	}
	r, err := h.run(context.Background(), benchCase{name: "case", input: "in", contenders: []contender{
		script("cat", "/bin/cat"), script("gone", "/no/such/program"), script("false", "/bin/false"),
	}, figures: []report.Figure{{Measure: "wall", Of: "cat", To: "cat"}}})
	if err != nil {
		t.Fatal(err)
	}
	if got := len(r.Contenders[0].Samples); got != 2 || r.InputBytes != 4 || r.Figures[0].Median != 1 {
		t.Errorf("%d samples of %d bytes, figure %v; want 2 of 4 bytes, 1", got, r.InputBytes, r.Figures[0].Median)
	}
	if got := r.Contenders[0].Command[0]; got != "cat" {
		t.Errorf("the results name the program %q, want cat without its folder", got)
	}
	for i, want := range map[int]string{0: "", 1: "not built or not installed", 2: "failed: "} {
		if got := r.Contenders[i].Missing; !strings.HasPrefix(got, want) || want == "" && got != "" {
			t.Errorf("%s is missing because %q, want %q", r.Contenders[i].Name, got, want)
		}
	}
}

func TestOneHarnessAtATime(t *testing.T) {
	p := data.Paths{Root: t.TempDir()}
	unlock, err := Lock(p)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Lock(p); err == nil || !strings.Contains(err.Error(), "another harness") {
		t.Errorf("a second harness: error %v, want that another is measuring", err)
	}
	if err := unlock(); err != nil {
		t.Fatal(err)
	}
	if _, err := Lock(p); err != nil {
		t.Errorf("after the first has ended: %v", err)
	}
}

func TestOneLine(t *testing.T) {
	long := strings.Repeat("x", 1000)
	for text, want := range map[string]string{
		"a":              "a",
		" a\nb\nc | d\n": "a … c \\| d",
		long:             "…" + long[:160],
	} {
		if got := oneLine(text); got != want {
			t.Errorf("%q in one line is %q, want %q", text, got, want)
		}
	}
}

func TestRoundsOfSlowContenders(t *testing.T) {
	for _, test := range []struct {
		h       Harness
		seconds float64
		want    int
	}{
		{Harness{Pairs: 5}, 1, 5}, {Harness{Pairs: 5}, 8, 3}, {Harness{Pairs: 5}, 27, 2}, {Harness{Pairs: 5}, 60, 1},
		{Harness{Pairs: 2}, 8, 2}, {Harness{Pairs: 1, brief: true}, 2, 0}, {Harness{Pairs: 1, brief: true}, 0.1, 1},
	} {
		if got := test.h.RoundsOf(test.seconds); got != test.want {
			t.Errorf("%d rounds, brief %t, %v s: %d, want %d", test.h.Pairs, test.h.brief, test.seconds, got, test.want)
		}
	}
}
