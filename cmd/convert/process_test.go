package main

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"avro2trevni/internal/ocf"
)

// scratch goes to an empty folder, and returns the fixture that big inputs are made of.
func scratch(t *testing.T) []byte {
	t.Helper()
	data, err := os.ReadFile("../../testdata/avro/fastavro-1.13.1-flat-many-blocks.avro")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	return data
}

// bigInput writes a file of about size bytes: a fixture's blocks, many times.
func bigInput(t *testing.T, data []byte, name string, size int) {
	t.Helper()
	h, err := ocf.ReadHeader(bytes.NewReader(data), int64(len(data)), name, ocf.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	blocks := data[h.Size:]
	all := append(data[:h.Size:h.Size], bytes.Repeat(blocks, size/len(blocks)+1)...)
	if err := os.WriteFile(name, all, 0o666); err != nil {
		t.Fatal(err)
	}
}

// digests returns those of all files below a folder.
func digests(t *testing.T, dir string) map[string][32]byte {
	t.Helper()
	all := map[string][32]byte{}
	err := filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := os.ReadFile(name)
		if e.Name() != "_SUCCESS" { // which tells the time
			all[name] = sha256.Sum256(data)
		} else {
			all[name] = [32]byte{}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// exitOf runs convert to its end.
func exitOf(t *testing.T, args ...string) (code int, stderr string) {
	t.Helper()
	cmd := exec.Command("convert", args...)
	var text strings.Builder
	cmd.Stderr = &text
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), text.String()
}

// hold starts convert, and returns when it has begun to write, and stopped. It goes on when
// goOn is called.
func hold(t *testing.T, args ...string) (cmd *exec.Cmd, goOn func()) {
	t.Helper()
	cmd = exec.Command("convert-held", args...)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "held\n" {
		t.Fatalf("it says %q: %v", line, errors.Join(err, cmd.Wait()))
	}
	return cmd, func() {
		if _, err := in.Write([]byte{0}); err != nil {
			t.Fatal(err)
		}
	}
}

// A signal ends a job, and nothing is left of it. If the job is done before it has seen the
// signal, it is tried again with more to do.
func TestSignals(t *testing.T) {
	for sig, want := range map[syscall.Signal]int{syscall.SIGINT: 130, syscall.SIGTERM: 143} {
		t.Run(sig.String(), func(t *testing.T) {
			fixture, code := scratch(t), 0
			for size := 4 << 20; code == 0 && size <= 1<<30; size *= 4 {
				bigInput(t, fixture, "big.avro", size)
				cmd, goOn := hold(t, "big.avro", "out")
				if err := cmd.Process.Signal(sig); err != nil {
					t.Fatal(err)
				}
				goOn()
				_ = cmd.Wait() // its status is what is asked for
				code = cmd.ProcessState.ExitCode()
				if code == 0 {
					if err := os.RemoveAll("out"); err != nil {
						t.Fatal(err)
					}
				}
			}
			if code != want {
				t.Errorf("exit status %d, want %d", code, want)
			}
			for name := range digests(t, ".") {
				if name != "big.avro" {
					t.Errorf("left: %s", name)
				}
			}
		})
	}
}

// A second run while the first is at work is told to come later; a run that was
// killed is cleaned up by the next.
func TestTwoRunsAndAKilledOne(t *testing.T) {
	bigInput(t, scratch(t), "big.avro", 4<<20)
	args := []string{"--file-size", "1MiB", "big.avro", "out"}
	cmd, _ := hold(t, args...)
	if code, text := exitOf(t, args...); code != 75 || !strings.Contains(text, "another run is writing this output") {
		t.Errorf("second run: exit status %d, %s", code, text)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if _ = cmd.Wait(); cmd.ProcessState.ExitCode() != -1 {
		t.Fatalf("not killed: %v", cmd.ProcessState)
	}
	left, err := os.ReadDir("out/_temporary")
	if err != nil || len(left) == 0 {
		t.Fatalf("a killed run left nothing, so nothing is shown: %v", err)
	}
	if code, text := exitOf(t, args...); code != 0 || text != "" {
		t.Fatalf("next run: exit status %d, %s", code, text)
	}
	got := digests(t, "out")
	if err := os.RemoveAll("out"); err != nil {
		t.Fatal(err)
	}
	if code, text := exitOf(t, args...); code != 0 {
		t.Fatalf("run without a killed one before: exit status %d, %s", code, text)
	}
	want := digests(t, "out")
	if len(got) != len(want) {
		t.Errorf("%d files, want %d", len(got), len(want))
	}
	for name, sum := range want {
		if got[name] != sum {
			t.Errorf("%s differs", name)
		}
	}
}

// What a run makes has the rights that the umask leaves, and no more.
func TestUmask(t *testing.T) {
	data := scratch(t)
	if err := os.WriteFile("in.avro", data, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, mask := range []int{0o077, 0o002} {
		old := syscall.Umask(mask)
		code, text := exitOf(t, "--report", "run.json", "--if-exists", "replace", "in.avro", "out")
		syscall.Umask(old)
		if code != 0 {
			t.Fatal(text)
		}
		for _, name := range []string{"out", "out/part-00000.trv", "out/_SUCCESS", "run.json"} {
			info, err := os.Stat(name)
			if err != nil {
				t.Fatal(err)
			}
			want := os.FileMode(0o666)
			if info.IsDir() {
				want = 0o777
			}
			if want &^= os.FileMode(mask); info.Mode().Perm() != want {
				t.Errorf("umask %#o: %s has %v, want %v", mask, name, info.Mode().Perm(), want)
			}
		}
		if err := os.RemoveAll("out"); err != nil {
			t.Fatal(err)
		}
	}
}
