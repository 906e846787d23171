package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// typical is what the verbs take on a machine of two processors that is idle, for where
// no results tell.
var typical = map[string]time.Duration{
	"convert": 15 * time.Minute, "options": 5 * time.Minute, "memory": 5 * time.Minute, "blocks": 2 * time.Minute,
	"scan": 9 * time.Minute, "scale": 4 * time.Minute, "spec": 4 * time.Minute, "hdfs": 3 * time.Minute,
}

// typicalQuick is what a verb takes of a quick run, about.
const typicalQuick = 15 * time.Second

// expect adds up what the cases named, or else all sweeps, took the last time, for as many
// rounds, and counts those that it is not known of.
func (r *results) expect(names []string, pairs int) (took time.Duration, unknown int) {
	add := func(e effort) {
		seconds := e.Seconds * float64(pairs+1) / float64(r.Runs[e.Run].Pairs+1)
		took += time.Duration(seconds * float64(time.Second))
	}
	for _, name := range names {
		i := slices.IndexFunc(r.Cases, func(c caseResult) bool { return c.Name == name && c.Seconds > 0 })
		if i < 0 {
			unknown++
			continue
		}
		add(r.Cases[i].effort)
	}
	for _, s := range r.Sweeps {
		add(s.effort)
	}
	return took, unknown
}

// duration is what measuring takes, going by the last results, or 0 where they don't tell.
// todo are the cases, or none if it is of sweeps.
func (m *measuring) duration(todo []string) time.Duration {
	path := m.out
	if path == "" {
		path = filepath.Join("bench", "results", m.verb+".json")
	}
	last, err := loadResults(path)
	if err != nil || len(todo) == 0 && len(m.names) > 0 {
		return 0
	}
	now := m.info()
	if slices.ContainsFunc(last.Runs, func(r runInfo) bool { return r.Quick != now.Quick || r.Input != now.Input }) {
		return 0
	}
	took, unknown := last.expect(todo, m.pairs)
	if unknown > 0 {
		return 0
	}
	return took
}

// expected tells how long measuring takes.
func (m *measuring) expected(todo []string) string {
	switch took := m.duration(todo); {
	case took > 0:
		return fmt.Sprintf("about %s, going by the last results", rounded(took))
	case m.input != "":
		return rounds(m.pairs) + " after one that warms up; what a round takes is seen then"
	case m.quick:
		return fmt.Sprintf("about %s", typicalQuick)
	case len(m.names) > 0 || typical[m.verb] == 0:
		return fmt.Sprintf("%s, %s after one that warms up", strings.Join(m.names, ", "), rounds(m.pairs))
	default:
		return fmt.Sprintf("about %s, on an idle machine of two processors", rounded(typical[m.verb]))
	}
}

// rounded is a duration as people say it.
func rounded(d time.Duration) string {
	if d < 2*time.Minute {
		return d.Round(time.Second).String()
	}
	return strings.TrimSuffix(d.Round(time.Minute).String(), "0s")
}
