package jobs

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/cespare/xxhash/v2"

	"avro2trevni/internal/exit"
	"avro2trevni/internal/storage/storagetest"
	"avro2trevni/jobs/report"
)

// stride says which of the calls of a job are failed: each with FAULTS=all, else some 20.
func stride(calls int) int {
	if os.Getenv("FAULTS") == "all" {
		return 1
	}
	return 1 + calls/20
}

// keys shortens files to their names and sizes.
func keys(files map[string]string) map[string]int {
	short := map[string]int{}
	for name, data := range files {
		short[name] = len(data)
	}
	return short
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// wantExit checks an error's exit status, and that it says something.
func wantExit(t *testing.T, err error, status int, says string) {
	t.Helper()
	if got := exit.Code(err); got != status {
		t.Fatalf("exit %d for %v, want %d", got, err, status)
	}
	if err != nil && !strings.Contains(err.Error(), says) {
		t.Fatalf("error %q does not say %q", err, says)
	}
}

func digest(s string) string {
	return fmt.Sprintf("%016x", xxhash.Sum64String(s))
}

// files returns all files that are not folders; in a _SUCCESS the time the run took
// is zero.
func files(m *storagetest.Mem) map[string]string {
	all := m.Files()
	maps.DeleteFunc(all, func(name, _ string) bool { return strings.HasSuffix(name, "/") })
	for name, text := range all {
		all[name] = seconds.ReplaceAllString(text, `"seconds": 0`)
	}
	return all
}

// sameAsReport returns an error unless the files are those of the _SUCCESS.
func sameAsReport(text string, parts map[string]string) error {
	var r report.Report
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		return fmt.Errorf("_SUCCESS: %w", err)
	}
	if len(r.Outputs) != len(parts) {
		return fmt.Errorf("_SUCCESS names %d files of %d", len(r.Outputs), len(parts))
	}
	for _, o := range r.Outputs {
		if digest(parts[o.Path]) != o.XXH64 {
			return fmt.Errorf("%s holds %q", o.Path, parts[o.Path])
		}
	}
	return nil
}

var seconds = regexp.MustCompile(`"seconds": [0-9.e+]+`)

// tree makes files (content: their name), folders (names that end in a slash) and
// links ("name -> target") in a new folder, and goes there.
func tree(t *testing.T, names ...string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	for _, name := range names {
		link, target, isLink := strings.Cut(name, " -> ")
		must(t, os.MkdirAll(filepath.Dir(link), 0o777))
		switch {
		case isLink:
			must(t, os.Symlink(target, link))
		case strings.HasSuffix(name, "/"):
			must(t, os.MkdirAll(name, 0o777))
		default:
			must(t, os.WriteFile(name, []byte(name), 0o666))
		}
	}
	return dir
}
