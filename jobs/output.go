package jobs

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"sync"

	"avro2trevni/internal/exit"
	"avro2trevni/internal/storage"
	"avro2trevni/jobs/report"
)

// output is where a job's files go. Its life is
//
//	openOutput -> begin -> create, Finish, create, Finish, ... -> commit -> close
//	                                                      (or, on any error, close)
//
// Nothing appears under a final name before commit; close without commit takes
// away all that was made. One goroutine, but for create and what it returns.
type output struct {
	fs      storage.FS
	name    string
	single  bool
	replace bool
	adds    bool // to what is there
	first   int  // number of the first part file

	earlier *earlier // what is there, of an output that is added to; nil if nothing is

	log   *slog.Logger
	lock  storage.Lock // nil until there is a folder to lock in
	made  []string     // folders that this job made to lock in, the lowest first
	old   []string     // names in the folder that this job replaces
	temp  string       // the run's own folder; empty until it is needed
	begun bool         // a journal may stand that names this run's files
	ended bool         // committed

	unsettled bool // a journal may stand that names those of others

	parted string // what the names of its partitions' folders begin with; empty if it has none

	mu     sync.Mutex
	places map[int]string        // of files in folders of partitions: their names
	counts map[string]int        // of those in each folder
	kept   []report.Output       // finished before those in parts, and numbered otherwise
	parts  map[int]report.Output // the finished files
	open   map[*outFile]bool
}

func newOutput(o *Options) *output {
	return &output{
		fs: o.FS, name: storage.Clean(o.Output), single: o.single(), parted: o.folderPrefix(), log: o.Log,
		replace: o.IfExists == IfExistsReplace, adds: o.IfExists == IfExistsAppend,
		parts: map[int]report.Output{}, open: map[*outFile]bool{},
	}
}

// openOutput takes the lock if the folder for it is there already: [exit.StatusRetry]
// while another job has it. It writes nothing else.
func openOutput(o *Options) (*output, error) {
	out := newOutput(o)
	if err := out.takeLock(); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return out, nil
}

// dir returns the folder that the output's files end up in.
func (out *output) dir() string {
	if out.single {
		return storage.Dir(out.name)
	}
	return out.name
}

func (out *output) lockName() string {
	if out.single {
		return storage.Join(out.dir(), hiddenName(out.name)+lockSuffix)
	}
	return storage.Join(out.name, lockName)
}

// takeLock takes the lock; fs.ErrNotExist if there is no folder.
func (out *output) takeLock() error {
	if info, err := out.fs.Stat(out.dir()); err != nil {
		return fmt.Errorf("jobs: output %s: %w", out.name, err)
	} else if !info.IsDir() {
		return exit.Refused("%s: is a file, not a folder; an output that is one file must end in .trv", out.dir())
	}
	l, err := out.fs.Lock(out.lockName())
	switch {
	case errors.Is(err, storage.ErrLocked):
		return exit.Retry("%s: another run is writing this output: %w", out.name, err)
	case err != nil:
		return fmt.Errorf("jobs: output %s: %w", out.name, err)
	}
	out.lock = l
	return nil
}

// check refuses an output that exists where that isn't wanted. It reads only, and
// begin calls it under the lock; --dry-run without.
func (out *output) check() error {
	if out.single {
		return out.checkSingle()
	}
	entries, err := listPublished(out.fs, out.name, out.parted)
	if errors.Is(err, fs.ErrNotExist) {
		return out.noDangling()
	}
	if err != nil {
		return err
	}
	out.old = nil
	if out.earlier != nil {
		out.old = []string{successName}
	}
	for _, e := range entries {
		if e.info.IsDir() {
			return exit.Refused("%s: is a folder where a file of the output would go", storage.Join(out.name, e.name))
		}
		if out.adds {
			if err := out.checkAppend(e.name); err != nil {
				return err
			}
			continue
		}
		if !out.replace {
			return exit.Refused("%s holds %s: %w; --if-exists replace puts new files in place of the old, append adds what is new", out.name, e.name, exit.ErrExists)
		}
		out.old = append(out.old, e.name)
	}
	return nil
}

func (out *output) checkSingle() error {
	info, err := out.fs.Stat(out.name)
	switch {
	case errors.Is(err, fs.ErrNotExist) && out.replace:
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return out.noDangling()
	case err != nil:
		return fmt.Errorf("jobs: output: %w", err)
	case info.IsDir():
		return exit.Refused("%s: is a folder; an output that ends in .trv is one file", out.name)
	case !out.replace:
		return exit.Refused("%s: %w; --if-exists replace puts the new file in its place", out.name, exit.ErrExists)
	}
	return nil
}

// noDangling refuses an output whose name is there, but leads nowhere.
func (out *output) noDangling() error {
	entries, err := out.fs.ReadDir(storage.Dir(out.name))
	if err != nil {
		return ignoreMissing(err)
	}
	for _, e := range entries {
		if e.Name() == storage.Base(out.name) {
			return exit.Refused("%s: %w: a link that leads nowhere", out.name, exit.ErrExists)
		}
	}
	return nil
}

