// Command gotest runs `go test` with the arguments it is given, and prints what that
// prints: a line for each package, and all of a test that failed. Then it lists the tests
// that took longest, and those that were skipped.
package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// listed is how many slow tests are listed.
const listed = 10

func main() {
	cmd := exec.Command("go", append([]string{"test", "-json"}, os.Args[1:]...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "gotest:", err)
		os.Exit(1)
	}
	run := &testRun{w: os.Stdout, said: map[test]*strings.Builder{}}
	run.read(out)
	err = cmd.Wait()
	run.summary()
	if err != nil {
		os.Exit(max(1, cmd.ProcessState.ExitCode()))
	}
}

// event is one of `go doc test2json`.
type event struct {
	Action, Package, Test, Output string
	Elapsed                       float64 // seconds
}

// test is a test, or with no name a package.
type test struct{ pkg, name string }

// result is a test that has ended.
type result struct {
	test
	seconds float64
}

// testRun is what is known of a run.
type testRun struct {
	w       io.Writer
	said    map[test]*strings.Builder // by tests that have not ended
	ended   []result
	skipped []test
}

// read follows the run to its end. Lines that are not events are printed.
func (r *testRun) read(from io.Reader) {
	lines := bufio.NewReader(from)
	for {
		line, err := lines.ReadBytes('\n')
		var e event
		switch {
		case len(line) == 0:
		case json.Unmarshal(line, &e) != nil:
			_, _ = r.w.Write(line) // the summary is lost too if this is
		default:
			r.event(&e)
		}
		if err != nil {
			return // the exit status tells the rest
		}
	}
}

func (r *testRun) event(e *event) {
	t := test{e.Package, e.Test}
	switch e.Action {
	case "build-output":
		fmt.Fprint(r.w, e.Output)
	case "output":
		if r.said[t] == nil {
			r.said[t] = new(strings.Builder)
		}
		r.said[t].WriteString(e.Output)
	case "pass", "skip", "fail":
		r.end(t, e)
	}
}

// end prints what is left to be said of a test or a package that has ended.
func (r *testRun) end(t test, e *event) {
	if t.name == "" {
		for other := range r.said { // of a process that died
			if other.pkg == t.pkg && other.name != "" {
				r.print(other)
			}
		}
		r.print(t)
		return
	}
	if e.Action == "fail" {
		r.print(t)
	}
	delete(r.said, t)
	if e.Action == "skip" {
		r.skipped = append(r.skipped, t)
	}
	if !strings.Contains(t.name, "/") {
		r.ended = append(r.ended, result{t, e.Elapsed})
	}
}

// print prints what a test said, but for lines that only tell that it goes on, and a
// package's word of success.
func (r *testRun) print(t test) {
	said := r.said[t]
	if said == nil {
		return
	}
	delete(r.said, t)
	var text strings.Builder
	for line := range strings.Lines(said.String()) {
		if !strings.HasPrefix(line, "=== ") && line != "PASS\n" {
			text.WriteString(line)
		}
	}
	fmt.Fprint(r.w, text.String())
}

// summary lists the tests that took longest, and those that were skipped.
func (r *testRun) summary() {
	slices.SortStableFunc(r.ended, func(a, b result) int { return cmp.Compare(b.seconds, a.seconds) })
	for i, t := range r.ended[:min(listed, len(r.ended))] {
		if i == 0 {
			fmt.Fprintln(r.w, "The slowest:")
		}
		fmt.Fprintf(r.w, "%8.1fs  %s %s\n", t.seconds, t.pkg, t.name)
	}
	for _, t := range r.skipped {
		fmt.Fprintf(r.w, " skipped  %s %s\n", t.pkg, t.name)
	}
}
