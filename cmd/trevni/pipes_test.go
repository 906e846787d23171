//go:build unix

package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"avro2trevni/cmd/trevni/inputs"
	"avro2trevni/cmd/trevni/outfile"
)

const flat = "../../testdata/trevni/java-1.12.1-null/fastavro-1.13.1-flat.trv"

// pipe makes a named pipe, and returns its name.
func pipe(t *testing.T, name string) string {
	t.Helper()
	name = filepath.Join(t.TempDir(), name)
	if err := syscall.Mkfifo(name, 0o666); err != nil {
		t.Fatal(err)
	}
	return name
}

// TestPipeAsInput: a pipe is refused, and not waited for, wherever an input is opened.
func TestPipeAsInput(t *testing.T) {
	name := pipe(t, "pipe.trv")
	folder := filepath.Dir(name)
	out := filepath.Join(t.TempDir(), "out.avro")
	for _, args := range [][]string{
		{"cat", name}, {"meta", name}, {"scan", name}, {"verify", name}, {"to-avro", name, out},
		{"cat", folder}, {"verify", folder}, {"verify", "--against", name, flat},
	} {
		code, _, stderr := trevniRun(args...)
		if code != 4 || !strings.Contains(stderr, name+": not a regular file\n") {
			t.Errorf("%q: exit status %d, %s", args, code, stderr)
		}
	}
}

// TestPipeAsManifest: the same of what only verify reads.
func TestPipeAsManifest(t *testing.T) {
	name := pipe(t, inputs.SuccessName)
	data, err := os.ReadFile(flat)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(filepath.Dir(name), "part-00000.trv"), data, 0o666); err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr := trevniRun("verify", filepath.Dir(name))
	if code != 4 || !strings.Contains(stderr, name+": not a regular file\n") || !strings.Contains(stdout, " good: ") {
		t.Errorf("exit status %d, %s%s", code, stdout, stderr)
	}
}

// toAvroBytes is what to-avro writes to its standard output.
func toAvroBytes(t *testing.T) []byte {
	t.Helper()
	code, stdout, stderr := trevniRun("to-avro", flat, "-")
	if code != 0 {
		t.Fatalf("exit status %d, %s", code, stderr)
	}
	return []byte(stdout)
}

// TestPipeAsOutput: a pipe is written to, and is still a pipe.
func TestPipeAsOutput(t *testing.T) {
	name := pipe(t, "pipe.avro")
	cat := exec.Command("cat", name)
	var got bytes.Buffer
	cat.Stdout = &got
	if err := cat.Start(); err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := trevniRun("to-avro", flat, name); code != 0 {
		_ = cat.Process.Kill() // it would wait for ever
		t.Errorf("exit status %d, %s", code, stderr)
	}
	_ = cat.Wait() // what it read is looked at
	if !bytes.Equal(got.Bytes(), toAvroBytes(t)) {
		t.Errorf("%d bytes came through the pipe", got.Len())
	}
	if info, err := os.Lstat(name); err != nil || info.Mode()&fs.ModeNamedPipe == 0 {
		t.Errorf("it is %v now, error %v", info, err)
	}
}

// TestCancelAtPipe: a pipe that nobody reads, or nobody reads on, is waited for until the
// context ends.
func TestCancelAtPipe(t *testing.T) {
	why := errors.New("enough")
	for _, reader := range []bool{false, true} {
		name := pipe(t, "pipe.avro")
		ctx, cancel := context.WithCancelCause(t.Context())
		if reader {
			f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
		} else {
			cancel(why)
		}
		err := outfile.File{Name: name}.Write(ctx, func(w io.Writer) error {
			for cancel(why); ; { // until the pipe is full, and beyond
				if _, err := w.Write(make([]byte, 1<<20)); err != nil {
					return err
				}
			}
		})
		if err != why {
			t.Errorf("reader %v: error is %v, want %v", reader, err, why)
		}
	}
}

