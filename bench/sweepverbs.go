package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"avro2trevni/jobs"
)

// sweepVerb measures sweeps, which are over our program alone.
func sweepVerb(ctx context.Context, verb string, args []string, fill func(context.Context, *sweeper) error) error {
	m, err := newMeasuring(verb, args, true)
	if err != nil {
		return err
	}
	if err := m.makeInputs(ctx); err != nil {
		return err
	}
	return m.measure(ctx, nil, nil, func(h *harness, j *journal) error {
		if h.ours == "" {
			return errors.New("bench: there is no program to measure")
		}
		return fill(ctx, &sweeper{harness: h, measuring: m, journal: j, answers: map[string]*answer{}, checked: map[string]bool{}})
	})
}

// sweeper is what sweeps are measured with, and where they go.
type sweeper struct {
	*harness
	*measuring
	journal *journal
	answers map[string]*answer // of the first conversion of each input
	checked map[string]bool    // conversions that were held against those, by input and flags
}

// table is the input of sweeps over one table: the user's, a smaller lineitem in quick
// mode, or lineitem.
func (s *sweeper) table() string {
	switch {
	case s.measuring.input != "":
		return s.measuring.input
	case s.quick:
		return s.harness.data(quickInput)
	default:
		return s.harness.data("lineitem-snappy.avro")
	}
}

// sweep measures the settings and keeps the result at once.
func (s *sweeper) sweep(ctx context.Context, w sweep, settings []setting) error {
	return s.rounds(ctx, w, settings, s.roundsOf)
}

// once is sweep for what is counted, not timed: the round that otherwise warms up is all.
func (s *sweeper) once(ctx context.Context, w sweep, settings []setting) error {
	return s.rounds(ctx, w, settings, func(float64) int { return 0 })
}

func (s *sweeper) rounds(ctx context.Context, w sweep, settings []setting, roundsOf func(float64) int) error {
	if !wanted(s.names, w.Name) || s.journal.measured(w.Name) {
		return nil
	}
	clock := startMeter()
	if err := w.run(ctx, roundsOf, settings); err != nil {
		return err
	}
	w.effort = clock.effort()
	return s.journal.putSweep(w)
}

// due reports whether a sweep of this name is to be measured.
func (s *sweeper) due(name string) bool {
	return wanted(s.names, name) && !(s.journal.resume && s.journal.holds(name))
}

// conversion is one that was run, and what its report says of it.
type conversion struct {
	sample
	jobs.Report
	output string
}

// convertTo converts input into the work folder under a name, measured. What stood
// there is removed before, what comes to stand there stays. The first conversion with
// the flags must hold what others of the input hold.
func (s *sweeper) convertTo(ctx context.Context, name, input string, flags ...string) (*conversion, error) {
	c := &conversion{output: filepath.Join(s.work, name)}
	report := filepath.Join(s.work, "report.json")
	j := job{output: c.output, temp: filepath.Join(s.work, "temp")}
	j.command = append(append([]string{s.ours, "--temp-dir", j.temp, "--report", report}, flags...), input, c.output)
	if err := errors.Join(j.clean(), os.RemoveAll(report)); err != nil {
		return nil, err
	}
	var err error
	if c.sample, err = measure(ctx, j); err != nil {
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
	a, err := s.answerOf(ctx, output)
	if err != nil {
		return err
	}
	if s.answers[input] == nil {
		s.answers[input] = a
	}
	if err := s.answers[input].same(a); err != nil {
		return fmt.Errorf("bench: %s with %s: %w", filepath.Base(input), flags, err)
	}
	return nil
}

// remove removes what was converted under the names.
func (s *sweeper) remove(names ...string) error {
	var errs []error
	for _, name := range names {
		errs = append(errs, os.RemoveAll(filepath.Join(s.work, name)))
	}
	return errors.Join(errs...)
}

// cpu is the processor time, in seconds.
func (s sample) cpu() float64 { return s.User + s.System }

// blockSweep is about --block-size: what a small block saves who reads a row, and costs
// all others.
func blockSweep(ctx context.Context, s *sweeper) error {
	sizes := []string{"4KiB", "16KiB", "64KiB", "256KiB", "1MiB"}
	if s.quick {
		sizes = []string{"4KiB", "64KiB", "1MiB"}
	}
	var settings []setting
	for _, size := range sizes {
		settings = append(settings, setting{size, mustBytes(size), func(ctx context.Context) (reading, error) {
			return s.blockSize(ctx, size)
		}})
	}
	w := sweep{
		Name: "block-size", Setting: "--block-size",
		What:     "Sizes of blocks: converting, then reading on one core",
		Measures: []string{"convert s", "convert CPU s", "file MB", "all columns s", "one column s", "one row µs", "one row kB read"},
	}
	return errors.Join(s.sweep(ctx, w, settings), s.remove("block.trv"))
}

func (s *sweeper) blockSize(ctx context.Context, size string) (reading, error) {
	c, err := s.convertTo(ctx, "block.trv", s.table(), "--block-size", size)
	if err != nil {
		return nil, err
	}
	p, err := s.probe(ctx, c.output, "", "scan,column,row")
	if err != nil {
		return nil, err
	}
	return reading{
		"convert s": c.Wall, "convert CPU s": c.cpu(), "file MB": float64(c.Output) / 1e6,
		"all columns s": p.Scan.Seconds, "one column s": p.Column.Seconds,
		"one row µs": p.Row.Seconds * 1e6, "one row kB read": float64(p.Row.Bytes) / 1e3,
	}, nil
}
