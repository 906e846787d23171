package main

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"avro2trevni/internal/storage"
	"avro2trevni/jobs"
)

// documented is a row of the table of errors in docs/operations.md.
type documented struct {
	message string
	pattern *regexp.Regexp
	exits   string
}

// documentedErrors reads the table.
func documentedErrors(t *testing.T) (all []documented) {
	t.Helper()
	text, err := os.ReadFile("../../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "\n## Errors\n")
	section, _, _ := strings.Cut(rest, "\n## ")
	for _, row := range regexp.MustCompile("(?m)^\\| `([^`]*)` \\| ([0-9, ]+) \\|").FindAllStringSubmatch(section, -1) {
		pattern := strings.ReplaceAll(regexp.QuoteMeta(row[1]), `\.\.\.`, ".*")
		all = append(all, documented{row[1], regexp.MustCompile("^(" + pattern + ")$"), row[2]})
	}
	if len(all) < 20 {
		t.Fatalf("%d rows were found in the table", len(all))
	}
	return all
}

// Failures that take more than a crafted input, and the tests that show them.
var shownElsewhere = map[string]string{
	"create run file: ...read-only file system":                       "TestFailingDirectory",
	"write run file ...: no space left on device":                     "TestDiskFull",
	"part-...: ...: no space left on device":                          "TestJobWithFullDisk",
	"publish ...: ...":                                                "TestCommitWithEachCallFailing",
	"...: internal error: ...":                                        "TestPanicsAreErrors",
	"...: an input changed while it was read...":                      "TestChangedInput",
	"interrupted by signal: ...":                                      "TestSignals",
	"...: the block decompresses to more than the limit of ... bytes": "TestHostileInputs",
}

// testNames returns the names of all tests of the module.
func testNames(t *testing.T) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == ".git" || d.Name() == ".cache"):
			return fs.SkipDir
		case !strings.HasSuffix(path, "_test.go"):
			return nil
		}
		text, err := os.ReadFile(path)
		for _, found := range regexp.MustCompile(`(?m)^func (Test\w+)\(t \*testing\.T\)`).FindAllSubmatch(text, -1) {
			names[string(found[1])] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// failure is a run that fails.
type failure struct {
	exit string
	args string
}

// Each message that docs/operations.md tells is what a run prints, with its exit status.
func TestDocumentedErrors(t *testing.T) {
	all, tests := documentedErrors(t), testNames(t)
	fixture := scratch(t) // which changes the folder
	lock := makeFailing(t, fixture)
	defer lock()
	seen := map[string]bool{}
	for _, f := range []failure{
		{"4", "text.avro out"},
		{"4", "bad.avro out"},
		{"4", "empty.avro out"},
		{"4", "--max-header-bytes 1KiB long.avro out"},
		{"4", "--on-corrupt skip-block --max-skipped 0 bad.avro out"},
		{"4", "--on-corrupt skip-file text.avro out"},
		{"1", "--on-corrupt skip-file text.avro in.avro done"},
		{"4", "--index price in.avro out"},
		{"4", "--temp-dir gone in.avro out"},
		{"4", "--temp-limit 1MiB --memory 37MiB --codec null --workers 1 big.avro out"},
		{"4", "in.avro text.avro/out"},
		{"4", "--report /dev/full in.avro full"},
		{"4", "in.avro journal"},
		{"75", "in.avro locked"},
		{"75", "--min-age 1h new.avro out"},
		{"75", "--require-success in.avro out"},
	} {
		args := strings.Fields(f.args)
		code, said := exitOf(t, args...)
		lines := strings.Split(strings.TrimSpace(said), "\n")
		line := strings.TrimPrefix(lines[len(lines)-1], "convert: ")
		found := false
		for _, d := range all {
			if d.pattern.MatchString(line) {
				found = true
				seen[d.message] = true
				if d.exits != f.exit {
					t.Errorf("%s: the document says %s", f.args, d.exits)
				}
			}
		}
		if !found || strconv.Itoa(code) != f.exit {
			t.Errorf("%s: exit status %d, want %s; in the table: %v: %s", f.args, code, f.exit, found, said)
		}
	}
	for _, d := range all {
		if test := shownElsewhere[d.message]; !seen[d.message] && !tests[test] {
			t.Errorf("no run showed %q, nor does a test %q", d.message, test)
		}
	}
}

// makeFailing makes what runs fail at, and returns what ends a lock.
func makeFailing(t *testing.T, fixture []byte) (unlock func()) {
	t.Helper()
	bad := bytes.Clone(fixture)
	for i := len(bad) / 2; i < len(bad)/2+200; i++ {
		bad[i] ^= 0xff
	}
	long := whole(header(`"int"`, "null", "k", strings.Repeat("x", 3000)), block(1, longs(1)))
	f, err := os.Create("long.avro")
	if err != nil {
		t.Fatal(err)
	}
	long(t, f)
	bigInput(t, fixture, "big.avro", 24<<20)
	old := time.Now().Add(-24 * time.Hour)
	err = errors.Join(f.Close(),
		os.WriteFile("in.avro", fixture, 0o666), os.WriteFile("new.avro", fixture, 0o666), os.WriteFile("bad.avro", bad, 0o666),
		os.WriteFile("text.avro", []byte("no Avro"), 0o666), os.WriteFile("empty.avro", nil, 0o666),
		os.Chtimes("in.avro", old, old),
		os.MkdirAll("journal/_temporary", 0o777), os.WriteFile("journal/_temporary/journal", []byte("x"), 0o666), os.Mkdir("locked", 0o777))
	if err != nil {
		t.Fatal(err)
	}
	l, err := storage.Local{}.Lock(filepath.Join("locked", ".avro2trevni.lock"))
	if err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	}
}

// JSON has no bytes that are not of UTF-8: in a log they can still be told apart.
func TestJSONLogShowsAnyName(t *testing.T) {
	t.Chdir(t.TempDir())
	var errs bytes.Buffer
	if code := run([]string{"--log-format", "json", "a\xe9.avro", "out\xe8"}, io.Discard, &errs); code != 3 || !strings.Contains(errs.String(), `a\\xe9.avro`) {
		t.Errorf("%d: %s", code, errs.String())
	}
	errs.Reset()
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.Mkdir("out\xe8", 0o777))
	lock, err := storage.Local{}.Lock("out\xe8/.avro2trevni.lock")
	must(err)
	defer lock.Close()
	if code := run([]string{"--log-format", "json", "a.avro", "out\xe8"}, io.Discard, &errs); code != 75 || !strings.Contains(errs.String(), `"out\\xe8`) {
		t.Errorf("%d: %s", code, errs.String())
	}
}

// Messages have no names of packages; names of files stay.
func TestMessage(t *testing.T) {
	for text, want := range map[string]string{
		"gone: jobs: no such input":                      "gone: no such input",
		"jobs: a: ocf: b: schema: schema: c":             "a: b: c",
		"schema: open x":                                 "schema: open x",
		"x: jobs: y\njobs: output o: shuffle: disk full": "x: y\noutput o: disk full",
		"in/jobs: x":                                     "in/jobs: x",
	} {
		if got := new(command).message(errors.New(text)); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	c := &command{opts: jobs.Options{Inputs: []string{"shuffle"}}}
	if got := c.message(errors.New("shuffle: jobs: no such input")); !strings.HasPrefix(got, "shuffle: ") {
		t.Error(got)
	}
}
