package publish

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

// Output is the place of a job's files. Its life is
//
//	Open -> Begin -> Create, Finish, Create, Finish, ... -> Commit -> Close
//	                                                      (or, on any error, close)
//
// Nothing appears under a final name before Commit; Close without Commit removes everything
// that was made. An Output is for one goroutine, except Create and the files that it
// returns.
type Output struct {
	fs      storage.FS
	Name    string
	single  bool
	ext     string
	replace bool
	adds    bool  // files to existing ones
	there   There // the existing files
	first   int   // number of the first part file

	log   *slog.Logger
	lock  storage.Lock // nil until there is a folder to lock in
	made  []string     // folders that this job made to lock in, the lowest first
	old   []string     // names in the folder that this job replaces
	temp  string       // the run's own folder; empty until it is needed
	begun bool         // there may be a journal that names this run's files
	ended bool         // committed

	unsettled bool // there may be a journal of another run

	prefix string // prefix of the names of partition folders; empty if there are none

	mu     sync.Mutex
	places map[int]string        // names of the files in partition folders
	counts map[string]int        // number of those in each folder
	kept   []report.Output       // finished before those in parts, with other numbers
	parts  map[int]report.Output // the finished files
	open   map[*File]bool
}

// Options describe an output and how files are published there.
type Options struct {
	FS      storage.FS
	Name    string // a folder, or one file
	Single  bool   // one file
	Replace bool   // replace the existing files
	Adds    bool   // add to the existing files
	Ext     string // how the names of part files end, with the dot
	Prefix  string // prefix of the names of partition folders; empty if there are none
	Log     *slog.Logger
}

func New(o Options) *Output {
	return &Output{
		fs: o.FS, Name: storage.Clean(o.Name), single: o.Single, ext: o.Ext, prefix: o.Prefix, log: o.Log,
		replace: o.Replace, adds: o.Adds,
		parts: map[int]report.Output{}, open: map[*File]bool{},
	}
}

// Open takes the lock if the folder for it exists. While another job has the lock the error
// is of [exit.StatusRetry]. Open writes nothing else.
func Open(o Options) (*Output, error) {
	out := New(o)
	if err := out.takeLock(); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return out, nil
}

// dir returns the folder that the output's files end up in.
func (out *Output) dir() string {
	if out.single {
		return storage.Dir(out.Name)
	}
	return out.Name
}

func (out *Output) lockName() string {
	if out.single {
		return storage.Join(out.dir(), HiddenName(out.Name)+lockSuffix)
	}
	return storage.Join(out.Name, LockName)
}

// takeLock takes the lock; fs.ErrNotExist if there is no folder.
func (out *Output) takeLock() error {
	if info, err := out.fs.Stat(out.dir()); err != nil {
		return fmt.Errorf("jobs: output %s: %w", out.Name, err)
	} else if !info.IsDir() {
		return exit.Refused("%s: is a file, not a folder; an output that is one file must end in .trv or .parquet", out.dir())
	}
	l, err := out.fs.Lock(out.lockName())
	switch {
	case errors.Is(err, storage.ErrLocked):
		return exit.Retry("%s: another run is writing this output: %w", out.Name, err)
	case err != nil:
		return fmt.Errorf("jobs: output %s: %w", out.Name, err)
	}
	out.lock = l
	return nil
}

// Check refuses an existing output if the options do not allow it. It only reads. Begin
// calls it under the lock, --dry-run without the lock.
func (out *Output) Check() error {
	if out.single {
		return out.checkSingle()
	}
	entries, err := List(out.fs, out.Name, out.prefix)
	if errors.Is(err, fs.ErrNotExist) {
		return out.noDangling()
	}
	if err != nil {
		return err
	}
	out.old = nil
	if out.there.Lists != nil {
		out.old = []string{SuccessName}
	}
	for _, e := range entries {
		if e.Info.IsDir() {
			return exit.Refused("%s: is a folder where a file of the output would go", storage.Join(out.Name, e.Name))
		}
		if out.adds {
			if err := out.checkListed(e.Name); err != nil {
				return err
			}
			continue
		}
		if !out.replace {
			return exit.Refused("%s holds %s: %w; --if-exists replace puts new files in place of the old, append adds what is new", out.Name, e.Name, exit.ErrExists)
		}
		out.old = append(out.old, e.Name)
	}
	return nil
}

func (out *Output) checkSingle() error {
	info, err := out.fs.Stat(out.Name)
	switch {
	case errors.Is(err, fs.ErrNotExist) && out.replace:
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return out.noDangling()
	case err != nil:
		return fmt.Errorf("jobs: output: %w", err)
	case info.IsDir():
		return exit.Refused("%s: is a folder; an output that ends in %s is one file", out.Name, out.ext)
	case !out.replace:
		return exit.Refused("%s: %w; --if-exists replace puts the new file in its place", out.Name, exit.ErrExists)
	}
	return nil
}

