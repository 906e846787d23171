package report

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"avro2trevni/bench/internal/draw"
)

// relative is a measure over the setting, in units of it, to what it is at base; empty if
// that was not measured.
func (s *Sweep) relative(name, measure string, base, unit float64) draw.Series {
	l := s.line(name, measure)
	i := slices.IndexFunc(l.Points, func(p [2]float64) bool { return p[0] == base })
	if i < 0 || l.Points[i][1] == 0 {
		return draw.Series{}
	}
	by := l.Points[i][1]
	for i, p := range l.Points {
		l.Points[i] = [2]float64{p[0] / unit, p[1] / by}
	}
	return l
}

// line is a measure of a sweep.
func (s *Sweep) line(name, measure string) draw.Series {
	l := draw.Series{Name: name}
	for _, p := range s.Points {
		if v, found := p.Values[measure]; found {
			l.Points = append(l.Points, [2]float64{p.X, v.Median})
		}
	}
	return l
}

// Sweep is one table of measures over the settings of something.
type Sweep struct {
	Effort
	Name     string   `json:"name"`
	What     string   `json:"what"`
	Setting  string   `json:"setting"`  // what differs from point to point
	Measures []string `json:"measures"` // with their units, in the table's order
	Points   []Point  `json:"points"`
}

// Point is what was measured at one setting.
type Point struct {
	At     string                 `json:"at"`
	X      float64                `json:"x"` // the setting as a number, for a plot; 0 if it is none
	Rounds int                    `json:"rounds"`
	Values map[string]ValueSpread `json:"values"`
}

// ValueSpread is the median, least and most of a measure over the rounds.
type ValueSpread struct {
	Median float64 `json:"median"`
	Least  float64 `json:"least"`
	Most   float64 `json:"most"`
}

// Reading is one round's measures, by name.
type Reading map[string]float64

// Spreads gathers each measure over the rounds. A measure that a round lacks is left out.
func (s *Sweep) Spreads(rounds []Reading) map[string]ValueSpread {
	spreads := map[string]ValueSpread{}
	for _, name := range s.Measures {
		var values []float64
		for _, r := range rounds {
			if v, ok := r[name]; ok {
				values = append(values, v)
			}
		}
		if len(values) > 0 {
			spreads[name] = ValueSpread{Median(values), slices.Min(values), slices.Max(values)}
		}
	}
	return spreads
}

// Print writes the sweep as Markdown: medians, and the spread of times.
func (s *Sweep) Print(w io.Writer) {
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
func (v ValueSpread) cell() string {
	median, least, most := ThreeDigits(v.Median), ThreeDigits(v.Least), ThreeDigits(v.Most)
	switch {
	case v == ValueSpread{}:
		return " |"
	case least == most:
		return " " + median + " |"
	default:
		return fmt.Sprintf(" %s (%s–%s) |", median, least, most)
	}
}

// ThreeDigits prints v with three significant digits, whole if it is whole or large.
func ThreeDigits(v float64) string {
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
