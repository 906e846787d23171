package shuffle

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"avro2trevni/internal/tuple"
)

// tb is what testing.TB and rapid.T have in common.
type tb interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// shape says what tuples to make up. Values and notes follow from a tuple's column and
// row, so that each checks itself.
type shape struct {
	columns int
	tuples  int // of each column
	maxRows int
	maxSize int // of most values; one in 50 is up to bigSize
	bigSize int
	seed    uint64
}

// makeTuples returns tuples without contents, by column, in row order.
func makeTuples(sh shape) [][]tuple.Tuple {
	rnd := rand.New(rand.NewPCG(sh.seed, 1))
	all := make([][]tuple.Tuple, sh.columns)
	for c := range all {
		row := tuple.Row(rnd.IntN(3))
		for range sh.tuples {
			t := tuple.Tuple{Column: uint32(c * 3), Row: row, Rows: 1 + uint32(rnd.IntN(sh.maxRows)), Values: rnd.Uint32(), Raw: rnd.Uint32()}
			t.Size = uint32(rnd.IntN(sh.maxSize + 1))
			if sh.bigSize > 0 && rnd.IntN(50) == 0 {
				t.Size = uint32(rnd.IntN(sh.bigSize + 1))
			}
			all[c] = append(all[c], t)
			row = t.End()
			if rnd.IntN(10) == 0 {
				row += tuple.Row(rnd.IntN(5))
			}
			if rnd.IntN(100) == 0 {
				row = tuple.RowOf(row.Split()+1, 0)
			}
		}
	}
	return all
}

// value appends the value that belongs to a tuple.
func value(dst []byte, t *tuple.Tuple) []byte {
	seed := uint64(t.Row)*1000003 + uint64(t.Column)<<32 + uint64(t.Rows)
	end := len(dst) + int(t.Size)
	for len(dst) < end {
		seed = seed*6364136223846793005 + 1442695040888963407
		dst = binary.BigEndian.AppendUint64(dst, seed)
	}
	return dst[:end]
}

// note returns the note that belongs to a tuple: mostly short or none, seldom very long.
func note(t *tuple.Tuple) (b []byte) {
	n := 19 * (int(t.Row) % 7)
	if uint64(t.Row)%101 == 0 {
		n = 6000
	}
	for len(b) < n {
		b = binary.BigEndian.AppendUint64(b, uint64(t.Row)*31+uint64(t.Column)+uint64(len(b)))
	}
	return b[:n]
}

// put adds a tuple, in place or copied.
func put(w *Writer, t tuple.Tuple, inPlace bool) error {
	var b []byte
	if inPlace {
		var err error
		if b, err = w.Buffer(int(t.Size) + int(t.Row%5)); err != nil {
			return err
		}
	}
	t.Value, t.Note = value(b, &t), note(&t)
	return w.Add(t)
}

// wanted returns the tuples of a column that hold rows of [from, to).
func wanted(col []tuple.Tuple, from, to tuple.Row) (in []tuple.Tuple) {
	for _, t := range col {
		if t.Row < to && t.End() > from {
			in = append(in, t)
		}
	}
	return in
}

// compare checks that a scan gives exactly the tuples wanted, with their contents.
func compare(t tb, s *Shuffle, col uint32, from, to tuple.Row, want []tuple.Tuple) {
	t.Helper()
	sc := s.Scan(col, from, to)
	var buf []byte
	i := 0
	for ; sc.Next(); i++ {
		got := sc.Tuple()
		if i == len(want) {
			t.Fatalf("column %d [%v,%v): one too many: %v", col, from, to, got.Row)
		}
		if err := same(sc, got, want[i], &buf); err != nil {
			t.Fatalf("column %d [%v,%v) tuple %d: %v", col, from, to, i, err)
		}
	}
	if err := sc.Close(); err != nil {
		t.Fatal(err)
	}
	if i != len(want) {
		t.Fatalf("column %d [%v,%v): %d tuples, want %d", col, from, to, i, len(want))
	}
}

// same checks one tuple and its contents.
func same(sc *Scanner, got, want tuple.Tuple, buf *[]byte) error {
	c, err := sc.Note()
	if err != nil {
		return err
	}
	if !bytes.Equal(c, note(&want)) {
		return fmt.Errorf("row %v: the note differs", got.Row)
	}
	v, err := sc.Value((*buf)[:0])
	if err != nil {
		return err
	}
	*buf = v
	if !bytes.Equal(v, value(nil, &want)) {
		return fmt.Errorf("row %v: value differs", got.Row)
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		return fmt.Errorf("got %v, want %v", got, want)
	}
	return nil
}

