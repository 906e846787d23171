package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"avro2trevni/internal/storage"
)

// TestMain makes the test binary stand in for convert, so that scripts and tests run
// it as a process; convert-mortal kills itself, convert-held stops, and
// convert-measured tells what memory it took.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"convert": main, "convert-mortal": mortal, "convert-held": held, "convert-measured": measured})
}

// TestScripts runs testdata/script: what is printed, and the exit status, which
// `exits` checks. $FIXTURES is the repository's testdata.
func TestScripts(t *testing.T) {
	fixtures, err := filepath.Abs("../../testdata")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			env.Setenv("FIXTURES", fixtures)
			return nil
		},
		Cmds:                map[string]func(*testscript.TestScript, bool, []string){"exits": exits, "locked": locked, "terminated": terminated},
		RequireExplicitExec: true,
	})
}

// exits runs a program and checks its exit status: exits CODE PROGRAM ARG...
func exits(ts *testscript.TestScript, _ bool, args []string) {
	err := ts.Exec(args[1], args[2:]...)
	got := "0"
	if err != nil {
		var code int
		if _, scanErr := fmt.Sscanf(err.Error(), "exit status %d", &code); scanErr != nil {
			ts.Fatalf("%s: %v", args[1], err)
		}
		got = fmt.Sprint(code)
	}
	if got != args[0] {
		ts.Fatalf("%s: exit status %s, want %s", args[1], got, args[0])
	}
}

// terminated runs convert with a list of inputs on standard input, and sends SIGTERM when it
// has begun to read: more is written than a pipe holds. It has to end by the signal. Where
// END is "later", the list does not end before that:  terminated now|later ARG...
func terminated(ts *testscript.TestScript, _ bool, args []string) {
	cmd := exec.Command("convert", args[1:]...)
	cmd.Dir = ts.MkAbs(".")
	var errs strings.Builder
	cmd.Stderr = &errs
	in, err := cmd.StdinPipe()
	ts.Check(err)
	ts.Check(cmd.Start())
	_, err = in.Write([]byte(strings.Repeat("\n", 1<<20) + "in/a.avro\n"))
	if args[0] == "now" {
		err = errors.Join(err, in.Close())
	}
	err = errors.Join(err, cmd.Process.Signal(syscall.SIGTERM))
	_ = cmd.Wait() // its status is what is looked at
	ts.Check(err)
	if code := cmd.ProcessState.ExitCode(); code != 143 || !strings.Contains(errs.String(), "interrupted by signal: terminated") {
		ts.Fatalf("exit status %d: %s", code, errs.String())
	}
}

// locked holds a lock file until the script ends: locked FILE
func locked(ts *testscript.TestScript, _ bool, args []string) {
	name := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(filepath.Dir(name), 0o777))
	l, err := storage.Local{}.Lock(name)
	ts.Check(err)
	ts.Defer(func() { ts.Check(l.Close()) })
}
