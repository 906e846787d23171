package stages

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

// Made is the digest of all columns as the mappers made them, of the splits that are
// done; or of those read back, of the files.
//
// It holds one digest for each run of splits that follow each other. Splits are begun in
// order, so there are no more runs than workers, and one.
type Made struct{ runs []madeRun }

// madeRun is the splits [first, end).
type madeRun struct {
	first, end int
	columns    []colsum.Column
}

// Done takes the digests of a split, in any order of splits; none if there are none. They
// are the receiver's from then on.
func (m *Made) Done(split int, sums []colsum.Column) {
	if sums == nil {
		return
	}
	at := sort.Search(len(m.runs), func(i int) bool { return m.runs[i].first > split })
	m.runs = slices.Insert(m.runs, at, madeRun{split, split + 1, sums})
	m.join(at)
	m.join(at - 1)
}

// join joins run i and the next, if there are those and they follow each other.
func (m *Made) join(i int) {
	if i < 0 || i+1 >= len(m.runs) || m.runs[i].end != m.runs[i+1].first {
		return
	}
	for c, sum := range m.runs[i+1].columns {
		m.runs[i].columns[c] = m.runs[i].columns[c].Then(sum)
	}
	m.runs[i].end = m.runs[i+1].end
	m.runs = slices.Delete(m.runs, i+1, i+2)
}

// Columns returns the digests of all splits, which are done.
func (m *Made) Columns() []colsum.Column {
	if len(m.runs) == 0 {
		return nil
	}
	return m.runs[0].columns
}

// VerifyFiles reads finished files back, before they are published, and compares what is in them
// with what the mappers made: each column's lengths and values, in order, and the number of
// rows. open opens a file of that name.
func (w *Work) VerifyFiles(ctx context.Context, files []report.Output, open func(name string) (storage.File, error), want *Made) error {
	var mu sync.Mutex
	var found Made
	err := turns.Each(ctx, w.Share.Workers, len(files), func(ctx context.Context, i int) (err error) {
		defer exit.Recover(&err, files[i].Path)
		defer w.Doing.Begin("reading back %s", files[i].Path)()
		sums, err := w.ReadBack(ctx, open, files[i])
		if err == nil {
			mu.Lock()
			defer mu.Unlock()
			found.Done(i, sums)
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("jobs: verify: %w", err)
	}
	is := found.Columns()
	for c, sum := range want.Columns() {
		if is[c] != sum {
			return fmt.Errorf("jobs: verify %s: column %q does not hold what was read: %+v was made, %+v is in the files",
				w.Output, w.Table.Columns()[c].Name, sum, is[c])
		}
	}
	return nil
}

// ReadBack returns the digests of a finished file's columns.
func (w *Work) ReadBack(ctx context.Context, open func(name string) (storage.File, error), out report.Output) (sums []colsum.Column, err error) {
	path := out.Path
	file, err := open(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	f := storage.Until(ctx, file)
	if err := w.SameBytes(f, path, out); err != nil {
		return nil, err
	}
	made, err := w.Format.Open(f, path, out.Bytes)
	if err != nil {
		return nil, err
	}
	if columns := len(w.Table.Columns()); made.Columns() != columns || made.Rows() != out.Rows {
		return nil, fmt.Errorf("%s: %d columns and %d rows, %d and %d were written", path, made.Columns(), made.Rows(), columns, out.Rows)
	}
	return made.Sums(func(n int64) { w.Progress.Moved.Add(n) })
}

// SameBytes checks that a file's bytes are those that were written.
func (w *Work) SameBytes(f io.ReaderAt, path string, out report.Output) error {
	sum, buf := report.NewFileDigest(), make([]byte, units.MiB)
	for at := int64(0); at < out.Bytes; {
		n, err := f.ReadAt(buf[:min(units.MiB, out.Bytes-at)], at)
		_, _ = sum.Write(buf[:n]) // never fails
		at += int64(n)
		w.Progress.Moved.Add(int64(n))
		if at < out.Bytes && (err != nil || n == 0) {
			return fmt.Errorf("read %s at %d: %w", path, at, cmp.Or(err, io.ErrNoProgress))
		}
	}
	if got := sum.Hex(); got != out.XXH64 {
		return fmt.Errorf("%s does not hold what was written to it: its digest is %s, not %s", path, got, out.XXH64)
	}
	return nil
}