// begin locks the output, ends or undoes what a killed job left, checks that the
// output may be written, and makes the folder for this run's files.
func (out *output) begin() error {
	if out.lock == nil {
		if err := out.makeDir(); err != nil {
			return err
		}
	}
	if _, err := out.repair(); err != nil {
		return err
	}
	if err := out.check(); err != nil {
		return err
	}
	return out.makeTemp()
}

// makeDir makes the folder and locks it; another job may remove it in between, as
// it made it and has failed.
func (out *output) makeDir() error {
	const tries = 10
	var err error
	for range tries {
		if missing := out.missing(); len(missing) > len(out.made) {
			out.made = missing
		}
		if err := out.fs.MkdirAll(out.dir()); errors.Is(err, fs.ErrExist) {
			return exit.Refused("%s: cannot be made: a link that leads nowhere: %w", out.dir(), err)
		} else if err != nil {
			return fmt.Errorf("jobs: output %s: %w", out.name, err)
		}
		if err = out.takeLock(); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return err
}

// missing returns the folders that are to be made for the output, the lowest first.
func (out *output) missing() (dirs []string) {
	for dir := out.dir(); ; dir = storage.Dir(dir) {
		if _, err := out.fs.Stat(dir); !errors.Is(err, fs.ErrNotExist) || dir == storage.Dir(dir) {
			return dirs
		}
		dirs = append(dirs, dir)
	}
}

// tempDir returns the folder of this run: beside the output, hidden from readers,
// and removed with all in it when the job ends.
func (out *output) tempDir() string { return out.temp }

// create begins output file i, counted from 0, of so many bytes. Files may be written several at a
// time and finished in any order; those of 0 to n-1 are to be finished when the job
// commits. The caller calls Finish or Abort.
func (out *output) create(i int, size int64) (*outFile, error) {
	if err := out.checkNumber(out.partName(i)); err != nil {
		return nil, err
	}
	f, err := newOutFile(out, i, size)
	if err != nil {
		return nil, err
	}
	out.mu.Lock()
	defer out.mu.Unlock()
	out.open[f] = true
	return f, nil
}

// outputs returns the finished files in order, and whether they are 0 to n-1 with
// none missing or in work.
func (out *output) outputs() ([]report.Output, error) {
	out.mu.Lock()
	defer out.mu.Unlock()
	if len(out.open) > 0 {
		return nil, fmt.Errorf("jobs: %d output files are not finished", len(out.open))
	}
	all := make([]report.Output, len(out.parts))
	for i := range all {
		p, ok := out.parts[i]
		if !ok {
			return nil, fmt.Errorf("jobs: output file %d is missing", i)
		}
		all[i] = p
	}
	return all, nil
}

// discard takes back all files, finished or in work, so that the job can begin anew.
func (out *output) discard() error {
	errs := []error{out.abortOpen()}
	out.mu.Lock()
	defer out.mu.Unlock()
	for _, p := range out.parts {
		errs = append(errs, out.fs.Remove(out.staged(p.Path)))
	}
	clear(out.parts)
	clear(out.places)
	clear(out.counts)
	return errors.Join(errs...)
}

// close ends the job: temporary files go, and the lock. What was committed stays;
// what wasn't, goes. After a commit its error means left-overs, which the next run
// removes, and nothing worse. Calling it again does nothing.
func (out *output) close() error {
	if out.lock == nil {
		return nil
	}
	err := errors.Join(out.abortOpen(), out.leave())
	if lockErr := out.lock.Close(); !errors.Is(lockErr, storage.ErrLockLost) || err == nil {
		err = errors.Join(err, lockErr)
	}
	out.lock = nil
	if out.ended {
		return err
	}
	for _, dir := range out.made {
		if out.fs.Remove(dir) != nil {
			break // it stays if somebody put something in
		}
	}
	return err
}

// leave removes this run's folder, and what is left of others. A journal that could not be
// settled stays for the next run, with the files that it names; and all but the folder is
// another's affair if the lock was lost.
func (out *output) leave() error {
	if out.temp == "" {
		return nil
	}
	err := out.held()
	switch {
	case out.begun:
		return err
	case out.unsettled || err != nil:
		err = errors.Join(err, storage.RemoveAll(out.fs, out.temp))
		if !out.single {
			_ = out.fs.Remove(storage.Dir(out.temp)) // if there is no other's
		}
		return err
	}
	return out.clean(true)
}

// abortOpen aborts the files that are in work.
func (out *output) abortOpen() error {
	out.mu.Lock()
	files := make([]*outFile, 0, len(out.open))
	for f := range out.open {
		files = append(files, f)
	}
	out.mu.Unlock()
	var errs []error
	for _, f := range files {
		errs = append(errs, f.Abort())
	}
	return errors.Join(errs...)
}
