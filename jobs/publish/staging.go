package publish

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"avro2trevni/internal/exit"
	"avro2trevni/internal/storage"
	"avro2trevni/internal/units"
)

// staging is the way to publish on object storage, which does not rename. A file is written
// as an upload to its final name, and stands there when the upload is ended, at one instant,
// if the name is free. What a run needs to end or abort uploads is noted in objects of its
// own, so that the next run can do it in its place.
//
//	OUT/.avro2trevni.lock                 the lease; stays
//	OUT/_temporary/run-X/upload-00000     note: an upload was begun. Made before its first byte
//	OUT/_temporary/run-X/_SUCCESS         the new manifest, and
//	OUT/_temporary/run-X/before           the old one, if it has to go before files come
//	OUT/_temporary/run-X/journal          the intent to publish: tickets, old files
//	OUT/part-00000.trv                    ends its upload
//	OUT/_SUCCESS                          the commit
//
// # Stale runs
//
// A run that lost its lock may make one more request, at any time, when others have done
// anything. So each request is harmless then:
//
//   - The next run aborts the uploads of earlier runs before it does anything else, or ends
//     them as their journal says. An upload ends only if its name is free.
//   - _SUCCESS is deleted and written only on the condition that it is the version that the
//     journal means.
//   - Each key below _temporary is written by one run alone; so is each name of a file, but
//     for names of files that never were there. That is why names carry the epoch, as
//     part-00003-7.trv, in an output where ever a file is removed: by a run that replaces or
//     compacts, or by one that undoes a publication. The lease holds that, and it is written
//     there before the first removal.
type staging struct {
	*Output

	o     storage.Objects
	lease *lease
	has   bool   // this run took the lock, and did not release it
	run   string // its name, see runPattern
	temp  string // where the notes of all runs are
	notes string // and of this run

	keeps bool  // _SUCCESS is not removed before files come: the storage does not heed the condition
	begun bool  // there may be a journal of this run
	held  int64 // most bytes of parts that a file being written holds; 0: as the storage likes

	atATime int // requests, of those that need no order

	copies func() (Copy, error) // makes the copies that are read back; nil: none are made

	filesMu sync.Mutex
	begunN  int              // uploads that were begun
	files   map[string]*file // by name, those begun and not dropped
}

// Copy is a temporary file. Close removes it.
type Copy interface {
	WriteAt(p []byte, off int64) (int, error)
	ReadAt(p []byte, off int64) (int, error)
	Close() error
}

// file is an upload, and its note.
type file struct {
	storage.Staged
	s    *staging
	note string
	copy Copy // nil if none is made
	size int64
}

func newStaging(out *Output, o storage.Objects, opts *Options) *staging {
	s := &staging{Output: out, o: o, run: "run-" + Random(), atATime: atATime, files: map[string]*file{}}
	s.temp = storage.Join(out.Name, TempName)
	if out.single {
		s.temp = storage.Join(out.dir(), HiddenName(out.Name)+tempSuffix)
	}
	s.notes = storage.Join(s.temp, s.run)
	s.lease = &lease{o: o, name: out.lockName(), run: s.run, outside: opts.LockedElsewhere, log: out.log, timing: newTiming(opts.Lease)}
	if opts.timing != nil {
		s.lease.timing, s.atATime = *opts.timing, 1
	}
	return s
}

// open implements [way]. The lock can be taken if there is one already, or anything else of
// the output.
func (s *staging) open(ctx context.Context) error {
	name := s.Name
	if s.single {
		name = s.lockName()
	}
	switch info, err := s.fs.Stat(name); {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("jobs: output %s: %w", s.Name, err)
	case !info.IsDir() && !s.single:
		return exit.Refused("%s: is a file, not a folder; an output that is one file must end in .trv or .parquet", s.Name)
	}
	return s.prepare(ctx)
}

