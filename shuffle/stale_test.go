package shuffle

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"avro2trevni/internal/tuple"
)

// spilled returns a shuffle that has a run file in dir.
func spilled(t tb, dir string) *Shuffle {
	t.Helper()
	s := mustNew(t, Options{Writers: 1, TempDirs: []string{dir}})
	w := s.NewWriter()
	if err := errors.Join(put(w, tuple.Tuple{Row: 1, Rows: 1, Size: 9}, true), w.Seal()); err != nil {
		t.Fatal(err)
	}
	forceSpill(s)
	return s
}

// TestKilledProcess kills a process that spilled, and cleans up behind it; before that
// its directory stays.
func TestKilledProcess(t *testing.T) {
	if dir := os.Getenv("SHUFFLE_TEST_SPILL"); dir != "" {
		spilled(t, dir)
		os.Stdout.WriteString("spilled\n")
		select {}
	}
	dir := t.TempDir()
	cmd := exec.Command(os.Args[0], "-test.run=^TestKilledProcess$")
	cmd.Env = append(os.Environ(), "SHUFFLE_TEST_SPILL="+dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || line != "spilled\n" {
		t.Fatalf("the process says %q, %v", line, err)
	}
	if n, err := cleanStale(dir); n != 0 || err != nil {
		t.Errorf("removed %d directories of a living process, %v", n, err)
	}
	if names := diskFiles(t, dir); len(names) != 3 {
		t.Fatalf("want a private directory with lock and run file: %v", names)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed
	mustClose(t, mustNew(t, Options{TempDirs: []string{dir}}))
	if names := diskFiles(t, dir); len(names) > 0 {
		t.Fatalf("left of a killed process: %v", names)
	}
}

// TestCleanStale checks what is removed and what is not.
func TestCleanStale(t *testing.T) {
	dir := t.TempDir()
	live := spilled(t, dir)
	defer mustClose(t, live)
	before := diskFiles(t, dir)
	make := func(name string, files ...string) {
		path := filepath.Join(dir, name)
		if err := os.Mkdir(path, 0o700); err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			if err := os.WriteFile(filepath.Join(path, f), []byte("x"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	make(dirPrefix+"dead", lockName, "run-000000")
	make(dirPrefix + "half")
	if n, err := cleanStale(dir); n != 2 || err != nil {
		t.Fatalf("removed %d, %v", n, err)
	}
	if after := diskFiles(t, dir); strings.Join(after, " ") != strings.Join(before, " ") {
		t.Fatalf("have %v, want %v", after, before)
	}
	make("other", lockName)
	make(dirPrefix+"unlocked", "precious")
	if n, err := cleanStale(dir); n != 0 || err != nil {
		t.Fatalf("removed %d, %v", n, err)
	}
	if _, err := cleanStale(filepath.Join(dir, "none")); !errors.Is(err, os.ErrNotExist) {
		t.Fatalf("missing directory: %v", err)
	}
}

// TestCleanRace makes private directories while others clean: none that was given out
// goes.
func TestCleanRace(t *testing.T) {
	dir := t.TempDir()
	stop := make(chan struct{})
	var cleaners, makers sync.WaitGroup
	for range 2 {
		cleaners.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					_, _ = cleanStale(dir) // races with the makers' own removal
				}
			}
		})
	}
	for range 2 {
		makers.Go(func() {
			for range 100 {
				path, unlock, err := osFiles{}.Lock(dir)
				if err != nil {
					t.Error(err)
					return
				}
				if _, err := os.Stat(filepath.Join(path, lockName)); err != nil {
					t.Error(err)
				}
				if err := errors.Join(os.WriteFile(filepath.Join(path, "run"), nil, 0o600), removePrivate(path), unlock()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	makers.Wait()
	close(stop)
	cleaners.Wait()
}

// TestFailingDirectory spills to directories that went away: the error names one.
func TestFailingDirectory(t *testing.T) {
	dir := t.TempDir()
	bad := []string{filepath.Join(dir, "gone-1"), filepath.Join(dir, "gone-2")}
	for _, name := range bad {
		if err := os.Mkdir(name, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	s := mustNew(t, Options{Memory: 256 << 10, Writers: 1, TempDirs: bad})
	for _, name := range bad {
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
	}
	w := s.NewWriter()
	var err error
	for i := 0; err == nil && i < 1_000_000; i++ {
		err = put(w, tuple.Tuple{Row: tuple.Row(i), Rows: 1, Size: 100}, false)
	}
	if !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), filepath.Join(dir, "gone-")) {
		t.Fatalf("error is %v", err)
	}
	mustClose(t, s)
	if names := diskFiles(t, dir); len(names) > 0 {
		t.Fatalf("left behind: %v", names)
	}
}
