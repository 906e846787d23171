package jobs

import (
	"errors"
	"fmt"

	"avro2trevni/internal/storage"
	"avro2trevni/jobs/report"
)

// outFile is one output file in work, under a temporary name. One of Finish and
// Abort is to be called. One goroutine at a time.
type outFile struct {
	out   *output
	index int
	name  string // final name
	path  string // where it is now
	w     storage.Writer
	sum   report.FileDigest
	bytes int64
	err   error // the first; a file that failed stays failed
	done  bool
}

func newOutFile(out *output, i int, size int64) (*outFile, error) {
	name := out.partName(i)
	if out.single {
		name = storage.Base(out.name)
	}
	path := storage.Join(out.temp, name)
	if dir := storage.Dir(path); dir != out.temp {
		if err := out.fs.MkdirAll(dir); err != nil {
			return nil, fmt.Errorf("jobs: output file: %w", err)
		}
	}
	w, err := out.fs.Create(path, size)
	if err != nil {
		return nil, fmt.Errorf("jobs: output file: %w", err)
	}
	return &outFile{out: out, index: i, name: name, path: path, w: w, sum: report.NewFileDigest()}, nil
}

// Write implements io.Writer.
func (f *outFile) Write(p []byte) (int, error) {
	if f.err != nil {
		return 0, f.err
	}
	n, err := f.w.Write(p)
	f.sum.Add(p[:n])
	f.bytes += int64(n)
	if err != nil {
		f.err = fmt.Errorf("jobs: write output file: %w", err)
	}
	return n, f.err
}

// keep keeps the finished files for commit, and returns them; those that follow may be
// numbered from elsewhere.
func (out *output) keep() ([]report.Output, error) {
	outs, err := out.outputs()
	if err != nil {
		return nil, err
	}
	out.kept = append(out.kept, outs...)
	clear(out.parts)
	return outs, nil
}

// Finish syncs and closes the file, which holds that many rows, and enters it among
// the job's outputs. On an error the file is gone.
func (f *outFile) Finish(rows int64) error {
	if f.done {
		return fmt.Errorf("jobs: %s is finished already", f.path)
	}
	if f.err == nil {
		f.err = f.w.Sync()
	}
	if f.err != nil {
		return errors.Join(f.err, f.Abort())
	}
	f.done = true
	if err := f.w.Close(); err != nil {
		f.leave()
		return errors.Join(err, f.out.fs.Remove(f.path))
	}
	out := f.out
	out.mu.Lock()
	defer out.mu.Unlock()
	delete(out.open, f)
	path := f.name
	if out.single {
		path = out.name
	}
	out.parts[f.index] = report.Output{Path: path, Rows: rows, Bytes: f.bytes, XXH64: f.sum.Hex()}
	return nil
}

// Abort closes and removes the file. After Finish or Abort it does nothing.
func (f *outFile) Abort() error {
	if f.done {
		return nil
	}
	f.done = true
	f.leave()
	return errors.Join(f.w.Close(), f.out.fs.Remove(f.path))
}

// leave takes the file off the list of those in work.
func (f *outFile) leave() {
	f.out.mu.Lock()
	defer f.out.mu.Unlock()
	delete(f.out.open, f)
}
