package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/gofrs/flock"
)

// harness runs cases one after another.
type harness struct {
	paths
	programs
	pairs int
	work  string // where outputs and temporary files go; emptied between runs
}

// newHarness builds our program and finds the others. A program that cannot be
// built or found stays empty, and its contenders are listed as missing.
func newHarness(ctx context.Context, p paths, pairs int) (*harness, error) {
	h := &harness{paths: p, pairs: pairs, work: p.data("work")}
	if err := os.MkdirAll(h.work, 0o755); err != nil {
		return nil, err
	}
	ours := p.data("convert")
	if err := run(ctx, "go", "build", "-o", ours, "./cmd/convert"); err != nil {
		fmt.Fprintf(os.Stderr, "convert does not build: %v\n", err)
		ours = ""
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	java, _ := exec.LookPath("java") // absent: listed as missing
	if err := p.installPeers(ctx); err != nil {
		fmt.Fprintf(os.Stderr, "the job of MapReduce does not build: %v\n", err)
	}
	h.programs = programs{ours: ours, self: self, java: java, avroTools: p.avroTools(), peers: p.peers()}
	return h, nil
}

// runner is one contender in one case, and what it did so far.
type runner struct {
	contender
	job
	outcome
	input string // the file or folder to convert
}

// run measures one case.
func (h *harness) run(ctx context.Context, c benchCase) (caseResult, error) {
	input := h.data(c.input)
	if c.outside {
		input, c.input = c.input, filepath.Base(c.input)
	}
	bytes, err := treeSize(input)
	if err != nil {
		return caseResult{}, fmt.Errorf("%w (run the data verb)", err)
	}
	r := caseResult{Name: c.name, What: c.what, Input: c.input, InputBytes: bytes, Figures: c.figures}
	runners := h.runners(c, input)
	if err := h.warmUp(ctx, c, runners, &r); err != nil {
		return r, err
	}
	for i := range h.pairs {
		fmt.Fprintf(os.Stderr, "%s: round %d of %d\n", c.name, i+1, h.pairs)
		for _, runner := range runners {
			if err := runner.turn(ctx); err != nil {
				return r, err
			}
		}
	}
	for _, runner := range runners {
		runner.Median = medianSample(runner.Samples)
		r.Contenders = append(r.Contenders, runner.outcome)
	}
	for i := range r.Figures {
		r.Figures[i].fill(r.Contenders)
	}
	return r, h.cleanAll(runners)
}

func (h *harness) runners(c benchCase, input string) []*runner {
	var all []*runner
	for _, contender := range c.contenders {
		l := layout{input: input, temp: filepath.Join(h.work, "temp")}
		if contender.output != "" {
			l.output = filepath.Join(h.work, contender.output)
		}
		command := contender.command(l)
		all = append(all, &runner{
			contender: contender,
			job:       job{command: command, output: l.output, temp: l.temp},
			input:     input,
			outcome:   outcome{Name: contender.name, Command: h.named(command, input), Missing: h.missing(contender)},
		})
	}
	return all
}

// named is a command as results tell it: without the folders that the program, the
// input and the cache have on this machine.
func (h *harness) named(command []string, input string) []string {
	folders := h.folders(input)
	told := []string{filepath.Base(command[0])}
	for _, arg := range command[1:] {
		told = append(told, folders.Replace(arg))
	}
	return told
}

// folders leaves out of a text the folders in which the input and the cache are.
func (h *harness) folders(input string) *strings.Replacer {
	const slash = string(filepath.Separator)
	return strings.NewReplacer(mustAbs(input), filepath.Base(input), input, filepath.Base(input),
		mustAbs(h.root)+slash, ".cache/", h.root+slash, ".cache/")
}

// why is an error as results tell it, of a contender that is missing for it.
func (h *harness) why(err error, r *runner) string {
	program := strings.NewReplacer(r.job.command[0]+" ", filepath.Base(r.job.command[0])+" ")
	return h.folders(r.input).Replace(program.Replace(err.Error()))
}

// turn runs r once and keeps the sample; r's output is removed before, not after.
func (r *runner) turn(ctx context.Context) error {
	if r.Missing != "" {
		return nil
	}
	if err := r.clean(); err != nil {
		return err
	}
	s, err := measure(ctx, r.job)
	if err != nil {
		return err
	}
	r.Samples = append(r.Samples, s)
	return nil
}

// warmUp runs each contender once, uncounted, and demands that all give the same
// answer. One that fails is missing from then on.
func (h *harness) warmUp(ctx context.Context, c benchCase, runners []*runner, r *caseResult) error {
	var first *answer
	for _, runner := range runners {
		if err := runner.turn(ctx); err != nil {
			runner.Missing = "failed: " + h.why(err, runner)
			fmt.Fprintf(os.Stderr, "%s: %s %s\n", c.name, runner.Name, runner.Missing)
		}
		runner.Samples = nil
		if runner.Missing != "" || runner.job.output == "" {
			continue
		}
		a, err := h.answerOf(ctx, runner.job.output)
		if err == nil && first == nil {
			first, r.Rows = a, a.Rows
			continue
		}
		if err == nil {
			err = first.same(a)
		}
		switch {
		case err != nil && (runner.parquet || c.outside):
			runner.Missing = "no equal answer: " + h.why(err, runner)
			fmt.Fprintf(os.Stderr, "%s: %s: %s\n", c.name, runner.Name, runner.Missing)
		case err != nil:
			return fmt.Errorf("bench: %s: answer of %s: %w", c.name, runner.Name, err)
		case c.columns && !runner.parquet:
			r.Columns = compareColumns(first, a)
		}
	}
	return ctx.Err()
}

func (h *harness) cleanAll(runners []*runner) error {
	var errs []error
	for _, r := range runners {
		errs = append(errs, r.clean())
	}
	return errors.Join(errs...)
}

// lock keeps other harnesses out: two at a time would falsify each other's figures
// and remove each other's outputs.
func lock(p paths) (unlock func() error, err error) {
	if err := os.MkdirAll(p.data(""), 0o755); err != nil {
		return nil, err
	}
	l := flock.New(p.data("lock"))
	held, err := l.TryLock()
	if err != nil {
		return nil, fmt.Errorf("bench: lock %s: %w", l.Path(), err)
	}
	if !held {
		return nil, fmt.Errorf("bench: another harness is measuring; it holds %s", l.Path())
	}
	return l.Unlock, nil
}
