package main

import (
	"fmt"
	"os"
	"path/filepath"
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
		Cmds:                map[string]func(*testscript.TestScript, bool, []string){"exits": exits, "locked": locked},
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

// locked holds a lock file until the script ends: locked FILE
func locked(ts *testscript.TestScript, _ bool, args []string) {
	name := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(filepath.Dir(name), 0o777))
	l, err := storage.Local{}.Lock(name)
	ts.Check(err)
	ts.Defer(func() { ts.Check(l.Close()) })
}
