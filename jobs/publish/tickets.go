package publish

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"golang.org/x/sync/errgroup"

	"avro2trevni/internal/exit"
	"avro2trevni/internal/storage"
	"avro2trevni/internal/units"
)

// tickets is the journal of a publication on object storage. It is written when all files are
// staged, and holds all that anyone needs to publish them. Manifests are told apart by their
// digests, because the same content may have another version when it is written again.
type tickets struct {
	Run     string           `json:"run"`
	Epoch   int64            `json:"epoch"`
	Publish []storage.Ticket `json:"publish"`       // their names are those in the output
	Gone    []oldFile        `json:"gone"`          // old files that go
	Old     string           `json:"old,omitempty"` // digest of the old manifest; none if empty
	New     string           `json:"new"`           // digest of the new one
	Keep    bool             `json:"keep"`          // the old one stays until the new one replaces it
}

// oldFile is a file that a publication removes, if it is still the same.
type oldFile struct {
	Name    string          `json:"name"`
	Version storage.Version `json:"version"`
}

// beforeName is the copy of the old manifest in a run's notes.
const beforeName = "before"

// maxManifest is the largest manifest.
const maxManifest = units.GiB

// manifest is a _SUCCESS as it stands.
type manifest struct {
	version storage.Version
	sum     string // digest; empty if there is none
	data    []byte
}

func (s *staging) loadManifest(name string) (m manifest, err error) {
	m.data, m.version, err = s.o.Load(name, maxManifest)
	if errors.Is(err, fs.ErrNotExist) {
		return manifest{}, nil
	}
	m.sum = digestOf(m.data)
	return m, err
}

func digestOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// stands returns the manifest of the output.
func (s *staging) stands() (manifest, error) {
	return s.loadManifest(storage.Join(s.Name, SuccessName))
}

// commit implements [way].
func (s *staging) commit(ctx context.Context, manifest func() ([]byte, error)) error {
	if err := s.lease.renew(); err != nil { // the lock was held since the output was looked at
		return err
	}
	if s.single {
		return s.commitSingle(ctx)
	}
	data, err := manifest()
	if err != nil {
		return err
	}
	j, err := s.journal(data)
	if err != nil {
		return err
	}
	text, err := json.Marshal(j)
	if err != nil {
		return err
	}
	if err := errors.Join(j.validate(s.notes), interrupted(ctx)); err != nil {
		return err
	}
	if err := s.lease.renew(); err != nil {
		return err
	}
	s.begun = true
	if err := s.writeJournal(text); err != nil {
		return err
	}
	_, err = s.settle(j, s.notes)
	if err != nil && !errors.Is(err, storage.ErrLockLost) && !errors.Is(err, errBack) {
		why, published := err, false
		if published, err = s.settle(j, s.notes); err == nil && published {
			s.log.Warn("publishing failed, and was then completed", "output", s.Name, "error", why)
		}
	}
	if err == nil || errors.Is(err, errBack) {
		s.begun = false // the journal can go
	}
	if err != nil {
		return err
	}
	return s.forget()
}

// forget ends what is known of files that are published.
func (s *staging) forget() error {
	var errs []error
	for _, f := range s.all() {
		if f.copy != nil {
			errs = append(errs, f.copy.Close())
		}
	}
	s.filesMu.Lock()
	defer s.filesMu.Unlock()
	clear(s.files)
	if err := errors.Join(errs...); err != nil {
		s.log.Warn("temporary files are left", "error", err)
	}
	return nil
}

