package listing

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"avro2trevni/internal/exit"
)

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