// noDangling refuses an output whose name is a broken link.
func (out *Output) noDangling() error {
	entries, err := out.fs.ReadDir(storage.Dir(out.Name))
	if err != nil {
		return ignoreMissing(err)
	}
	for _, e := range entries {
		if e.Name() == storage.Base(out.Name) {
			return exit.Refused("%s: %w: a link that leads nowhere", out.Name, exit.ErrExists)
		}
	}
	return nil
}

// Begin locks the output, completes or undoes the publication of a killed job, checks that
// the output may be written, and makes the folder for this run's files.
func (out *Output) Begin() error {
	if out.lock == nil {
		if err := out.makeDir(); err != nil {
			return err
		}
	}
	if _, err := out.Repair(); err != nil {
		return err
	}
	if err := out.Check(); err != nil {
		return err
	}
	return out.makeTemp()
}

// makeDir makes the folder and locks it. In between another job may remove the folder, if
// it had made the folder and failed.
func (out *Output) makeDir() error {
	const tries = 10
	var err error
	for range tries {
		if missing := out.missing(); len(missing) > len(out.made) {
			out.made = missing
		}
		if err := out.fs.MkdirAll(out.dir()); errors.Is(err, fs.ErrExist) {
			return exit.Refused("%s: cannot be made: a link that leads nowhere: %w", out.dir(), err)
		} else if err != nil {
			return fmt.Errorf("jobs: output %s: %w", out.Name, err)
		}
		if err = out.takeLock(); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return err
}

// missing returns the folders that must be made for the output, the innermost first.
func (out *Output) missing() (dirs []string) {
	for dir := out.dir(); ; dir = storage.Dir(dir) {
		if _, err := out.fs.Stat(dir); !errors.Is(err, fs.ErrNotExist) || dir == storage.Dir(dir) {
			return dirs
		}
		dirs = append(dirs, dir)
	}
}

// There describes the existing files of an output that is appended to, or compacted. The
// zero value is an output without files.
type There struct {
	Lists func(name string) bool  // whether the manifest lists a file of the output
	Next  func(folder string) int // the number of a folder's next part file
	Ext   string                  // how the names of part files end, with the dot
}

// Follows sets the existing files of the output, and the number of the next file.
func (out *Output) Follows(t There, next int) { out.there, out.first, out.ext = t, next, t.Ext }

// checkListed refuses published files that the manifest did not list when the run was
// planned: another run has written them since then.
func (out *Output) checkListed(name string) error {
	if out.there.Lists != nil && (name == SuccessName || out.there.Lists(name)) {
		return nil
	}
	return exit.Retry("%s: another run has written to this output meanwhile", storage.Join(out.Name, name))
}

// Locked reports whether this run has the lock, that is, whether there is a folder for it.
func (out *Output) Locked() bool { return out.lock != nil }

// Committed reports whether all is published.
func (out *Output) Committed() bool { return out.ended }

// Replaces names the files of the output that the new ones replace.
func (out *Output) Replaces(old []string) { out.old = append(old, SuccessName) }

// StartAt sets the number of the next file.
func (out *Output) StartAt(number int) { out.first = number }

// TempDir returns the folder of this run: in or next to the output, hidden from readers,
// and removed with its contents when the job ends.
func (out *Output) TempDir() string { return out.temp }

// Create begins output file i, counted from 0, of size bytes. Several files may be written
// at the same time, and finished in any order; when the job commits, files 0 to n-1 must be
// finished. The caller must call Finish or Abort.
func (out *Output) Create(i int, size int64) (*File, error) {
	if err := out.checkNumber(out.PartName(i)); err != nil {
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

// Outputs returns the finished files in order. It returns an error if a file of 0 to n-1 is
// missing or unfinished.
func (out *Output) Outputs() ([]report.Output, error) {
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

// Discard removes all files, finished or not, so that the job can begin again.
func (out *Output) Discard() error {
	errs := []error{out.abortOpen()}
	out.mu.Lock()
	defer out.mu.Unlock()
	for _, p := range out.parts {
		errs = append(errs, out.fs.Remove(out.Staged(p.Path)))
	}
	clear(out.parts)
	clear(out.places)
	clear(out.counts)
	return errors.Join(errs...)
}

// Close ends the job: it removes temporary files and releases the lock. Committed files
// stay; all others are removed. After a commit, an error of Close means only that
// left-overs remain, which the next run removes. Calling Close again does nothing.
func (out *Output) Close() error {
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
			break // it stays if other files are in it
		}
	}
	return err
}

// leave removes this run's folder, and left-overs of other runs. A journal that could not
// be completed or undone stays for the next run, with the files that it names. If the lock
// was lost, leave removes only the folder.
func (out *Output) leave() error {
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
			_ = out.fs.Remove(storage.Dir(out.temp)) // if no other run has one
		}
		return err
	}
	return out.clean(true)
}

// abortOpen aborts the unfinished files.
func (out *Output) abortOpen() error {
	out.mu.Lock()
	files := make([]*File, 0, len(out.open))
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
