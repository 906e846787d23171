package hadooptest_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
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
// local engine's, in order; and nothing else is left.
func TestYarn(t *testing.T) {
	c := hadooptest.Start(t, hadooptest.Options{Yarn: true, NodeManagers: 2, DataNodes: 3, Conf: map[string]string{
		"dfs.replication":                     "2",
		"yarn.nodemanager.resource.memory-mb": "2048", // both nodes have tasks
		"dfs.client.retry.policy.enabled":     "true", // or Hadoop itself gives up on its NameNode in 10 s
	}})
	t.Setenv("HADOOP_HOME", c.Home())
	t.Setenv("HADOOP_CONF_DIR", c.ConfDir())
	y := &yarnTest{c: c, f: router(t), program: filepath.Join(t.TempDir(), "convert"),
		local: filepath.Join(t.TempDir(), "local"), calm: c.URI() + "/calm"}
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", y.program, "../../cmd/convert").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	in := input(t)
	convert(t, options(in, y.local))
	c.Fs(t, "-put", in, "/in.avro")
	y.undisturbed(t)
	var again func(*testing.T) // of the driver that is killed
	for _, test := range []struct {
		name string
		run  func(*testing.T)
	}{
		{"the driver killed", func(t *testing.T) { again = y.killDriver(t) }},
		{"failing attempts and speculation", y.attempts},
		{"the driver interrupted", y.interrupt},
		{"the driver started again", func(t *testing.T) {
			if again != nil {
				again(t)
			}
		}},
		{"a machine lost", y.machine},
		{"NameNode for 30 s", y.nameNode},
	} {
		t.Run(test.name, func(t *testing.T) {
			revive(t, c)
			test.run(t)
		})
	}
	if os.Getenv("KILLS") == "" {
		return
	}
	for i := range 6 {
		t.Run(fmt.Sprintf("all NodeManagers at %d s", 4+3*i), func(t *testing.T) {
			revive(t, c)
			y.restart(t, time.Duration(4+3*i)*time.Second)
		})
	}
}

// options are those of all jobs here, whose tasks run a program.
func (y *yarnTest) options(t *testing.T, output, program string) *jobs.Options {
	o := options(y.c.URI()+"/in.avro", output)
	o.SplitSize, o.Engine = 0, jobs.EngineHadoop // the command has no flag for splits
	o.Hadoop = jobs.HadoopOptions{Binary: program, Partitions: partitions}
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
			data, n, err := records.Append(nil, 1000)
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
// instead of, running the command. It notes all attempts in a file, whose name is
// returned too. In the script $id is the attempt's end, such as m_000000_0, $real the
// command.
func (y *yarnTest) script(t *testing.T, cases string) (program, notes string) {
	t.Helper()
	dir := t.TempDir()
	program, notes = filepath.Join(dir, "program"), filepath.Join(dir, "attempts")
	text := "#!/bin/bash\nreal=" + y.program + "\nid=$(echo $mapreduce_task_attempt_id | cut -d_ -f4-6)\n" +
		"note() { echo $id $1 >>" + notes + "; }\n" +
		"idle() { while :; do echo reporter:status:idle >&2; sleep 3; done; }\nnote began\ncase $id in\n" + cases + "esac\nexec $real \"$@\"\n"
	if err := os.WriteFile(program, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	return program, notes
}

// noted checks that each of some attempts began.
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

// attempts has first attempts fail in all ways, before their work, amid it, behind it, with
// a part of their input, and others get nowhere while they say that they live, so that
// Hadoop starts a second beside them.
func (y *yarnTest) attempts(t *testing.T) {
	program, notes := y.script(t, `
m_000000_0) exit 1 ;;
m_000001_0) "$real" "$@" | head -c 300000; note cut; exit 3 ;;
m_000002_0) idle ;;
m_000003_0) "$real" "$@"; note "ended $?"; exit 1 ;;
r_000000_0) head -c 2000000 | "$real" "$@"; note "ended $?"; exit 4 ;;
r_000001_0) exec 3<&0; { head -c 2000000 <&3; sleep 5; } | "$real" "$@" & sleep 2; kill -9 $!; note killed; exit 137 ;;
r_000002_0) idle ;;
r_000003_0) "$real" "$@"; note "ended $?"; kill -9 $$ ;;
`)
	output := y.c.URI() + "/attempts"
	o := y.options(t, output, program)
	o.Hadoop.Conf = []string{"mapreduce.map.speculative=true", "mapreduce.reduce.speculative=true"}
	convert(t, o)
	equal(t, y.f, output, y.calm)
	noted(t, notes, "m_000000_1 began", "m_000001_0 cut", "m_000001_1 began", "m_000002_1 began", "m_000003_0 ended 0", "m_000003_1 began",
		"r_000000_0 ended 4", "r_000000_1 began", "r_000001_0 killed", "r_000001_1 began", "r_000002_1 began", "r_000003_0 ended 0", "r_000003_1 began")
}

// slowly holds a reducer up in the midst of its files, in its first attempt.
const slowly = `r_*_0) { head -c 2500000; note halfway; sleep 8; cat; } | "$real" "$@"; exit $? ;;
`

// during converts, and does something while all reducers that run have begun to write.
func (y *yarnTest) during(t *testing.T, name string, do func()) {
	t.Helper()
	program, notes := y.script(t, slowly)
	output := y.c.URI() + "/" + name
	done := make(chan error)
	go func() {
		_, err := jobs.Convert(t.Context(), y.options(t, output, program))
		done <- err
	}()
	halfway := func() bool {
		data, err := os.ReadFile(notes)
		return err == nil && strings.Contains(string(data), "halfway")
	}
	for !halfway() {
		select {
		case err := <-done:
			t.Fatalf("it ended too early: %v", err)
		case <-time.After(20 * time.Millisecond):
		}
	}
	do()
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

// driver returns the command that makes an output.
func (y *yarnTest) driver(t *testing.T, output string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), y.program, "--engine", "hadoop", "--partitions", fmt.Sprint(partitions),
		"--file-size", fmt.Sprint(fileSize), "--memory", "128MiB", "--verbose", y.c.URI()+"/in.avro", output)
	return cmd
}

// mapping starts a driver, and returns when its map tasks are at work, and held up.
func (y *yarnTest) mapping(t *testing.T, output string) (cmd *exec.Cmd, held []int) {
	t.Helper()
	before := y.tasks()
	cmd = y.driver(t, output)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	within(t, 10*time.Minute, "map tasks at work", func() bool {
		for _, pid := range y.tasks() {
			if !slices.Contains(before, pid) && syscall.Kill(pid, syscall.SIGSTOP) == nil {
				held = append(held, pid)
			}
		}
		return len(held) > 0
	})
	return cmd, held
}

// tasks returns the ids of our processes in containers.
func (y *yarnTest) tasks() (all []int) {
	for i := range y.c.NodeManagers {
		all = append(all, y.c.Processes(i, "--hadoop-task=")...)
	}
	return all
}

// interrupt has the driver get SIGTERM: its job is killed, and nothing is left.
func (y *yarnTest) interrupt(t *testing.T) {
	output := y.c.URI() + "/interrupted"
	cmd, held := y.mapping(t, output)
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); cmd.ProcessState.ExitCode() != jobs.ExitTERM {
		t.Errorf("the driver ended with %v", err)
	}
	if infos, err := y.f.ReadDir(output); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s is there, and holds %v: %v", output, infos, err)
	}
	within(t, 5*time.Minute, "the job killed", func() bool { return y.state(t, output) == "KILLED" })
	within(t, 5*time.Minute, "its tasks gone", func() bool {
		return !slices.ContainsFunc(y.tasks(), func(pid int) bool { return slices.Contains(held, pid) })
	})
}

