package mapper_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	format "avro2trevni/internal/format/trevni"
	"avro2trevni/internal/ocf"
	"avro2trevni/internal/schema"
	"avro2trevni/internal/tuple"
	"avro2trevni/mapper"
	"avro2trevni/trevni/block"
)

// testBlock is an Avro block's rows, decompressed.
type testBlock struct {
	rows int64
	data []byte
}

// fakeBlocks gives blocks from memory, in windows of at most size bytes; 0: whole.
type fakeBlocks struct {
	blocks []testBlock
	size   int
	next   int
	window []byte // the present one
	rest   []byte // of the block, after the window
}

func (f *fakeBlocks) Next() (ocf.Block, error) {
	if f.next == len(f.blocks) {
		return ocf.Block{}, io.EOF
	}
	b := f.blocks[f.next]
	f.window, f.rest = nil, b.data
	f.next++
	return ocf.Block{Offset: int64(1000 * f.next), Rows: b.rows}, nil
}

func (f *fakeBlocks) Window(unread int) ([]byte, bool, error) {
	keep := f.window[len(f.window)-unread:]
	n := len(f.rest)
	if f.size > 0 {
		if unread == len(f.window) {
			n = min(n, max(f.size, unread))
		} else {
			n = min(n, max(1, f.size-unread))
		}
	}
	// A fresh slice of just these bytes: reading past them, or old windows, shows.
	f.window = append(append(make([]byte, 0, unread+n), keep...), f.rest[:n]...)
	f.rest = f.rest[n:]
	return f.window, len(f.rest) == 0, nil
}

// keepSink keeps copies of the tuples, decoded.
type keepSink struct {
	t      *testing.T
	buf    []byte
	tuples []tuple.Tuple
}

func (s *keepSink) Buffer(n int) ([]byte, error) {
	s.buf = make([]byte, 0, n)
	return s.buf, nil
}

func (s *keepSink) Add(t tuple.Tuple) error {
	if len(t.Value) != int(t.Size) || len(t.Value) > 0 && &t.Value[:1][0] != &s.buf[:1][0] {
		s.t.Errorf("column %d: value is not what was appended to the buffer", t.Column)
	}
	t.Note = append([]byte(nil), t.Note...)
	s.tuples = append(s.tuples, t)
	return nil
}

func run(t *testing.T, p *program, o mapper.Options, blocks []testBlock, window int) ([]tuple.Tuple, mapper.Result) {
	t.Helper()
	sink := &keepSink{t: t}
	m := newMapper(p, o, sink)
	m.Begin(7)
	var rows int64
	for i := range blocks { // every block a segment
		n, err := m.Segment(context.Background(), &fakeBlocks{blocks: blocks[i : i+1], size: window})
		if err != nil {
			t.Fatal(err)
		}
		if n != blocks[i].rows {
			t.Errorf("segment of %d rows said to have %d", blocks[i].rows, n)
		}
		rows += n
	}
	r, err := m.End()
	if err != nil {
		t.Fatal(err)
	}
	if r.Rows != rows {
		t.Errorf("split of %d rows said to have %d", rows, r.Rows)
	}
	return sink.tuples, r
}

// differ is cmp.Diff, and fast where nothing differs.
func differ(want, got any) string {
	if reflect.DeepEqual(want, got) {
		return ""
	}
	return cmp.Diff(want, got)
}

// testCase is a random schema with random rows.
type testCase struct {
	p      *program
	m      *model
	blocks []testBlock
	rows   int64
}

func randomCase(t testing.TB, r *rand.Rand, long int) (*testCase, error) {
	names := 0
	return caseOf(r, textOf(t, randomSchema(r, 1+r.IntN(4), &names)), long)
}

// caseOf returns random rows of a schema.
func caseOf(r *rand.Rand, text *schema.Text, long int) (*testCase, error) {
	s, rows := text.Schema, text.All()
	p, err := compile(s, rows)
	if err != nil {
		return nil, err
	}
	c := &testCase{p: p, m: newModel(p)}
	k := maker{r: r, m: c.m, long: 1 + long}
	for range 1 + r.IntN(4) {
		b := testBlock{rows: int64(r.IntN(1 + r.IntN(60)))}
		for range b.rows {
			c.m.row()
			b.data = k.value(b.data, s, "", nil)
		}
		c.blocks = append(c.blocks, b)
		c.rows += b.rows
	}
	return c, nil
}

