package hadoopcmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

// How long is waited, when a job is to end.
const (
	killPatience = 60 * time.Second // for the program that kills it
	exitPatience = 20 * time.Second // for the client, when its job is killed
	idPatience   = 5 * time.Second  // for a job's ID, when the client is told to go
)

// Run gives a job to Hadoop, and returns when it has ended. Told is called for what
// happens meanwhile. When the context ends, the job is killed.
func (c *Command) Run(ctx context.Context, job *Job, told func(Event)) (Result, error) {
	if err := job.absolute(); err != nil {
		return Result{}, err
	}
	cmd := exec.Command(c.Program, job.args(c.Jar)...) // #nosec G204 -- the user's own hadoop, without a shell
	cmd.Env = append(os.Environ(), "HADOOP_ROOT_LOGGER=INFO,console")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // a terminal's ^C is ours to pass on
	f := &follower{told: told, res: Result{Counters: map[string]int64{}}}
	wait, err := f.start(cmd)
	if err != nil {
		return Result{}, fmt.Errorf("hadoopcmd: %w", err)
	}
	done := make(chan error, 1)
	go func() { done <- wait() }()
	select {
	case err = <-done:
	case <-ctx.Done():
		c.kill(cmd, f, done)
		return f.res, context.Cause(ctx)
	}
	if err != nil {
		return f.res, fmt.Errorf("hadoopcmd: job %s: %w: %s", f.job(), err, f.complaint())
	}
	return f.res, nil
}

// start starts the client with what it says being read. Wait returns when it has gone
// and all was read.
func (f *follower) start(cmd *exec.Cmd) (wait func() error, err error) {
	var readers sync.WaitGroup
	for _, to := range []*io.Writer{&cmd.Stdout, &cmd.Stderr} {
		r, w := io.Pipe()
		*to = w
		readers.Go(func() { f.read(r) })
	}
	closeAll := func() {
		for _, w := range []io.Writer{cmd.Stdout, cmd.Stderr} {
			_ = w.(*io.PipeWriter).Close() // never fails
		}
		readers.Wait()
	}
	if err := cmd.Start(); err != nil {
		closeAll()
		return nil, err
	}
	return func() error {
		err := cmd.Wait()
		closeAll()
		return err
	}, nil
}

// kill ends the job and the client. Without a job's ID it ends the client first, which may
// be about to submit.
func (c *Command) kill(cmd *exec.Cmd, f *follower, done <-chan error) {
	for until := time.Now().Add(idPatience); f.job() == "" && time.Now().Before(until); {
		select {
		case <-done:
			return
		case <-time.After(100 * time.Millisecond):
		}
	}
	if id := f.job(); id != "" {
		ctx, cancel := context.WithTimeout(context.Background(), killPatience)
		defer cancel()
		killer := exec.CommandContext(ctx, c.Program, "org.apache.hadoop.mapred.JobClient", "-kill", id) // #nosec G204 -- likewise; the ID is of a pattern
		if out, err := killer.CombinedOutput(); err != nil && !errors.Is(ctx.Err(), context.DeadlineExceeded) {
			f.line(fmt.Sprintf("kill %s: %v: %s", id, err, out))
		}
		select {
		case <-done:
			return
		case <-time.After(exitPatience):
		}
	}
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // gone already is well too
	<-done
}
