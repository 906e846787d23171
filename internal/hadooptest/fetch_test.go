package hadooptest

import (
	"os"
	"path/filepath"
	"testing"
)

// The digest is that of `sha256sum * | sha256sum`.
func TestDigest(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"b.jar": "two", "a.jar": "one"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	const want = "3d1fa88bd54008b73ab8d05c3bfd80a4c5408470b5e91ef21741f72f89d5df9d"
	if got, err := Digest(dir); err != nil || got != want {
		t.Errorf("%s, want %s: %v", got, want, err)
	}
	if _, err := Digest(filepath.Join(dir, "none")); err == nil {
		t.Error("a folder that is not there has a digest")
	}
}
