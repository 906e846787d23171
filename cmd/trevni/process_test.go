package main

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A reader that has seen enough ends the program, quietly.
func TestPipeCloses(t *testing.T) {
	for _, args := range [][]string{
		{"cat", "../../testdata/trevni/java-1.12.1-null/fastavro-1.13.1-flat.trv"},
		{"cat", "--format", "csv", "../../testdata/trevni/java-1.12.1-null/fastavro-1.13.1-big-values-deflate.trv"},
		{"cat", "--format", "table", "../../testdata/trevni/java-1.12.1-null/fastavro-1.13.1-wide.trv"},
		{"scan", "--json", "../../testdata/trevni/java-1.12.1-null/fastavro-1.13.1-wide.trv"},
		{"to-avro", "--codec", "null", "../../testdata/trevni/java-1.12.1-null/fastavro-1.13.1-big-values-deflate.trv", "-"},
		{"meta", "--json", "--blocks", "../../testdata/trevni/java-1.12.1-null/fastavro-1.13.1-wide.trv"},
	} {
		cmd := exec.Command("trevni", args...)
		var stderr strings.Builder
		cmd.Stderr = &stderr
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if _, err := bufio.NewReaderSize(out, 16).ReadByte(); err != nil {
			t.Fatal(err)
		}
		if err := out.Close(); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Wait(); err != nil || stderr.Len() > 0 {
			t.Errorf("%s: %v, %s", args[0], err, stderr.String())
		}
	}
}

// What verify found is told by its exit status, also if nobody reads it.
func TestVerifyOfAClosedPipe(t *testing.T) {
	cmd := exec.Command("trevni", "verify", "../../testdata/broken/java-1.12.1-null-crc32-of-zeros.trv")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Run() // its status is what is asked for
	if code := cmd.ProcessState.ExitCode(); code != 1 {
		t.Errorf("exit status %d, want 1", code)
	}
}

// A signal ends a verb that writes a file, and nothing is left of the file.
func TestSignals(t *testing.T) {
	name, err := filepath.Abs("../../testdata/trevni/java-1.12.1-null/fastavro-1.13.1-flat.trv")
	if err != nil {
		t.Fatal(err)
	}
	for sig, want := range map[syscall.Signal]int{syscall.SIGINT: 130, syscall.SIGTERM: 143} {
		t.Run(sig.String(), func(t *testing.T) {
			t.Chdir(t.TempDir())
			if err := os.Symlink(name, "../in"); err != nil {
				t.Fatal(err)
			}
			code := 0
			for files := 2000; code == 0 && files < 200_000; files *= 4 { // if it is done before it has seen the signal
				code = interrupted(t, sig, files)
			}
			if code != want {
				t.Errorf("exit status %d, want %d", code, want)
			}
			for _, pattern := range []string{"*", ".*"} {
				if left, _ := filepath.Glob(pattern); len(left) > 0 {
					t.Errorf("left: %v", left)
				}
			}
		})
	}
}

// interrupted has a verb write out.avro from many files, sends it a signal when it has begun,
// and returns its exit status.
func interrupted(t *testing.T, sig syscall.Signal, files int) int {
	t.Helper()
	args := append([]string{"to-avro", "--codec", "deflate:9", "--force"}, slices.Repeat([]string{"../in"}, files)...)
	cmd := exec.Command("trevni", append(args, "out.avro")...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait() // its status is what is asked for
		close(ended)
	}()
	for sent := false; ; {
		if made, _ := filepath.Glob(".out.avro.*.tmp"); len(made) > 0 && !sent {
			_ = cmd.Process.Signal(sig) // it may have ended
			sent = true
		}
		select {
		case <-ended:
			return cmd.ProcessState.ExitCode()
		case <-time.After(time.Millisecond):
		}
	}
}
