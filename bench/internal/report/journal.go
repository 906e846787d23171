package report

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

// Journal keeps results as they come: a case is in the file before the next one begins,
// so that a run that is broken off loses the case that it was at and no more. What the
// file holds of other cases, by this run or an earlier one, stays, each with its run.
type Journal struct {
	*Results
	path   string   // of the file; "" keeps none
	order  []string // of names, in tables; others come last
	Seen   []string // names that this run has put, or passed over as measured already
	Run    int      // this one, in Runs
	Resume bool
}

// OpenJournal begins a run that adds to the results at path, or, if fresh is set, that
// shall replace them.
func OpenJournal(path string, now RunInfo, fresh, resume bool, order []string) (*Journal, error) {
	j := &Journal{Results: &Results{}, path: path, order: order, Resume: resume}
	if path != "" && !fresh {
		old, err := LoadResults(path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		if err == nil {
			j.Results = old
		}
	}
	j.Run = len(j.Runs)
	j.Runs = append(j.Runs, now)
	return j, nil
}

// Measured reports whether a case of this name was measured already as it would be now,
// and is to be passed over.
func (j *Journal) Measured(name string) bool {
	if !j.Resume || !j.Holds(name) {
		return false
	}
	fmt.Fprintf(os.Stderr, "%s: measured already, at revision %s\n", name, j.Runs[j.Run].Versions["revision"])
	j.Seen = append(j.Seen, name)
	return true
}

func (j *Journal) Holds(name string) bool {
	now := &j.Runs[j.Run]
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
func (r *RunInfo) same(s *RunInfo) bool {
	return r.Pairs == s.Pairs && r.Quick == s.Quick && r.Input == s.Input && !r.changed() && maps.Equal(r.Versions, s.Versions) &&
		r.Machine.Processor == s.Machine.Processor && r.Machine.CPUs == s.Machine.CPUs && r.Machine.Kernel == s.Machine.Kernel
}

// PutCase keeps a case, in the place of one with its name.
func (j *Journal) PutCase(c CaseResult) error {
	c.Run = j.Run
	j.Cases = append(slices.DeleteFunc(j.Cases, func(o CaseResult) bool { return o.Name == c.Name }), c)
	j.Seen = append(j.Seen, c.Name)
	return j.save()
}

// PutSweep keeps a sweep, in the place of one with its name.
func (j *Journal) PutSweep(s Sweep) error {
	s.Run = j.Run
	if i := slices.IndexFunc(j.Sweeps, func(o Sweep) bool { return o.Name == s.Name }); i >= 0 {
		j.Sweeps[i] = s
	} else {
		j.Sweeps = append(j.Sweeps, s)
	}
	j.Seen = append(j.Seen, s.Name)
	return j.save()
}

// Prune leaves out what this run has not come by: cases that there are no more.
func (j *Journal) Prune() error {
	gone := func(name string) bool { return !slices.Contains(j.Seen, name) }
	j.Cases = slices.DeleteFunc(j.Cases, func(c CaseResult) bool { return gone(c.Name) })
	j.Sweeps = slices.DeleteFunc(j.Sweeps, func(s Sweep) bool { return gone(s.Name) })
	slices.SortStableFunc(j.Sweeps, func(a, b Sweep) int {
		return cmp.Compare(slices.Index(j.Seen, a.Name), slices.Index(j.Seen, b.Name))
	})
	return j.save()
}

// save writes what there is, in order; runs of which nothing is left are left out.
func (j *Journal) save() error {
	place := func(name string) int {
		if i := slices.Index(j.order, name); i >= 0 {
			return i
		}
		return len(j.order)
	}
	slices.SortStableFunc(j.Cases, func(a, b CaseResult) int { return cmp.Compare(place(a.Name), place(b.Name)) })
	if j.path == "" {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(j.path), 0o755); err != nil {
		return err
	}
	return j.Results.Used().Save(j.path)
}

// Used is r without the runs that nothing is of.
func (r *Results) Used() *Results {
	u := &Results{Cases: slices.Clone(r.Cases), Sweeps: slices.Clone(r.Sweeps), Pressure: r.Pressure}
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

// Named is what r has under the names.
func (r *Results) Named(names []string) *Results {
	n := &Results{Runs: r.Runs}
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