// TestLinkAsOutput: a link stays one, and what it points to is replaced, or made.
func TestLinkAsOutput(t *testing.T) {
	for _, c := range []struct {
		name   string
		exists bool
		args   []string
		code   int
		made   bool
	}{
		{"dangling", false, nil, 0, true},
		{"of a file", true, nil, 3, false},
		{"of a file, forced", true, []string{"--force"}, 0, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			link, file := filepath.Join(dir, "link.avro"), filepath.Join(dir, "there", "file.avro")
			if err := errors.Join(os.Mkdir(filepath.Dir(file), 0o777), os.Symlink("there/file.avro", link)); err != nil {
				t.Fatal(err)
			}
			var want []byte
			if c.exists {
				want = []byte("old")
				if err := os.WriteFile(file, want, 0o666); err != nil {
					t.Fatal(err)
				}
			}
			if c.made {
				want = toAvroBytes(t)
			}
			if code, _, stderr := trevniRun(append([]string{"to-avro", flat, link}, c.args...)...); code != c.code {
				t.Errorf("exit status %d, %s", code, stderr)
			}
			if got, err := os.ReadFile(file); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%d bytes, want %d, error %v", len(got), len(want), err)
			}
			if to, err := os.Readlink(link); to != "there/file.avro" {
				t.Errorf("the link is %q now, error %v", to, err)
			}
		})
	}
}

// TestDeviceAsOutput: a device is written to, and no file takes its place.
func TestDeviceAsOutput(t *testing.T) {
	for name, want := range map[string]int{"/dev/null": 0, "/dev/full": 4} {
		before, err := os.Lstat(name)
		if errors.Is(err, fs.ErrNotExist) {
			t.Logf("no %s here", name)
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		link := filepath.Join(t.TempDir(), "link") // so that no test can do harm to it
		if err := os.Symlink(name, link); err != nil {
			t.Fatal(err)
		}
		if code, _, stderr := trevniRun("to-avro", "--force", flat, link); code != want {
			t.Errorf("%s: exit status %d, %s", name, code, stderr)
		}
		if to, err := os.Readlink(link); to != name {
			t.Errorf("the link is %q now, error %v", to, err)
		}
		if after, err := os.Lstat(name); err != nil || !os.SameFile(before, after) {
			t.Errorf("%s is another now, error %v", name, err)
		}
	}
}

// TestOutputIsInput: the rows are not replaced by what is made of them.
func TestOutputIsInput(t *testing.T) {
	data, err := os.ReadFile(flat)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	name, link := filepath.Join(dir, "a.trv"), filepath.Join(dir, "link")
	if err := errors.Join(os.WriteFile(name, data, 0o666), os.Symlink(name, link)); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{name, name}, {link, name}, {name, link}, {flat, dir, name}} {
		code, _, stderr := trevniRun(append([]string{"to-avro", "--force"}, args...)...)
		if code != 2 || !strings.Contains(stderr, "the output is one of the inputs") {
			t.Errorf("%q: exit status %d, %s", args, code, stderr)
		}
		if got, err := os.ReadFile(name); err != nil || !bytes.Equal(got, data) {
			t.Fatalf("%q: the input is %d other bytes, error %v", args, len(got), err)
		}
	}
}

// TestFullDisk: a list that is cut short is no success.
func TestFullDisk(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip(err)
	}
	defer full.Close()
	for _, args := range [][]string{{"verify", flat}, {"cat", flat}, {"meta", flat}, {"scan", flat}, {"to-avro", flat, "-"}} {
		var stderr bytes.Buffer
		if code := run(args, full, &stderr); code != 4 || !strings.Contains(stderr.String(), "no space left") {
			t.Errorf("%s: exit status %d, %s", args[0], code, stderr.String())
		}
	}
}

// TestCancel: a context that ended ends each verb before the first file.
func TestCancel(t *testing.T) {
	why := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(why)
	for _, args := range [][]string{{"meta", flat}, {"scan", flat}, {"cat", flat}, {"verify", flat}, {"to-avro", flat, "-"}} {
		var out, errs bytes.Buffer
		c := &command{stdout: &out, stderr: &errs}
		cmd := c.cobra()
		cmd.SetArgs(args)
		if err := cmd.ExecuteContext(ctx); !errors.Is(err, why) || out.Len() > 0 {
			t.Errorf("%s: %d bytes printed, error %v", args[0], out.Len(), err)
		}
	}
}
