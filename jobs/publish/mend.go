package publish

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"avro2trevni/internal/storage"
)

// leftBy is what an earlier run left.
type leftBy struct {
	run     string
	journal bool
	uploads []string // names of its notes of uploads, below the notes
}

// repair implements [way]: it ends the publications of killed runs, or undoes them, aborts
// their uploads, and removes their notes.
//
// A run that is only late may write its journal, and end uploads, at any time until they are
// aborted. So the journals are looked for again after that.
func (s *staging) repair() (published bool, err error) {
	const rounds = 3
	for range rounds {
		left, err := s.left()
		if err != nil {
			return published, fmt.Errorf("jobs: output %s: look for an unfinished publication: %w", s.Name, err)
		}
		if len(left) == 0 {
			break
		}
		done, again, err := s.mend(left)
		published = published || done
		if err != nil {
			return published, fmt.Errorf("jobs: output %s: repair an unfinished publication: %w", s.Name, err)
		}
		if !again {
			break
		}
	}
	return published, s.abortUnnoted()
}

// left lists what other runs left.
func (s *staging) left() ([]leftBy, error) {
	runs := map[string]*leftBy{}
	err := s.o.List(s.temp, func(below string, _ fs.FileInfo) error {
		run, name, found := strings.Cut(below, "/")
		if !found || !runPattern.MatchString(run) || run == s.run {
			return nil // another program's, or this run's
		}
		if runs[run] == nil {
			runs[run] = &leftBy{run: run}
		}
		switch {
		case name == JournalName:
			runs[run].journal = true
		case strings.HasPrefix(name, "upload-"):
			runs[run].uploads = append(runs[run].uploads, name)
		}
		return nil
	})
	var all []leftBy
	for _, l := range runs {
		all = append(all, *l)
	}
	slices.SortFunc(all, func(a, b leftBy) int { return cmp.Compare(a.run, b.run) })
	return all, err
}

// mend settles what runs left, and reports whether it ended a publication, and whether a
// journal has come since they were listed.
func (s *staging) mend(left []leftBy) (published, again bool, err error) {
	manifest := s.full(SuccessName)
	if err := each(s.atATime, left, func(l leftBy) error { return s.abortNoted(l, func(name string) bool { return name == manifest }) }); err != nil {
		return false, false, err
	}
	var journals []*tickets
	for _, l := range left {
		if !l.journal {
			continue
		}
		j, err := s.readJournal(l.run)
		if err != nil {
			return false, false, err
		}
		if j != nil {
			journals = append(journals, j)
		}
	}
	slices.SortFunc(journals, func(a, b *tickets) int { return cmp.Compare(a.Epoch, b.Epoch) })
	for _, j := range journals {
		done, err := s.settle(j, storage.Join(s.temp, j.Run))
		switch {
		case errors.Is(err, errBack):
			s.log.Info("the publication of an earlier run was undone", "output", s.Name, "run", j.Run, "why", err)
		case err != nil:
			return published, false, err
		case done:
			published = true
		}
	}
	if err := each(s.atATime, left, func(l leftBy) error { return s.abortNoted(l, func(name string) bool { return name != manifest }) }); err != nil {
		return published, false, err
	}
	now, err := s.left()
	if err != nil {
		return published, false, err
	}
	for _, l := range now {
		if l.journal && !slices.ContainsFunc(journals, func(j *tickets) bool { return j.Run == l.run }) {
			return published, true, nil
		}
	}
	for _, l := range left {
		if err := s.lease.held(); err != nil {
			return published, false, err
		}
		if err := s.sweep(storage.Join(s.temp, l.run)); err != nil {
			return published, false, err
		}
	}
	return published, false, nil
}

// readJournal returns the journal of a run, nil if it is gone.
func (s *staging) readJournal(run string) (*tickets, error) {
	name := storage.Join(s.temp, run, JournalName)
	data, _, err := s.o.Load(name, maxJournal)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	j := new(tickets)
	if err := json.Unmarshal(data, j); err != nil {
		return nil, fmt.Errorf("jobs: %s: %w", name, err)
	}
	if j.Run != run {
		return nil, fmt.Errorf("jobs: %s: is the journal of %s", name, j.Run)
	}
	return j, j.validate(name)
}

// abortNoted aborts the uploads that a run noted, of some names.
func (s *staging) abortNoted(l leftBy, of func(name string) bool) error {
	for _, name := range l.uploads {
		if err := s.lease.held(); err != nil {
			return err
		}
		n, err := s.loadNote(storage.Join(s.temp, l.run, name))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		if !of(n.Name) {
			continue
		}
		if err := s.o.Withdraw(storage.Ticket{Name: n.Name, Upload: n.Upload}); err != nil {
			return err
		}
	}
	return nil
}

// abortUnnoted aborts the uploads of runs that were killed before they could note them, as
// far as the storage lists uploads.
func (s *staging) abortUnnoted() error {
	abort := func(t storage.Ticket) error {
		if !s.isOurs(t.Name) || strings.HasPrefix(t.Name, s.notes+"/") {
			return nil
		}
		if err := s.lease.held(); err != nil {
			return err
		}
		return s.o.Withdraw(t)
	}
	err := s.o.Pending(s.Name, abort)
	if err == nil && s.single {
		err = s.o.Pending(s.temp, abort)
	}
	if errors.Is(err, fs.ErrPermission) {
		s.log.Warn("the storage does not let this run list uploads: those that a killed run left stay until the storage removes them", "output", s.Name)
		return nil
	}
	return err
}
