package report

import (
	"slices"
	"time"
)

// Expect adds up what the cases named, or else all sweeps, took the last time, for as many
// rounds, and counts those that it is not known of.
func (r *Results) Expect(names []string, pairs int) (took time.Duration, unknown int) {
	add := func(e Effort) {
		seconds := e.Seconds * float64(pairs+1) / float64(r.Runs[e.Run].Pairs+1)
		took += time.Duration(seconds * float64(time.Second))
	}
	for _, name := range names {
		i := slices.IndexFunc(r.Cases, func(c CaseResult) bool { return c.Name == name && c.Seconds > 0 })
		if i < 0 {
			unknown++
			continue
		}
		add(r.Cases[i].Effort)
	}
	for _, s := range r.Sweeps {
		add(s.Effort)
	}
	return took, unknown
}