// state returns what the ResourceManager says of how the job that makes an output ended.
func (y *yarnTest) state(t *testing.T, output string) string {
	t.Helper()
	var all struct {
		Apps struct {
			App []struct{ Name, FinalStatus string }
		}
	}
	if err := y.c.AskYarn("/ws/v1/cluster/apps", &all); err != nil {
		t.Fatal(err)
	}
	for _, a := range all.Apps.App {
		if strings.Contains(a.Name, output) {
			return a.FinalStatus
		}
	}
	return ""
}

// killDriver kills a driver at work, whose job lives on. What it returns runs the same
// command again, when the dead one's lease has run out: that ends as if nothing had been,
// and stays so when the first job's tasks go on.
func (y *yarnTest) killDriver(t *testing.T) (again func(*testing.T)) {
	t.Helper()
	output := y.c.URI() + "/killed"
	cmd, held := y.mapping(t, output)
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err == nil {
		t.Fatal("it had ended before")
	}
	return func(t *testing.T) {
		refused := 0
		for started := time.Now(); ; time.Sleep(2 * time.Second) {
			cmd := y.driver(t, output)
			err := cmd.Run()
			if err == nil {
				break
			}
			if refused++; cmd.ProcessState.ExitCode() != jobs.ExitRetry || time.Since(started) > 10*time.Minute {
				t.Fatal(err)
			}
		}
		t.Logf("refused %d times before", refused)
		equal(t, y.f, output, y.calm)
		for _, pid := range held {
			_ = syscall.Kill(pid, syscall.SIGCONT) // it may have been killed
		}
		within(t, 10*time.Minute, "all jobs ended", func() bool { return len(y.tasks()) == 0 && y.running(t) == 0 })
		equal(t, y.f, output, y.calm)
	}
}

// running returns how many jobs there are that have not ended.
func (y *yarnTest) running(t *testing.T) int {
	t.Helper()
	var all struct {
		ClusterMetrics struct{ AppsRunning, AppsPending int }
	}
	if err := y.c.AskYarn("/ws/v1/cluster/metrics", &all); err != nil {
		t.Fatal(err)
	}
	return all.ClusterMetrics.AppsRunning + all.ClusterMetrics.AppsPending
}

// within waits until something is so.
func within(t *testing.T, d time.Duration, what string, so func() bool) {
	t.Helper()
	for started := time.Now(); time.Since(started) < d; time.Sleep(20 * time.Millisecond) {
		if so() {
			return
		}
	}
	t.Fatalf("%s: not within %v", what, d)
}
