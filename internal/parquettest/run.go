package parquettest

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// A job is one line of work for a program: a name, and what follows it.
type job struct {
	name string
	args []string
}

// An answer is what a program said of a job; err is nil if it was done.
type answer struct {
	said string
	err  error
}

// patience is how long a program may work at one job.
const patience = 5 * time.Minute

// run gives jobs to one process of a tool, and to another if that dies: the job that it left
// without an answer is what it died of. Answers are by the jobs' names, which must differ.
func run(ctx context.Context, t tool, args []string, jobs []job) (map[string]answer, error) {
	command, env, err := t()
	if err != nil {
		return nil, err
	}
	command = slices.Concat(command, args)
	answers := map[string]answer{}
	for len(answers) < len(jobs) {
		before := len(answers)
		died := process(ctx, command, env, jobs[before:], answers)
		if len(answers) == len(jobs) {
			break
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if died == nil {
			died = errors.New("it ended")
		}
		answers[jobs[len(answers)].name] = answer{err: fmt.Errorf("no answer: %w", died)}
	}
	return answers, nil
}

// process runs jobs in one process and adds their answers, which come in the order of the jobs.
func process(ctx context.Context, command, env []string, jobs []job, answers map[string]answer) error {
	var in, log bytes.Buffer
	for _, j := range jobs {
		fmt.Fprintln(&in, strings.Join(append([]string{j.name}, j.args...), "\t"))
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Env = append(os.Environ(), env...)
	cmd.Stdin, cmd.Stderr = &in, &log
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	hung := time.AfterFunc(patience, cancel)
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<20)
	for _, j := range jobs {
		if !lines.Scan() {
			break
		}
		hung.Reset(patience)
		words := strings.SplitN(lines.Text(), "\t", 3)
		if len(words) != 3 || words[1] != j.name {
			cancel()
			_ = cmd.Wait()
			return fmt.Errorf("%q is no answer to %q", lines.Text(), j.name)
		}
		a := answer{said: words[2]}
		if words[0] != "OK" {
			a.err = errors.New(words[2])
		}
		answers[j.name] = a
	}
	hung.Stop()
	if err := cmd.Wait(); err != nil {
		said := bytes.TrimSpace(log.Bytes())
		return fmt.Errorf("%w: %s", err, said[max(0, len(said)-500):])
	}
	return nil
}
