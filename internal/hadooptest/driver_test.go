package hadooptest_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"avro2trevni/internal/exit"
)

// driverFaults are those of the process that submits a job. The one that is killed leaves
// a lease, which runs out meanwhile.
func (y *yarnTest) driverFaults() []fault {
	var again func(*testing.T)
	return []fault{
		{"the driver killed", func(t *testing.T) { again = y.killDriver(t) }},
		{"the driver interrupted", y.interrupt},
		{"the driver started again", func(t *testing.T) {
			if again != nil {
				again(t)
			}
		}},
	}
}

// driver returns the command that makes an output.
func (y *yarnTest) driver(t *testing.T, output string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), y.program, "--hadoop", filepath.Join(y.c.Home(), "bin", "hadoop"), "--engine", "hadoop", "--partitions", fmt.Sprint(partitions),
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
			if !slices.Contains(before, pid) && stopped(pid) {
				held = append(held, pid)
			}
		}
		return len(held) > 0
	})
	return cmd, held
}

// stopped stops a process; it reports false if that has ended.
func stopped(pid int) bool {
	if syscall.Kill(pid, syscall.SIGSTOP) != nil {
		return false
	}
	for ; ; time.Sleep(time.Millisecond) {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		_, state, ok := strings.Cut(string(stat), ") ")
		switch {
		case err != nil || !ok || state[0] == 'Z' || state[0] == 'X':
			return false
		case state[0] == 'T':
			return true
		}
	}
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
	if err := cmd.Wait(); cmd.ProcessState.ExitCode() != exit.StatusTERM {
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
			if refused++; cmd.ProcessState.ExitCode() != exit.StatusRetry || time.Since(started) > 10*time.Minute {
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
