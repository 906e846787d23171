package publish

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"avro2trevni/internal/exit"
	"avro2trevni/internal/storage"
	"avro2trevni/internal/units"
)

// journal is the intent to publish. It is written when all files are complete and synced,
// before the first one appears under its final name. A run that finds a journal knows that
// a publication was interrupted. The run undoes it if the old _SUCCESS still exists, or, if
// there was none, if the new one does not exist yet. Otherwise it repeats the publication
// from the start, because some of the old files may be gone; each step may be taken twice.
type journal struct {
	Run     string   `json:"run"`     // folder of the files, in _temporary
	Publish []string `json:"publish"` // names of the new files, without _SUCCESS
	Old     []string `json:"old"`     // names in the output before, _SUCCESS among them
}

// maxJournal is the largest journal that is read: ten million names.
const maxJournal = 256 * units.MiB

func (out *renaming) journalPath() string {
	return storage.Join(out.Name, TempName, JournalName)
}

// writeJournal writes the journal, complete and synced. It does not write a journal that
// could not be read again, because no run could complete the publication.
func (out *renaming) writeJournal(ctx context.Context, j *journal) error {
	if err := j.validate(out.journalPath()); err != nil {
		return err
	}
	data, err := json.Marshal(j)
	if err != nil {
		return err
	}
	staged := storage.Join(out.temp, JournalName)
	if err := storage.WriteFile(ctx, out.fs, staged, data); err != nil {
		return err
	}
	if err := interrupted(ctx); err != nil {
		return err
	}
	out.begun = true
	if err := out.reveal(staged, out.journalPath()); err != nil {
		return err
	}
	return out.fs.SyncDir(storage.Dir(out.journalPath()))
}

// readJournal returns the journal, nil if there is none.
func (out *renaming) readJournal() (*journal, error) {
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

// validate refuses names that convert does not write, because a journal is a list of files
// to remove.
func (j *journal) validate(path string) error {
	if !runPattern.MatchString(j.Run) {
		return fmt.Errorf("jobs: %s: %q is not a run's name", path, j.Run)
	}
	for _, names := range [][]string{j.Publish, j.Old} {
		for _, name := range names {
			if !IsPublishedName(name) {
				return fmt.Errorf("jobs: %s: %q is not an output's name", path, name)
			}
		}
	}
	return nil
}

// publish gives the files of a journal, which are in a run's folder, their final names. At
// no moment does a _SUCCESS exist together with files that it does not list. publish can be
// interrupted as long as it can be undone.
//
//	undone if it breaks off                 ended if it breaks off
//	folders of partitions | old _SUCCESS goes, old summaries go, new files come, old files go,
//	                        new summaries come, new _SUCCESS comes
//	... and new files come, of an output that had none before | new _SUCCESS comes
func (out *renaming) publish(ctx context.Context, j *journal, run string) error {
	staged := storage.Join(run, SuccessName)
	if there, err := out.exists(staged); err != nil {
		return err
	} else if !there {
		return out.published()
	}
	if err := out.makeFolders(ctx, j); err != nil {
		return err
	}
	if len(j.Old) > 0 {
		ctx = context.WithoutCancel(ctx)
	}
	if len(j.Old) > 0 && !j.small() {
		if err := out.retire(SuccessName); err != nil {
			return err
		}
		if err := out.fs.SyncDir(out.Name); err != nil {
			return err
		}
	}
	if err := out.retireSummaries(j, run); err != nil {
		return err
	}
	if err := forEach(ctx, withoutSummaries(j.Publish), func(name string) error { return out.move(run, name) }); err != nil {
		return err
	}
	if err := out.replaced(ctx, j); err != nil { // which syncs the new names too
		return err
	}
	if err := out.moveSummaries(j, run); err != nil {
		return err
	}
	if err := out.reveal(staged, storage.Join(out.Name, SuccessName)); err != nil {
		return err
	}
	return out.fs.SyncDir(out.Name)
}

// makeFolders makes the folders of partitions while the old output is still complete: it
// may fail, if a file has the name or the disk is full.
func (out *renaming) makeFolders(ctx context.Context, j *journal) error {
	return forEach(ctx, Folders(j.Publish), func(dir string) error {
		if err := out.held(); err != nil {
			return err
		}
		return out.fs.MkdirAll(storage.Join(out.Name, dir))
	})
}

// small reports whether a publication adds at most one file to the existing ones. Then the
// old _SUCCESS may stay until the new one replaces it: no reader can see only a part of the
// additions.
func (j *journal) small() bool {
	return len(j.Publish) <= 1 && len(j.Old) == 1 && j.Old[0] == SuccessName
}

// published checks that the last step of a publication was taken, and syncs it: the run
// that took it may have been killed before the sync.
func (out *renaming) published() error {
	_, err := out.fs.Stat(storage.Join(out.Name, SuccessName))
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("jobs: %s: the files it names are gone; remove it to begin anew: %w", out.journalPath(), err)
	}
	if err != nil {
		return err
	}
	return out.fs.SyncDir(out.Name)
}

