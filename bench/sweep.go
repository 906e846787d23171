package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
)

// sweep is one table of measures over the settings of something.
type sweep struct {
	effort
	Name     string   `json:"name"`
	What     string   `json:"what"`
	Setting  string   `json:"setting"`  // what differs from point to point
	Measures []string `json:"measures"` // with their units, in the table's order
	Points   []point  `json:"points"`
}

// point is what was measured at one setting.
type point struct {
	At     string                 `json:"at"`
	X      float64                `json:"x"` // the setting as a number, for a plot; 0 if it is none
	Rounds int                    `json:"rounds"`
	Values map[string]valueSpread `json:"values"`
}

// valueSpread is the median, least and most of a measure over the rounds.
type valueSpread struct {
	Median float64 `json:"median"`
	Least  float64 `json:"least"`
	Most   float64 `json:"most"`
}

// reading is one round's measures, by name.
type reading map[string]float64

// setting is a point that is yet to be measured.
type setting struct {
	at   string
	x    float64
	turn func(ctx context.Context) (reading, error)
}

// run measures the settings in turn, A B C A B C, after one round that isn't counted.
// How many rounds a setting has depends on the seconds that it took in that; one that has
// none has that one counted.
func (s *sweep) run(ctx context.Context, roundsOf func(seconds float64) int, settings []setting) error {
	all, due := make([][]reading, len(settings)), make([]int, len(settings))
	fmt.Fprintf(os.Stderr, "%s: warming up\n", s.Name)
	for i, x := range settings {
		start := time.Now()
		got, err := x.read(ctx, s.Name)
		if err != nil {
			return err
		}
		if due[i] = roundsOf(time.Since(start).Seconds()); due[i] == 0 {
			all[i] = append(all[i], got)
		}
	}
	for round := range slices.Max(append(due, 0)) {
		fmt.Fprintf(os.Stderr, "%s: round %d of %d\n", s.Name, round+1, slices.Max(due))
		for i, x := range settings {
			if round >= due[i] {
				continue
			}
			got, err := x.read(ctx, s.Name)
			if err != nil {
				return err
			}
			all[i] = append(all[i], got)
		}
	}
	for i, x := range settings {
		s.Points = append(s.Points, point{At: x.at, X: x.x, Rounds: len(all[i]), Values: s.spreads(all[i])})
	}
	return nil
}

// read measures once.
func (x *setting) read(ctx context.Context, sweep string) (reading, error) {
	got, err := x.turn(ctx)
	if err != nil {
		return nil, fmt.Errorf("bench: %s at %s: %w", sweep, x.at, err)
	}
	return got, nil
}

// spreads gathers each measure over the rounds. A measure that a round lacks is left out.
func (s *sweep) spreads(rounds []reading) map[string]valueSpread {
	spreads := map[string]valueSpread{}
	for _, name := range s.Measures {
		var values []float64
		for _, r := range rounds {
			if v, ok := r[name]; ok {
				values = append(values, v)
			}
		}
		if len(values) > 0 {
			spreads[name] = valueSpread{median(values), slices.Min(values), slices.Max(values)}
		}
	}
	return spreads
}

// print writes the sweep as Markdown: medians, and the spread of times.
func (s *sweep) print(w io.Writer) {
	fmt.Fprintf(w, "%s:\n\n| %s | %s | rounds |\n| --- |%s ---: |\n", s.What, s.Setting, strings.Join(s.Measures, " | "),
		strings.Repeat(" ---: |", len(s.Measures)))
	for _, p := range s.Points {
		fmt.Fprintf(w, "| %s |", p.At)
		for _, name := range s.Measures {
			fmt.Fprint(w, p.Values[name].cell())
		}
		fmt.Fprintf(w, " %d |\n", p.Rounds)
	}
	fmt.Fprintln(w)
}

// cell is a measure in a table: empty if there is none, its median alone where all rounds
// agree to three digits.
func (v valueSpread) cell() string {
	median, least, most := threeDigits(v.Median), threeDigits(v.Least), threeDigits(v.Most)
	switch {
	case v == valueSpread{}:
		return " |"
	case least == most:
		return " " + median + " |"
	default:
		return fmt.Sprintf(" %s (%s–%s) |", median, least, most)
	}
}

// threeDigits prints v with three significant digits, whole if it is whole or large.
func threeDigits(v float64) string {
	switch abs := max(v, -v); {
	case abs >= 100 || v == math.Trunc(v):
		return fmt.Sprintf("%.0f", v)
	case abs >= 10:
		return fmt.Sprintf("%.1f", v)
	case abs >= 1:
		return fmt.Sprintf("%.2f", v)
	case abs >= 0.1:
		return fmt.Sprintf("%.3f", v)
	default:
		return fmt.Sprintf("%.3g", v)
	}
}

// mustBytes parses a size that this program's source states.
func mustBytes(size string) float64 {
	n, err := humanize.ParseBytes(size)
	if err != nil {
		panic(err)
	}
	return float64(n)
}
