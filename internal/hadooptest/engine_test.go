package hadooptest_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"avro2trevni/internal/hadooptest"
)

// shell runs programs against a cluster.
type shell struct {
	t   *testing.T
	bin string
	env []string
}

func newShell(t *testing.T, c *hadooptest.Cluster) *shell {
	t.Helper()
	return &shell{t: t, bin: bin(t), env: append(os.Environ(), "HADOOP_CONF_DIR="+c.ConfDir(), "HADOOP_HOME="+c.Home())}
}

// run runs one of the commands, and returns what it wrote and its exit status.
func (s *shell) run(program string, args ...string) (stdout, stderr string, code int) {
	s.t.Helper()
	var out, log strings.Builder
	cmd := exec.CommandContext(s.t.Context(), filepath.Join(s.bin, program), args...)
	cmd.Env, cmd.Stdout, cmd.Stderr = s.env, &out, &log
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		s.t.Fatal(err)
	}
	s.t.Logf("%s %s: exit %d\n%s", program, strings.Join(args, " "), cmd.ProcessState.ExitCode(), log.String())
	return out.String(), log.String(), cmd.ProcessState.ExitCode()
}

// must runs one of the commands, which must succeed, and returns what it wrote.
func (s *shell) must(program string, args ...string) string {
	s.t.Helper()
	out, _, code := s.run(program, args...)
	if code != 0 {
		s.t.Fatalf("%s %s: exit %d", program, strings.Join(args, " "), code)
	}
	return out
}

// engineReport is what of a _SUCCESS is looked at.
type engineReport struct {
	Outputs []struct {
		Path        string
		Rows, Bytes int64
		XXH64       string
	}
	Counters struct{ Rows int64 }
	Run      struct{ Hadoop struct{ Job string } }
}

// TestEngine converts on YARN with two reducers, and compares with the same on this
// machine.
func TestEngine(t *testing.T) {
	t.Parallel()
	c := hadooptest.Shared(t)
	s := newShell(t, c)
	const in, output = "/engine/in", "/engine/out"
	c.Fs(t, "-mkdir", "-p", in)
	const fixture = "../../testdata/avro/fastavro-1.13.1-events-many-blocks-snappy.avro"
	for i := range 6 {
		c.Fs(t, "-put", fixture, fmt.Sprintf("%s/%d.avro", in, i))
	}
	s.must("convert", "-v", "--engine", "hadoop", "--partitions", "2", "--file-size", "20KiB", "--block-size", "1KiB", "hdfs://"+in, "hdfs://"+output)
	local := filepath.Join(t.TempDir(), "local")
	s.must("convert", "--block-size", "1KiB", "hdfs://"+in, local)

	var r, want engineReport
	if err := json.Unmarshal([]byte(c.Fs(t, "-cat", output+"/_SUCCESS")), &r); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(local, "_SUCCESS"))
	if err == nil {
		err = json.Unmarshal(text, &want)
	}
	if err != nil || r.Counters.Rows != want.Counters.Rows || len(r.Outputs) < 2 || r.Run.Hadoop.Job == "" {
		t.Fatalf("%+v, expected the rows of %+v in several files: %v", r, want, err)
	}
	var rows strings.Builder
	for _, o := range r.Outputs {
		part := filepath.Join(t.TempDir(), o.Path)
		c.Fs(t, "-get", output+"/"+o.Path, part)
		s.must("trevni", "verify", part)
		rows.WriteString(s.must("trevni", "cat", part))
	}
	if rows.String() != s.must("trevni", "cat", filepath.Join(local, "part-00000.trv")) {
		t.Error("the rows are not the local engine's, in their order")
	}
	if left := c.Fs(t, "-ls", "-R", output); strings.Contains(left, "_temporary") || strings.Contains(left, ".lock") {
		t.Errorf("left behind: %s", left)
	}
}

// Damage in an input ends the job with the file and the offset, at once and with 4.
func TestEngineFails(t *testing.T) {
	t.Parallel()
	c := hadooptest.Shared(t)
	s := newShell(t, c)
	c.Fs(t, "-mkdir", "-p", "/fails/in")
	data, err := os.ReadFile("../../testdata/avro/fastavro-1.13.1-events-many-blocks-snappy.avro")
	if err != nil {
		t.Fatal(err)
	}
	data[len(data)/2] ^= 0xff
	bad := filepath.Join(t.TempDir(), "bad.avro")
	if err := os.WriteFile(bad, data, 0o644); err != nil {
		t.Fatal(err)
	}
	c.Fs(t, "-put", bad, "/fails/in/bad.avro")
	_, log, code := s.run("convert", "--engine", "hadoop", "hdfs:///fails/in", "hdfs:///fails/out")
	if code != 4 || !strings.Contains(log, "/in/bad.avro") || !strings.Contains(log, "attempt_") {
		t.Errorf("exit %d, expected 4 with the file and the attempt: %s", code, log)
	}
	if left := c.Fs(t, "-ls", "/fails"); strings.Contains(left, "/fails/out") {
		t.Errorf("left behind: %s", left)
	}
}