// move gives a staged file its final name, unless an earlier attempt did.
func (out *renaming) move(run, name string) error {
	to := storage.Join(out.Name, name)
	err := out.reveal(storage.Join(run, name), to)
	if errors.Is(err, fs.ErrNotExist) {
		if _, statErr := out.fs.Stat(to); statErr == nil {
			return nil
		}
	}
	return err
}

// superseded returns the old files that no new one replaces.
func superseded(j *journal) []string {
	kept := map[string]bool{SuccessName: true}
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

// replaced removes the old files of a journal, some of which may be gone already, syncs all
// folders of its files, and removes folders of partitions that are empty.
func (out *renaming) replaced(ctx context.Context, j *journal) error {
	gone := superseded(j)
	if err := forEach(ctx, gone, out.retire); err != nil {
		return err
	}
	if err := forEach(ctx, Folders(slices.Concat(j.Publish, gone)), out.syncFolder); err != nil {
		return err
	}
	used := Folders(j.Publish)
	err := forEach(ctx, Folders(gone), func(dir string) error {
		if _, found := slices.BinarySearch(used, dir); !found {
			_ = out.fs.Remove(storage.Join(out.Name, dir)) // if it is empty: files of other programs stay
		}
		return nil
	})
	if err != nil {
		return err
	}
	return out.fs.SyncDir(out.Name)
}

// syncFolder syncs a folder of the output, if it exists.
func (out *renaming) syncFolder(dir string) error {
	return ignoreMissing(out.fs.SyncDir(storage.Join(out.Name, dir)))
}

// undo reverses the steps of a publication that can still be undone: folders that it made,
// and files that it moved to an output that had none before.
func (out *renaming) undo(j *journal) error {
	ctx := context.Background()
	if len(j.Old) == 0 {
		if err := forEach(ctx, j.Publish, out.retire); err != nil {
			return err
		}
	}
	err := forEach(ctx, Folders(j.Publish), func(dir string) error {
		if err := out.fs.Remove(storage.Join(out.Name, dir)); err == nil || len(j.Old) > 0 {
			return nil // it is gone, or has older files
		}
		return out.syncFolder(dir) // which has files of other runs
	})
	if err != nil {
		return err
	}
	return out.fs.SyncDir(out.Name)
}

// repair implements [way].
func (out *renaming) repair() (published bool, err error) {
	if out.single {
		return false, out.clean(false)
	}
	if err := out.noLink(); err != nil {
		return false, err
	}
	if there, err := out.exists(storage.Join(out.Name, TempName)); err != nil || !there {
		return false, err
	}
	out.unsettled = true
	if err := out.begin(); err != nil {
		return false, err
	}
	if err := out.takeOver(); err != nil {
		return false, fmt.Errorf("jobs: output %s: %w", out.Name, err)
	}
	j, err := out.readJournal()
	if err != nil {
		return false, fmt.Errorf("jobs: output %s: look for an unfinished publication: %w", out.Name, err)
	}
	if j != nil {
		if published, err = out.settle(j); err != nil {
			return false, fmt.Errorf("jobs: output %s: repair an unfinished publication: %w", out.Name, err)
		}
	}
	out.unsettled, out.begun = false, false
	return published, out.clean(false)
}

// noLink refuses an output whose folder for temporary files is a link, because a job would
// write and remove files at the link's target.
func (out *renaming) noLink() error {
	entries, err := out.fs.ReadDir(out.Name)
	if err != nil {
		return fmt.Errorf("jobs: output %s: %w", out.Name, err)
	}
	for _, e := range entries {
		if e.Name() == TempName && e.Mode()&fs.ModeSymlink != 0 {
			return exit.Refused("%s: is a link; temporary files must stay in the output's folder", storage.Join(out.Name, TempName))
		}
	}
	return nil
}

// settle completes a journal's publication, or undoes it if it can, and reports which.
func (out *renaming) settle(j *journal) (published bool, err error) {
	run, err := out.folderOf(j.Run)
	if err != nil {
		return false, err
	}
	begun, err := out.pastUndoing(j, run)
	if err != nil {
		return false, err
	}
	if begun {
		return true, out.publish(context.Background(), j, run)
	}
	return false, out.undo(j)
}

// pastUndoing reports whether a publication can only be completed: the first publication of
// an output if its _SUCCESS exists, and one that replaces a _SUCCESS if the old one is
// gone. A publication that adds at most one file is completed too, because that is as quick
// as undoing it. So is one that replaces files without a _SUCCESS, because its state is
// unknown.
func (out *renaming) pastUndoing(j *journal, run string) (bool, error) {
	if j.small() || len(j.Old) > 0 && !slices.Contains(j.Old, SuccessName) {
		return true, nil
	}
	there, err := out.exists(storage.Join(out.Name, SuccessName))
	if err != nil || len(j.Old) == 0 {
		return there, err
	}
	staged, err := out.exists(storage.Join(run, SuccessName))
	return !there || !staged, err // if nothing is staged, the existing one is the new one
}

func (out *renaming) exists(name string) (bool, error) {
	_, err := out.fs.Stat(name)
	return err == nil, ignoreMissing(err)
}

// clean removes the journal, then the folders of other runs, and with last also this run's
// own. Files of other programs stay.
func (out *renaming) clean(last bool) error {
	if out.single {
		return out.cleanSingle(last)
	}
	temp := storage.Join(out.Name, TempName)
	entries, err := out.fs.ReadDir(temp)
	if err != nil {
		return ignoreMissing(err)
	}
	if err := out.retire(storage.Join(TempName, JournalName)); err != nil {
		return err
	}
	if err := out.fs.SyncDir(temp); err != nil { // before the files that it names are removed
		return err
	}
	var errs []error
	left := 0
	for _, e := range entries { // listed now, so without those of a later run
		switch {
		case runPattern.MatchString(e.Name()) && (last || e.Name() != storage.Base(out.temp)):
			errs = append(errs, storage.RemoveAll(out.fs, storage.Join(temp, e.Name())))
		case e.Name() != JournalName:
			left++
		}
	}
	if err := errors.Join(errs...); err != nil || left > 0 {
		return err
	}
	return out.fs.Remove(temp)
}

// cleanSingle is clean for an output that is one file.
func (out *renaming) cleanSingle(last bool) error {
	entries, err := out.fs.ReadDir(out.dir())
	if err != nil {
		return err
	}
	if err := out.held(); err != nil { // the listed names are of earlier runs
		return err
	}
	var errs []error
	found := false
	for _, e := range entries {
		if IsSingleTemp(out.Name, e.Name()) && (last || e.Name() != storage.Base(out.temp)) {
			found = true
			errs = append(errs, storage.RemoveAll(out.fs, storage.Join(out.dir(), e.Name())))
		}
	}
	if found && !last { // a killed run may have renamed its file, without a sync
		errs = append(errs, out.fs.SyncDir(out.dir()))
	}
	return errors.Join(errs...)
}
