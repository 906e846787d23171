package jobs

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"avro2trevni/internal/storage"
)

// journal is the intent to publish, written when all files are whole and synced and
// before the first appears under its final name. Whoever finds one knows that a
// publication broke off: where nothing was replaced it is undone, for nobody trusts
// an output without _SUCCESS; where old files were being replaced it is done again
// from the start, for some of the old may be gone, and each step may be taken twice.
type journal struct {
	Run     string   `json:"run"`     // the folder in _temporary that the files are in
	Publish []string `json:"publish"` // names of the new files, without _SUCCESS
	Old     []string `json:"old"`     // names that stood in the output, _SUCCESS among them
}

// maxJournal bounds what is read as a journal: ten million names.
const maxJournal = 256 * mib

func (out *output) journalPath() string {
	return storage.Join(out.name, tempName, journalName)
}

// writeJournal makes the journal appear, whole and synced. One that could not be read again
// is not written: nobody would ever end what it begins.
func (out *output) writeJournal(j *journal) error {
	if err := j.validate(out.journalPath()); err != nil {
		return err
	}
	data, err := json.Marshal(j)
	if err != nil {
		return err
	}
	staged := storage.Join(out.temp, journalName)
	if err := storage.WriteFile(out.fs, staged, data); err != nil {
		return err
	}
	if err := out.fs.Rename(staged, out.journalPath()); err != nil {
		return err
	}
	return out.fs.SyncDir(storage.Dir(out.journalPath()))
}

// readJournal returns the journal, nil if there is none.
func (out *output) readJournal() (*journal, error) {
	data, err := storage.ReadFile(out.fs, out.journalPath(), maxJournal)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	j := new(journal)
	if err := json.Unmarshal(data, j); err != nil {
		return nil, fmt.Errorf("jobs: %s: %w", out.journalPath(), err)
	}
	return j, j.validate(out.journalPath())
}

// validate refuses names that no job of ours writes: a journal is a list of files
// to remove.
func (j *journal) validate(path string) error {
	if !runPattern.MatchString(j.Run) {
		return fmt.Errorf("jobs: %s: %q is not a run's name", path, j.Run)
	}
	for _, names := range [][]string{j.Publish, j.Old} {
		for _, name := range names {
			if !oursBelow(name) {
				return fmt.Errorf("jobs: %s: %q is not an output's name", path, name)
			}
		}
	}
	return nil
}

// publish gives the files of a journal their final names, in an order that leaves
// no moment in which a _SUCCESS stands among files that are not all its own.
func (out *output) publish(j *journal) error {
	run := storage.Join(out.name, tempName, j.Run)
	staged := storage.Join(run, successName)
	if _, err := out.fs.Stat(staged); errors.Is(err, fs.ErrNotExist) {
		return out.published()
	} else if err != nil {
		return err
	}
	if len(j.Old) > 0 && !j.small() {
		if err := out.remove([]string{successName}); err != nil {
			return err
		}
	}
	for _, dir := range folders(j.Publish) {
		if err := out.fs.MkdirAll(storage.Join(out.name, dir)); err != nil {
			return err
		}
	}
	for _, name := range j.Publish {
		if err := out.move(run, name); err != nil {
			return err
		}
	}
	if err := out.remove(superseded(j), j.Publish...); err != nil { // which syncs the new names too
		return err
	}
	if err := out.fs.Rename(staged, storage.Join(out.name, successName)); err != nil {
		return err
	}
	return out.fs.SyncDir(out.name)
}

// small reports whether a publication adds one file at most to those that are there.
// Then the old _SUCCESS may stay until the new one takes its place: nobody can see a
// part of what is added.
func (j *journal) small() bool {
	return len(j.Publish) <= 1 && len(j.Old) == 1 && j.Old[0] == successName
}

// published checks that the last step of a publication was taken.
func (out *output) published() error {
	_, err := out.fs.Stat(storage.Join(out.name, successName))
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("jobs: %s: the files it names are gone; remove it to begin anew: %w", out.journalPath(), err)
	}
	return err
}

