package sweep

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"avro2trevni/bench/internal/report"
)

// benchProgram builds the harness, which must run at the top of the repository.
func benchProgram(t *testing.T) (run func(args ...string) (string, error)) {
	t.Helper()
	program := filepath.Join(t.TempDir(), "bench")
	if out, err := exec.Command("go", "build", "-C", "../..", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return func(args ...string) (string, error) {
		cmd := exec.Command(program, args...)
		cmd.Dir = "../../.."
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
}

// TestSweepsOfAFile runs whole sweeps over a small file of the user's.
func TestSweepsOfAFile(t *testing.T) {
	bench := benchProgram(t)
	cache, out := t.TempDir(), filepath.Join(t.TempDir(), "o.json")
	avro, _ := smallTable(t, 20_000)
	for _, test := range []struct {
		verb   string
		names  []string
		points map[string]int // of each sweep that is to be there
	}{
		{"blocks", nil, map[string]int{"block-size": 3}},
		{"spec", []string{"overhead", "claims"}, map[string]int{"overhead": 1, "claims": 1}},
	} {
		args := append([]string{test.verb, "-quick", "-cache", cache, "-input", avro, "-out", out}, test.names...)
		if said, err := bench(args...); err != nil {
			t.Fatalf("%s: %v\n%s", test.verb, err, said)
		}
		r, err := report.LoadResults(out)
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Sweeps) != len(test.points) {
			t.Errorf("%s: %d sweeps, want %d", test.verb, len(r.Sweeps), len(test.points))
		}
		for _, s := range r.Sweeps {
			checkSweep(t, &s, test.points[s.Name])
		}
		if text, err := os.ReadFile(out); err != nil || strings.Contains(string(text), filepath.Dir(avro)) {
			t.Errorf("%s: the results name a folder of this machine, or %v", test.verb, err)
		}
	}
	if said, err := bench("scale", "-cache", cache, "-input", avro); err == nil || !strings.Contains(said, "scale has its own inputs") {
		t.Errorf("scale with a file of the user's: %v\n%s", err, said)
	}
}

// checkSweep demands all measures at all points.
func checkSweep(t *testing.T, s *report.Sweep, points int) {
	t.Helper()
	if len(s.Points) != points {
		t.Errorf("%s: %d points, want %d", s.Name, len(s.Points), points)
	}
	for _, p := range s.Points {
		for _, name := range s.Measures {
			if v, found := p.Values[name]; !found || v.Least > v.Median || v.Median > v.Most {
				t.Errorf("%s at %s: %s is %+v, found %t", s.Name, p.At, name, v, found)
			}
		}
	}
}
