package hadooptest_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"avro2trevni/internal/hadooptest"
	"avro2trevni/internal/storage"
	"avro2trevni/jobs"
	"avro2trevni/record"
	"avro2trevni/trevni"
)

// yarnTest is a cluster, and one output of the engine hadoop that was made undisturbed:
// the others are to be the same.
type yarnTest struct {
	c       *hadooptest.Cluster
	f       storage.FS
	program string // the command convert
	local   string // the local engine's output
	calm    string // that of the engine hadoop
}

// partitions of the jobs here: more than run at a time.
const partitions = 4

// TestYarn converts on YARN, on two NodeManagers and three DataNodes, while things fail.
// Whatever fails, the files are those of a run in which nothing did, whose rows are the
// local engine's, in order; and nothing else is left. With KILLS set more of it fails.
func TestYarn(t *testing.T) {
	t.Parallel()
	c := hadooptest.Start(t, hadooptest.Options{Yarn: true, NodeManagers: 2, DataNodes: 3, Conf: map[string]string{
		"dfs.replication":                     "2",
		"yarn.nodemanager.resource.memory-mb": "2048", // both nodes have tasks
		"dfs.client.retry.policy.enabled":     "true", // or Hadoop itself gives up on its NameNode in 10 s
	}})
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(c.ContainerLogs())
		}
	})
	in, local := original(t)
	y := &yarnTest{c: c, f: router(t), program: filepath.Join(bin(t), "convert"), local: local, calm: c.URI() + "/calm"}
	c.Fs(t, "-put", in, "/in.avro")
	y.undisturbed(t)
	faults := []fault{{"failing attempts", y.attempts}, {"a machine lost", y.machine}}
	if os.Getenv("KILLS") != "" {
		faults = slices.Concat(y.driverFaults(), faults, []fault{{"speculation", y.speculation}, {"NameNode for 30 s", y.nameNode}}, y.restarts())
	}
	for _, fault := range faults {
		t.Run(fault.name, func(t *testing.T) {
			revive(t, c)
			fault.run(t)
		})
	}
}

// fault is something that fails, and the test that has it fail.
type fault struct {
	name string
	run  func(*testing.T)
}

// options are those of all jobs here, whose tasks run a program.
func (y *yarnTest) options(t *testing.T, output, program string) *jobs.Options {
	o := options(y.c.URI()+"/in.avro", output)
	o.SplitSize, o.Engine = 0, jobs.EngineHadoop // the command has no flag for splits
	o.Hadoop = jobs.HadoopOptions{Binary: program, Partitions: partitions,
		Command: filepath.Join(y.c.Home(), "bin", "hadoop"), Jar: y.c.StreamingJar()}
	o.Log = slog.New(slog.NewTextHandler(testWriter{t}, &slog.HandlerOptions{Level: slog.LevelInfo}))
	return o
}

// testWriter writes to a test's log.
type testWriter struct{ t *testing.T }

func (w testWriter) Write(p []byte) (int, error) {
	w.t.Logf("%s", p)
	return len(p), nil
}

// undisturbed makes the output that others are compared with.
func (y *yarnTest) undisturbed(t *testing.T) {
	t.Helper()
	r := convert(t, y.options(t, y.calm, y.program))
	got, want := y.rows(t, y.calm), y.rows(t, y.local)
	if got != want || r.Counters.Rows != rows {
		t.Fatalf("%d rows, %s, locally %s", r.Counters.Rows, got, want)
	}
	if n := blocks(t, y.c, y.calm); n != len(r.Outputs)+1 { // and _SUCCESS
		t.Errorf("%d blocks of %d files", n, len(r.Outputs)+1)
	}
	h := r.Run.Hadoop
	t.Logf("%d files, %d bytes; %+v", len(r.Outputs), r.Counters.OutputBytes, h)
	if h.Partitions != partitions || float64(h.ShuffledBytes) > 1.1*float64(r.Counters.OutputBytes) {
		t.Errorf("%d partitions; %d bytes through the shuffle for %d", h.Partitions, h.ShuffledBytes, r.Counters.OutputBytes)
	}
}

