package main

import (
	"bufio"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// A reader that has seen enough ends the program, quietly.
func TestPipeCloses(t *testing.T) {
	for _, args := range [][]string{
		{"cat", "../../testdata/trevni/java-1.12.1-null/fastavro-1.13.1-flat.trv"},
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

func TestOrder(t *testing.T) {
	want := []string{"a.trv", "part-00000.trv", "part-00009.trv", "part-99999.trv", "part-100000.trv", "part-x.trv", "z.trv"}
	got := slices.Clone(want)
	slices.Sort(got)
	slices.SortFunc(got, func(a, b string) int { return strings.Compare(order(a), order(b)) })
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