// prepare implements [way]. It refuses storage that ignores conditions.
func (s *staging) prepare(ctx context.Context) error {
	switch err := s.lease.take(ctx); {
	case errors.Is(err, storage.ErrLocked):
		return exit.Retry("%s: another run is writing this output: %w", s.Name, err)
	case err != nil:
		return fmt.Errorf("jobs: output %s: %w", s.Name, err)
	}
	s.has = true
	if s.lease.outside {
		return nil
	}
	h, err := s.probe()
	if err == nil && len(h.ignored) == 0 {
		s.keeps = !h.deletes
		return nil
	}
	switch rec, _, loadErr := s.lease.load(); {
	case loadErr == nil && rec.Run != s.run: // the run that has it removed what was tried on
		err = s.lease.lostError("another run has it")
	case err != nil:
		err = fmt.Errorf("jobs: output %s: try conditional requests: %w", s.Name, err)
	default:
		err = s.refused(h)
	}
	err = s.close(err)
	if rec, _, loadErr := s.lease.load(); loadErr == nil && rec.Run == s.run && rec.State == leaseHeld && rec.Epoch == 1 {
		err = errors.Join(err, s.o.Delete(s.lease.name, storage.Any)) // it cannot be released where the right version is refused
	}
	return err
}

func (s *staging) locked() bool    { return s.has }
func (s *staging) missing() error  { return nil }
func (s *staging) tempDir() string { return "" }

func (s *staging) keepCopies(make func() (Copy, error)) { s.copies = make }
func (s *staging) partSize(size int64) int64            { return s.o.PartSize(size) }
func (s *staging) hold(bytes int64)                     { s.held = bytes }

// adopt implements [way]: only engines that work in tempDir have such files.
func (s *staging) adopt(from, _ string) error {
	return fmt.Errorf("%s: %w", from, storage.ErrUnsupported)
}

// begin implements [way]: it decides whether names carry the epoch.
func (s *staging) begin() error {
	epoch, unique := s.lease.epoch()
	if removes := s.merges || s.replace && len(s.old) > 0; removes && !unique && !s.single {
		if err := s.lease.unique(); err != nil {
			return err
		}
		unique = true
	}
	if unique {
		s.epoch = epoch
	}
	return nil
}

// full returns the whole name of a file of the output.
func (s *staging) full(name string) string {
	if s.single {
		return s.Name
	}
	return storage.Join(s.Name, name)
}

// note is what is known of an upload before its first byte.
type note struct {
	Name   string `json:"name"` // whole
	Upload string `json:"upload"`
}

// stage begins an upload to a whole name, and notes it.
func (s *staging) stage(name string, size int64) (*file, error) {
	if err := s.lease.held(); err != nil {
		return nil, err
	}
	st, err := s.o.Stage(name, storage.Staging{Size: size, Tag: Random() + Random(), Memory: s.held})
	if err != nil {
		return nil, err
	}
	s.filesMu.Lock()
	f := &file{Staged: st, s: s, note: storage.Join(s.notes, fmt.Sprintf("upload-%05d", s.begunN))}
	s.begunN++
	s.files[name] = f
	s.filesMu.Unlock()
	data, err := json.Marshal(note{name, st.Ticket().Upload})
	if err == nil {
		_, err = s.o.Swap(f.note, storage.Any, data) // no other run has the name
	}
	if err != nil {
		return nil, errors.Join(err, s.drop(f))
	}
	return f, nil
}

// drop closes a file, aborts its upload, and removes its note.
func (s *staging) drop(f *file) error {
	t := f.Ticket()
	err := errors.Join(f.Close(), s.o.Withdraw(t), s.o.Delete(f.note, storage.Any))
	if f.copy != nil {
		err = errors.Join(err, f.copy.Close())
	}
	s.filesMu.Lock()
	defer s.filesMu.Unlock()
	if s.files[t.Name] == f {
		delete(s.files, t.Name)
	}
	return err
}

// create implements [way].
func (s *staging) create(name string, size int64) (storage.Writer, func() error, error) {
	f, err := s.stage(s.full(name), size)
	if err != nil {
		return nil, nil, s.whyLost(err)
	}
	if s.copies != nil {
		if f.copy, err = s.copies(); err != nil {
			return nil, nil, errors.Join(err, s.drop(f))
		}
	}
	return f, func() error { return s.drop(f) }, nil
}

// Write implements io.Writer.
func (f *file) Write(p []byte) (int, error) {
	n, err := f.Staged.Write(p)
	if err == nil && f.copy != nil {
		_, err = f.copy.WriteAt(p[:n], f.size)
	}
	f.size += int64(n)
	return n, f.s.whyLost(err)
}

// Sync implements [storage.Writer].
func (f *file) Sync() error { return f.s.whyLost(f.Staged.Sync()) }