// journal makes the journal, and the notes that it needs.
func (s *staging) journal(data []byte) (*tickets, error) {
	epoch, _ := s.lease.epoch()
	j := &tickets{Run: s.run, Epoch: epoch, New: digestOf(data)}
	for _, f := range s.all() {
		t := f.Ticket()
		t.Name = strings.TrimPrefix(t.Name, s.Name+"/")
		j.Publish = append(j.Publish, t)
	}
	for _, name := range s.old {
		if name != SuccessName {
			j.Gone = append(j.Gone, oldFile{name, s.versions[name]})
		}
	}
	was, err := s.stands()
	if err != nil {
		return nil, err
	}
	j.Old = was.sum
	j.Keep = s.keeps || len(j.Publish) <= 1 && len(j.Gone) == 0 // no reader can see only a part of what is added
	if s.keeps && was.sum != "" && (len(j.Gone) > 0 || len(j.Publish) > 1) {
		s.log.Warn("the storage ignores the conditions of deletions: while files are published, a reader that lists the folder may see old and new ones", "output", s.Name)
	}
	if was.sum != "" && !j.Keep {
		if _, err := s.o.Swap(storage.Join(s.notes, beforeName), storage.Any, was.data); err != nil {
			return nil, err
		}
	}
	_, err = s.o.Swap(storage.Join(s.notes, SuccessName), storage.Any, data)
	return j, err
}

// writeJournal writes the journal. Whether a request that failed was made after all is not
// known; so it is tried once more.
func (s *staging) writeJournal(text []byte) error {
	name := storage.Join(s.notes, JournalName)
	_, err := s.o.Swap(name, storage.Any, text)
	if err != nil && s.lease.held() == nil {
		_, err = s.o.Swap(name, storage.Any, text)
	}
	return err
}

// validate refuses names that convert does not write, because a journal is a list of files to
// remove.
func (j *tickets) validate(path string) error {
	if !runPattern.MatchString(j.Run) || j.New == "" {
		return fmt.Errorf("jobs: %s: %q is not a run's name", path, j.Run)
	}
	for _, t := range j.Publish {
		if t.Name == SuccessName || !IsPublishedName(t.Name) || t.Upload == "" || t.Tag == "" {
			return fmt.Errorf("jobs: %s: %q is not an output's name", path, t.Name)
		}
	}
	for _, f := range j.Gone {
		if f.Name == SuccessName || !IsPublishedName(f.Name) {
			return fmt.Errorf("jobs: %s: %q is not an output's name", path, f.Name)
		}
	}
	return nil
}

// errBack says that a publication is undone, and will not be tried again.
var errBack = errors.New("jobs: nothing was published")

// settle publishes the files of a journal, or undoes that if one of them is gone, or if
// another run has published in between. It may be called again, by any run, at any step, also
// while another run is at it. It reports whether they are published. An error of errBack says
// that they are not, and never will be.
//
//	old _SUCCESS goes, if it has to | files come | old files go | new _SUCCESS comes
//	can be undone . . . . . . . . . . . . . . . .| ended by the next run
func (s *staging) settle(j *tickets, notes string) (published bool, err error) {
	if err := s.lease.held(); err != nil {
		return false, err
	}
	now, err := s.stands()
	if err != nil {
		return false, err
	}
	if now.sum == j.New {
		return true, nil
	}
	next, err := s.loadManifest(storage.Join(notes, SuccessName))
	if err != nil {
		return false, err
	}
	if now.sum != "" && now.sum != j.Old || next.sum != j.New { // another's stands; or the notes were removed already
		return false, s.undo(j, notes, true, errors.New("another run has published in between"))
	}
	if now.sum != "" && !j.Keep {
		if err := s.o.Delete(storage.Join(s.Name, SuccessName), s.lease.cond(now.version)); err != nil {
			return false, s.whyLost(err)
		}
	}
	why := s.come(j)
	if errors.Is(why, storage.ErrGone) || errors.Is(why, storage.ErrChanged) {
		return false, s.undo(j, notes, false, why)
	}
	if why != nil {
		return false, why
	}
	if err := s.leave(j); err != nil {
		return false, err
	}
	return true, s.succeed(j, next.data)
}

