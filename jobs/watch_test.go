package jobs

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"avro2trevni/internal/exit"
	"avro2trevni/internal/storage"
	"avro2trevni/internal/storage/storagetest"
	"avro2trevni/jobs/memory"
	"avro2trevni/jobs/publish"
	"avro2trevni/jobs/watch"
)

// lockedBuffer is a log that is read while it is written.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// A job whose storage hangs says which file it hangs at, and goes on when that does.
func TestStalledJobSaysSo(t *testing.T) {
	file, _ := blocksOf(t, "snappy", 0, 300)
	m := storagetest.NewMem()
	m.Write("/in/a.avro", string(file))
	var log lockedBuffer
	told := make(chan bool)
	reads := 0
	fs := &storagetest.Fault{FS: m, Before: func(_ int, op, name string) {
		if op == "read" && name == "/in/a.avro" {
			if reads++; reads == 2 { // the first is of its header
				<-told
			}
		}
	}}
	want := fmt.Sprintf("mapping /in/a.avro, bytes 0 to %d", len(file))
	go func() {
		defer close(told)
		for tries := 0; tries < 100_000 && !strings.Contains(log.String(), want); tries++ {
			time.Sleep(time.Millisecond)
		}
	}()
	o := Options{
		Inputs: []string{"/in"}, Output: "/out", FS: fs, Memory: 64 << 20, TempDirs: []string{t.TempDir()},
		Log: slog.New(slog.NewTextHandler(&log, nil)), hooks: hooks{stall: 5 * time.Millisecond},
	}
	_, err := Convert(t.Context(), &o)
	must(t, err)
	if text := log.String(); !strings.Contains(text, "nothing has moved") || !strings.Contains(text, want) {
		t.Errorf("the log says %s", text)
	}
	if strings.Contains(log.String(), "row ") {
		t.Error("a value is in the log")
	}
}

// A panic in a worker is an error that names what it was doing; nothing is left, and the
// process lives.
func TestPanicsAreErrors(t *testing.T) {
	file, _ := blocksOf(t, "snappy", 0, 300)
	for _, tt := range []struct {
		op, name, says string
		nth            int
	}{
		{"open", "/in/a.avro", "jobs: /in/a.avro: internal error: out of order", 1},
		{"open", "/in/a.avro", "jobs: split 0 of /in/a.avro: internal error: out of order", 2},
		{"write", "part-00000.trv", "jobs: part-00000.trv: reducer: write: internal error: out of order", 1},
		{"open", "part-00000.trv", "jobs: part-00000.trv: internal error: out of order", 1},
	} {
		m := storagetest.NewMem()
		m.Write("/in/a.avro", string(file))
		seen := 0
		fs := &storagetest.Fault{FS: m, Before: func(_ int, op, name string) {
			if op == tt.op && strings.HasSuffix(name, tt.name) {
				if seen++; seen == tt.nth {
					panic("out of order")
				}
			}
		}}
		_, err := Convert(t.Context(), &Options{Inputs: []string{"/in"}, Output: "/out", FS: fs, Memory: 64 << 20, TempDirs: []string{t.TempDir()}, Verify: true})
		wantExit(t, err, exit.StatusFailed, tt.says)
		var bug *exit.InternalError
		if errors.As(err, &bug) != (tt.op == "open") || bug != nil && !strings.Contains(string(bug.Stack), "storagetest") {
			t.Errorf("%v: where it is from is not kept", err)
		}
		for name := range m.Files() {
			if strings.HasPrefix(name, "/out") {
				t.Errorf("%s of %s: left %s", tt.op, tt.name, name)
			}
		}
	}
}

// A link where an output's temporary files would go leads nobody out of the output.
func TestLinksAreNotFollowedOut(t *testing.T) {
	dir := t.TempDir()
	file, _ := blocksOf(t, "snappy", 0, 300)
	in, elsewhere := filepath.Join(dir, "a.avro"), filepath.Join(dir, "elsewhere")
	must(t, os.WriteFile(in, file, 0o666))
	must(t, os.MkdirAll(filepath.Join(elsewhere, "run-0123456789abcdef"), 0o777))
	convert := func(out string) error {
		_, err := Convert(t.Context(), &Options{Inputs: []string{in}, Output: out, Memory: 64 << 20, IfExists: IfExistsReplace})
		return err
	}
	for name, says := range map[string]string{publish.TempName: "is a link", publish.LockName: "lock"} {
		out := filepath.Join(dir, "out"+name)
		must(t, os.Mkdir(out, 0o777))
		target := elsewhere
		if name == publish.LockName {
			target = filepath.Join(elsewhere, "made")
		}
		must(t, os.Symlink(target, filepath.Join(out, name)))
		if err := convert(out); err == nil || !strings.Contains(err.Error(), says) || !strings.Contains(err.Error(), out) {
			t.Errorf("%s: %v", name, err)
		}
	}
	entries, err := storage.Local{}.ReadDir(elsewhere)
	must(t, err)
	if len(entries) != 1 || entries[0].Name() != "run-0123456789abcdef" {
		t.Errorf("elsewhere holds %v", entries)
	}
	out := filepath.Join(dir, "parts") // a link in place of a file is replaced, not followed
	must(t, os.Mkdir(out, 0o777))
	must(t, os.WriteFile(filepath.Join(dir, "precious"), []byte("precious"), 0o666))
	must(t, os.Symlink(filepath.Join(dir, "precious"), filepath.Join(out, "part-00000.trv")))
	must(t, convert(out))
	if data, err := os.ReadFile(filepath.Join(dir, "precious")); err != nil || string(data) != "precious" {
		t.Errorf("what a link led to is %q, %v", data, err)
	}
}

// A job that reads files back, looks for damage, or writes temporary files moves.
func TestAllThatMoves(t *testing.T) {
	m := storagetest.NewMem()
	data, spans := blocksOf(t, "null", 0, 4000, 4000)
	m.Write("/in/a.avro", string(data))
	moved := func(o Options) int64 {
		o.Inputs, o.Output, o.FS, o.TempDirs, o.IfExists, o.Progress = []string{"/in"}, "/out", m, []string{t.TempDir()}, IfExistsReplace, new(watch.Progress)
		o.Workers = 1
		_, err := Convert(t.Context(), &o)
		if code := exit.Code(err); code != exit.StatusDone && code != exit.StatusSome {
			t.Fatal(err)
		}
		return o.Progress.Moved.Load()
	}
	if n := moved(Options{}); n != 0 {
		t.Errorf("nothing but what is counted otherwise: %d bytes", n)
	}
	if n := moved(Options{Verify: true}); n < int64(len(data))/4 {
		t.Errorf("reading back: %d bytes", n)
	}
	if n := moved(Options{SortBy: []string{"id:desc"}}); n < int64(len(data))/2 {
		t.Errorf("sorted: %d bytes", n)
	}
	data[spans[1].to-1]++
	m.Write("/in/a.avro", string(data))
	if n := moved(Options{OnCorrupt: CorruptSkipBlock}); n < spans[0].to/2 {
		t.Errorf("looking for damage: %d bytes", n)
	}
	p := new(watch.Progress)
	s := memory.TempSpace{Moved: &p.Moved}
	must(t, s.Take(7))
	s.Give(7)
	if n := p.Moved.Load(); n != 7 {
		t.Errorf("temporary files: %d bytes", n)
	}
}
