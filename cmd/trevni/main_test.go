package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "write the scripts' golden outputs anew")

// TestMain makes the test binary stand in for trevni, and for a little of convert, so
// that scripts run them as processes.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"trevni": main, "convert": convert})
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
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits, "change": change, "avro": avroFile, "edit": edit,
		},
		RequireExplicitExec: true,
		UpdateScripts:       *update,
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

// change adds one to a byte of a file: change FILE OFFSET, from the end if negative.
func change(ts *testscript.TestScript, _ bool, args []string) {
	name := ts.MkAbs(args[0])
	data, err := os.ReadFile(name)
	ts.Check(err)
	var at int
	_, err = fmt.Sscan(args[1], &at)
	ts.Check(err)
	if at < 0 {
		at += len(data)
	}
	data[at]++
	ts.Check(os.WriteFile(name, data, 0o666))
}

// trevniRun runs the command within the test.
func trevniRun(args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	code = run(args, &out, &errs)
	return code, out.String(), errs.String()
}
