package reducer

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"testing"

	"pgregory.net/rapid"
)

// faulty is a temporary file in memory whose n-th operation fails, and that can be
// damaged.
type faulty struct {
	data  []byte
	after int // operations before the failure; -1: none
	open  int
}

var errFault = errors.New("fault")

func (f *faulty) step() error {
	if f.after == 0 {
		return errFault
	}
	f.after--
	return nil
}

func (f *faulty) temp() (TempFile, error) {
	if err := f.step(); err != nil {
		return nil, err
	}
	f.open++
	return f, nil
}

func (f *faulty) WriteAt(p []byte, off int64) (int, error) {
	if err := f.step(); err != nil {
		return len(p) / 2, err
	}
	f.data = append(f.data[:off], p...)
	return len(p), nil
}

func (f *faulty) ReadAt(p []byte, off int64) (int, error) {
	if err := f.step(); err != nil {
		return 0, err
	}
	if off >= int64(len(f.data)) {
		return 0, io.EOF
	}
	n := copy(p, f.data[off:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

func (f *faulty) Close() error {
	f.open--
	return f.step()
}

// blocks returns random blocks.
func blocks(r *rand.Rand, n, size int) [][]byte {
	all := make([][]byte, n)
	for i := range all {
		all[i] = make([]byte, r.IntN(size+1))
		for k := range all[i] {
			all[i][k] = byte(r.Uint32())
		}
	}
	return all
}

func TestStageGivesBackWhatWasPut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 3))
		limit := rapid.SampledFrom([]int64{1, 10_000, 1 << 20}).Draw(t, "limit")
		most := rapid.SampledFrom([]int{0, 10, 9000}).Draw(t, "size")
		f := &faulty{after: -1}
		s := newStage(limit, f.temp)
		all := blocks(r, rapid.IntRange(0, 60).Draw(t, "blocks"), most)
		var refs []ref
		for _, b := range all {
			at, err := s.put(b)
			if err != nil {
				t.Fatal(err)
			}
			refs = append(refs, at)
			if bound := limit + int64(max(s.unit, most+sumBytes)); s.memory() > bound {
				t.Fatalf("%d bytes in memory, the bound is %d", s.memory(), bound)
			}
		}
		for _, i := range r.Perm(len(all)) {
			got, err := s.get(make([]byte, 0, 16), refs[i], len(all[i]))
			if err != nil || !bytes.Equal(got, all[i]) {
				t.Fatalf("block %d: %x, %v, want %x", i, got, err, all[i])
			}
		}
		if err := s.close(); err != nil || f.open != 0 {
			t.Fatalf("close: %v, %d files open", err, f.open)
		}
	})
}

func TestStageReportsEveryFault(t *testing.T) {
	all := blocks(rand.New(rand.NewPCG(1, 1)), 20, 3000)
	use := func(f *faulty) (err error) {
		s := newStage(1, f.temp)
		defer func() { err = errors.Join(err, s.close()) }()
		var refs []ref
		for _, b := range all {
			at, err := s.put(b)
			if err != nil {
				if _, again := s.put(b); !errors.Is(again, errFault) {
					t.Errorf("a stage that failed goes on with %v", again)
				}
				return err
			}
			refs = append(refs, at)
		}
		for i, b := range all {
			if got, err := s.get(nil, refs[i], len(b)); err != nil {
				return err
			} else if !bytes.Equal(got, b) {
				t.Errorf("block %d differs", i)
			}
		}
		return nil
	}
	for n := 0; ; n++ {
		f := &faulty{after: n}
		err := use(f)
		if f.open != 0 {
			t.Fatalf("fault %d leaves the file open", n)
		}
		if err == nil {
			if n < 10 {
				t.Fatalf("only %d operations", n)
			}
			return
		}
		if !errors.Is(err, errFault) {
			t.Fatalf("fault %d: %v", n, err)
		}
	}
}

func TestStageNoticesDamage(t *testing.T) {
	f := &faulty{after: -1}
	s := newStage(1, f.temp)
	all := [][]byte{bytes.Repeat([]byte("a"), 5000), bytes.Repeat([]byte("a"), 5000), []byte("c")}
	var refs []ref
	for _, b := range all {
		at, err := s.put(b)
		if err != nil {
			t.Fatal(err)
		}
		refs = append(refs, at)
	}
	f.data[4000] ^= 1
	if _, err := s.get(nil, refs[0], 5000); !errors.Is(err, ErrStage) {
		t.Errorf("a flipped bit gave %v", err)
	}
	copy(f.data, f.data[5004:])
	if _, err := s.get(nil, refs[0], 5000); !errors.Is(err, ErrStage) {
		t.Errorf("another block in its place gave %v", err)
	}
	f.data = f.data[:6000]
	if _, err := s.get(nil, refs[1], 5000); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a cut file gave %v", err)
	}
	if _, err := s.get(nil, refs[2], 2); !errors.Is(err, ErrStage) {
		t.Errorf("a longer block than was put gave %v", err)
	}
}

func TestTempDirLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	f, err := TempDir(dir)()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt([]byte("abc"), 0); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left %v, %v", left, err)
	}
	if _, err := TempDir(dir + "/none")(); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing directory gave %v", err)
	}
	named, err := os.Create(dir + "/named")
	if err != nil {
		t.Fatal(err)
	}
	if err := (&tempFile{File: named, named: true}).Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dir + "/named"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file that kept its name: %v", err)
	}
}
