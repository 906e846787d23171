//go:build unix

package storage_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"avro2trevni/internal/storage"
)

// What is no file is an error at once: opening a pipe would wait for its writer.
func TestOpenNoFile(t *testing.T) {
	dir := t.TempDir()
	pipe, link := filepath.Join(dir, "pipe"), filepath.Join(dir, "link")
	if err := errors.Join(syscall.Mkfifo(pipe, 0o666), os.Symlink("pipe", link)); err != nil {
		t.Skip(err)
	}
	for _, name := range []string{pipe, link, dir, os.DevNull} {
		if f, err := (storage.Local{}).Open(name); err == nil || !strings.Contains(err.Error(), name+": is not a file") {
			t.Errorf("open %s: %v, %v", name, f, err)
		}
	}
	for _, name := range []string{pipe, link} {
		if l, err := (storage.Local{}).Lock(name); err == nil {
			t.Errorf("lock %s: %v", name, l)
		}
		if _, err := os.Lstat(name); err != nil {
			t.Error(err)
		}
	}
}

// A lock whose file was removed is lost, and its next holder keeps it.
func TestLockTakenOver(t *testing.T) {
	name := filepath.Join(t.TempDir(), "lock")
	lock := func() storage.Lock {
		l, err := storage.Local{}.Lock(name)
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	first := lock()
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
	wantIs(t, "held without a file", first.Held(), storage.ErrLockLost)
	second := lock()
	wantIs(t, "held while another holds it", first.Held(), storage.ErrLockLost)
	wantIs(t, "closing what another holds", first.Close(), storage.ErrLockLost)
	if err := errors.Join(second.Held(), second.Close()); err != nil {
		t.Error(err)
	}
}
