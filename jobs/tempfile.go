package jobs

import (
	"errors"
	"slices"
	"sync"

	"avro2trevni/internal/storage"
	"avro2trevni/jobs/memory"
	"avro2trevni/reducer"
	"avro2trevni/shuffle"
)

// folders returns the temporary folders that have not failed yet: one at least.
func (j *job) folders() []string {
	j.space.Mu.Lock()
	defer j.space.Mu.Unlock()
	return slices.DeleteFunc(slices.Clone(j.tempDirs()), func(dir string) bool { return j.space.Failed[dir] })
}

// giveUp ends the use of a temporary folder for the rest of the job, and reports whether
// there is another; the last is not given up.
func (j *job) giveUp(dir string, err error) bool {
	j.space.Mu.Lock()
	defer j.space.Mu.Unlock()
	if !slices.ContainsFunc(j.tempDirs(), func(d string) bool { return d != dir && !j.space.Failed[d] }) {
		return false
	}
	if j.space.Failed == nil {
		j.space.Failed = map[string]bool{}
	}
	if !j.space.Failed[dir] {
		j.space.Failed[dir] = true
		j.o.Log.Warn("a temporary folder failed; going on with the others", "dir", dir, "error", err)
	}
	return true
}

// stageFile is a temporary file of a stage, counted. Where a folder fails it goes on in
// another.
type stageFile struct {
	j     *job
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
	if err := f.j.space.Take(int64(len(p))); err != nil {
		return 0, err
	}
	f.taken += int64(len(p))
	for {
		last := &f.parts[len(f.parts)-1]
		n, err := last.WriteAt(p, off-last.at)
		if err == nil || !f.j.giveUp(last.dir, err) {
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
		dir := f.j.folders()[0]
		file, err := f.j.o.stage(dir)()
		if err == nil {
			f.mu.Lock()
			f.parts = append(f.parts, stagePart{file, dir, off})
			f.mu.Unlock()
			return nil
		}
		if !f.j.giveUp(dir, err) {
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
			return n, err
		}
	}
	return n, nil
}

// Close closes and removes the file.
func (f *stageFile) Close() (err error) {
	f.j.space.Give(f.taken)
	for i := range f.parts {
		err = errors.Join(err, f.parts[i].Close())
	}
	return err
}

// stageTemp returns the maker of the reducers' temporary files.
func (j *job) stageTemp() func() (reducer.TempFile, error) {
	return func() (reducer.TempFile, error) {
		f := &stageFile{j: j}
		return f, f.begin(0)
	}
}

// shuffleOptions returns those of the shuffle.
func (j *job) shuffleOptions() *shuffle.Options {
	return &shuffle.Options{
		Memory: j.memory.Shuffle, TempDirs: j.folders(), Writers: j.memory.Workers, Quota: j.space, Files: j.o.spills,
		Failed: func(dir string, err error) { j.giveUp(dir, err) },
	}
}

// tempNeed estimates the most bytes in temporary files at a time: of what is mapped and
// not yet written, what memory does not hold. Rows are taken to need as much there as
// in the inputs.
func (j *job) tempNeed() int64 {
	need := j.plan.pending(j.o, j.memory.Workers)
	return max(0, need-j.memory.Shuffle)
}

// pending estimates the bytes that are mapped and not yet written, at the most: all, or
// the files being made, the next one, and the splits being mapped.
func (p *Plan) pending(o *Options, workers int) int64 {
	limit := o.fileLimit()
	if len(o.SortBy) > 0 || o.PartitionBy != "" {
		return 2 * p.Bytes // all rows, beside the files being made
	}
	if limit == 0 || limit > p.Bytes {
		return p.Bytes
	}
	return min(p.Bytes, limit*int64(min(workers, memory.MaxGroups)+1)+2*int64(workers)*p.SplitSize)
}

// checkSpace warns if the temporary folders seem to have too little room: an estimate is
// no reason to refuse a job.
func (j *job) checkSpace() {
	need := j.tempNeed()
	free := int64(0)
	for _, dir := range j.tempDirs() {
		n, ok := storage.Free(dir)
		if !ok {
			return
		}
		free = max(free, n) // they may share a file system
	}
	j.o.Log.Debug("temporary space", "estimated", need, "free", free, "dirs", j.tempDirs())
	if j.space.Limit > 0 && need > j.space.Limit {
		j.o.Log.Warn("temporary files may need more than --temp-limit", "estimated", need, "limit", j.space.Limit)
	}
	if need > free {
		j.o.Log.Warn("temporary files may need more room than there is", "estimated", need, "free", free, "dirs", j.tempDirs())
	}
}
