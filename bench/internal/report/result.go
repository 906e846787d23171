package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Results is a file in bench/results: what was measured, and by which runs of the
// harness.
type Results struct {
	Runs     []RunInfo    `json:"runs"`
	Cases    []CaseResult `json:"cases,omitempty"`
	Sweeps   []Sweep      `json:"sweeps,omitempty"`
	Pressure []Pressed    `json:"pressure,omitempty"` // all of the first run
}

// RunInfo is all there is to know about one run of the harness.
type RunInfo struct {
	Machine  machine           `json:"machine"`
	Versions map[string]string `json:"versions"`
	Command  string            `json:"command"`
	Date     string            `json:"date,omitempty"` // the day on which it began, as 2026-11-22
	Pairs    int               `json:"pairs"`          // rounds of those that are not slow
	Quick    bool              `json:"quick,omitempty"`
	Input    string            `json:"input,omitempty"` // a file of the user's
}

// changed reports whether the program measured is not that of the revision.
func (r *RunInfo) changed() bool { return strings.HasSuffix(r.Versions["revision"], dirty) }

// Effort is what measuring something took, in which run.
type Effort struct {
	Run     int     `json:"run"`               // index of results.Runs
	Seconds float64 `json:"seconds,omitempty"` // all of it: rounds, warming up, comparing
	Others  float64 `json:"others,omitempty"`  // the part of the processors' time that other programs took
}

// CaseResult is one input converted by several contenders.
type CaseResult struct {
	Effort
	Name       string         `json:"name"`
	What       string         `json:"what"`
	Input      string         `json:"input"`
	InputBytes int64          `json:"input_bytes"`
	Rows       int64          `json:"rows"`
	Contenders []Outcome      `json:"contenders"`
	Figures    []Figure       `json:"figures"`
	Columns    []ColumnResult `json:"columns,omitempty"`
	Scan       *ScanSetting   `json:"scan,omitempty"`
}

// Outcome is what a contender did. One that could not run has no samples, and
// Missing says why.
type Outcome struct {
	Name    string   `json:"name"`
	Command []string `json:"command"`
	Missing string   `json:"missing,omitempty"`
	Median  Sample   `json:"median"`
	Samples []Sample `json:"samples"`
}

// ColumnResult compares the raw bytes, before compression, of a column.
type ColumnResult struct {
	Name   string `json:"name"`
	Rows   int64  `json:"rows"`
	Ours   int64  `json:"ours"`
	Theirs int64  `json:"theirs"`
}

// saved is the bytes a row by which our column is smaller.
func (c ColumnResult) saved() float64 { return float64(c.Theirs-c.Ours) / float64(max(c.Rows, 1)) }

// Figure is a number to reach: a measure of one contender, in proportion to that
// of another in the same round if there is one.
type Figure struct {
	Name    string  `json:"name"`
	Measure string  `json:"measure"` // wall, cpu, memory, output, read
	Of      string  `json:"of"`
	To      string  `json:"to,omitempty"`
	AtLeast float64 `json:"at_least,omitempty"`
	AtMost  float64 `json:"at_most,omitempty"`
	Median  float64 `json:"median"`
	Least   float64 `json:"least"`
	Most    float64 `json:"most"`
	Verdict string  `json:"verdict"` // reached, missed, or empty where nothing is asked or measured
}

// measures are what a figure can be about. Memory is judged by its most, the
// others by their median.
var measures = map[string]func(Sample) float64{
	"wall":   func(s Sample) float64 { return s.Wall },
	"cpu":    func(s Sample) float64 { return s.User + s.System },
	"memory": func(s Sample) float64 { return float64(s.Memory) },
	"output": func(s Sample) float64 { return float64(s.Output) },
	"read":   func(s Sample) float64 { return float64(s.Read) },
}

// Fill works out f from the outcomes; f stays empty where one of them is missing.
func (f *Figure) Fill(outcomes []Outcome) {
	of, to := samplesOf(outcomes, f.Of), samplesOf(outcomes, f.To)
	value := measures[f.Measure]
	var values []float64
	for i := range of {
		v := value(of[i])
		if f.To != "" {
			if i >= len(to) {
				break
			}
			by := value(to[i])
			if by == 0 { // nothing to be in proportion to
				return
			}
			v /= by
		}
		values = append(values, v)
	}
	if len(values) == 0 {
		return
	}
	f.Median, f.Least, f.Most = Median(values), slices.Min(values), slices.Max(values)
	f.Verdict = f.judge()
}

func (f *Figure) judge() string {
	v := f.Median
	if f.Measure == "memory" {
		v = f.Most
	}
	switch {
	case f.AtLeast == 0 && f.AtMost == 0:
		return ""
	case f.AtLeast != 0 && v < f.AtLeast, f.AtMost != 0 && v > f.AtMost:
		return "missed"
	default:
		return "reached"
	}
}

func samplesOf(outcomes []Outcome, name string) []Sample {
	for _, o := range outcomes {
		if o.Name == name {
			return o.Samples
		}
	}
	return nil
}

// Median returns the middle of values, or the mean of the two in the middle.
func Median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	if n == 0 {
		return 0
	}
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// Save writes r as JSON, whole or not at all.
func (r *Results) Save(path string) error {
	data, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		return err
	}
	part := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".tmp")
	if err := os.WriteFile(part, append(data, '\n'), 0o644); err != nil {
		return err
	}
	return os.Rename(part, path)
}

func LoadResults(path string) (*Results, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	r := &Results{}
	if err := json.Unmarshal(data, r); err != nil {
		return nil, fmt.Errorf("bench: %s: %w", path, err)
	}
	return r, r.check(path)
}

// check demands that everything names a run that there is.
func (r *Results) check(path string) error {
	var runs []int
	for _, c := range r.Cases {
		runs = append(runs, c.Run)
	}
	for _, s := range r.Sweeps {
		runs = append(runs, s.Run)
	}
	for _, i := range runs {
		if i < 0 || i >= len(r.Runs) {
			return fmt.Errorf("bench: %s: there is no run %d of %d", path, i, len(r.Runs))
		}
	}
	return nil
}

// Missed tells which figures were not reached, as an error, or nil.
func (r *Results) Missed() error {
	var errs []error
	for _, c := range r.Cases {
		for _, f := range c.Figures {
			if f.Verdict == "missed" {
				errs = append(errs, fmt.Errorf("bench: %s: %s is %.2f", c.Name, f.Name, f.Median))
			}
		}
	}
	for _, p := range r.Pressure {
		if p.failed() {
			errs = append(errs, fmt.Errorf("bench: %s with %s, %d workers: peak of %d bytes %s", p.Input, p.Asked, p.Workers, p.Peak, p.Wrong))
		}
	}
	return errors.Join(errs...)
}
