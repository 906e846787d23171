package publish

import (
	"errors"
	"fmt"

	"avro2trevni/internal/storage"
	"avro2trevni/internal/units"
	"avro2trevni/jobs/report"
)

// File is an unfinished output file, under a temporary name. The caller must call Finish or
// Abort. A File is for one goroutine at a time.
type File struct {
	out   *Output
	index int
	name  string // final name
	w     storage.Writer
	sum   *report.FileDigest
	err   error // the first; a file that failed stays failed
	done  bool

	discard func() error // removes it, after Close of w
}

func newOutFile(out *Output, i int, size int64) (*File, error) {
	name := out.PartName(i)
	if out.single {
		name = storage.Base(out.Name)
	}
	w, discard, err := out.way.create(name, size)
	if err != nil {
		return nil, fmt.Errorf("jobs: output file: %w", err)
	}
	return &File{out: out, index: i, name: name, w: w, discard: discard, sum: report.NewFileDigest()}, nil
}

// Write implements io.Writer.
func (f *File) Write(p []byte) (int, error) {
	if f.err != nil {
		return 0, f.err
	}
	n, err := f.w.Write(p)
	_, _ = f.sum.Write(p[:n]) // never fails
	if err != nil {
		f.err = fmt.Errorf("jobs: write output file: %w", err)
	}
	return n, f.err
}

// Keep keeps the finished files for Commit, and returns them. The next files may be
// numbered from another number.
func (out *Output) Keep() ([]report.Output, error) {
	outs, err := out.Outputs()
	if err != nil {
		return nil, err
	}
	out.kept = append(out.kept, outs...)
	clear(out.parts)
	return outs, nil
}

// Finish syncs and closes the file, which holds rows rows, and adds it to the job's
// outputs. On an error the file is removed.
func (f *File) Finish(rows int64) error {
	if f.done {
		return fmt.Errorf("jobs: %s is finished already", f.name)
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
		return errors.Join(err, f.discard())
	}
	out := f.out
	out.mu.Lock()
	defer out.mu.Unlock()
	delete(out.open, f)
	path := f.name
	if out.single {
		path = out.Name
	}
	out.parts[f.index] = report.Output{Path: path, Rows: rows, Bytes: f.sum.Bytes(), XXH64: f.sum.Hex()}
	return nil
}

// Abort closes and removes the file. After Finish or Abort it does nothing.
func (f *File) Abort() error {
	if f.done {
		return nil
	}
	f.done = true
	f.leave()
	return errors.Join(f.w.Close(), f.discard())
}

// leave removes the file from the list of unfinished files.
func (f *File) leave() {
	f.out.mu.Lock()
	defer f.out.mu.Unlock()
	delete(f.out.open, f)
}

// ReadBack opens a finished file that is not published yet, to verify it.
func (out *Output) ReadBack(name string) (storage.File, error) { return out.way.readBack(name) }

// KeepCopies makes the output write each file from then on also to a temporary one that make
// returns, if finished files could not be read back before they are published.
func (out *Output) KeepCopies(make func() (Copy, error)) { out.way.keepCopies(make) }

// partsAtATime is the most parts of a file that are held: one that is filled, and those on
// their way.
const partsAtATime = 5

// Parts returns how much memory a file of that size holds of its parts while it is written,
// at the least and at the most; see [Output.Hold].
func (out *Output) Parts(size int64) (least, most int64) {
	part := out.way.partSize(size)
	if size > 0 {
		size = max(size, units.MiB) // it is an estimate
		return min(part, size), min(partsAtATime*part, size)
	}
	return part, partsAtATime * part
}

// Hold sets the most bytes of parts that each file holds that is created from then on.
func (out *Output) Hold(bytes int64) { out.way.hold(bytes) }

// Adopt makes a finished file with another name in the run's folder the job's file i.
func (out *Output) Adopt(i int, from string, r report.Output) error {
	info, err := out.fs.Stat(from)
	if err != nil {
		return fmt.Errorf("jobs: output file: %w", err)
	}
	if info.Size() != r.Bytes {
		return fmt.Errorf("jobs: output file %s has %d bytes, %d were written", from, info.Size(), r.Bytes)
	}
	name := out.PartName(i)
	if err := out.checkNumber(name); err != nil {
		return err
	}
	if out.single {
		name = storage.Base(out.Name)
	}
	if err := out.way.adopt(from, name); err != nil {
		return fmt.Errorf("jobs: output file: %w", err)
	}
	if r.Path = name; out.single {
		r.Path = out.Name
	}
	out.mu.Lock()
	defer out.mu.Unlock()
	out.parts[i] = r
	return nil
}
