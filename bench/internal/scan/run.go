package scan

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"avro2trevni/bench/internal/report"
	"avro2trevni/bench/internal/scanner"
	"avro2trevni/record"
)

// How long a program is warmed up, and one of the JVM, which compiles meanwhile; how long
// a turn takes at least, and the passes past which it ends all the same. A program whose
// pass takes slowPass or more has slowTurns turns only: its times differ little, in
// proportion.
const (
	warmUp       = 200 * time.Millisecond
	warmUpJava   = time.Second
	quickWarmUps = 5 // times shorter in quick mode
	turnTime     = 100 * time.Millisecond
	mostTurns    = 9
	slowPass     = 1500 * time.Millisecond
	slowTurns    = 3
)

// scanRunner is a program in a case.
type scanRunner struct {
	scanPeer
	report.Outcome
	command []string
	path    string // of the file to scan
	cold    string // of its copy, for scans that begin without page cache
	live    *live
}

// scanCaseRun runs one case.
type scanCaseRun struct {
	*ScanHarness
	scanCase
	runners []*scanRunner
}

// run measures a case: all programs warm, side by side, in turn.
func (s *ScanHarness) run(ctx context.Context, c scanCase) (r report.CaseResult, err error) {
	run := &scanCaseRun{ScanHarness: s, scanCase: c}
	if err := run.begin(ctx, &r); err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, run.end()) }()
	if err := run.compare(ctx); err != nil {
		return r, err
	}
	for i := range s.pairs {
		fmt.Fprintf(os.Stderr, "%s: round %d of %d\n", c.name, i+1, s.pairs)
		for _, runner := range run.runners {
			if err := run.turn(ctx, runner, i); err != nil {
				return r, fmt.Errorf("bench: %s: %s: %w", c.name, runner.Outcome.Name, err)
			}
		}
	}
	for _, runner := range run.runners {
		runner.Median = report.MedianSample(runner.Samples)
		r.Contenders = append(r.Contenders, runner.Outcome)
	}
	for i := range r.Figures {
		r.Figures[i].Fill(r.Contenders)
	}
	return r, nil
}

// begin finds columns and files and starts the programs.
func (c *scanCaseRun) begin(ctx context.Context, r *report.CaseResult) error {
	table, err := c.table(ctx, &c.scanCase)
	if err != nil {
		return err
	}
	columns, err := table.chosen(c.columns)
	if err != nil {
		return err
	}
	rows := c.rows(table.rows)
	*r = report.CaseResult{Name: c.name, What: c.what, Input: filepath.Base(table.files["avro"]), InputBytes: table.size,
		Rows: table.rows, Figures: slices.Clone(c.figures), Scan: c.setting(table, columns, rows)}
	schema, err := c.projection(table, r.Scan.Columns)
	if err != nil {
		return err
	}
	for _, p := range c.peers() {
		if !slices.Contains(c.contenders, p.name) {
			continue
		}
		t := &scanner.Task{Columns: columnsFor(p.format, columns), Rows: rows, Threads: c.cores()}
		if p.format == "avro" {
			t.Schema = schema
		}
		if err := c.join(table, p, t); err != nil {
			return err
		}
	}
	return c.startAll(ctx)
}

func (c scanCase) setting(t *scanTable, columns []scanner.Column, rows scanner.RowRange) *report.ScanSetting {
	s := &report.ScanSetting{Columns: columnsFor("avro", columns), Of: len(t.columns), Cores: c.cores(), Cold: c.cold, Whole: c.whole}
	if !rows.All() {
		s.Rows = rows.String()
	}
	return s
}

// join lets a program take part with its task.
func (c *scanCaseRun) join(table *scanTable, p scanPeer, t *scanner.Task) (err error) {
	r := &scanRunner{scanPeer: p, path: table.files[p.format], command: p.start(t, table.ascii)}
	r.Outcome = report.Outcome{Name: p.name, Command: c.told(r.command), Missing: c.why(p, table)}
	c.runners = append(c.runners, r)
	if c.cold && r.Missing == "" {
		r.cold, err = c.coldCopy(r.path)
	}
	return err
}

// told is a command without the folders that this machine has its programs in.
func (c *scanCaseRun) told(command []string) []string {
	told := []string{filepath.Base(command[0])}
	for _, arg := range command[1:] {
		told = append(told, strings.ReplaceAll(arg, c.Root+string(filepath.Separator), ""))
	}
	return told
}

