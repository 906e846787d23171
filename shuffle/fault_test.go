package shuffle

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"syscall"
	"testing"

	"avro2trevni/internal/tuple"
)

// errInjected is what a faulty file system fails with.
var errInjected = errors.New("injected")

// faultJob spills, merges, scans, releases and closes on one goroutine, so that its
// operations are the same each time. It returns the first error, and that of Close.
func faultJob(fs *memFiles) (work, closing error) {
	s, err := New(&Options{Memory: 150 << 10, Writers: 1, fanIn: 2, Files: fs})
	if err != nil {
		return err, nil
	}
	all := makeTuples(shape{columns: 2, tuples: 50, maxRows: 3, maxSize: 6000, seed: 3})
	work = func() error {
		w := s.NewWriter()
		for _, x := range flat(all, 8) {
			if err := put(w, x, true); err != nil {
				return err
			}
		}
		if err := w.Seal(); err != nil {
			return err
		}
		for _, col := range all {
			if err := scanSame(s, col); err != nil {
				return err
			}
		}
		s.Release(math.MaxUint64)
		return nil
	}()
	return work, s.Close()
}

// scanSame compares a column's scan with what was added.
func scanSame(s *Shuffle, col []tuple.Tuple) error {
	sc := s.Scan(col[0].Column, 0, math.MaxUint64)
	var buf []byte
	i := 0
	for ; sc.Next() && i < len(col); i++ {
		if err := same(sc, sc.Tuple(), col[i], &buf); err != nil {
			return err
		}
	}
	if err := sc.Close(); err != nil {
		return err
	}
	if i != len(col) {
		return fmt.Errorf("%d of %d tuples", i, len(col))
	}
	return nil
}

// TestEveryOperationFails fails the k-th operation of a job for every k: each comes
// back as an error, and no file stays.
func TestEveryOperationFails(t *testing.T) {
	logStride(t)
	for _, short := range []bool{false, true} {
		for k := 1; ; k += stride {
			fs := newMemFiles()
			fs.failAt, fs.err, fs.short = k, errInjected, short
			work, closing := faultJob(fs)
			if fs.ops < k {
				if work != nil || closing != nil {
					t.Fatalf("clean run: %v, %v", work, closing)
				}
				if k < 50 {
					t.Fatalf("the job has only %d operations", k)
				}
				break
			}
			err := errors.Join(work, closing)
			if err == nil || !short && !errors.Is(err, errInjected) {
				t.Fatalf("operation %d failed: %v", k, err)
			}
			if len(fs.files) > 0 || len(fs.locked) > 0 {
				t.Fatalf("operation %d failed: %d files and %d locks stay", k, len(fs.files), len(fs.locked))
			}
		}
	}
}

// TestDiskFull fills one of two temporary directories: the error names the file, all
// writers end, and the files go.
func TestDiskFull(t *testing.T) {
	fs := newMemFiles()
	fs.free, fs.err = 100<<10, syscall.ENOSPC
	s := mustNew(t, Options{Memory: 200 << 10, Writers: 3, Files: fs})
	all := makeTuples(shape{columns: 2, tuples: 1000, maxRows: 3, maxSize: 800, seed: 3})
	tuples := flat(all, 1)
	errs := make(chan error, 3)
	for range 3 {
		w := s.NewWriter()
		go func() {
			for _, x := range tuples {
				if err := put(w, x, true); err != nil {
					errs <- err
					return
				}
			}
			errs <- w.Seal()
		}()
	}
	for range 3 {
		if err := <-errs; !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "run-00") {
			t.Errorf("writer ended with %v", err)
		}
	}
	mustClose(t, s)
	if len(fs.files) > 0 {
		t.Fatalf("%d files stay", len(fs.files))
	}
}