// come publishes all files of a journal.
func (s *staging) come(j *tickets) error {
	return each(s.atATime, j.Publish, func(t storage.Ticket) error {
		if err := s.lease.held(); err != nil {
			return err
		}
		t.Name = storage.Join(s.Name, t.Name)
		return s.o.Publish(t, s.lease.cond(storage.None))
	})
}

// leave removes the old files of a journal, some of which may be gone already. One that another
// program has written over stays.
func (s *staging) leave(j *tickets) error {
	return each(s.atATime, j.Gone, func(f oldFile) error {
		if err := s.lease.held(); err != nil {
			return err
		}
		err := s.o.Delete(storage.Join(s.Name, f.Name), s.lease.cond(f.Version))
		if errors.Is(err, storage.ErrChanged) {
			s.log.Warn("an old file was written over meanwhile, and stays", "file", storage.Join(s.Name, f.Name))
			return nil
		}
		return err
	})
}

// each calls do for each element, several at a time, in any order, until one call fails.
func each[T any](atATime int, all []T, do func(T) error) error {
	g, ctx := errgroup.WithContext(context.Background())
	g.SetLimit(atATime)
	for _, one := range all {
		g.Go(func() error {
			if ctx.Err() != nil {
				return nil // the first error is the answer
			}
			return do(one)
		})
	}
	return g.Wait()
}

// putManifest makes a manifest the one that stands, if that has a version. It is written as an
// upload, and not at once: so it cannot come late. The next run aborts the upload before it
// begins, but could do nothing about a write that is on its way.
func (s *staging) putManifest(data []byte, old storage.Version) error {
	f, err := s.stage(s.full(SuccessName), int64(len(data)))
	if err != nil {
		return err
	}
	if _, err = f.Staged.Write(data); err == nil {
		err = f.Staged.Sync()
	}
	if err == nil {
		err = s.lease.held()
	}
	if err == nil {
		err = s.o.Publish(f.Ticket(), s.lease.cond(old))
	}
	if dropErr := s.drop(f); err == nil && dropErr != nil {
		s.log.Warn("temporary files are left", "output", s.Name, "error", dropErr) // it is published
	}
	return err
}

// succeed writes the new manifest: the commit.
func (s *staging) succeed(j *tickets, data []byte) error {
	const tries = 3
	for range tries {
		now, err := s.stands()
		switch {
		case err != nil:
			return err
		case now.sum == j.New:
			return nil
		case now.sum != "" && now.sum != j.Old: // the old one may be put back by a run that was late
			return s.whyLost(fmt.Errorf("%s: %w", storage.Join(s.Name, SuccessName), storage.ErrChanged))
		}
		err = s.putManifest(data, now.version)
		if !errors.Is(err, storage.ErrChanged) && !errors.Is(err, storage.ErrGone) {
			return err
		}
	}
	return s.whyLost(fmt.Errorf("%s: %w", storage.Join(s.Name, SuccessName), storage.ErrChanged))
}

// commitSingle ends the one upload, which is one step and needs no journal.
func (s *staging) commitSingle(ctx context.Context) error {
	all := s.all()
	if len(all) != 1 {
		return fmt.Errorf("jobs: %d files for an output of one", len(all))
	}
	if err := errors.Join(s.Check(), interrupted(ctx)); err != nil {
		return err
	}
	old := storage.None
	if s.replace {
		old = s.versions[s.Name]
	}
	err := s.o.Publish(all[0].Ticket(), s.lease.cond(old))
	if err != nil && !errors.Is(err, storage.ErrGone) && !errors.Is(err, storage.ErrChanged) {
		err = s.o.Publish(all[0].Ticket(), s.lease.cond(old)) // once more: whether it is done is not known
	}
	if errors.Is(err, storage.ErrChanged) {
		if err := errors.Join(s.lease.renew(), s.Check()); err != nil {
			return err
		}
		return exit.Retry("%s: another program has written this file meanwhile", s.Name)
	}
	if err != nil {
		return s.whyLost(err)
	}
	return s.forget()
}
