package mapper_test

import (
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"testing"

	"avro2trevni/internal/colsum"
	"avro2trevni/internal/tuple"
	"avro2trevni/mapper"
)

// pageEncoder is an encoder of another kind of file: a run is a page as it is, of tuple
// column 2i+1; at a split's end column i has a dictionary, of tuple column 2i: how many
// values there were. Runs end at marks.
type pageEncoder struct {
	columns int
	values  []uint64
	marked  int // calls of Mark
	failing error
}

func (e *pageEncoder) Begin() { e.values = make([]uint64, e.columns) }

func (e *pageEncoder) Mark(_ int, r *mapper.Run) int {
	e.marked++
	return len(r.Bytes)
}

func (e *pageEncoder) MaxLen(_ int, r *mapper.Run) int { return len(r.Bytes) }

func (e *pageEncoder) Seal(column int, r *mapper.Run, t *tuple.Tuple) error {
	e.values[column] += uint64(r.Values)
	t.Column = uint32(2*column + 1)
	t.Value = append(t.Value, r.Bytes...)
	t.Note = binary.AppendVarint(nil, r.Rows)
	return e.failing
}

func (e *pageEncoder) End(send func(tuple.Tuple) error) ([]colsum.Column, error) {
	for i, n := range e.values {
		value := binary.LittleEndian.AppendUint64(nil, n)
		if err := send(tuple.Tuple{Column: uint32(2 * i), Raw: 8, Value: value, Note: []byte("all")}); err != nil {
			return nil, err
		}
	}
	return []colsum.Column{{True: int64(e.columns)}}, nil
}

// runPages maps blocks with a pageEncoder.
func runPages(t *testing.T, p *program, o mapper.Options, blocks []testBlock, window int) ([]tuple.Tuple, mapper.Result, *pageEncoder) {
	t.Helper()
	sink, enc := &keepSink{t: t}, &pageEncoder{columns: len(p.columns)}
	m := mapper.New(p.Program, o, enc, sink)
	m.Begin(7)
	if _, err := m.Segment(t.Context(), &fakeBlocks{blocks: blocks, size: window}); err != nil {
		t.Fatal(err)
	}
	r, err := m.End()
	if err != nil {
		t.Fatal(err)
	}
	return sink.tuples, r, enc
}

// Where runs are cut at marks all columns have a run that begins there, and marks are no more
// rows apart than is said: wherever windows end.
func TestCutAtMarks(t *testing.T) {
	byRows, early := 0, 0
	for seed := range uint64(600) {
		r := rand.New(rand.NewPCG(seed, 5))
		c, err := randomCase(t, r, []int{3, 30, 300}[r.IntN(3)])
		if err != nil {
			t.Fatal(err)
		}
		o := mapper.Options{BlockSize: 1 + r.IntN(300), MarkRows: 1 + r.Int64N(40), CutAtMarks: true}
		if r.IntN(2) == 0 {
			o.MarkBytes = 1 + r.IntN(400)
		}
		o = o.WithBuffers(1 + r.IntN(4000))
		tuples, result, enc := runPages(t, c.p, o, c.blocks, 0)
		begins := map[int64]int{} // runs that begin at a row
		next := make([]int64, len(c.p.columns))
		for _, tp := range tuples {
			if tp.Column%2 == 0 {
				continue
			}
			i := tp.Column / 2
			if tp.Row.InSplit() != next[i] {
				t.Fatalf("seed %d, column %d: a run at %v, want row %d", seed, i, tp.Row, next[i])
			}
			begins[next[i]]++
			next[i] += int64(tp.Rows)
		}
		last := int64(0)
		for _, m := range append(result.Marks, mapper.Mark{Row: c.rows}) {
			if m.Row < c.rows && begins[m.Row] != len(c.p.columns) {
				t.Errorf("seed %d: at the mark before row %d begin runs of %d columns of %d", seed, m.Row, begins[m.Row], len(c.p.columns))
			}
			switch n := m.Row - last; {
			case n > o.MarkRows:
				t.Errorf("seed %d: %d rows between marks, the most is %d", seed, n, o.MarkRows)
			case n == o.MarkRows:
				byRows++
			default:
				early++
			}
			last = m.Row
		}
		if enc.marked > 0 {
			t.Errorf("seed %d: %d marks fell into runs", seed, enc.marked)
		}
		windows, again, _ := runPages(t, c.p, o, c.blocks, 1+r.IntN(100))
		if d := differ(tuples, windows) + differ(result, again); d != "" {
			t.Errorf("seed %d: windows change what is made: %s", seed, d)
		}
		if t.Failed() {
			t.Fatalf("options %+v, columns %v", o, names(c.p))
		}
	}
	if byRows < 1000 || early < 1000 {
		t.Errorf("%d marks by rows, %d for bytes: too few were tried", byRows, early)
	}
}

