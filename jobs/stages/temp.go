package stages

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"sync"

	"avro2trevni/internal/storage"
	"avro2trevni/jobs/memory"
	"avro2trevni/reducer"
	"avro2trevni/shuffle"
)

// Temp is where a job's temporary files are made, by several stages at a time: in the first of
// its folders that has not failed. What is in them is counted.
type Temp struct {
	Dirs   []string // one at least
	Space  *memory.TempSpace
	Make   func(dir string) func() (reducer.TempFile, error) // makes those of the reducers
	Spills shuffle.Files                                     // makes the shuffle's; nil: the shuffle itself
	Log    *slog.Logger

	mu     sync.Mutex
	failed map[string]bool
}

// folders returns the folders that have not failed yet: one at least.
func (t *Temp) folders() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(t.Dirs), func(dir string) bool { return t.failed[dir] })
}

// giveUp ends the use of a folder for the rest of the job, and reports whether there is
// another; the last folder stays in use.
func (t *Temp) giveUp(dir string, err error) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !slices.ContainsFunc(t.Dirs, func(d string) bool { return d != dir && !t.failed[d] }) {
		return false
	}
	if t.failed == nil {
		t.failed = map[string]bool{}
	}
	if !t.failed[dir] {
		t.failed[dir] = true
		t.Log.Warn("a temporary folder failed; going on with the others", "dir", dir, "error", err)
	}
	return true
}

// Stage makes a temporary file of a reducer.
func (t *Temp) Stage() (reducer.TempFile, error) {
	f := &stageFile{in: t}
	return f, f.begin(0)
}

// Shuffle returns the options of a shuffle with that many writers that keeps memory bytes.
func (t *Temp) Shuffle(memory int64, writers int) *shuffle.Options {
	return &shuffle.Options{
		Memory: memory, TempDirs: t.folders(), Writers: writers, Quota: t.Space, Files: t.Spills,
		Failed: func(dir string, err error) { t.giveUp(dir, err) },
	}
}

// Check warns if the folders seem to have too little room for need bytes: an estimate is no
// reason to refuse a job.
func (t *Temp) Check(need int64) {
	free := int64(0)
	for _, dir := range t.Dirs {
		n, ok := storage.FreeBytes(dir)
		if !ok {
			return
		}
		free = max(free, n) // they may share a file system
	}
	t.Log.Debug("temporary space", "estimated", need, "free", free, "dirs", t.Dirs)
	if t.Space.Limit > 0 && need > t.Space.Limit {
		t.Log.Warn("temporary files may need more than --temp-limit", "estimated", need, "limit", t.Space.Limit)
	}
	if need > free {
		t.Log.Warn("temporary files may need more space than is free", "estimated", need, "free", free, "dirs", t.Dirs)
	}
}

// stageFile is a temporary file of a stage, counted. Where a folder fails it goes on in
// another.
type stageFile struct {
	in    *Temp
	taken int64
	mu    sync.RWMutex
	parts []stagePart // in order
}

// stagePart is what a stage's file has in one folder.
type stagePart struct {
	reducer.TempFile
	dir string
	at  int64 // where it begins in the whole
}

// WriteAt implements io.WriterAt. A stage is written front to back.
func (f *stageFile) WriteAt(p []byte, off int64) (int, error) {
	if err := f.in.Space.Take(int64(len(p))); err != nil {
		return 0, err
	}
	f.taken += int64(len(p))
	for {
		last := &f.parts[len(f.parts)-1]
		n, err := last.WriteAt(p, off-last.at)
		if err == nil || !f.in.giveUp(last.dir, err) {
			return n, err
		}
		if err := f.begin(off); err != nil {
			return 0, err
		}
	}
}

// begin makes the part that begins at an offset, in the first folder where that succeeds.
func (f *stageFile) begin(off int64) error {
	for {
		dir := f.in.folders()[0]
		file, err := f.in.Make(dir)()
		if err == nil {
			f.mu.Lock()
			f.parts = append(f.parts, stagePart{file, dir, off})
			f.mu.Unlock()
			return nil
		}
		if !f.in.giveUp(dir, err) {
			return err
		}
	}
}

// ReadAt implements io.ReaderAt, also while another part is begun.
func (f *stageFile) ReadAt(p []byte, off int64) (n int, err error) {
	f.mu.RLock()
	parts := f.parts
	f.mu.RUnlock()
	for i := range parts {
		room := p[n:]
		if i+1 < len(parts) {
			room = room[:max(0, min(int64(len(room)), parts[i+1].at-off))]
		}
		if len(room) == 0 {
			continue
		}
		k, err := parts[i].ReadAt(room, off-parts[i].at)
		n, off = n+k, off+int64(k)
		if k < len(room) {
			return n, fmt.Errorf("a temporary file in %s: %w", parts[i].dir, cmp.Or(err, io.ErrUnexpectedEOF))
		}
	}
	return n, nil
}

// Close closes and removes the file.
func (f *stageFile) Close() (err error) {
	f.in.Space.Give(f.taken)
	for i := range f.parts {
		err = errors.Join(err, f.parts[i].Close())
	}
	return err
}
