package sweep

import (
	manifest "avro2trevni/jobs/report"

	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"avro2trevni/bench/internal/data"
	"avro2trevni/bench/internal/report"
	"avro2trevni/bench/internal/run"
)

// Verb measures sweeps, which are over our program alone.
func Verb(ctx context.Context, verb string, args []string, fill func(context.Context, *sweeper) error) error {
	m, err := run.NewMeasuring(verb, args, true)
	if err != nil {
		return err
	}
	if err := m.MakeInputs(ctx); err != nil {
		return err
	}
	return m.Measure(ctx, nil, nil, func(h *run.Harness, j *report.Journal) error {
		if h.Ours == "" {
			return errors.New("bench: there is no program to measure")
		}
		return fill(ctx, &sweeper{Harness: h, Measuring: m, journal: j, answers: map[string]*run.Answer{}, checked: map[string]bool{}})
	})
}

// sweeper is what sweeps are measured with, and where they go.
type sweeper struct {
	*run.Harness
	*run.Measuring
	journal *report.Journal
	answers map[string]*run.Answer // of the first conversion of each input
	checked map[string]bool        // conversions that were held against those, by input and flags
}

// table is the input of sweeps over one table: the user's, a smaller lineitem in quick
// mode, or lineitem.
func (s *sweeper) table() string {
	switch {
	case s.Measuring.Input != "":
		return s.Measuring.Input
	case s.Quick:
		return s.Harness.Data(data.QuickInput)
	default:
		return s.Harness.Data("lineitem-snappy.avro")
	}
}

// sweep measures the settings and keeps the result at once.
func (s *sweeper) sweep(ctx context.Context, w report.Sweep, settings []setting) error {
	return s.rounds(ctx, w, settings, s.RoundsOf)
}

// once is sweep for what is counted, not timed: the round that otherwise warms up is all.
func (s *sweeper) once(ctx context.Context, w report.Sweep, settings []setting) error {
	return s.rounds(ctx, w, settings, func(float64) int { return 0 })
}

func (s *sweeper) rounds(ctx context.Context, w report.Sweep, settings []setting, roundsOf func(float64) int) error {
	if !data.Wanted(s.Names, w.Name) || s.journal.Measured(w.Name) {
		return nil
	}
	clock := report.StartMeter()
	if err := runSettings(ctx, &w, roundsOf, settings); err != nil {
		return err
	}
	w.Effort = clock.Effort()
	return s.journal.PutSweep(w)
}

// due reports whether a sweep of this name is to be measured.
func (s *sweeper) due(name string) bool {
	return data.Wanted(s.Names, name) && !(s.journal.Resume && s.journal.Holds(name))
}

// conversion is one that was run, and what its report says of it.
type conversion struct {
	report.Sample
	manifest.Report
	output string
}

// convertTo converts input into the work folder under a name, measured. What stood
// there is removed before, what comes to stand there stays. The first conversion with
// the flags must hold what others of the input hold.
func (s *sweeper) convertTo(ctx context.Context, name, input string, flags ...string) (*conversion, error) {
	c := &conversion{output: filepath.Join(s.Work, name)}
	report := filepath.Join(s.Work, "report.json")
	j := run.Job{Output: c.output, Temp: filepath.Join(s.Work, "temp")}
	j.Command = append(append([]string{s.Ours, "--temp-dir", j.Temp, "--report", report}, flags...), input, c.output)
	if err := errors.Join(j.Clean(), os.RemoveAll(report)); err != nil {
		return nil, err
	}
	var err error
	if c.Sample, err = run.Measure(ctx, j); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(report)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(text, &c.Report); err != nil {
		return nil, fmt.Errorf("bench: report of %s: %w", name, err)
	}
	return c, s.check(ctx, input, strings.Join(flags, " "), c.output)
}

// check compares a conversion with others of its input, once for each set of flags.
func (s *sweeper) check(ctx context.Context, input, flags, output string) error {
	if s.checked[input+" "+flags] {
		return nil
	}
	s.checked[input+" "+flags] = true
	a, err := s.AnswerOf(ctx, output)
	if err != nil {
		return err
	}
	if s.answers[input] == nil {
		s.answers[input] = a
	}
	if err := s.answers[input].Same(a); err != nil {
		return fmt.Errorf("bench: %s with %s: %w", filepath.Base(input), flags, err)
	}
	return nil
}

// remove removes what was converted under the names.
func (s *sweeper) remove(names ...string) error {
	var errs []error
	for _, name := range names {
		errs = append(errs, os.RemoveAll(filepath.Join(s.Work, name)))
	}
	return errors.Join(errs...)
}

// BlockSweep is about --block-size: what a small block saves who reads a row, and costs
// all others.
func BlockSweep(ctx context.Context, s *sweeper) error {
	sizes := []string{"4KiB", "16KiB", "64KiB", "256KiB", "1MiB"}
	if s.Quick {
		sizes = []string{"4KiB", "64KiB", "1MiB"}
	}
	var settings []setting
	for _, size := range sizes {
		settings = append(settings, setting{size, data.MustBytes(size), func(ctx context.Context) (report.Reading, error) {
			return s.blockSize(ctx, size)
		}})
	}
	w := report.Sweep{
		Name: "block-size", Setting: "--block-size",
		What:     "Sizes of blocks: converting, then reading on one core",
		Measures: []string{"convert s", "convert CPU s", "file MB", "all columns s", "one column s", "one row µs", "one row kB read"},
	}
	return errors.Join(s.sweep(ctx, w, settings), s.remove("block.trv"))
}

func (s *sweeper) blockSize(ctx context.Context, size string) (report.Reading, error) {
	c, err := s.convertTo(ctx, "block.trv", s.table(), "--block-size", size)
	if err != nil {
		return nil, err
	}
	p, err := probeBy(ctx, s.Harness, c.output, "", "scan,column,row")
	if err != nil {
		return nil, err
	}
	return report.Reading{
		"convert s": c.Wall, "convert CPU s": c.CPU(), "file MB": float64(c.Output) / 1e6,
		"all columns s": p.Scan.Seconds, "one column s": p.Column.Seconds,
		"one row µs": p.Row.Seconds * 1e6, "one row kB read": float64(p.Row.Bytes) / 1e3,
	}, nil
}
