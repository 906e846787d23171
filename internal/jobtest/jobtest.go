// Package jobtest is what the tests of the job's rooms share: errors judged by their exit
// status, outputs in memory, and trees of files.
package jobtest

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/cespare/xxhash/v2"

	"avro2trevni/internal/exit"
	"avro2trevni/internal/storage/storagetest"
	"avro2trevni/jobs/report"
)

// Keys shortens files to their names and sizes.
func Keys(files map[string]string) map[string]int {
	short := map[string]int{}
	for name, data := range files {
		short[name] = len(data)
	}
	return short
}

// Must ends the test at an error.
func Must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// WantExit checks an error's exit status, and that it says something.
func WantExit(t *testing.T, err error, status int, says string) {
	t.Helper()
	if got := exit.Code(err); got != status {
		t.Fatalf("exit %d for %v, want %d", got, err, status)
	}
	if err != nil && !strings.Contains(err.Error(), says) {
		t.Fatalf("error %q does not say %q", err, says)
	}
}

// Digest returns the digest that a report has of a file.
func Digest(s string) string {
	return fmt.Sprintf("%016x", xxhash.Sum64String(s))
}

// Files returns all files that are not folders; in a _SUCCESS the time the run took
// is zero.
func Files(m *storagetest.Mem) map[string]string {
	all := m.Files()
	maps.DeleteFunc(all, func(name, _ string) bool { return strings.HasSuffix(name, "/") })
	for name, text := range all {
		all[name] = seconds.ReplaceAllString(text, `"seconds": 0`)
	}
	return all
}

// SameAsReport returns an error unless the files are those of the _SUCCESS.
func SameAsReport(text string, parts map[string]string) error {
	var r report.Report
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		return fmt.Errorf("_SUCCESS: %w", err)
	}
	listed := slices.Concat(r.Outputs, r.Summaries)
	if len(listed) != len(parts) {
		return fmt.Errorf("_SUCCESS names %d files of %d", len(listed), len(parts))
	}
	for _, o := range listed {
		if Digest(parts[o.Path]) != o.XXH64 {
			return fmt.Errorf("%s holds %q", o.Path, parts[o.Path])
		}
	}
	return nil
}

var seconds = regexp.MustCompile(`"seconds": [0-9.e+]+`)

// Tree makes files (content: their name), folders (names that end in a slash) and
// links ("name -> target") in a new folder, and goes there.
func Tree(t *testing.T, names ...string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	for _, name := range names {
		link, target, isLink := strings.Cut(name, " -> ")
		Must(t, os.MkdirAll(filepath.Dir(link), 0o777))
		switch {
		case isLink:
			Must(t, os.Symlink(target, link))
		case strings.HasSuffix(name, "/"):
			Must(t, os.MkdirAll(name, 0o777))
		default:
			Must(t, os.WriteFile(name, []byte(name), 0o666))
		}
	}
	return dir
}

// Left returns what a run that ended has left.
func Left(m *storagetest.Mem) []string {
	var names []string
	for name := range m.Files() {
		if strings.Contains(name, "_temporary") || strings.Contains(name, "/.") {
			names = append(names, name)
		}
	}
	return names
}
