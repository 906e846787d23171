package hadooptest_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"avro2trevni/internal/exit"
	"avro2trevni/internal/storage"
	"avro2trevni/internal/storage/storagetest"
	"avro2trevni/jobs"
	"avro2trevni/jobs/report"
)

// holding is the variable of the environment that makes this program a job that stops.
const holding = "HADOOPTEST_HOLD"

// job is a job in a process of its own. It stops just before a call to the storage, the
// first with an hdfs:// path that ends in a name, until it is killed or let go on.
type job struct {
	Small         bool // with the options of [small], and not those of [options]
	Compact       bool
	Input, Output string
	Op, Name      string // as [storagetest.Fault] has them
}

func (j *job) options() *jobs.Options {
	if j.Small {
		return small(j.Input, j.Output)
	}
	return options(j.Input, j.Output)
}

func (j *job) String() string {
	verb := "convert"
	switch {
	case j.Compact:
		verb = "compact"
	case j.Small:
		verb = "append"
	}
	return verb + " killed before " + j.Op + " " + j.Name
}

// held tells the test that the job has stopped.
const held = "held\n"

// hold runs a job that stops, and ends the process.
func hold(text string) {
	var j job
	if err := json.Unmarshal([]byte(text), &j); err != nil {
		panic(err)
	}
	ctx := context.Background()
	o := j.options()
	var once sync.Once
	o.FS = &storagetest.Fault{FS: newRouter(ctx), Before: func(_ int, op, name string) {
		if op != j.Op || !strings.HasPrefix(name, "hdfs://") || storage.Base(name) != j.Name {
			return
		}
		once.Do(func() {
			fmt.Print(held)
			if _, err := os.Stdin.Read(make([]byte, 1)); err != nil {
				os.Exit(1) // the test is gone
			}
		})
	}}
	if _, err := runJob(ctx, o, j.Compact); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	os.Exit(0)
}

// heldJob is one that has stopped.
type heldJob struct {
	cmd *exec.Cmd
	in  io.Writer
	out *bufio.Reader
	log bytes.Buffer
}

// start starts the job, with more variables of the environment, and returns when it has
// stopped.
func (j *job) start(t *testing.T, env ...string) *heldJob {
	t.Helper()
	text, err := json.Marshal(j)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	h := &heldJob{cmd: cmd}
	cmd.Env = append(append(os.Environ(), holding+"="+string(text)), env...)
	cmd.Stderr = &h.log
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	h.in, h.out = in, bufio.NewReader(out)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if line, _ := h.out.ReadString('\n'); line != held {
		t.Fatalf("%v: %q instead of being held: %v", j, line, h.wait())
	}
	return h
}

// wait waits for the end of the job; the error holds what it said.
func (h *heldJob) wait() error {
	said, err := io.ReadAll(h.out)
	if err = errors.Join(err, h.cmd.Wait()); err != nil {
		return fmt.Errorf("%w: %s%s", err, said, h.log.String())
	}
	return nil
}

// goOn lets the job go on, and returns how it ended.
func (h *heldJob) goOn() error {
	if _, err := h.in.Write([]byte{0}); err != nil {
		return err
	}
	return h.wait()
}

// kill kills the job.
func (h *heldJob) kill(t *testing.T) {
	t.Helper()
	if err := h.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = h.wait() // it was killed
}

// again runs a job that was killed once more, in this process: it is refused, to be tried
// later, until the dead one's lease has run out, and then ends as if nothing had been.
func (j *job) again(t *testing.T, f storage.FS, want string) {
	t.Helper()
	refused := 0
	within(t, 10*time.Minute, "the dead one's lock is free", func() bool {
		_, err := runJob(t.Context(), j.options(), j.Compact)
		if err == nil {
			return true
		}
		if refused++; exit.Code(err) != exit.StatusRetry {
			t.Fatal(err)
		}
		time.Sleep(2 * time.Second)
		return false
	})
	t.Logf("refused %d times before", refused)
	equal(t, f, j.Output, want)
}

func runJob(ctx context.Context, o *jobs.Options, compact bool) (*report.Report, error) {
	if compact {
		return jobs.Compact(ctx, o)
	}
	return jobs.Convert(ctx, o)
}
