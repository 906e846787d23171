package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// journal keeps results as they come: a case is in the file before the next one begins,
// so that a run that is broken off loses the case that it was at and no more. What the
// file holds of other cases, by this run or an earlier one, stays, each with its run.
type journal struct {
	*results
	path   string   // of the file; "" keeps none
	order  []string // of names, in tables; others come behind
	seen   []string // names that this run has put, or passed over as measured already
	run    int      // this one, in Runs
	resume bool
}

// openJournal begins a run that adds to the results at path, or, if fresh is set, that
// shall replace them.
func openJournal(path string, now runInfo, fresh, resume bool, order []string) (*journal, error) {
	j := &journal{results: &results{}, path: path, order: order, resume: resume}
	if path != "" && !fresh {
		old, err := loadResults(path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		if err == nil {
			j.results = old
		}
	}
	j.run = len(j.Runs)
	j.Runs = append(j.Runs, now)
	return j, nil
}

// measured reports whether a case of this name was measured already as it would be now,
// and is to be passed over.
func (j *journal) measured(name string) bool {
	if !j.resume || !j.holds(name) {
		return false
	}
	fmt.Fprintf(os.Stderr, "%s: measured already, at revision %s\n", name, j.Runs[j.run].Versions["revision"])
	j.seen = append(j.seen, name)
	return true
}

func (j *journal) holds(name string) bool {
	now := &j.Runs[j.run]
	for _, c := range j.Cases {
		if c.Name == name {
			return c.Seconds > 0 && j.Runs[c.Run].same(now)
		}
	}
	for _, s := range j.Sweeps {
		if s.Name == name {
			return j.Runs[s.Run].same(now)
		}
	}
	return false
}

// same reports whether two runs measure the same program in the same way: on machines
// that are alike, at one revision, without changes to it that nothing tells apart.
func (r *runInfo) same(s *runInfo) bool {
	return r.Pairs == s.Pairs && r.Quick == s.Quick && r.Input == s.Input && !r.changed() && maps.Equal(r.Versions, s.Versions) &&
		r.Machine.Processor == s.Machine.Processor && r.Machine.CPUs == s.Machine.CPUs && r.Machine.Kernel == s.Machine.Kernel
}

// putCase keeps a case, in the place of one with its name.
func (j *journal) putCase(c caseResult) error {
	c.Run = j.run
	j.Cases = append(slices.DeleteFunc(j.Cases, func(o caseResult) bool { return o.Name == c.Name }), c)
	j.seen = append(j.seen, c.Name)
	return j.save()
}

// putSweep keeps a sweep, in the place of one with its name.
func (j *journal) putSweep(s sweep) error {
	s.Run = j.run
	if i := slices.IndexFunc(j.Sweeps, func(o sweep) bool { return o.Name == s.Name }); i >= 0 {
		j.Sweeps[i] = s
	} else {
		j.Sweeps = append(j.Sweeps, s)
	}
	j.seen = append(j.seen, s.Name)
	return j.save()
}

// prune leaves out what this run has not come by: cases that there are no more.
func (j *journal) prune() error {
	gone := func(name string) bool { return !slices.Contains(j.seen, name) }
	j.Cases = slices.DeleteFunc(j.Cases, func(c caseResult) bool { return gone(c.Name) })
	j.Sweeps = slices.DeleteFunc(j.Sweeps, func(s sweep) bool { return gone(s.Name) })
	slices.SortStableFunc(j.Sweeps, func(a, b sweep) int {
		return cmp.Compare(slices.Index(j.seen, a.Name), slices.Index(j.seen, b.Name))
	})
	return j.save()
}

// save writes what there is, in order; runs of which nothing is left are left out.
func (j *journal) save() error {
	place := func(name string) int {
		if i := slices.Index(j.order, name); i >= 0 {
			return i
		}
		return len(j.order)
	}
	slices.SortStableFunc(j.Cases, func(a, b caseResult) int { return cmp.Compare(place(a.Name), place(b.Name)) })
	if j.path == "" {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(j.path), 0o755); err != nil {
		return err
	}
	return j.results.used().save(j.path)
}

// used is r without the runs that nothing is of.
func (r *results) used() *results {
	u := &results{Cases: slices.Clone(r.Cases), Sweeps: slices.Clone(r.Sweeps), Pressure: r.Pressure}
	places := map[int]int{}
	keep := func(run *int) {
		if _, found := places[*run]; !found {
			places[*run] = len(u.Runs)
			u.Runs = append(u.Runs, r.Runs[*run])
		}
		*run = places[*run]
	}
	for i := range u.Cases {
		keep(&u.Cases[i].Run)
	}
	for i := range u.Sweeps {
		keep(&u.Sweeps[i].Run)
	}
	return u
}

// named is what r has under the names.
func (r *results) named(names []string) *results {
	n := &results{Runs: r.Runs}
	for _, c := range r.Cases {
		if slices.Contains(names, c.Name) {
			n.Cases = append(n.Cases, c)
		}
	}
	for _, s := range r.Sweeps {
		if slices.Contains(names, s.Name) {
			n.Sweeps = append(n.Sweeps, s)
		}
	}
	return n
}
