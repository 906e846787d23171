package reducer

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"avro2trevni/internal/tuple"
)

// small returns three columns, their runs, and their whole range: splits 0 and
// 1 of runs of 4 rows.
func small(testing.TB) (*Options, memory, Range) {
	src := make(memory, 3)
	for c := range src {
		for _, row := range []tuple.Row{0, 4, 8, tuple.RowOf(1, 0), tuple.RowOf(1, 4)} {
			src[c] = append(src[c], rawRun(uint32(c), row, [][]byte{{0}, {1, 'x'}, {2, 'y', byte(c)}, {0}}))
		}
	}
	return &Options{Format: smallRaw(1024), Workers: 2, Readers: 2}, src, Range{From: 0, To: tuple.RowOf(2, 0), Rows: 20}
}

// smallRaw is the format of small, of blocks of up to so many bytes.
func smallRaw(join int) *rawFormat { return newRaw(join, false, LookNothing, LookNothing, LookNothing) }

func TestBadRunsAreErrorsThatNameColumnAndRow(t *testing.T) {
	middle := func(r *Range) { r.From, r.To, r.Rows = 2, tuple.RowOf(1, 6), 16 }
	cases := map[string]struct {
		harm func(b []tuple.Tuple) []tuple.Tuple // to column b
		rng  func(*Range)
		want error
		row  tuple.Row
	}{
		"first run lost":   {func(b []tuple.Tuple) []tuple.Tuple { return b[1:] }, nil, ErrRows, 0},
		"middle run lost":  {func(b []tuple.Tuple) []tuple.Tuple { return slices.Delete(b, 1, 2) }, nil, ErrRows, 4},
		"split's end lost": {func(b []tuple.Tuple) []tuple.Tuple { return slices.Delete(b, 2, 3) }, nil, ErrRows, 8},
		"split lost":       {func(b []tuple.Tuple) []tuple.Tuple { return b[:3] }, nil, ErrRows, tuple.RowOf(1, 0)},
		"last run lost":    {func(b []tuple.Tuple) []tuple.Tuple { return b[:4] }, nil, ErrRows, tuple.RowOf(1, 4)},
		"end lost":         {func(b []tuple.Tuple) []tuple.Tuple { return b[:4] }, middle, ErrRows, tuple.RowOf(1, 4)},
		"all lost":         {func(b []tuple.Tuple) []tuple.Tuple { return nil }, nil, ErrRows, 0},
		"run twice":        {func(b []tuple.Tuple) []tuple.Tuple { return slices.Insert(b, 1, b[1]) }, nil, ErrRows, 8},
		"runs overlap":     {func(b []tuple.Tuple) []tuple.Tuple { b[1].Row--; return b }, nil, ErrRows, 4},
		"no rows":          {func(b []tuple.Tuple) []tuple.Tuple { b[1].Rows = 0; return b }, nil, ErrRun, 4},
		"other column":     {func(b []tuple.Tuple) []tuple.Tuple { b[1].Column = 7; return b }, nil, ErrRows, 4},
		"no cuts":          {func(b []tuple.Tuple) []tuple.Tuple { b[0].Note = nil; return b }, middle, ErrRows, 0},
		"no bytes":         {func(b []tuple.Tuple) []tuple.Tuple { b[1].Size = 0; return b }, nil, ErrRun, 4},
		"wrong raw size":   {func(b []tuple.Tuple) []tuple.Tuple { b[1].Raw = 2; return b }, nil, ErrRun, 0},
		"wrong size":       {func(b []tuple.Tuple) []tuple.Tuple { b[1].Size++; return b }, nil, ErrRun, 0},
		"flipped bit":      {func(b []tuple.Tuple) []tuple.Tuple { b[1].Value[2] ^= 4; return b }, nil, ErrRun, 0},
		"rows fewer":       {nil, func(r *Range) { r.Rows++ }, ErrRows, 0},
		"rows more":        {nil, func(r *Range) { r.Rows-- }, ErrRows, 0},
		"ends too far":     {nil, func(r *Range) { r.To = tuple.RowOf(1, 9) }, ErrRows, tuple.RowOf(1, 8)},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			o, src, rng := small(t)
			o.Workers = 1
			if c.harm != nil {
				src[1] = c.harm(src[1])
			}
			if c.rng != nil {
				c.rng(&rng)
			}
			g, err := Layout(context.Background(), src, rng, o)
			var at *Error
			if g != nil || !errors.Is(err, c.want) || !errors.As(err, &at) {
				t.Fatalf("error is %v, want %v", err, c.want)
			}
			if at.Row != c.row || c.harm != nil && at.Column != "b" || !strings.Contains(err.Error(), at.Row.String()) {
				t.Errorf("%v\nis in column %q at %v, want row %v", err, at.Column, at.Row, c.row)
			}
		})
	}
}

