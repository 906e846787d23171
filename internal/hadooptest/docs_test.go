package hadooptest_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"avro2trevni/internal/hadooptest"
)

// TestDocs runs every command of docs/hadoop.md that is marked as shell, from top to
// bottom, in folders of HDFS that no other test uses.
func TestDocs(t *testing.T) {
	t.Parallel()
	script := commands(t, "../../docs/hadoop.md")
	c := hadooptest.Shared(t)
	work := t.TempDir()
	data, err := os.ReadFile("../../testdata/avro/polars-2.1.0-airports-snappy.avro")
	if err == nil {
		err = os.WriteFile(filepath.Join(work, "events.avro"), data, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "sh", "-eux")
	cmd.Stdin, cmd.Dir = strings.NewReader(script), work
	cmd.Env = append(os.Environ(), "HADOOP_CONF_DIR="+c.ConfDir(), "HADOOP_HOME="+c.Home(),
		"PATH="+bin(t)+":"+filepath.Join(c.Home(), "bin")+":"+os.Getenv("PATH"))
	out, err := cmd.CombinedOutput()
	t.Logf("%s", out)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"part-00000.trv", "_SUCCESS", "len=", "is HEALTHY", "reduce%=100"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("nothing said %q", want)
		}
	}
}

// commands returns what is in a page's blocks of shell.
func commands(t *testing.T, page string) string {
	t.Helper()
	data, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	var script strings.Builder
	blocks := strings.Split(string(data), "\n```sh\n")[1:]
	for _, b := range blocks {
		text, _, ok := strings.Cut(b, "\n```")
		if !ok {
			t.Fatalf("%s: a block without end", page)
		}
		script.WriteString(text + "\n")
	}
	if len(blocks) < 5 {
		t.Fatalf("%s: %d blocks of commands", page, len(blocks))
	}
	return script.String()
}
