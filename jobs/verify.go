package jobs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sort"
	"sync"

	"avro2trevni/internal/colsum"
	"avro2trevni/internal/exit"
	"avro2trevni/internal/storage"
	"avro2trevni/internal/units"
	"avro2trevni/jobs/report"
	"avro2trevni/jobs/turns"
)

// made is the digest of all columns as the mappers made them, of the splits that are
// done; or of those read back, of the files.
//
// It holds one digest for each run of splits that follow each other. Splits are begun in
// order, so there are no more runs than workers, and one.
type made struct{ runs []madeRun }

// madeRun is the splits [first, end).
type madeRun struct {
	first, end int
	columns    []colsum.Column
}

// done takes the digests of a split, in any order of splits; none if there are none. They
// are the receiver's from then on.
func (m *made) done(split int, sums []colsum.Column) {
	if sums == nil {
		return
	}
	at := sort.Search(len(m.runs), func(i int) bool { return m.runs[i].first > split })
	m.runs = slices.Insert(m.runs, at, madeRun{split, split + 1, sums})
	m.join(at)
	m.join(at - 1)
}

// join joins run i and the next, if there are those and they follow each other.
func (m *made) join(i int) {
	if i < 0 || i+1 >= len(m.runs) || m.runs[i].end != m.runs[i+1].first {
		return
	}
	for c, sum := range m.runs[i+1].columns {
		m.runs[i].columns[c] = m.runs[i].columns[c].Then(sum)
	}
	m.runs[i].end = m.runs[i+1].end
	m.runs = slices.Delete(m.runs, i+1, i+2)
}

// columns returns the digests of all splits, which are done.
func (m *made) columns() []colsum.Column {
	if len(m.runs) == 0 {
		return nil
	}
	return m.runs[0].columns
}

// verify reads the finished files back, before they are published, and compares what is
// in them with what the mappers made: each column's lengths and values, in order, and the
// number of rows.
func (j *job) verify(ctx context.Context, want *made) error {
	outs, err := j.out.Outputs()
	if err != nil {
		return err
	}
	return j.verifyFiles(ctx, outs, want)
}

// verifyFiles is verify of files of the run's folder.
func (j *job) verifyFiles(ctx context.Context, outs []report.Output, want *made) error {
	var mu sync.Mutex
	var found made
	err := turns.Each(ctx, j.memory.Workers, len(outs), func(ctx context.Context, i int) (err error) {
		defer exit.Recover(&err, outs[i].Path)
		defer j.doing.Begin("reading back %s", outs[i].Path)()
		sums, err := j.readBack(ctx, outs[i])
		if err == nil {
			mu.Lock()
			defer mu.Unlock()
			found.done(i, sums)
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("jobs: verify: %w", err)
	}
	is := found.columns()
	for c, sum := range want.columns() {
		if is[c] != sum {
			return fmt.Errorf("jobs: verify %s: column %q does not hold what was read: %+v was made, %+v is in the files",
				j.o.Output, j.table.names()[c], sum, is[c])
		}
	}
	return nil
}

// readBack returns the digests of a finished file's columns.
func (j *job) readBack(ctx context.Context, out report.Output) (sums []colsum.Column, err error) {
	path := j.staged(out.Path)
	file, err := j.o.FS.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	f := storage.Until(ctx, file)
	if err := j.sameBytes(f, path, out); err != nil {
		return nil, err
	}
	return j.table.readBack(f, path, out.Bytes, out.Rows, func(n int64) { j.o.Progress.Moved.Add(n) })
}

// sameBytes checks that a file's bytes are those that were written.
func (j *job) sameBytes(f io.ReaderAt, path string, out report.Output) error {
	sum, buf := report.NewFileDigest(), make([]byte, units.MiB)
	for at := int64(0); at < out.Bytes; {
		n, err := f.ReadAt(buf[:min(units.MiB, out.Bytes-at)], at)
		sum.Add(buf[:n])
		at += int64(n)
		j.o.Progress.Moved.Add(int64(n))
		if at < out.Bytes && (err != nil || n == 0) {
			return fmt.Errorf("read %s at %d: %w", path, at, cmp.Or(err, io.ErrNoProgress))
		}
	}
	if got := sum.Hex(); got != out.XXH64 {
		return fmt.Errorf("%s does not hold what was written to it: its digest is %s, not %s", path, got, out.XXH64)
	}
	return nil
}