// panicky is a source that panics in one column.
type panicky struct{ memory }

func (p panicky) Scan(col uint32, from, to tuple.Row) Scanner {
	if col == 1 {
		panic("no such luck")
	}
	return p.memory.Scan(col, from, to)
}

// failing is a source whose n-th call fails.
type failing struct {
	memory
	left int
	open int
}

func (f *failing) step() error {
	if f.left--; f.left == -1 {
		return errFault
	}
	return nil
}

func (f *failing) Scan(col uint32, from, to tuple.Row) Scanner {
	f.open++
	return &failingScanner{Scanner: f.memory.Scan(col, from, to), f: f}
}

type failingScanner struct {
	Scanner
	f      *failing
	err    error
	closed bool
}

func (s *failingScanner) Next() bool {
	if s.err == nil {
		s.err = s.f.step()
	}
	return s.err == nil && s.Scanner.Next()
}

func (s *failingScanner) Value(dst []byte) ([]byte, error) {
	if err := s.f.step(); err != nil {
		return dst, err
	}
	return s.Scanner.Value(dst)
}

func (s *failingScanner) Err() error { return s.err }

func (s *failingScanner) Close() error {
	if !s.closed {
		s.closed = true
		s.f.open--
	}
	return s.f.step()
}

// moving is a source whose values never stand where dst does.
type moving struct{ memory }

func (m moving) Scan(col uint32, from, to tuple.Row) Scanner {
	return movingScanner{m.memory.Scan(col, from, to)}
}

type movingScanner struct{ Scanner }

func (s movingScanner) Value(dst []byte) ([]byte, error) {
	return s.Scanner.Value(slices.Clone(dst))
}

func TestValuesInAnotherArray(t *testing.T) {
	o, src, rng := small(t)
	for _, join := range []int{0, 1024} { // runs that stay as they are, and such that are joined
		o.Format = smallRaw(join)
		if want, got := layout(t, src, rng, o), layout(t, moving{src}, rng, o); !bytes.Equal(got, want) {
			t.Errorf("blocks of %d: another file, where values come in another array", join)
		}
	}
}

func TestEveryFaultOfTheSourceIsReported(t *testing.T) {
	o, src, rng := small(t)
	o.Workers = 1
	want := layout(t, src, rng, o)
	for n := 0; ; n++ {
		f := &failing{memory: src, left: n}
		var file bytes.Buffer
		err := convert(f, rng, o, &file)
		if f.open != 0 {
			t.Fatalf("fault %d leaves %d scanners open", n, f.open)
		}
		if err == nil {
			if n < 30 || !bytes.Equal(file.Bytes(), want) {
				t.Fatalf("clean after %d calls, %d bytes, want %d", n, file.Len(), len(want))
			}
			return
		}
		if !errors.Is(err, errFault) {
			t.Fatalf("fault %d: %v", n, err)
		}
	}
}

// convert lays out and writes a group, and resizes it on the way.
func convert(src Source, rng Range, o *Options, w *bytes.Buffer) error {
	short := Range{From: rng.From, To: 8, Rows: 8}
	g, err := Layout(context.Background(), src, short, o)
	if err != nil {
		return err
	}
	defer g.Close()
	if err := g.Resize(context.Background(), rng); err != nil {
		if again := g.Resize(context.Background(), rng); !errors.Is(again, ErrClosed) {
			return errors.New("a group that failed can be resized")
		}
		return err
	}
	return g.Write(context.Background(), w)
}

func TestPanicOfAWorkerIsAnError(t *testing.T) {
	o, src, rng := small(t)
	_, err := Layout(context.Background(), panicky{src}, rng, o)
	var at *Error
	if !errors.As(err, &at) || at.Column != "b" || !strings.Contains(err.Error(), "no such luck") {
		t.Errorf("error is %v", err)
	}
}

// late is a source that panics when it is scanned again, as Write does.
type late struct {
	memory
	scans *atomic.Int32
}