// check compares every tuple, and both sides of every cut, with the model.
func (c *testCase) check(t *testing.T, tuples []tuple.Tuple, r mapper.Result) {
	t.Helper()
	next := make([]int64, len(c.p.Columns()))
	for _, tp := range tuples {
		if tp.Row != tuple.RowOf(7, next[tp.Column]) {
			t.Fatalf("column %d: run at %v, want row %d", tp.Column, tp.Row, next[tp.Column])
		}
		from, to := next[tp.Column], next[tp.Column]+int64(tp.Rows)
		next[tp.Column] = to
		want := c.m.block(int(tp.Column), from, to)
		if !bytes.Equal(tp.Value, want) || int(tp.Raw) != len(want) {
			t.Fatalf("column %q rows %d to %d:\ngot  %x\nwant %x", c.p.Columns()[tp.Column].Name, from, to, tp.Value, want)
		}
		cuts := format.Cuts(tp.Note)
		for i := range cuts.Len() {
			c.checkCut(t, tp, cuts.At(i), from)
		}
		for _, mark := range r.Marks {
			if _, ok := cuts.Find(uint32(mark.Row - from)); !ok && mark.Row > from && mark.Row < to {
				t.Errorf("column %d: no cut at row %d in run %d to %d", tp.Column, mark.Row, from, to)
			}
		}
	}
	for i, n := range next {
		if n != c.rows {
			t.Errorf("column %d has %d rows of %d", i, n, c.rows)
		}
	}
}

func (c *testCase) checkCut(t *testing.T, tp tuple.Tuple, k format.Cut, from int64) {
	t.Helper()
	if k.Rows == 0 || k.Rows >= tp.Rows {
		t.Fatalf("column %d: cut at row %d of %d", tp.Column, k.Rows, tp.Rows)
	}
	mc := c.m.columns[tp.Column]
	want := c.m.block(int(tp.Column), from, from+int64(k.Rows))
	var got []byte
	switch {
	case mc.bits && !mc.array:
		got = append(got, tp.Value[:(k.Values+7)/8]...)
		if k.Values%8 != 0 {
			got[len(got)-1] &= 1<<(k.Values%8) - 1
		}
	case k.Run == 0:
		got = tp.Value[:k.Value]
	default:
		code, n := binary.Varint(tp.Value[k.Length:])
		got = append(got, tp.Value[:k.Length]...)
		got = block.AppendLengthRun(got, code == 1 || code < 0 && code%2 == 0, int(k.Run))
		got = append(got, tp.Value[int(k.Length)+n:int(k.Length)+n+int(k.Value)]...)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("column %q cut at %+v:\ngot  %x\nwant %x", c.p.Columns()[tp.Column].Name, k, got, want)
	}
}

func TestShredsAsTheModel(t *testing.T) {
	for seed := range uint64(1500) {
		r := rand.New(rand.NewPCG(seed, 1))
		c, err := randomCase(t, r, []int{3, 30, 300}[r.IntN(3)])
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		o := mapper.Options{}
		if r.IntN(2) == 0 {
			o.BlockSize = 1 + r.IntN(300)
			o.MarkBytes = r.IntN(200)
			o = o.WithBuffers(1 + r.IntN(2000))
		}
		whole, result := run(t, c.p, o, c.blocks, 0)
		c.check(t, whole, result)
		windows, again := run(t, c.p, o, c.blocks, 1+r.IntN(100))
		if d := differ(whole, windows) + differ(result, again); d != "" {
			t.Errorf("seed %d: windows change what is made: %s", seed, d)
		}
		c.check(t, windows, again)
		if t.Failed() {
			t.Fatalf("seed %d, options %+v, columns %+v", seed, o, c.p.Columns())
		}
	}
}

// A mapper keeps nothing of a split when it begins the next.
func TestSplitsAreAlike(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	c, err := randomCase(t, r, 100)
	for err != nil || c.rows < 20 || len(c.p.Columns()) < 5 {
		c, err = randomCase(t, r, 100)
	}
	o := mapper.Options{}
	o.BlockSize, o.MarkBytes = 64, 100
	sink := &keepSink{t: t}
	m := newMapper(c.p, o, sink)
	var counts [2]int
	for i := range counts {
		sink.tuples = nil
		m.Begin(7)
		if _, err := m.Segment(t.Context(), &fakeBlocks{blocks: c.blocks}); err != nil {
			t.Fatal(err)
		}
		result, err := m.End()
		if err != nil {
			t.Fatal(err)
		}
		c.check(t, sink.tuples, result)
		counts[i] = len(sink.tuples)
	}
	if counts[0] != counts[1] || counts[0] == 0 {
		t.Errorf("%d tuples the first time, %d the second", counts[0], counts[1])
	}
}

