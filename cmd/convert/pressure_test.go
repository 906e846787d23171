package main

import (
	"errors"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"avro2trevni/internal/avrotest"
)

// leastSaid finds what a refusal says would do.
var leastSaid = regexp.MustCompile(`it needs at least .* \((\d+) bytes\)`)

// Inputs that are hard on memory are converted within --memory, to the same
// bytes whatever it is; or the refusal says the least that would do, and with that least
// it works. The short form of `bin/bench pressure`.
func TestPressure(t *testing.T) {
	if raced {
		t.Skip("the race detector takes memory; make test runs this without the race detector too")
	}
	t.Chdir(t.TempDir())
	sizes := avrotest.Sizes{Blocks: []int{8 << 20}, Total: 8 << 20, String: 5_000_000, Columns: 1000, Files: 1000, Elements: 50_000}
	for _, in := range avrotest.Pressures(sizes) {
		t.Run(in.Name, func(t *testing.T) {
			if err := in.Write("in"); err != nil {
				t.Fatal(err)
			}
			want := ""
			for _, memory := range []int64{1 << 30, 64 << 20, 16 << 20} {
				got := press(t, memory)
				if want == "" {
					want = got
				}
				if got != want {
					t.Errorf("with %d bytes the output is another", memory)
				}
			}
			if err := os.RemoveAll("in"); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// press converts within so much memory, or what is said to do if it is refused, and
// returns the output.
func press(t *testing.T, memory int64) string {
	t.Helper()
	for range 3 { // what a table needs is known at once, what a block does when it is read
		cmd := exec.Command("convert-measured", "--memory", strconv.FormatInt(memory, 10), "--workers", "4", "in", "out.trv")
		var said strings.Builder
		cmd.Stderr = &said
		err := cmd.Run()
		used := peak(t)
		refusal := leastSaid.FindStringSubmatch(said.String())
		if cmd.ProcessState.ExitCode() == 3 && refusal != nil {
			if memory, err = strconv.ParseInt(refusal[1], 10, 64); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if err != nil {
			t.Fatalf("%v: %s", err, said.String())
		}
		t.Logf("%d MiB used, %d MiB allowed", used>>20, memory>>20)
		if used > memory {
			t.Errorf("%d MiB used, %d MiB allowed", used>>20, memory>>20)
		}
		data, err := os.ReadFile("out.trv")
		if err := errors.Join(err, os.Remove("out.trv")); err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	t.Fatalf("refused again and again, at last %d bytes", memory)
	return ""
}
