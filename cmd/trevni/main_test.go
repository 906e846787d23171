package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"avro2trevni/record"
	"avro2trevni/trevni"
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
			"exits": exits, "change": change, "cut": cut, "avro": avroFile, "edit": edit,
		},
		Condition: func(cond string) (bool, error) {
			if cond == "root" { // who may read everything
				return os.Geteuid() == 0, nil
			}
			return false, fmt.Errorf("no condition %q", cond)
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

// cut cuts a file to a size: cut FILE BYTES.
func cut(ts *testscript.TestScript, _ bool, args []string) {
	size, err := strconv.ParseInt(args[1], 10, 64)
	ts.Check(err)
	ts.Check(os.Truncate(ts.MkAbs(args[0]), size))
}

// A message names what it is about, and neither a package nor what the system was asked to do.
func TestMessage(t *testing.T) {
	for _, c := range []struct {
		err  error
		want string
	}{
		{&fs.PathError{Op: "open", Path: "a.trv", Err: syscall.EACCES}, "a.trv: permission denied"},
		{fmt.Errorf("b: %w", &fs.PathError{Op: "stat", Path: "a.trv", Err: fs.ErrNotExist}), "b: a.trv: file does not exist"},
		{fmt.Errorf("a.trv: %w", record.ErrRange), "a.trv: no such row"},
		{errors.Join(trevni.ErrLimit, trevni.ErrMisuse), "past a limit\ncall does not fit the column"},
	} {
		if got := message(c.err); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// trevniRun runs the command within the test.
func trevniRun(args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	code = run(args, &out, &errs)
	return code, out.String(), errs.String()
}