// startAll starts the programs, which wait. One that does not start is missing.
func (c *scanCaseRun) startAll(ctx context.Context) (err error) {
	for _, r := range c.runners {
		if r.Missing == "" && !c.whole {
			if r.live, err = startLive(ctx, r.command, c.oneCore); err != nil {
				r.Missing = "failed: " + err.Error()
			}
		}
	}
	return ctx.Err()
}

// why tells why a program is missing, or "".
func (c *scanCaseRun) why(p scanPeer, t *scanTable) string {
	if m := c.missing[p.tool]; m != "" {
		return m
	}
	if t.files[p.format] == "" {
		return "no " + p.format + " file was made"
	}
	return ""
}

// projection writes the schema of the columns alone to a file.
func (c *scanCaseRun) projection(t *scanTable, paths []string) (string, error) {
	text, err := record.Project(t.schema, paths)
	if err != nil {
		return "", err
	}
	name := c.Data("work/projection.avsc")
	return name, os.WriteFile(name, []byte(text), 0o644)
}

// cores is the number of cores of the case.
func (c scanCase) cores() int {
	if c.oneCore {
		return 1
	}
	return runtime.NumCPU()
}

// compare warms the programs up, and lists as failed those that answer otherwise than
// the first one.
func (c *scanCaseRun) compare(ctx context.Context) error {
	var first scanner.Answer
	for _, r := range c.runners {
		if r.Missing != "" {
			continue
		}
		answer, err := c.warm(ctx, r)
		if err == nil && first != nil {
			err = first.Same(answer)
		}
		if err != nil {
			r.Missing = "failed: " + err.Error()
			fmt.Fprintf(os.Stderr, "%s: %s %s\n", c.name, r.Outcome.Name, r.Missing)
			continue
		}
		if first == nil {
			first = answer
		}
	}
	return ctx.Err()
}

// warm lets a program scan for a while, uncounted.
func (c *scanCaseRun) warm(ctx context.Context, r *scanRunner) (scanner.Answer, error) {
	if c.whole {
		_, answer, err := wholeScan(ctx, r.command, c.oneCore, r.path)
		return answer, err
	}
	due := warmUp
	if r.tool == "java" {
		due = warmUpJava
	}
	for start := time.Now(); ; {
		if _, err := r.live.pass(r.path); err != nil {
			return nil, err
		}
		if time.Since(start) >= due/c.hurry || ctx.Err() != nil {
			return r.live.answer, ctx.Err()
		}
	}
}

// turn has a program scan, and keeps the median of its passes as a sample.
func (c *scanCaseRun) turn(ctx context.Context, r *scanRunner, round int) error {
	if r.Missing != "" || round >= slowTurns && r.Samples[0].Wall >= slowPass.Seconds() {
		return nil
	}
	var passes []report.Sample
	for start := time.Now(); len(passes) < mostTurns; {
		s, err := c.pass(ctx, r)
		if err != nil {
			return err
		}
		if passes = append(passes, s); c.whole || c.cold || time.Since(start) >= turnTime {
			break
		}
	}
	r.Samples = append(r.Samples, report.MedianSample(passes))
	return ctx.Err()
}

func (c *scanCaseRun) pass(ctx context.Context, r *scanRunner) (report.Sample, error) {
	switch {
	case c.whole:
		s, _, err := wholeScan(ctx, r.command, c.oneCore, r.path)
		return s, err
	case c.cold:
		if err := evict(r.cold); err != nil {
			return report.Sample{}, err
		}
		return r.live.pass(r.cold)
	default:
		return r.live.pass(r.path)
	}
}

// wholeScan starts a program, has it scan a file and waits for its end.
func wholeScan(ctx context.Context, command []string, oneCore bool, path string) (report.Sample, scanner.Answer, error) {
	start := time.Now()
	l, err := startLive(ctx, command, oneCore)
	if err != nil {
		return report.Sample{}, nil, err
	}
	s, err := l.pass(path)
	if err = errors.Join(err, l.end()); err != nil {
		return s, nil, err
	}
	s.Wall = time.Since(start).Seconds()
	s.User = l.cmd.ProcessState.UserTime().Seconds()
	s.System = l.cmd.ProcessState.SystemTime().Seconds()
	return s, l.answer, nil
}

// end ends the programs and removes the copies of their files.
func (c *scanCaseRun) end() error {
	var errs []error
	for _, r := range c.runners {
		if r.live != nil {
			errs = append(errs, r.live.end())
		}
	}
	return errors.Join(errs...)
}
