package jobs

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"avro2trevni/internal/exit"
	"avro2trevni/internal/storage"
	"avro2trevni/internal/storage/storagetest"
	"avro2trevni/internal/units"
	"avro2trevni/jobs/watch"
)

// losing is a file system that loses each part file once, at half its size.
type losing struct {
	*storagetest.Mem
	lost atomic.Int64
}

// Create implements [storage.FS].
func (l *losing) Create(name string, size int64) (storage.Writer, error) {
	w, err := l.Mem.Create(name, size)
	if err != nil || !strings.HasSuffix(name, ".trv") || l.lost.Add(1) > 2 {
		return w, err
	}
	return &losingWriter{Writer: w, left: size / 2}, nil
}

type losingWriter struct {
	storage.Writer
	left int64
}

// Write implements io.Writer.
func (w *losingWriter) Write(p []byte) (int, error) {
	if w.left -= int64(len(p)); w.left < 0 {
		return 0, fmt.Errorf("datanode: %w", storage.ErrLost)
	}
	return w.Writer.Write(p)
}

// A file that is lost is written again: the outcome is that of a run without losses.
func TestLostFilesAreWrittenAgain(t *testing.T) {
	convert := func(f storage.FS, mem *storagetest.Mem) map[string]string {
		rows := slices.Repeat([]int{500}, 40)
		in, _ := blocksOf(t, "null", 0, rows...)
		mem.Write("/in/a.avro", string(in))
		o := &Options{Inputs: []string{"/in"}, Output: "/out", FS: f, FileSize: 64 * units.KiB, TempDirs: []string{t.TempDir()}, Progress: new(watch.Progress)}
		if _, err := Convert(context.Background(), o); err != nil {
			t.Fatal(err)
		}
		files := mem.Files()
		delete(files, "/out/_SUCCESS") // which tells times
		var bytes int64
		for name, data := range files {
			if strings.HasSuffix(name, ".trv") {
				bytes += int64(len(data))
			}
		}
		if got := o.Progress.Written.Load(); got != bytes {
			t.Errorf("progress counts %d bytes, written are %d", got, bytes)
		}
		return files
	}
	whole, l := storagetest.NewMem(), &losing{Mem: storagetest.NewMem()}
	want, got := convert(whole, whole), convert(l, l.Mem)
	if len(want) != len(got) {
		t.Errorf("%d files, want %d", len(got), len(want))
	}
	for name := range want {
		if got[name] != want[name] {
			t.Errorf("%s differs", name)
		}
	}
	if n := l.lost.Load(); n < 3 {
		t.Errorf("only %d files were begun", n)
	}
}

// The exit status of errors that the storage tells of itself.
func TestStorageExitCodes(t *testing.T) {
	tests := []struct {
		err  error
		want int
	}{
		{fmt.Errorf("open x: %w", storage.ErrUnavailable), exit.StatusRetry},
		{exit.Exitf(exit.StatusFailed, "write x: no such file: %w", storage.ErrLockLost), exit.StatusRetry},
		{fmt.Errorf("open x: encrypted: %w", storage.ErrUnsupported), exit.StatusRefused},
		{fmt.Errorf("fsync x: %w", syscall.ENOTSUP), exit.StatusFailed}, // in the middle of a run, of some file systems
		{fmt.Errorf("open x: %w", storage.ErrLost), exit.StatusFailed},
	}
	for _, test := range tests {
		if got := exit.Code(test.err); got != test.want {
			t.Errorf("%v: %d, want %d", test.err, got, test.want)
		}
	}
}
