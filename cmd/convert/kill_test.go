package main

import (
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"testing"
	"time"
)

// kills is how many times a job is killed; KILLS asks for more.
func kills(t *testing.T) int {
	if text := os.Getenv("KILLS"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil {
			t.Fatalf("KILLS=%s: %v", text, err)
		}
		return n
	}
	return 6
}

// listing returns the name and digest of every file below dir, in name order.
func listing(t *testing.T, dir string) string {
	t.Helper()
	var lines []string
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(dir, path)
		switch {
		case d.IsDir() || name == "_SUCCESS": // which holds the time of the run
			lines = append(lines, name)
		default:
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			lines = append(lines, fmt.Sprintf("%s %x", name, sha256.Sum256(data)))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	sort.Strings(lines)
	return strings.Join(lines, "\n")
}

// A job that was killed at any instant shows no reader a part of its output, and the
// same command again ends with the files of a job that never was, and nothing else:
// for a new output, and for one that is replaced.
func TestKilledAtRandomInstants(t *testing.T) {
	dir := t.TempDir()
	in := os.Getenv("KILLS_INPUT")
	if in == "" {
		in = filepath.Join("..", "..", "testdata", "avro")
	}
	inputs, err := filepath.Glob(filepath.Join(in, "*-flat*.avro"))
	if err != nil {
		t.Fatal(err)
	}
	if len(inputs) == 0 {
		inputs = []string{in}
	}
	args := func(out string) []string {
		a := []string{"--if-exists", "replace", "--file-size", "4KiB", "--block-size", "1KiB", "--workers", "2"}
		if os.Getenv("KILLS_INPUT") != "" {
			a = []string{"--if-exists", "replace", "--file-size", "1MiB", "--memory", "96MiB", "--workers", "2"}
		}
		return append(append(a, inputs...), out)
	}
	run := func(out string) time.Duration {
		t.Helper()
		start := time.Now()
		if text, err := exec.Command("convert", args(out)...).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		return time.Since(start)
	}
	whole := filepath.Join(dir, "whole")
	took := run(whole)
	took = min(took, run(whole))
	want := listing(t, whole)
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d; a whole run takes %v; %d files", seed, took, strings.Count(want, "\n"))
	r := rand.New(rand.NewPCG(seed, 0))
	out := filepath.Join(dir, "out")
	hit := 0
	for i := range kills(t) {
		if i%2 == 0 {
			if err := os.RemoveAll(out); err != nil {
				t.Fatal(err)
			}
		}
		cmd := exec.Command("convert", args(out)...)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(r.Int64N(int64(took) * 11 / 10)))
		_ = cmd.Process.Kill()
		if err := cmd.Wait(); err != nil {
			hit++
		}
		visible(t, out, want, i)
		run(out)
		if got := listing(t, out); got != want {
			t.Fatalf("kill %d: after the next run the output is\n%s\nwant\n%s", i, got, want)
		}
	}
	t.Logf("%d of %d runs were killed before they ended", hit, kills(t))
	if hit == 0 {
		t.Error("no run was killed: nothing was tried")
	}
}

// visible checks that what a reader would take for data, where _SUCCESS is there, is
// all of a job's.
func visible(t *testing.T, out, want string, kill int) {
	t.Helper()
	if _, err := os.Stat(filepath.Join(out, "_SUCCESS")); err != nil {
		return
	}
	have := map[string]bool{}
	for _, line := range strings.Split(listing(t, out), "\n") {
		have[line] = true
	}
	for _, line := range strings.Split(want, "\n") {
		if !have[line] {
			t.Errorf("kill %d: _SUCCESS is there, and %s is not", kill, line)
		}
	}
}
