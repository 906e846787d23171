// Command gotest runs `go test` with the arguments it is given, flags as one word each
// (-timeout=30m), and prints what that prints: a line for each package, and all of a test
// that failed. Then it lists the tests that took longest, and those that were skipped.
//
// With -race it runs some tests once more without: those that say, by a log or when they
// skip themselves, that they are for a run "without the race detector too".
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
	"time"
)

// listed is how many slow tests are listed.
const listed = 10

// again is what tests say that are to be run without the race detector too.
const again = "without the race detector too"

func main() {
	started := time.Now()
	run := newRun(os.Stdout)
	code := run.test(os.Args[1:])
	if args := run.unraced(os.Args[1:]); args != nil && code == 0 {
		fmt.Println("Without the race detector:")
		code = run.test(args)
	}
	run.summary()
	fmt.Printf("%8.1fs  in all\n", time.Since(started).Seconds())
	os.Exit(code)
}

// test runs go test, and returns its exit status.
func (r *testRun) test(args []string) int {
	cmd := exec.Command("go", append([]string{"test", "-json"}, args...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "gotest:", err)
		return 1
	}
	r.read(out)
	if cmd.Wait() != nil {
		return max(1, cmd.ProcessState.ExitCode())
	}
	return 0
}

// unraced returns the arguments of the run without the race detector, nil if there is
// nothing to run.
func (r *testRun) unraced(args []string) (all []string) {
	if !slices.Contains(args, "-race") || len(r.again) == 0 {
		return nil
	}
	for _, a := range args {
		if a != "-race" && strings.HasPrefix(a, "-") {
			all = append(all, a)
		}
	}
	var names, pkgs []string
	for t := range r.again {
		names, pkgs = append(names, t.name), append(pkgs, t.pkg)
	}
	slices.Sort(names)
	slices.Sort(pkgs)
	all = append(all, "-run=^("+strings.Join(slices.Compact(names), "|")+")$")
	return append(all, slices.Compact(pkgs)...)
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
	again   map[test]bool // those to be run without the race detector
}

func newRun(w io.Writer) *testRun {
	return &testRun{w: w, said: map[test]*strings.Builder{}, again: map[test]bool{}}
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
		if strings.Contains(e.Output, again) {
			name, _, _ := strings.Cut(e.Test, "/")
			r.again[test{e.Package, name}] = true
		}
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
	if e.Action == "skip" && !r.again[t] {
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