// TestCloseWhileWriting closes under writers that wait and spill.
func TestCloseWhileWriting(t *testing.T) {
	for range 20 {
		fs := newMemFiles()
		s := mustNew(t, Options{Memory: 200 << 10, Writers: 4, fanIn: 2, Files: fs})
		tuples := flat(makeTuples(shape{columns: 2, tuples: 2000, maxRows: 3, maxSize: 800, bigSize: 20 << 10, seed: 3}), 1)
		done := make(chan error, 4)
		for k := range 4 {
			w := s.NewWriter()
			go func() {
				var err error
				for i := k; err == nil; i = (i + 1) % len(tuples) {
					err = put(w, tuples[i], true)
				}
				done <- err
			}()
		}
		for s.Counters().Spills == 0 {
		}
		mustClose(t, s)
		for range 4 {
			if err := <-done; !errors.Is(err, ErrClosed) {
				t.Fatal(err)
			}
		}
		if len(fs.files) > 0 || len(fs.locked) > 0 {
			t.Fatalf("%d files, %d locks stay", len(fs.files), len(fs.locked))
		}
	}
}

// TestDirectoryFails: where one of several directories can't be written, by its first
// file or by any, the others are used, and it is told; nothing is lost.
func TestDirectoryFails(t *testing.T) {
	for _, makes := range []bool{false, true} {
		fs := newMemFiles()
		fs.bad, fs.badMake, fs.err = "/full/", makes, syscall.ENOSPC
		var told []string
		s := mustNew(t, Options{
			Memory: 200 << 10, Writers: 1, fanIn: 3, Files: fs, TempDirs: []string{"/a", "/full", "/b"},
			Failed: func(dir string, err error) {
				if !errors.Is(err, syscall.ENOSPC) {
					t.Errorf("told of %v", err)
				}
				told = append(told, dir)
			},
		})
		all := makeTuples(shape{columns: 3, tuples: 600, maxRows: 3, maxSize: 2000, seed: 4})
		w := s.NewWriter()
		for _, x := range flat(all, 1) {
			if err := put(w, x, true); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Seal(); err != nil {
			t.Fatal(err)
		}
		compareAll(t, s, all)
		if s.Counters().Merges == 0 || len(told) != 1 || told[0] != "/full" {
			t.Errorf("%d merges, told of %v", s.Counters().Merges, told)
		}
		mustClose(t, s)
		if len(fs.files) > 0 || len(fs.locked) > 0 {
			t.Errorf("%d files and %d locks stay", len(fs.files), len(fs.locked))
		}
	}
}

// limit is a Quota that keeps account.
type limit struct {
	mu         sync.Mutex
	now, most  int64
	limit      int64
	mismatched bool
}

var errLimit = errors.New("limit")

func (l *limit) Take(n int64) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.limit > 0 && l.now+n > l.limit {
		return errLimit
	}
	l.now += n
	l.most = max(l.most, l.now)
	return nil
}

func (l *limit) Give(n int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.now -= n
	l.mismatched = l.mismatched || l.now < 0
}

// TestQuota: what is taken is what the files hold, all of it is given back, and no more
// than that is ever written.
func TestQuota(t *testing.T) {
	for _, most := range []int64{0, 300 << 10} {
		fs := newMemFiles()
		q := &limit{limit: most}
		s := mustNew(t, Options{Memory: 200 << 10, Writers: 1, fanIn: 3, Files: fs, Quota: q})
		w := s.NewWriter()
		var err error
		for _, x := range flat(makeTuples(shape{columns: 3, tuples: 400, maxRows: 3, maxSize: 3000, seed: 4}), 1) {
			if err = put(w, x, true); err != nil {
				break
			}
		}
		if want := most > 0; errors.Is(err, errLimit) != want {
			t.Errorf("limit %d: %v", most, err)
		}
		if most == 0 {
			held := int64(0)
			for _, f := range fs.files {
				held += int64(len(f.data))
			}
			if held != q.now || q.now == 0 {
				t.Errorf("%d bytes are held, %d taken", held, q.now)
			}
		}
		mustClose(t, s)
		if q.now != 0 || q.mismatched {
			t.Errorf("limit %d: %d bytes are not given back", most, q.now)
		}
	}
}
