package run

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"avro2trevni/bench/internal/data"
	"avro2trevni/bench/internal/report"

	"github.com/gofrs/flock"
)

// Harness runs cases one after another.
type Harness struct {
	data.Paths
	Programs
	Pairs int
	brief bool   // slow contenders run once
	Work  string // where outputs and temporary files go; emptied between runs
}

// NewHarness builds our program and finds the others. A program that cannot be
// built or found stays empty, and its contenders are listed as missing.
func NewHarness(ctx context.Context, p data.Paths, pairs int) (*Harness, error) {
	h := &Harness{Paths: p, Pairs: pairs, Work: p.Data("work")}
	if err := os.MkdirAll(h.Work, 0o755); err != nil {
		return nil, err
	}
	ours := p.Data("convert")
	if err := data.Run(ctx, "go", "build", "-o", ours, "./cmd/convert"); err != nil {
		fmt.Fprintf(os.Stderr, "convert does not build: %v\n", err)
		ours = ""
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	java, _ := exec.LookPath("java") // absent: listed as missing
	if err := p.InstallPeers(ctx); err != nil {
		fmt.Fprintf(os.Stderr, "the job of MapReduce does not build: %v\n", err)
	}
	h.Programs = Programs{Ours: ours, Self: self, java: java, avroTools: p.AvroTools(), peers: p.Peers()}
	return h, nil
}

// runner is one contender in one case, and what it did so far.
type runner struct {
	contender
	Job
	report.Outcome
	input  string // the file or folder to convert
	rounds int    // that are its due, as its first run tells
}

// How many rounds a slow contender has: its times differ little, in proportion, and five
// of them would be most of what measuring takes. In quick mode the run that proves the
// answer is the one that counts.
var slowRuns = []struct {
	seconds float64
	rounds  int
}{{40, 1}, {20, 2}, {8, 3}}

const quickSlowRun = 0.75 // seconds

// RoundsOf are the rounds, after the uncounted one, of what took so many seconds in that.
func (h *Harness) RoundsOf(seconds float64) int {
	if h.brief && seconds >= quickSlowRun {
		return 0
	}
	for _, slow := range slowRuns {
		if seconds >= slow.seconds {
			return min(slow.rounds, h.Pairs)
		}
	}
	return h.Pairs
}

// run measures one case.
func (h *Harness) run(ctx context.Context, c benchCase) (report.CaseResult, error) {
	input := h.Data(c.input)
	if c.outside {
		input, c.input = c.input, filepath.Base(c.input)
	}
	bytes, err := TreeSize(input)
	if err != nil {
		return report.CaseResult{}, fmt.Errorf("%w (run the data verb)", err)
	}
	r := report.CaseResult{Name: c.name, What: c.what, Input: c.input, InputBytes: bytes, Figures: c.figures}
	runners := h.runners(c, input)
	if err := h.warmUp(ctx, c, runners, &r); err != nil {
		return r, err
	}
	for i := range h.Pairs {
		fmt.Fprintf(os.Stderr, "%s: round %d of %d\n", c.name, i+1, h.Pairs)
		for _, runner := range runners {
			if i >= runner.rounds {
				continue
			}
			if err := runner.turn(ctx); err != nil {
				return r, err
			}
		}
	}
	for _, runner := range runners {
		runner.Median = report.MedianSample(runner.Samples)
		r.Contenders = append(r.Contenders, runner.Outcome)
	}
	for i := range r.Figures {
		r.Figures[i].Fill(r.Contenders)
	}
	return r, h.cleanAll(runners)
}

func (h *Harness) runners(c benchCase, input string) []*runner {
	var all []*runner
	for _, contender := range c.contenders {
		l := layout{input: input, temp: filepath.Join(h.Work, "temp")}
		if contender.output != "" {
			l.output = filepath.Join(h.Work, contender.output)
		}
		command := contender.command(l)
		all = append(all, &runner{
			contender: contender,
			Job:       Job{Command: command, Output: l.output, Temp: l.temp},
			input:     input,
			Outcome:   report.Outcome{Name: contender.name, Command: h.named(command, input), Missing: h.missing(contender)},
		})
	}
	return all
}

// named is a command as results tell it: without the folders that the program, the
// input and the cache have on this machine.
func (h *Harness) named(command []string, input string) []string {
	folders := h.folders(input)
	told := []string{filepath.Base(command[0])}
	for _, arg := range command[1:] {
		told = append(told, folders.Replace(arg))
	}
	return told
}

// folders leaves out of a text the folders in which the input and the cache are.
func (h *Harness) folders(input string) *strings.Replacer {
	const slash = string(filepath.Separator)
	return strings.NewReplacer(data.MustAbs(input), filepath.Base(input), input, filepath.Base(input),
		data.MustAbs(h.Root)+slash, ".cache/", h.Root+slash, ".cache/")
}

// why is an error as results tell it, of a contender that is missing for it.
func (h *Harness) why(err error, r *runner) string {
	program := strings.NewReplacer(r.Job.Command[0]+" ", filepath.Base(r.Job.Command[0])+" ")
	return h.folders(r.input).Replace(program.Replace(err.Error()))
}

// turn runs r once and keeps the sample; r's output is removed before, not after.
func (r *runner) turn(ctx context.Context) error {
	if r.Missing != "" {
		return nil
	}
	if err := r.Clean(); err != nil {
		return err
	}
	s, err := Measure(ctx, r.Job)
	if err != nil {
		return err
	}
	r.Samples = append(r.Samples, s)
	return nil
}

// warmUp runs each contender once, uncounted unless it is so slow that it has no other
// round, and demands that all give the same answer. Another's that fails, or answers
// otherwise where it may, is missing from then on.
func (h *Harness) warmUp(ctx context.Context, c benchCase, runners []*runner, r *report.CaseResult) error {
	var first *Answer
	for _, runner := range runners {
		answer, err := h.prove(ctx, c, runner)
		switch {
		case err != nil && runner.ours:
			return fmt.Errorf("bench: %s: %s: %w", c.name, runner.Name, err)
		case err != nil:
			runner.miss(c.name, "failed: "+h.why(err, runner))
		case answer == nil:
		case first == nil:
			first, r.Rows = answer, answer.Rows
		default:
			if err := h.agree(c, runner, first, answer, r); err != nil {
				return err
			}
		}
	}
	return ctx.Err()
}

// prove runs a contender once and returns its answer, or nil if it has none.
func (h *Harness) prove(ctx context.Context, c benchCase, r *runner) (*Answer, error) {
	if err := r.turn(ctx); err != nil || r.Missing != "" {
		return nil, err
	}
	if r.rounds = h.RoundsOf(r.Samples[0].Wall); r.rounds > 0 {
		r.Samples = nil
	}
	if r.Job.Output == "" {
		return nil, nil
	}
	switch {
	case c.sums:
		return h.sumsOf(ctx, r.Job.Output)
	case c.bytes:
		return bytesOf(r.Job.Output)
	}
	return h.AnswerOf(ctx, r.Job.Output)
}

// agree compares a contender's answer with the first.
func (h *Harness) agree(c benchCase, r *runner, first, answer *Answer, result *report.CaseResult) error {
	err := first.Same(answer)
	switch {
	case err != nil && !r.ours && (r.parquet || c.outside):
		r.miss(c.name, "no equal answer: "+h.why(err, r))
	case err != nil:
		return fmt.Errorf("bench: %s: answer of %s: %w", c.name, r.Name, err)
	case c.columns && !r.parquet:
		result.Columns = compareColumns(first, answer)
	}
	return nil
}

// miss leaves a contender out, and tells why.
func (r *runner) miss(name, why string) {
	r.Missing, r.Samples = oneLine(why), nil
	fmt.Fprintf(os.Stderr, "%s: %s: %s\n", name, r.Name, r.Missing)
}

// oneLine is a text of several lines as a table can have it: its first and its last, where
// programs tell what they did and what went wrong, and of long ones their ends.
func oneLine(s string) string {
	const most = 160
	lines := strings.Split(strings.TrimSpace(s), "\n")
	if len(lines) > 1 {
		lines = []string{lines[0], lines[len(lines)-1]}
	}
	for i, l := range lines {
		if len(l) > most {
			lines[i] = "…" + strings.ToValidUTF8(l[len(l)-most:], "")
		}
	}
	return strings.ReplaceAll(strings.Join(lines, " … "), "|", "\\|")
}

func (h *Harness) cleanAll(runners []*runner) error {
	var errs []error
	for _, r := range runners {
		errs = append(errs, r.Clean())
	}
	return errors.Join(errs...)
}

// Lock keeps other harnesses out: two at a time would falsify each other's figures
// and remove each other's outputs.
func Lock(p data.Paths) (unlock func() error, err error) {
	if err := os.MkdirAll(p.Data(""), 0o755); err != nil {
		return nil, err
	}
	l := flock.New(p.Data("lock"))
	held, err := l.TryLock()
	if err != nil {
		return nil, fmt.Errorf("bench: lock %s: %w", l.Path(), err)
	}
	if !held {
		return nil, fmt.Errorf("bench: another harness is measuring; it holds %s", l.Path())
	}
	return l.Unlock, nil
}
