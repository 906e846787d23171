package jobs

import (
	"errors"
	"fmt"
	"sync"

	"github.com/dustin/go-humanize"

	"avro2trevni/internal/storage"
	"avro2trevni/reducer"
	"avro2trevni/shuffle"
)

// tempSpace counts the bytes in a job's temporary files, those of the shuffle and of the
// row groups being laid out, and keeps them within --temp-limit.
type tempSpace struct {
	limit int64 // 0: none

	mu        sync.Mutex
	now, most int64
}

// Take implements [shuffle.Quota].
func (s *tempSpace) Take(n int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.limit > 0 && s.now+n > s.limit {
		return fmt.Errorf("jobs: temporary files need %s more than the %s in use, and --temp-limit is %s; more --memory, or a smaller --file-size, need less",
			humanize.IBytes(uint64(n)), humanize.IBytes(uint64(s.now)), humanize.IBytes(uint64(s.limit)))
	}
	s.now += n
	s.most = max(s.most, s.now)
	return nil
}

// Give implements [shuffle.Quota].
func (s *tempSpace) Give(n int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now -= n
}

// peak returns the most bytes that there were at a time.
func (s *tempSpace) peak() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.most
}

// stageFile is a reducer's temporary file, counted.
type stageFile struct {
	reducer.TempFile
	space *tempSpace
	taken int64
}

// WriteAt implements io.WriterAt. A stage is written front to back.
func (f *stageFile) WriteAt(p []byte, off int64) (int, error) {
	if err := f.space.Take(int64(len(p))); err != nil {
		return 0, err
	}
	f.taken += int64(len(p))
	return f.TempFile.WriteAt(p, off)
}

// Close closes and removes the file.
func (f *stageFile) Close() error {
	f.space.Give(f.taken)
	return f.TempFile.Close()
}

// stageTemp returns the maker of the reducers' temporary files: in the first temporary
// folder where one can be made.
func (j *job) stageTemp() func() (reducer.TempFile, error) {
	dirs := j.tempDirs()
	return func() (reducer.TempFile, error) {
		var errs []error
		for _, dir := range dirs {
			f, err := j.o.stage(dir)()
			if err == nil {
				return &stageFile{TempFile: f, space: j.space}, nil
			}
			errs = append(errs, err)
		}
		return nil, errors.Join(errs...)
	}
}

// shuffleOptions returns those of the shuffle.
func (j *job) shuffleOptions() *shuffle.Options {
	return &shuffle.Options{
		Memory: j.memory.Shuffle, TempDirs: j.tempDirs(), Writers: j.memory.Workers, Quota: j.space, Files: j.o.spills,
		Failed: func(dir string, err error) {
			j.o.Log.Warn("a temporary folder failed; going on with the others", "dir", dir, "error", err)
		},
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
	return min(p.Bytes, limit*int64(min(workers, maxGroups)+1)+2*int64(workers)*p.SplitSize)
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
	if j.space.limit > 0 && need > j.space.limit {
		j.o.Log.Warn("temporary files may need more than --temp-limit", "estimated", need, "limit", j.space.limit)
	}
	if need > free {
		j.o.Log.Warn("temporary files may need more room than there is", "estimated", need, "free", free, "dirs", j.tempDirs())
	}
}