// Rows of no bytes have marks as others do.
func TestMarkRowsOfNoBytes(t *testing.T) {
	_, r, _ := runPages(t, compileText(t, `"null"`), mapper.Options{MarkRows: 300, CutAtMarks: true}, []testBlock{{1000, nil}}, 0)
	var rows []int64
	for _, m := range r.Marks {
		rows = append(rows, m.Row)
	}
	if want := []int64{300, 600, 900}; !equal(rows, want) {
		t.Errorf("marks at %v, want %v", rows, want)
	}
}

// What an encoder sends at a split's end is of all its rows, and stands before every mark.
func TestSplitsEnd(t *testing.T) {
	p := compileText(t, `{"type":"record","name":"R","fields":[{"name":"a","type":"long"},{"name":"b","type":{"type":"array","items":"long"}}]}`)
	var data []byte
	const rows = 5000
	for i := range rows {
		data = append(data, ints(int64(i%50), 2, 1, 2, 0)...)
	}
	o := mapper.Options{BlockSize: 1 << 10, MarkRows: 1000, Overhead: 5}
	tuples, r, enc := runPages(t, p, o, []testBlock{{rows, data}}, 0)
	var total int64
	var whole []tuple.Tuple
	for _, tp := range tuples {
		total += int64(tp.Size) + 5
		if tp.Column%2 == 0 {
			whole = append(whole, tp)
		}
	}
	if r.Bytes != total || r.Runs != int64(len(tuples)) || len(r.Sums) != 1 || r.Sums[0].True != 2 || enc.marked == 0 {
		t.Errorf("%+v of %d tuples, %d bytes; %d marks in runs", r, len(tuples), total, enc.marked)
	}
	if len(whole) != 2 {
		t.Fatalf("%d tuples of the whole split", len(whole))
	}
	for i, tp := range whole {
		if tp.Column != uint32(2*i) || tp.Row != tuple.RowOf(7, 0) || tp.Rows != rows || tp.Raw != 8 || tp.Size != 8 ||
			string(tp.Note) != "all" || binary.LittleEndian.Uint64(tp.Value) != uint64(rows*(i+1)) {
			t.Errorf("%+v", tp)
		}
	}
	for _, m := range r.Marks {
		want := 2*13 + (total-2*13)*m.Row/rows
		if d := m.Bytes - want; d < -want/20 || d > want/20 {
			t.Errorf("mark at row %d: %d bytes, want about %d", m.Row, m.Bytes, want)
		}
	}
}

// An encoder's error ends the split, and is told as it is. Without an encoder rows are walked
// all the same.
func TestEncoderFails(t *testing.T) {
	p := compileText(t, `"long"`)
	bad := errors.New("cannot be compressed")
	m := mapper.New(p.Program, mapper.Options{}, &pageEncoder{columns: 1, failing: bad}, &keepSink{t: t})
	m.Begin(0)
	if _, err := m.Segment(t.Context(), &fakeBlocks{blocks: []testBlock{{1, ints(5)}}}); err != nil {
		t.Fatal(err)
	}
	if _, err := m.End(); err != bad {
		t.Errorf("%v, want %v", err, bad)
	}
	m = mapper.New(p.Program, mapper.Options{BlockSize: 1, MarkBytes: 1}, nil, nil)
	m.Begin(0)
	if n, err := m.Segment(t.Context(), &fakeBlocks{blocks: []testBlock{{3, ints(5, 6, 7)}}}); n != 3 || err != nil {
		t.Errorf("%d rows, %v", n, err)
	}
	if r, err := m.End(); r.Rows != 3 || r.Runs != 0 || err != nil {
		t.Errorf("%+v, %v", r, err)
	}
}
