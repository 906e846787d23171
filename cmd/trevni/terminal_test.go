package main

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"
)

// onTerminal runs the command as on a terminal of so many characters.
func onTerminal(t *testing.T, width int, args ...string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	c := &command{stdout: &out, stderr: &out, width: width}
	cmd := c.cobra()
	cmd.SetArgs(args)
	err := cmd.ExecuteContext(t.Context())
	return out.String(), err
}

// Tables fit a terminal, unless they are wanted in full; JSON and CSV are never cut.
func TestTerminalWidth(t *testing.T) {
	const nested = "../../testdata/trevni/java-1.12.1-null/fastavro-1.13.1-nested.trv"
	for _, c := range []struct {
		args []string
		fits bool
	}{
		{[]string{"meta", nested}, true}, {[]string{"meta", "--blocks", nested}, true}, {[]string{"meta", "--wide", nested}, false}, {[]string{"scan", "--timing", nested}, true},
		{[]string{"head", "--format", "table", nested}, true}, {[]string{"head", nested}, false}, {[]string{"head", "--format", "csv", nested}, false},
	} {
		out, err := onTerminal(t, 80, c.args...)
		if err != nil {
			t.Fatal(err)
		}
		longest := 0
		for line := range strings.Lines(out) {
			longest = max(longest, utf8.RuneCountInString(strings.TrimSuffix(line, "\n")))
		}
		if (longest <= 80) != c.fits {
			t.Errorf("%q: lines of %d characters", c.args, longest)
		}
	}
}

// An Avro file is not written to a terminal, where it does harm.
func TestAvroOnTerminal(t *testing.T) {
	if out, err := onTerminal(t, 80, "to-avro", flat, "-"); err == nil || out != "" || !strings.Contains(err.Error(), "not written to a terminal") {
		t.Errorf("%d bytes, error %v", len(out), err)
	}
	if out, err := onTerminal(t, 80, "to-avro", "--force", flat, "-"); err != nil || !strings.HasPrefix(out, "Obj\x01") {
		t.Errorf("%d bytes, error %v", len(out), err)
	}
}