func (l late) Scan(col uint32, from, to tuple.Row) Scanner {
	if l.scans.Add(1) > int32(len(l.memory)) && col == 1 {
		panic("no such luck")
	}
	return l.memory.Scan(col, from, to)
}

func TestPanicOfAReaderIsAnError(t *testing.T) {
	o, src, rng := small(t)
	o.Format = smallRaw(0) // all blocks pass as they are
	g, err := Layout(context.Background(), late{src, new(atomic.Int32)}, rng, o)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	err = g.Write(context.Background(), io.Discard)
	var at *Error
	if !errors.As(err, &at) || at.Column != "b" || !strings.Contains(err.Error(), "no such luck") {
		t.Errorf("error is %v", err)
	}
}

// TestReaders checks that however many readers gather a file of many pages, it is the
// same, and so are its blocks too large for a page.
func TestReaders(t *testing.T) {
	rnd, noise := rand.New(rand.NewPCG(7, 8)), rand.NewChaCha8([32]byte{})
	for _, bySplit := range []bool{false, true} {
		o := &Options{Format: newRaw(0, bySplit, LookNothing, LookNothing)}
		src, rng := make(memory, 2), Range{}
		for k := range 100 {
			row := rng.To
			if k%30 == 29 {
				row = tuple.RowOf(row.Split()+1, 0)
			}
			rows := 1 + rnd.IntN(50_000)
			if k%40 == 0 {
				rows = 4 * pageBytes
			}
			for c := range src {
				raw := make([]byte, rows) // nobody looks into it
				noise.Read(raw)
				value := sealed(raw)
				src[c] = append(src[c], tuple.Tuple{
					Column: uint32(c), Row: row, Rows: uint32(rows), Values: uint32(rows),
					Raw: uint32(len(raw)), Size: uint32(len(value)), Value: value,
				})
			}
			rng.Rows += int64(rows)
			rng.To = row + tuple.Row(rows)
		}
		want := src.file(bySplit)
		for o.Readers = 1; o.Readers <= 4; o.Readers++ {
			if got := layout(t, src, rng, o); !bytes.HasPrefix(got, want) {
				t.Errorf("with %d readers %d bytes, others than they should be", o.Readers, len(got))
			}
		}
	}
}

// file returns what a file of all runs begins with.
func (m memory) file(bySplit bool) []byte {
	file := []byte("RAW")
	splits := 1
	if bySplit {
		splits = m[0][len(m[0])-1].Row.Split() + 1
	}
	for s := range splits {
		for c := range m {
			for _, x := range m[c] {
				if !bySplit || x.Row.Split() == s {
					file = append(file, x.Value...)
				}
			}
		}
	}
	return file
}

// ordered is a source whose values are given in the file's order alone: who asks too
// early waits, as for those that come as a stream.
type ordered struct {
	memory
	mu   sync.Mutex
	cond *sync.Cond
	next [2]uint64 // column and row
}

type orderedScanner struct {
	Scanner
	o *ordered
}

func (o *ordered) Scan(col uint32, from, to tuple.Row) Scanner {
	return &orderedScanner{o.memory.Scan(col, from, to), o}
}

func (s *orderedScanner) Value(dst []byte) ([]byte, error) {
	t := s.Tuple()
	s.o.mu.Lock()
	defer s.o.mu.Unlock()
	for s.o.next != [2]uint64{uint64(t.Column), uint64(t.Row)} {
		s.o.cond.Wait()
	}
	if s.o.next[1] = uint64(t.End()); t.End() == s.o.memory[t.Column][len(s.o.memory[t.Column])-1].End() {
		s.o.next = [2]uint64{uint64(t.Column) + 1, 0}
	}
	s.o.cond.Broadcast()
	return s.Scanner.Value(dst)
}

// TestOneReaderTakesValuesInOrder: blocks too large for a page, which no reader gathers,
// have to wait for those that one does, and that must not wait for them.
func TestOneReaderTakesValuesInOrder(t *testing.T) {
	o := &Options{Format: newRaw(0, false, LookNothing, LookNothing), Readers: 1}
	src, rng := make(memory, 2), Range{}
	for _, rows := range []int{100, 2 * pageBytes, 7, pageBytes + 1, 3 * pageBytes / 4, pageBytes / 2, 9} {
		for i := range src {
			value := make([]byte, rows+1)
			src[i] = append(src[i], tuple.Tuple{
				Column: uint32(i), Row: tuple.Row(rng.Rows), Rows: uint32(rows), Values: uint32(rows),
				Raw: uint32(rows), Size: uint32(len(value)), Value: value,
			})
		}
		rng.Rows += int64(rows)
		rng.To = tuple.Row(rng.Rows)
	}
	s := &ordered{memory: src}
	s.cond = sync.NewCond(&s.mu)
	done := make(chan []byte)
	go func() { done <- layout(t, s, rng, o) }()
	select {
	case got := <-done:
		if want := layout(t, src, rng, o); !bytes.Equal(got, want) {
			t.Errorf("%d bytes, others than the %d of a source without order", len(got), len(want))
		}
	case <-time.After(10 * time.Minute):
		t.Fatal("it waits for ever")
	}
}