// compareAll scans all columns whole.
func compareAll(t tb, s *Shuffle, all [][]tuple.Tuple) {
	t.Helper()
	for _, col := range all {
		if len(col) > 0 {
			compare(t, s, col[0].Column, 0, math.MaxUint64, col)
		}
	}
}

// checkBound fails if more chunks exist than the budget allows.
func checkBound(t tb, s *Shuffle) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if have := s.used + int64(len(s.free))*s.plan.chunk + int64(len(s.spare)); have > s.plan.pool {
		t.Fatalf("%d bytes of chunks, %d allowed", have, s.plan.pool)
	}
	if s.idle < 0 || s.idle > s.used {
		t.Fatalf("%d bytes idle of %d", s.idle, s.used)
	}
	if len(s.runs) > s.plan.fanIn+1 {
		t.Fatalf("%d run files, fan-in %d", len(s.runs), s.plan.fanIn)
	}
}

// diskFiles lists all files below directories.
func diskFiles(t tb, dirs ...string) (names []string) {
	t.Helper()
	for _, dir := range dirs {
		err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
			if path != dir && err == nil {
				names = append(names, path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return names
}

func mustNew(t tb, o Options) *Shuffle {
	t.Helper()
	s, err := New(&o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func mustClose(t tb, s *Shuffle) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// flat returns all tuples in an order that the seed says.
func flat(all [][]tuple.Tuple, seed uint64) []tuple.Tuple {
	out := slices.Concat(all...)
	rand.New(rand.NewPCG(seed, 2)).Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

// memFiles is a file system in memory that can fail and lie. It is a files.
type memFiles struct {
	mu     sync.Mutex
	files  map[string]*memFile
	locked map[string]bool
	ops    int
	failAt int // the operation that fails, counted from 1; 0: none
	err    error
	free   int64 // bytes until the disk is full; 0: no limit
	short  bool  // the failing write or read moves half first

	bad     string // files below fail: to be made, or from the second write on
	badMake bool
}

func newMemFiles() *memFiles {
	return &memFiles{files: map[string]*memFile{}, locked: map[string]bool{}}
}

// op counts an operation and returns its failure.
func (m *memFiles) op() error {
	m.ops++
	if m.failAt > 0 && m.ops == m.failAt {
		return m.err
	}
	return nil
}

func (m *memFiles) Prepare(string) error { return nil }

func (m *memFiles) Lock(parent string) (string, func() error, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.op(); err != nil {
		return "", nil, err
	}
	dir := filepath.Join(parent, fmt.Sprintf("private%d", len(m.locked)))
	m.locked[dir] = true
	return dir, func() error { m.mu.Lock(); defer m.mu.Unlock(); delete(m.locked, dir); return m.op() }, nil
}

func (m *memFiles) Create(path string) (File, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.op(); err != nil {
		return nil, err
	}
	f := &memFile{m: m, bad: m.bad != "" && strings.HasPrefix(path, m.bad)}
	if f.bad && m.badMake {
		return nil, m.err
	}
	m.files[path] = f
	return f, nil
}

func (m *memFiles) Remove(path string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.files, path)
	return m.op()
}

func (m *memFiles) RemoveAll(dir string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.op()
}

type memFile struct {
	m      *memFiles
	data   []byte
	closed bool
	bad    bool
	writes int
}

func (f *memFile) WriteAt(p []byte, off int64) (int, error) {
	f.m.mu.Lock()
	defer f.m.mu.Unlock()
	if err := f.m.op(); err != nil {
		if f.m.short {
			return len(p) / 2, nil
		}
		return 0, err
	}
	if f.writes++; f.bad && f.writes > 1 {
		return 0, f.m.err
	}
	if f.m.free > 0 {
		if f.m.free -= int64(len(p)); f.m.free <= 0 {
			f.m.free = 1
			return 0, f.m.err
		}
	}
	if need := int(off) + len(p); need > len(f.data) {
		f.data = append(f.data, make([]byte, need-len(f.data))...)
	}
	return copy(f.data[off:], p), nil
}

func (f *memFile) ReadAt(p []byte, off int64) (int, error) {
	f.m.mu.Lock()
	defer f.m.mu.Unlock()
	if err := f.m.op(); err != nil {
		return 0, err
	}
	if f.closed {
		return 0, os.ErrClosed
	}
	return bytes.NewReader(f.data).ReadAt(p, off)
}

func (f *memFile) Close() error {
	f.m.mu.Lock()
	defer f.m.mu.Unlock()
	f.closed = true
	return f.m.op()
}

// logStride tells make test that there is more to run than the race detector has time for.
func logStride(t *testing.T) {
	if stride > 1 {
		t.Logf("one turn of %d; make test runs this without the race detector too", stride)
	}
}
