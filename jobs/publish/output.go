package publish

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"sync"
	"time"

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
	merges  bool  // some existing ones
	there   There // the existing files
	first   int   // number of the first part file

	log   *slog.Logger
	way   way      // how files get their names
	old   []string // names in the folder that this job replaces
	ended bool     // committed
	epoch int64    // in the names of files; 0: there is none

	versions map[string]storage.Version // of the existing files, by name, if the storage has versions

	prefix string // prefix of the names of partition folders; empty if there are none

	summary  bool     // the run writes summaries
	attached []string // those that are written

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
	Merges  bool   // put files in place of some existing ones, with Adds
	Ext     string // how the names of part files end, with the dot
	Prefix  string // prefix of the names of partition folders; empty if there are none
	Summary bool   // files are attached that describe all others: see [Output.Attach]
	Log     *slog.Logger

	// Of object storage alone.
	LockedElsewhere bool          // no two runs write the output at the same time: no conditions
	Lease           time.Duration // how long the lock of a run that died stays; default [DefaultLease]

	timing *timing // of tests
}

// New returns an output without a lock, for [Output.Check] alone. It decides how files are
// published there: see [way]. An error is one of connecting to the storage.
func New(o Options) (*Output, error) {
	out := &Output{
		fs: o.FS, Name: storage.Clean(o.Name), single: o.Single, ext: o.Ext, prefix: o.Prefix, log: o.Log,
		replace: o.Replace, adds: o.Adds, merges: o.Merges, summary: o.Summary, versions: map[string]storage.Version{},
		parts: map[int]report.Output{}, open: map[*File]bool{},
	}
	objects, err := storage.AsObjects(o.FS, out.Name)
	switch {
	case err != nil:
		return nil, fmt.Errorf("jobs: output %s: %w", out.Name, err)
	case objects != nil && o.Summary:
		return nil, exit.Refused("%s: --summary replaces files when a run appends, which cannot be done on object storage", out.Name)
	case objects != nil:
		out.way = newStaging(out, objects, &o)
	default:
		out.way = &renaming{Output: out}
	}
	return out, nil
}

// Open takes the lock if the output, or the folder for it, exists. While another job has the
// lock the error is of [exit.StatusRetry]. Open writes nothing else. The context ends the
// waiting for a lock.
func Open(ctx context.Context, o Options) (*Output, error) {
	out, err := New(o)
	if err != nil {
		return nil, err
	}
	if err := out.way.open(ctx); err != nil {
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

// Check refuses an existing output if the options do not allow it. It only reads. Begin
// calls it under the lock, --dry-run without the lock.
func (out *Output) Check() error {
	if out.single {
		return out.checkSingle()
	}
	entries, err := List(out.fs, out.Name, out.prefix)
	if errors.Is(err, fs.ErrNotExist) {
		return out.way.missing()
	}
	if err != nil {
		return err
	}
	out.old = nil
	if out.there.Lists != nil {
		out.old = []string{SuccessName}
	}
	for _, e := range entries {
		out.versions[e.Name] = storage.VersionOf(e.Info)
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
	return out.checkSummaries(entries)
}

func (out *Output) checkSingle() error {
	info, err := out.fs.Stat(out.Name)
	if err == nil {
		out.versions[out.Name] = storage.VersionOf(info)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist) && out.replace:
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return out.way.missing()
	case err != nil:
		return fmt.Errorf("jobs: output: %w", err)
	case info.IsDir():
		return exit.Refused("%s: is a folder; an output that ends in %s is one file", out.Name, out.ext)
	case !out.replace:
		return exit.Refused("%s: %w; --if-exists replace puts the new file in its place", out.Name, exit.ErrExists)
	}
	return nil
}

// Begin locks the output, completes or undoes the publication of a killed job, checks that
// the output may be written, and makes the folder for this run's files.
func (out *Output) Begin(ctx context.Context) error {
	if !out.way.locked() {
		if err := out.way.prepare(ctx); err != nil {
			return err
		}
	}
	if _, err := out.Repair(); err != nil {
		return err
	}
	if err := out.Check(); err != nil {
		return err
	}
	return out.way.begin()
}

// Repair completes or undoes an interrupted publication, and removes the left-overs of
// killed jobs. It reports whether it completed one. The caller holds the lock.
func (out *Output) Repair() (published bool, err error) { return out.way.repair() }

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
func (out *Output) Locked() bool { return out.way.locked() }

// Committed reports whether all is published.
func (out *Output) Committed() bool { return out.ended }

// Replaces names the files of the output that the new ones replace.
func (out *Output) Replaces(old []string) { out.old = append(old, SuccessName) }

// StartAt sets the number of the next file.
func (out *Output) StartAt(number int) { out.first = number }

// TempDir returns the folder of this run: in or next to the output, hidden from readers,
// and removed with its contents when the job ends. It is empty if there is none, as on
// object storage.
func (out *Output) TempDir() string { return out.way.tempDir() }

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
		errs = append(errs, out.way.discard(p.Path))
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
	if !out.way.locked() {
		return nil
	}
	return out.way.close(out.abortOpen())
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