// rows returns a digest of all rows of an output, in order.
func (y *yarnTest) rows(t *testing.T, dir string) string {
	t.Helper()
	files := contents(t, y.f, dir)
	sum := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		r, err := trevni.NewReader(bytes.NewReader(files[name]), int64(len(files[name])), nil)
		if err != nil {
			t.Fatal(err)
		}
		records, err := record.NewReader(r, nil)
		if err != nil {
			t.Fatal(err)
		}
		for {
			data, n, err := records.ReadRows(nil, 1000)
			sum.Write(data)
			if errors.Is(err, io.EOF) || err == nil && n == 0 {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	return fmt.Sprintf("%x", sum.Sum(nil))
}

// script makes a program for tasks, that does something to certain attempts before, or
// instead of, running the command: in the script $attempt is the task and whether this is
// the first attempt that came so far, such as m_000000_first or m_000000_again, and $real
// the command. Hadoop's own numbers do not do: it may lose an attempt before it begins. All
// attempts are noted in a file, whose name is returned too.
func (y *yarnTest) script(t *testing.T, cases string) (program, notes string) {
	t.Helper()
	dir := t.TempDir()
	program, notes = filepath.Join(dir, "program"), filepath.Join(dir, "attempts")
	text := "#!/bin/bash\nreal=" + y.program + "\nnotes=" + notes + `
task=$(echo $mapreduce_task_attempt_id | cut -d_ -f4-5)
if mkdir $notes.$task 2>/dev/null; then attempt=${task}_first; else attempt=${task}_again; fi
note() { echo $attempt $1 >>$notes; }
note began
case $attempt in
` + cases + `esac
exec $real "$@"
`
	if err := os.WriteFile(program, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	return program, notes
}

// noted checks that each of some things was noted.
func noted(t *testing.T, notes string, want ...string) {
	t.Helper()
	data, err := os.ReadFile(notes)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("attempts: %s", strings.ReplaceAll(string(data), "\n", ", "))
	for _, w := range want {
		if !strings.Contains(string(data), w+"\n") {
			t.Errorf("%s: not noted", w)
		}
	}
}

// attempts has first attempts fail in all ways: before their work, amid it, after it, with
// a part of their input.
func (y *yarnTest) attempts(t *testing.T) {
	program, notes := y.script(t, `
m_000000_first) exit 1 ;;
m_000001_first) "$real" "$@" | head -c 300000; note cut; exit 3 ;;
m_000003_first) "$real" "$@"; note "ended $?"; exit 1 ;;
r_000000_first) head -c 2000000 | "$real" "$@"; note "ended $?"; exit 4 ;;
r_000001_first) exec 3<&0; { head -c 2000000 <&3; sleep 5; } | "$real" "$@" & sleep 2; kill -9 $!; note killed; exit 137 ;;
r_000003_first) "$real" "$@"; note "ended $?"; kill -9 $$ ;;
`)
	output := y.c.URI() + "/attempts"
	convert(t, y.options(t, output, program))
	equal(t, y.f, output, y.calm)
	noted(t, notes, "m_000000_again began", "m_000001_first cut", "m_000001_again began", "m_000003_first ended 0", "m_000003_again began",
		"r_000000_first ended 4", "r_000000_again began", "r_000001_first killed", "r_000001_again began", "r_000003_first ended 0", "r_000003_again began")
}

// speculation has first attempts get nowhere while they report that they live, until Hadoop
// has started a second beside each.
func (y *yarnTest) speculation(t *testing.T) {
	program, notes := y.script(t, `
m_000002_first | r_000002_first) while :; do echo reporter:status:idle >&2; sleep 3; done ;;
`)
	output := y.c.URI() + "/speculation"
	o := y.options(t, output, program)
	o.Hadoop.Conf = []string{"mapreduce.map.speculative=true", "mapreduce.reduce.speculative=true"}
	convert(t, o)
	equal(t, y.f, output, y.calm)
	noted(t, notes, "m_000002_again began", "r_000002_again began")
}

// during converts, and does something while first attempts of reducers are held up in the
// midst of their files.
func (y *yarnTest) during(t *testing.T, name string, do func()) {
	t.Helper()
	program, notes := y.script(t, `r_*_first) { head -c 2500000; note halfway; until [ -e $notes.done ]; do sleep 0.1; done; cat; } | "$real" "$@"; exit $? ;;
`)
	output := y.c.URI() + "/" + name
	done := make(chan error, 1)
	go func() {
		_, err := jobs.Convert(t.Context(), y.options(t, output, program))
		done <- err
	}()
	for halfway := false; !halfway; {
		select {
		case err := <-done:
			t.Fatalf("it ended too early: %v", err)
		case <-time.After(20 * time.Millisecond):
			data, err := os.ReadFile(notes)
			halfway = err == nil && strings.Contains(string(data), "halfway")
		}
	}
	do()
	if err := os.WriteFile(notes+".done", nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	noted(t, notes)
	equal(t, y.f, output, y.calm)
}

// machine has a machine fail in the midst of the reducers' writing: a NodeManager, all
// that runs in its containers, and a DataNode. It does not come back.
func (y *yarnTest) machine(t *testing.T) {
	y.during(t, "machine", func() {
		node := y.withoutMaster(t)
		y.c.DataNodes[0].Kill()
		y.c.NodeManagers[node].Kill()
		y.c.KillContainers(node)
	})
}

// withoutMaster returns the NodeManager that the application's master is not on.
func (y *yarnTest) withoutMaster(t *testing.T) int {
	for i := range y.c.NodeManagers {
		if len(y.c.Processes(i, "MRAppMaster")) == 0 {
			return i
		}
	}
	t.Log("there is a master on each node")
	return 0
}

// nameNode has the NameNode away for 30 s.
func (y *yarnTest) nameNode(t *testing.T) {
	y.during(t, "namenode", func() { awayFor(t, y.c, 30*time.Second) })
}

// restarts are one fault at different times of a job.
func (y *yarnTest) restarts() (all []fault) {
	for i := range 6 {
		after := time.Duration(4+3*i) * time.Second
		all = append(all, fault{fmt.Sprintf("all NodeManagers at %v", after), func(t *testing.T) { y.restart(t, after) }})
	}
	return all
}

// restart kills all NodeManagers and containers, the application's master with them, some
// time after the job was begun, and starts them again.
func (y *yarnTest) restart(t *testing.T, after time.Duration) {
	output := fmt.Sprintf("%s/restart-%d", y.c.URI(), after/time.Second)
	timer := time.AfterFunc(after, func() {
		for i, d := range y.c.NodeManagers {
			d.Kill()
			y.c.KillContainers(i)
			if err := d.Start(); err != nil {
				t.Error(err)
			}
		}
	})
	defer timer.Stop()
	convert(t, y.options(t, output, y.program))
	equal(t, y.f, output, y.calm)
}