// A mapper and a cutter that are cancelled inside a block do not go on to its end.
func TestCancelledInsideABlock(t *testing.T) {
	const rows, size = 4096, 64
	for _, schema := range []string{`"bytes"`, `{"type":"record","name":"r","fields":[{"name":"f","type":{"type":"fixed","name":"none","size":0}}]}`} {
		p := compileText(t, schema)
		var data []byte
		if !p.Hollow() {
			data = bytes.Repeat(append(binary.AppendVarint(nil, size), make([]byte, size)...), rows)
		}
		for _, window := range []int{0, 1000} {
			ctx, cancel := context.WithCancel(t.Context())
			sink := &cancelSink{cancel: cancel}
			m := newMapper(p, mapper.Options{BlockSize: 1 << 10}, sink)
			m.Begin(0)
			_, err := m.Segment(ctx, &fakeBlocks{blocks: []testBlock{{rows, data}}, size: window})
			if err != context.Canceled || m.Row() > rows/2 {
				t.Errorf("%s: the mapper did %d rows of %d: %v", schema, m.Row(), rows, err)
			}
			if p.Hollow() {
				continue
			}
			ctx, cancel = context.WithCancel(t.Context())
			given := 0
			r := mapper.NewRows(p.Program, []int{0}, mapper.Options{BlockSize: 1 << 10}, func([]byte) error { given++; cancel(); return nil })
			_, err = r.Segment(ctx, &fakeBlocks{blocks: []testBlock{{rows, data}}, size: window})
			if err != context.Canceled || given > rows/8 {
				t.Errorf("%s: %d rows of %d were given: %v", schema, given, rows, err)
			}
		}
	}
}

// cancelSink cancels when it gets a tuple.
type cancelSink struct {
	dropSink
	cancel func()
}

func (s *cancelSink) Add(t tuple.Tuple) error {
	s.cancel()
	return s.dropSink.Add(t)
}

// failBlocks has a block, and then fails.
type failBlocks struct {
	fakeBlocks
	err error
}

func (f *failBlocks) Next() (ocf.Block, error) {
	b, err := f.fakeBlocks.Next()
	if err == io.EOF {
		err = f.err
	}
	return b, err
}

// Only io.EOF itself ends a segment: an error that wraps it is a failure.
func TestFailureThatWrapsEOF(t *testing.T) {
	p := compileText(t, `"long"`)
	bad := fmt.Errorf("read at 17: %w", io.EOF)
	m := newMapper(p, mapper.Options{}, &dropSink{})
	m.Begin(0)
	r := mapper.NewRows(p.Program, nil, mapper.Options{}, func([]byte) error { return nil })
	for _, w := range []interface {
		Segment(context.Context, mapper.Blocks) (int64, error)
	}{m, r} {
		blocks := &failBlocks{fakeBlocks{blocks: []testBlock{{1, []byte{2}}}}, bad}
		if _, err := w.Segment(t.Context(), blocks); err != bad {
			t.Errorf("%T: %v, want %v", w, err, bad)
		}
	}
}

// Rows as large as a mark's bytes stand alone between two marks.
func TestGiantRowsStandAlone(t *testing.T) {
	p := compileText(t, `"bytes"`)
	var data []byte
	sizes := []int{10, 10, 5000, 10, 7000, 8000, 10, 10}
	for _, n := range sizes {
		data = append(binary.AppendVarint(data, int64(n)), make([]byte, n)...)
	}
	o := mapper.Options{}
	o.MarkBytes = 4096
	for _, window := range []int{0, 100, 6000} {
		_, r := run(t, p, o, []testBlock{{int64(len(sizes)), data}}, window)
		var got []int64
		for _, m := range r.Marks {
			got = append(got, m.Row)
		}
		if want := []int64{2, 3, 4, 5, 6}; !equal(got, want) {
			t.Errorf("window %d: marks %v, want %v", window, got, want)
		}
	}
}

func equal(a, b []int64) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// The estimates at marks rise to the split's true size.
func TestMarksEstimateBytes(t *testing.T) {
	p := compileText(t, `{"type":"record","name":"R","fields":[{"name":"a","type":"double"},{"name":"b","type":["null","int"]}]}`)
	var data []byte
	const rows = 20000
	for i := range rows {
		data = binary.LittleEndian.AppendUint64(data, uint64(i))
		data = append(data, 2, byte(i&0x3e))
	}
	o := mapper.Options{}
	o.BlockSize, o.MarkBytes = 4096, 5000
	_, r := run(t, p, o, []testBlock{{rows, data}}, 0)
	if len(r.Marks) < 20 {
		t.Fatalf("%d marks", len(r.Marks))
	}
	for _, m := range r.Marks {
		want := float64(r.Bytes) * float64(m.Row) / rows
		if d := float64(m.Bytes) - want; d > 0.03*want+200 || d < -0.03*want-200 {
			t.Errorf("mark at row %d: %d bytes, want about %.0f", m.Row, m.Bytes, want)
		}
	}
}
