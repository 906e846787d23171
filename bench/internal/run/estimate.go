package run

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"avro2trevni/bench/internal/report"
)

// Typical is what the verbs take on a machine of two processors that is idle, for where
// no results tell.
var Typical = map[string]time.Duration{
	"convert": 15 * time.Minute, "options": 5 * time.Minute, "memory": 5 * time.Minute, "blocks": 2 * time.Minute,
	"scan": 9 * time.Minute, "scale": 4 * time.Minute, "spec": 4 * time.Minute, "hdfs": 3 * time.Minute,
	"parquet": 20 * time.Minute, "queries": 4 * time.Minute, "figures": 9 * time.Minute,
}

// TypicalQuick is what a verb takes of a quick run, about.
const TypicalQuick = 15 * time.Second

// Duration is what measuring takes, going by the last results, or 0 where they don't tell.
// todo are the cases, or none if it is of sweeps.
func (m *Measuring) Duration(todo []string) time.Duration {
	path := m.out
	if path == "" {
		path = filepath.Join("bench", "results", m.verb+".json")
	}
	last, err := report.LoadResults(path)
	if err != nil || len(todo) == 0 && len(m.Names) > 0 {
		return 0
	}
	now := m.info()
	if slices.ContainsFunc(last.Runs, func(r report.RunInfo) bool { return r.Quick != now.Quick || r.Input != now.Input }) {
		return 0
	}
	took, unknown := last.Expect(todo, m.pairs)
	if unknown > 0 {
		return 0
	}
	return took
}

// expected tells how long measuring takes.
func (m *Measuring) expected(todo []string) string {
	switch took := m.Duration(todo); {
	case took > 0:
		return fmt.Sprintf("about %s, going by the last results", Rounded(took))
	case m.Input != "":
		return report.Rounds(m.pairs) + " after one that warms up; what a round takes is seen then"
	case m.Quick:
		return fmt.Sprintf("about %s", TypicalQuick)
	case len(m.Names) > 0 || Typical[m.verb] == 0:
		return fmt.Sprintf("%s, %s after one that warms up", strings.Join(m.Names, ", "), report.Rounds(m.pairs))
	default:
		return fmt.Sprintf("about %s, on an idle machine of two processors", Rounded(Typical[m.verb]))
	}
}

// Rounded is a duration as people say it.
func Rounded(d time.Duration) string {
	if d < 2*time.Minute {
		return d.Round(time.Second).String()
	}
	return strings.TrimSuffix(d.Round(time.Minute).String(), "0s")
}
