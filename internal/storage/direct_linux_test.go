package storage

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// diskFolder returns a new folder on a file system that is written past the page cache:
// below TMPDIR, /var/tmp, or the repository, which a container often has from its host.
// Where none is, it skips the test; with CI=true that is a failure.
func diskFolder(t *testing.T) string {
	t.Helper()
	var seen []string
	for _, parent := range []string{os.TempDir(), "/var/tmp", "../../.cache"} {
		var s unix.Statfs_t
		if err := errors.Join(os.MkdirAll(parent, 0o777), unix.Statfs(parent, &s)); err != nil {
			seen = append(seen, err.Error())
			continue
		}
		if s.Type != unix.EXT4_SUPER_MAGIC && s.Type != unix.XFS_SUPER_MAGIC {
			seen = append(seen, fmt.Sprintf("%s: of type %#x", parent, s.Type))
			continue
		}
		dir, err := os.MkdirTemp(parent, "direct-")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.RemoveAll(dir) })
		return dir
	}
	const none = "no folder on ext4 or XFS: set TMPDIR to one; tried %q"
	if os.Getenv("CI") == "true" {
		t.Fatalf(none, seen)
	}
	t.Skipf(none, seen)
	return ""
}

// openDirect returns a writer past the page cache and its file's name.
func openDirect(t *testing.T, size int64) (*directWriter, string) {
	t.Helper()
	name := filepath.Join(diskFolder(t), "f")
	w, err := Local{}.Create(name, size)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() })
	d, ok := w.(*directWriter)
	if !ok {
		t.Fatalf("a file of %d bytes is written through the page cache", size)
	}
	return d, name
}

// noise returns n random bytes.
func noise(n int64) []byte {
	b := make([]byte, n)
	rand.NewChaCha8([32]byte{1}).Read(b)
	return b
}

// writeInParts writes data in parts of all sizes.
func writeInParts(t *testing.T, w io.Writer, data []byte) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	for len(data) > 0 {
		n := min(len(data), 1+r.IntN(1<<r.IntN(23)))
		if k, err := w.Write(data[:n]); k != n || err != nil {
			t.Fatalf("wrote %d of %d bytes: %v", k, n, err)
		}
		data = data[n:]
	}
}

// TestDirect checks that a file is what was written, whatever size was told, and
// whether or not it is synced before it is closed.
func TestDirect(t *testing.T) {
	for _, c := range []struct {
		name       string
		told, size int64
		sync       bool
	}{
		{"as told", 17<<20 + 5, 17<<20 + 5, true},
		{"whole chunks", 16 << 20, 16 << 20, true},
		{"whole pages", 16<<20 + 4096, 16<<20 + 4096, true},
		{"less than told", 64 << 20, 1<<20 + 1, true},
		{"nothing", 64 << 20, 0, true},
		{"more than told", 16 << 20, 20<<20 + 1, true},
		{"not synced", 16<<20 + 9, 16<<20 + 9, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			w, name := openDirect(t, c.told)
			data := noise(c.size)
			writeInParts(t, w, data)
			if c.sync {
				if err := w.Sync(); err != nil {
					t.Fatal(err)
				}
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			got, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got, data) {
				t.Errorf("%d bytes came out, not the %d that went in", len(got), len(data))
			}
			if n, err := w.Write([]byte("x")); n != 0 || !errors.Is(err, fs.ErrClosed) {
				t.Errorf("after the end: wrote %d, %v", n, err)
			}
		})
	}
}

// TestDirectRefused has a disk refuse a chunk, for it is to stand where none may, and
// checks that it goes through the page cache instead.
func TestDirectRefused(t *testing.T) {
	w, name := openDirect(t, directLeast)
	data := noise(3*directChunk + 7)
	w.off = 1
	writeInParts(t, w, data)
	if err := errors.Join(w.Sync(), w.Close()); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(name)
	if err != nil || !bytes.Equal(got, append([]byte{0}, data...)) {
		t.Errorf("%d bytes came out, %v", len(got), err)
	}
}

// TestDirectFails checks that a failure is told by the calls that follow it, once by
// Sync or Close, with the file's name.
func TestDirectFails(t *testing.T) {
	for _, last := range []string{"sync", "close"} {
		w, name := openDirect(t, directLeast)
		if err := w.f.Close(); err != nil {
			t.Fatal(err)
		}
		data := noise(directChunk)
		var err error
		for n := 0; err == nil && n < 10; n++ {
			_, err = w.Write(data)
		}
		if !errors.Is(err, fs.ErrClosed) || !strings.Contains(err.Error(), name) {
			t.Errorf("Write: %v", err)
		}
		if last == "sync" {
			err = w.Sync()
		} else {
			err = w.Close()
		}
		if !errors.Is(err, fs.ErrClosed) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", last, err)
		}
		if w.memory != nil {
			t.Errorf("%s: the memory is still mapped", last)
		}
	}
}

// TestDirectTooLarge checks that room is asked for before anything is written, and that
// no file is left where there is none. The size is one that no file may have: for one that
// is only larger than the disk, the system takes all the room there is before it refuses,
// and whatever else writes meanwhile fails.
func TestDirectTooLarge(t *testing.T) {
	_, name := openDirect(t, directLeast)
	other := name + ".large"
	w, err := Local{}.Create(other, 1<<62)
	if err == nil {
		_ = w.Close()
	}
	if !errors.Is(err, unix.ENOSPC) && !errors.Is(err, unix.EFBIG) || !strings.Contains(err.Error(), other) {
		t.Error(err)
	}
	if _, err := os.Stat(other); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file is left: %v", err)
	}
}

// TestSmallIsCached checks that small files, and those of no known size, are left in
// the page cache.
func TestSmallIsCached(t *testing.T) {
	for _, size := range []int64{0, directLeast - 1} {
		w, err := Local{}.Create(filepath.Join(t.TempDir(), "f"), size)
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := w.(*localWriter); !ok || WriterMemory(size) != 0 {
			t.Errorf("a file of %d bytes has a %T of %d bytes", size, w, WriterMemory(size))
		}
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	}
}
