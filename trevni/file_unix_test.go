//go:build unix

package trevni

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestOpenPipe: a pipe is refused, whether or not something writes to it.
func TestOpenPipe(t *testing.T) {
	name := filepath.Join(t.TempDir(), "pipe.trv")
	must(t, syscall.Mkfifo(name, 0o666))
	if _, err := OpenFile(name, nil); err == nil || !strings.Contains(err.Error(), "is not a regular file") {
		t.Errorf("error is %v", err)
	}
}