// shortWriter fails after so many bytes.
type shortWriter struct{ left int }

func (w *shortWriter) Write(p []byte) (int, error) {
	n := min(len(p), w.left)
	if w.left -= n; n < len(p) {
		return n, errFault
	}
	return n, nil
}

func TestWriteReportsWhatFailsAndCanBeRepeated(t *testing.T) {
	o, src, rng := small(t)
	g, err := Layout(context.Background(), src, rng, o)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	want := written(t, g)
	for n := range len(want) {
		if err := g.Write(context.Background(), &shortWriter{n}); !errors.Is(err, errFault) {
			t.Fatalf("a writer full after %d bytes gave %v", n, err)
		}
	}
	if !bytes.Equal(written(t, g), want) {
		t.Error("a second file differs")
	}
	stopped, stop := context.WithCancel(context.Background())
	stop()
	if err := g.Write(stopped, &bytes.Buffer{}); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v", err)
	}
	if _, err := Layout(stopped, src, rng, o); !errors.Is(err, context.Canceled) {
		t.Errorf("layout stopped: %v", err)
	}
}

func TestWriteNoticesAnotherRun(t *testing.T) {
	o, src, rng := small(t)
	o.Format = smallRaw(0) // all runs are full
	g, err := Layout(context.Background(), src, rng, o)
	if err != nil {
		t.Fatal(err)
	}
	was := src[1][2]
	for name, harm := range map[string]func(*tuple.Tuple){
		"rows":  func(t *tuple.Tuple) { t.Rows-- },
		"row":   func(t *tuple.Tuple) { t.Row++ },
		"raw":   func(t *tuple.Tuple) { t.Raw++ },
		"size":  func(t *tuple.Tuple) { t.Size++ },
		"value": func(t *tuple.Tuple) { t.Value = t.Value[1:] },
	} {
		harm(&src[1][2])
		var at *Error
		if err := g.Write(context.Background(), &bytes.Buffer{}); !errors.As(err, &at) || at.Column != "b" || at.Row != 8 {
			t.Errorf("%s: %v", name, err)
		}
		src[1][2] = was
	}
	src[1] = src[1][:2]
	if err := g.Write(context.Background(), &bytes.Buffer{}); !errors.Is(err, ErrRows) {
		t.Errorf("runs gone: %v", err)
	}
	if err := errors.Join(g.Close(), g.Close()); err != nil {
		t.Error(err)
	}
	if err := g.Write(context.Background(), &bytes.Buffer{}); !errors.Is(err, ErrClosed) {
		t.Errorf("closed: %v", err)
	}
}

func TestOptionsAreChecked(t *testing.T) {
	for name, harm := range map[string]func(*Options){
		"format":  func(o *Options) { o.Format = nil },
		"workers": func(o *Options) { o.Workers = -1 },
		"readers": func(o *Options) { o.Readers = -1 },
		"layout":  func(o *Options) { o.LayoutMemory = -1 },
		"stage":   func(o *Options) { o.StageMemory = -1 },
	} {
		o, src, rng := small(t)
		harm(o)
		if _, err := Layout(context.Background(), src, rng, o); !errors.Is(err, ErrOptions) {
			t.Errorf("%s: %v", name, err)
		}
	}
	o, src, rng := small(t)
	g, err := Layout(context.Background(), src, rng, o)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	for _, bad := range []Range{{From: 4, To: 8, Rows: 4}, {From: 0, To: 8, Rows: -1}} {
		if err := g.Resize(context.Background(), bad); !errors.Is(err, ErrOptions) {
			t.Errorf("resized to %v: %v", bad, err)
		}
	}
	if !bytes.Equal(written(t, g), layout(t, src, rng, o)) {
		t.Error("a refused range changed the group")
	}
}