// move gives a staged file its final name, unless an earlier attempt did.
func (out *output) move(run, name string) error {
	to := storage.Join(out.name, name)
	err := out.fs.Rename(storage.Join(run, name), to)
	if errors.Is(err, fs.ErrNotExist) {
		if _, statErr := out.fs.Stat(to); statErr == nil {
			return nil
		}
	}
	return err
}

// superseded returns the old files that no new one replaces.
func superseded(j *journal) []string {
	kept := map[string]bool{successName: true}
	for _, name := range j.Publish {
		kept[name] = true
	}
	var gone []string
	for _, name := range j.Old {
		if !kept[name] {
			gone = append(gone, name)
		}
	}
	return gone
}

// remove removes files of the output that may be gone already, and folders of partitions
// that have none left, and syncs; also the folders of others.
func (out *output) remove(names []string, others ...string) error {
	for _, name := range names {
		err := out.fs.Remove(storage.Join(out.name, name))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	for _, dir := range folders(slices.Concat(names, others)) {
		if err := out.fs.SyncDir(storage.Join(out.name, dir)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	kept := folders(others)
	for _, dir := range folders(names) {
		if !slices.Contains(kept, dir) {
			_ = out.fs.Remove(storage.Join(out.name, dir)) // if it is empty: what is not ours stays
		}
	}
	return out.fs.SyncDir(out.name)
}

// repair ends or undoes a publication that broke off, and removes what killed jobs
// left. The lock is held.
func (out *output) repair() error {
	if out.single {
		return out.clean()
	}
	if err := out.noLink(); err != nil {
		return err
	}
	j, err := out.readJournal()
	if err != nil {
		return fmt.Errorf("jobs: output %s: look for an unfinished publication: %w", out.name, err)
	}
	if j != nil {
		if err := out.settle(j); err != nil {
			return fmt.Errorf("jobs: output %s: repair an unfinished publication: %w", out.name, err)
		}
	}
	return out.clean()
}

// noLink refuses an output whose folder for temporary files is a link: a job would write
// and remove files wherever that leads.
func (out *output) noLink() error {
	entries, err := out.fs.ReadDir(out.name)
	if err != nil {
		return fmt.Errorf("jobs: output %s: %w", out.name, err)
	}
	for _, e := range entries {
		if e.Name() == tempName && e.Mode()&fs.ModeSymlink != 0 {
			return refused("%s: is a link; temporary files must stay in the output's folder", storage.Join(out.name, tempName))
		}
	}
	return nil
}

// settle ends a journal's publication, or undoes it if it was the first of the
// output and isn't complete.
func (out *output) settle(j *journal) error {
	if len(j.Old) > 0 {
		return out.publish(j)
	}
	_, err := out.fs.Stat(storage.Join(out.name, successName))
	if errors.Is(err, fs.ErrNotExist) {
		return out.remove(j.Publish)
	}
	return err
}

// clean removes the journal, then the folders of all runs: whoever holds the lock
// is the only one alive. What isn't a job's stays.
func (out *output) clean() error {
	if out.single {
		return out.cleanSingle()
	}
	temp := storage.Join(out.name, tempName)
	entries, err := out.fs.ReadDir(temp)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	err = out.fs.Remove(out.journalPath())
	if err == nil {
		err = out.fs.SyncDir(temp) // before what it tells of goes
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	var errs []error
	left := 0
	for _, e := range entries {
		switch {
		case runPattern.MatchString(e.Name()):
			errs = append(errs, storage.RemoveAll(out.fs, storage.Join(temp, e.Name())))
		case e.Name() != journalName:
			left++
		}
	}
	if err := errors.Join(errs...); err != nil || left > 0 {
		return err
	}
	return out.fs.Remove(temp)
}

func (out *output) cleanSingle() error {
	entries, err := out.fs.ReadDir(out.dir())
	if err != nil {
		return err
	}
	var errs []error
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") && isSingleTemp(out.name, e.Name()) {
			errs = append(errs, storage.RemoveAll(out.fs, storage.Join(out.dir(), e.Name())))
		}
	}
	return errors.Join(errs...)
}