// whyLost adds to the error of an upload that is gone that the lock is lost, if it is: the run
// that has it aborted the upload.
func (s *staging) whyLost(err error) error {
	if !errors.Is(err, storage.ErrGone) && !errors.Is(err, storage.ErrChanged) {
		return err
	}
	if lost := s.lease.renew(); lost != nil {
		return fmt.Errorf("this run changes nothing more: %w", errors.Join(lost, err))
	}
	return err
}

// readBack implements [way]: an upload cannot be read before it is published, so what is read
// is a copy, made while it was written.
func (s *staging) readBack(name string) (storage.File, error) {
	s.filesMu.Lock()
	defer s.filesMu.Unlock()
	f := s.files[s.full(name)]
	if f == nil || f.copy == nil {
		return nil, &fs.PathError{Op: "open", Path: s.full(name), Err: fs.ErrNotExist}
	}
	return &readCopy{f.copy, name}, nil
}

// readCopy is a copy as a file that is read; it stays when it is closed.
type readCopy struct {
	Copy
	name string
}

func (r *readCopy) Close() error { return nil }

// Stat implements [storage.File]; what reads copies does not ask.
func (r *readCopy) Stat() (fs.FileInfo, error) {
	return nil, &fs.PathError{Op: "stat", Path: r.name, Err: storage.ErrUnsupported}
}

// discard implements [way].
func (s *staging) discard(name string) error {
	if s.single {
		name = ""
	}
	s.filesMu.Lock()
	f := s.files[s.full(name)]
	s.filesMu.Unlock()
	if f == nil {
		return nil
	}
	return s.drop(f)
}

// all returns the files that are begun and not dropped, by name.
func (s *staging) all() []*file {
	s.filesMu.Lock()
	defer s.filesMu.Unlock()
	var all []*file
	for _, name := range slices.Sorted(maps.Keys(s.files)) {
		all = append(all, s.files[name])
	}
	return all
}

// close implements [way]. A run that lost its lock aborts its own uploads, by their names, and
// nothing else; one that may have left a journal, nothing at all.
func (s *staging) close(err error) error {
	if !s.begun {
		err = errors.Join(err, s.dropAll(), s.sweep(s.notes))
	}
	lockErr := s.lease.release()
	s.has = false
	if errors.Is(lockErr, storage.ErrLockLost) && (s.ended || err != nil) {
		return err // which is why, or all is published
	}
	return errors.Join(err, lockErr)
}

// dropAll drops all files.
func (s *staging) dropAll() error {
	g := new(errgroup.Group)
	g.SetLimit(s.atATime)
	var mu sync.Mutex
	var errs []error
	for _, f := range s.all() {
		g.Go(func() error {
			err := s.drop(f)
			mu.Lock()
			defer mu.Unlock()
			errs = append(errs, err)
			return nil
		})
	}
	_ = g.Wait() // errs has them
	return errors.Join(errs...)
}

// sweep removes the notes of a run, the journal first: it names what the others say.
func (s *staging) sweep(notes string) error {
	var names []string
	err := s.o.List(notes, func(below string, _ fs.FileInfo) error {
		names = append(names, storage.Join(notes, below))
		return nil
	})
	if err != nil {
		return err
	}
	if i := slices.Index(names, storage.Join(notes, JournalName)); i >= 0 {
		if err := s.o.Delete(names[i], storage.Any); err != nil {
			return err
		}
		names = slices.Delete(names, i, i+1)
	}
	return each(s.atATime, names, func(name string) error { return s.o.Delete(name, storage.Any) })
}

// loadNote reads a note of a killed run.
func (s *staging) loadNote(name string) (n note, err error) {
	data, _, err := s.o.Load(name, units.MiB)
	if err != nil {
		return n, err
	}
	if err := json.Unmarshal(data, &n); err != nil || !s.isOurs(n.Name) {
		return n, fmt.Errorf("jobs: %s: is not the note of an upload", name)
	}
	return n, nil
}

// isOurs reports whether a whole name is one that a run uploads to.
func (s *staging) isOurs(name string) bool {
	if below, ok := strings.CutPrefix(name, s.temp+"/"); ok {
		run, _, _ := strings.Cut(below, "/")
		return runPattern.MatchString(run)
	}
	if s.single {
		return name == s.Name
	}
	below, ok := strings.CutPrefix(name, s.Name+"/")
	return ok && IsPublishedName(below)
}
