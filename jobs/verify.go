package jobs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"avro2trevni/internal/colsum"
	"avro2trevni/mapper"
	"avro2trevni/trevni"
)

// made is the digest of all columns as the mappers made them, of the splits that are
// done, in order.
type made struct {
	columns []colsum.Column
	next    int // the first split that is not in columns
	waiting map[int][]colsum.Column
}

// done takes a split's result, in any order of splits.
func (m *made) done(split int, r *mapper.Result) {
	if r.Sums == nil {
		return
	}
	if m.waiting == nil {
		m.waiting = map[int][]colsum.Column{}
		m.columns = make([]colsum.Column, len(r.Sums))
	}
	m.waiting[split] = r.Sums
	for sums, ok := m.waiting[m.next]; ok; sums, ok = m.waiting[m.next] {
		delete(m.waiting, m.next)
		for i := range sums {
			m.columns[i] = m.columns[i].Then(sums[i])
		}
		m.next++
	}
}

// verify reads the finished files back, before they are published, and compares what is
// in them with what the mappers made: each column's lengths and values, in order, and the
// number of rows.
func (j *job) verify(ctx context.Context, want *made) error {
	outs, err := j.out.outputs()
	if err != nil {
		return err
	}
	return j.verifyFiles(ctx, outs, want)
}

// verifyFiles is verify of files of the run's folder.
func (j *job) verifyFiles(ctx context.Context, outs []OutputReport, want *made) error {
	found := make([][]colsum.Column, len(outs))
	err := each(ctx, j.memory.Workers, len(outs), func(ctx context.Context, i int) (err error) {
		defer recoverAs(&err, outs[i].Path)
		defer j.doing.begin("reading back %s", outs[i].Path)()
		found[i], err = j.readBack(ctx, outs[i])
		return err
	})
	if err != nil {
		return fmt.Errorf("jobs: verify: %w", err)
	}
	for c := range want.columns {
		var all colsum.Column
		for i := range found {
			all = all.Then(found[i][c])
		}
		if all != want.columns[c] {
			return fmt.Errorf("jobs: verify %s: column %q does not hold what was read: %+v was made, %+v is in the files",
				j.o.Output, j.columns[c].Name, want.columns[c], all)
		}
	}
	return nil
}

// readBack returns the digests of a finished file's columns.
func (j *job) readBack(ctx context.Context, out OutputReport) (sums []colsum.Column, err error) {
	path := j.out.staged(out.Path)
	f, err := j.o.FS.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	r, err := trevni.NewReader(f, out.Bytes, &trevni.ReaderOptions{Path: path})
	if err != nil {
		return nil, err
	}
	if err := sameBytes(f, path, out); err != nil {
		return nil, err
	}
	h := r.Header()
	if len(h.Columns) != len(j.columns) || int64(h.Rows) != out.Rows {
		return nil, fmt.Errorf("%s: %d columns and %d rows, %d and %d were written", path, len(h.Columns), h.Rows, len(j.columns), out.Rows)
	}
	var buf []byte
	for c, s := range colsum.NewSummers(h.Columns) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if buf, err = sumColumn(r, c, s, buf); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		sums = append(sums, s.Column)
	}
	return sums, nil
}

// sameBytes checks that a file's bytes are those that were written.
func sameBytes(f io.ReaderAt, path string, out OutputReport) error {
	sum, buf := newFileDigest(), make([]byte, mib)
	for at := int64(0); at < out.Bytes; {
		n, err := f.ReadAt(buf[:min(mib, out.Bytes-at)], at)
		sum.add(buf[:n])
		at += int64(n)
		if at < out.Bytes && (err != nil || n == 0) {
			return fmt.Errorf("read %s at %d: %w", path, at, cmp.Or(err, io.ErrNoProgress))
		}
	}
	if got := sum.hex(); got != out.XXH64 {
		return fmt.Errorf("%s does not hold what was written to it: its digest is %s, not %s", path, got, out.XXH64)
	}
	return nil
}

// sumColumn reads a column's blocks, which checks their checksums and sizes.
func sumColumn(r *trevni.Reader, c int, s *colsum.Summer, buf []byte) ([]byte, error) {
	blocks, err := r.Blocks(c)
	for i := 0; err == nil && i < len(blocks); i++ {
		if buf, err = r.ReadBlock(c, i, buf[:0]); err == nil {
			err = s.Add(buf, int64(blocks[i].Rows))
		}
	}
	return buf, err
}
