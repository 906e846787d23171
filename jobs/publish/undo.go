package publish

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"avro2trevni/internal/storage"
	"avro2trevni/jobs/report"
)

// undo takes a publication back, and returns why as an error of errBack. Files that the
// manifest that stands lists stay. It is too late if old files are gone, unless another run
// published in between.
func (s *staging) undo(j *tickets, notes string, other bool, why error) error {
	if err := s.lease.unique(); err != nil { // before anything is removed; and proof that this run has the lock
		return err
	}
	if !other {
		if err := s.noneGone(j); err != nil {
			return errors.Join(err, why)
		}
	}
	err := each(s.atATime, j.Publish, func(t storage.Ticket) error {
		t.Name = storage.Join(s.Name, t.Name)
		return s.o.Withdraw(t)
	})
	if err != nil {
		return err
	}
	now, err := s.stands()
	if err != nil {
		return err
	}
	listed := namesIn(now.data)
	err = each(s.atATime, j.Publish, func(t storage.Ticket) error {
		if listed[t.Name] {
			return nil
		}
		if err := s.lease.held(); err != nil {
			return err
		}
		t.Name = storage.Join(s.Name, t.Name)
		return s.o.Retract(t)
	})
	if err != nil {
		return err
	}
	if err := s.putBack(j, notes, now); err != nil {
		return err
	}
	return fmt.Errorf("%w: %w", errBack, why)
}

// putBack puts the old manifest back, if it was removed and none stands.
func (s *staging) putBack(j *tickets, notes string, now manifest) error {
	if now.sum != "" || j.Old == "" || j.Keep {
		return nil
	}
	before, err := s.loadManifest(storage.Join(notes, beforeName))
	if err != nil || before.sum != j.Old {
		return err // or the notes were removed already: another run has done it
	}
	return s.whyLost(s.putManifest(before.data, storage.None))
}

// noneGone returns an error if an old file of a journal does not stand any more.
func (s *staging) noneGone(j *tickets) error {
	if len(j.Gone) == 0 {
		return nil
	}
	entries, err := List(s.fs, s.Name, "")
	if err != nil {
		return err
	}
	for _, f := range j.Gone {
		if !slices.ContainsFunc(entries, func(e Entry) bool { return e.Name == f.Name }) {
			return fmt.Errorf("jobs: %s: files of its publication are gone, and so are old files: remove it to begin anew", storage.Join(s.temp, j.Run, JournalName))
		}
	}
	return nil
}

// namesIn returns the names of the files that a manifest lists; none of another program's.
func namesIn(data []byte) map[string]bool {
	var m struct {
		Outputs []report.Output `json:"outputs"`
	}
	names := map[string]bool{}
	if json.Unmarshal(data, &m) == nil {
		for _, o := range m.Outputs {
			names[o.Path] = true
		}
	}
	return names
}
