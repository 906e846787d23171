package reducer

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"testing"

	"avro2trevni/internal/tuple"
)

// rawFormat is a format for tests: a row is some bytes, a run all of them, a file the blocks
// and then what was known of each.
//
//	run:   | length 1, bytes | length 1, bytes | ... | sum 1 |     dictionary: none
//	note:  | rows 4, offset 4 | ... |   of each place where the run can be cut
//	file:  "RAW" | blocks, in order | of each: row 8, rows 4, raw 4, size 4, note 1 |
//
// A dictionary column has one run a split, of any bytes, and any part of it is all of it.
type rawFormat struct{ shape Shape }

// entryBytes is what a block takes in the file beside its bytes and note.
const entryBytes = 20

func newRaw(join int, bySplit bool, looks ...Look) *rawFormat {
	f := &rawFormat{Shape{JoinBytes: join, BySplit: bySplit, WriterMemory: 7}}
	for i, l := range looks {
		f.shape.Columns = append(f.shape.Columns, Column{Name: fmt.Sprintf("%c", 'a'+i), Least: 1, Look: l})
	}
	return f
}

// withDictionaries makes the column a dictionary.
func (f *rawFormat) withDictionary(column int) *rawFormat {
	f.shape.Columns[column].Least = 0
	return f
}

func (f *rawFormat) dictionary(column uint32) bool { return f.shape.Columns[column].Least == 0 }

func (f *rawFormat) Shape() *Shape { return &f.shape }

// place returns where row at of t begins in its bytes.
func place(t *tuple.Tuple, note []byte, at uint32) (int, error) {
	switch at {
	case 0:
		return 0, nil
	case t.Rows:
		return int(t.Raw), nil
	}
	for b := note; len(b) > 0; b = b[8:] {
		if binary.LittleEndian.Uint32(b) == at {
			return int(binary.LittleEndian.Uint32(b[4:])), nil
		}
	}
	return 0, rowsError("no cut at %d of %v", at, t.Row)
}

func (f *rawFormat) Part(t *tuple.Tuple, note []byte, lo, hi uint32) (Part, error) {
	if f.dictionary(t.Column) {
		return Part{Values: t.Values, Raw: t.Raw}, nil
	}
	from, e1 := place(t, note, lo)
	to, e2 := place(t, note, hi)
	return Part{Values: hi - lo, Raw: uint32(to - from)}, errors.Join(e1, e2)
}

func (f *rawFormat) NewJoiner() Joiner { return &rawJoiner{f: f} }

// rawJoiner notes the sum of a block's bytes, and hands on the last of them.
type rawJoiner struct {
	f      *rawFormat
	column int
	before []byte
	raw    []byte
}

// sealed returns a run's bytes as its value.
func sealed(raw []byte) []byte {
	sum := byte(0)
	for _, b := range raw {
		sum += b
	}
	return append(slices.Clone(raw), sum)
}

func opened(value []byte) ([]byte, error) {
	if n := len(value) - 1; n < 0 || !bytes.Equal(sealed(value[:n]), value) {
		return nil, runError("%d bytes do not have their sum", len(value))
	}
	return value[:len(value)-1], nil
}

func (j *rawJoiner) noted(raw []byte) Noted {
	switch j.f.shape.Columns[j.column].Look {
	case LookNothing:
		return Noted{}
	case LookNote:
		return Noted{Note: fmt.Appendf(nil, "%d bytes", len(raw))}
	}
	return Noted{Note: sealed(raw)[len(raw):], After: fmt.Appendf(nil, "after %d", len(raw))}
}

func (j *rawJoiner) Pass(t *tuple.Tuple, note, value, before []byte) (Noted, error) {
	if err := j.Begin(int(t.Column), 1, before); err != nil {
		return Noted{}, err
	}
	if j.f.shape.Columns[j.column].Look == LookNote {
		if value != nil || len(note) != 8*int(t.Rows-1) {
			return Noted{}, fmt.Errorf("a note of %d bytes, and a value of %d", len(note), len(value))
		}
		return j.noted(make([]byte, t.Raw)), nil
	}
	raw, err := opened(value)
	return j.noted(raw), err
}

func (j *rawJoiner) Begin(column int, _ uint32, before []byte) error {
	j.column, j.before, j.raw = column, before, nil
	return nil
}

func (j *rawJoiner) Add(t *tuple.Tuple, note, value []byte, lo, hi uint32) error {
	if j.f.dictionary(t.Column) {
		j.raw = append(j.raw, value...)
		return nil
	}
	raw, err := opened(value)
	if err != nil {
		return err
	}
	if len(raw) != int(t.Raw) {
		return runError("%d bytes, %d are expected", len(raw), t.Raw)
	}
	from, e1 := place(t, note, lo)
	to, e2 := place(t, note, hi)
	j.raw = append(j.raw, raw[from:to]...)
	return errors.Join(e1, e2)
}

func (j *rawJoiner) Finish() ([]byte, uint32, Noted, error) {
	if j.f.dictionary(uint32(j.column)) {
		return j.raw, uint32(len(j.raw)), j.noted(j.raw), nil
	}
	return sealed(j.raw), uint32(len(j.raw)), j.noted(j.raw), nil
}

func (f *rawFormat) Size(l *Laid) int64 {
	n := int64(3)
	for c := range f.shape.Columns {
		blocks, notes := l.Bytes(c)
		n += blocks + notes + (entryBytes+1)*int64(l.Blocks(c))
	}
	return n
}

func (f *rawFormat) NewWriter(w io.Writer, l *Laid) (Writer, error) {
	_, err := w.Write([]byte("RAW"))
	return &rawWriter{w: w, l: l}, err
}

type rawWriter struct {
	w io.Writer
	l *Laid
}

func (w *rawWriter) WriteBlock(data []byte) error {
	_, err := w.w.Write(data)
	return err
}

func (w *rawWriter) Close() error {
	var b []byte
	le := binary.LittleEndian
	for c, k := range w.l.Order() {
		x := w.l.Block(c, k)
		b = le.AppendUint64(b, uint64(x.Row))
		for _, n := range []uint32{x.Rows, x.Raw, x.Size} {
			b = le.AppendUint32(b, n)
		}
		b = append(append(b, byte(len(x.Note))), x.Note...)
	}
	_, err := w.w.Write(b)
	return err
}

// rawTable is rows of all columns, and the runs that they are in.
type rawTable struct {
	f      *rawFormat
	splits [][][][]byte // by split, column, row
	runs   memory
}

// drawRaw makes splits of up to so many rows, in runs of up to most rows, which can be cut
// at any.
func drawRaw(r *rand.Rand, f *rawFormat, splits, rows, most int) *rawTable {
	tb := &rawTable{f: f, runs: make(memory, len(f.shape.Columns))}
	for s := range splits {
		tb.splits = append(tb.splits, make([][][]byte, len(f.shape.Columns)))
		n := r.IntN(rows + 1)
		for c := range f.shape.Columns {
			for range n {
				row := make([]byte, 1+r.IntN(9))
				row[0] = byte(len(row) - 1)
				for i := range row[1:] {
					row[1+i] = byte(r.Uint32())
				}
				tb.splits[s][c] = append(tb.splits[s][c], row)
			}
			tb.run(r, s, uint32(c), most)
		}
	}
	return tb
}

// run makes the runs of a split's column.
func (tb *rawTable) run(r *rand.Rand, split int, c uint32, most int) {
	rows := tb.splits[split][c]
	if tb.f.dictionary(c) {
		if len(rows) > 0 {
			value := bytes.Repeat([]byte{byte(split)}, r.IntN(3)*split)
			tb.runs[c] = append(tb.runs[c], tuple.Tuple{
				Column: c, Row: tuple.RowOf(split, 0), Rows: uint32(len(rows)), Values: 1,
				Raw: uint32(len(value)), Size: uint32(len(value)), Value: value,
			})
		}
		return
	}
	for at := 0; at < len(rows); {
		n := min(1+r.IntN(most), len(rows)-at)
		tb.runs[c] = append(tb.runs[c], rawRun(c, tuple.RowOf(split, int64(at)), rows[at:at+n]))
		at += n
	}
}

// rawRun makes a run that can be cut at any row.
func rawRun(c uint32, row tuple.Row, rows [][]byte) tuple.Tuple {
	var raw, note []byte
	for i, b := range rows {
		if i > 0 {
			note = binary.LittleEndian.AppendUint32(note, uint32(i))
			note = binary.LittleEndian.AppendUint32(note, uint32(len(raw)))
		}
		raw = append(raw, b...)
	}
	value := sealed(raw)
	return tuple.Tuple{
		Column: c, Row: row, Rows: uint32(len(rows)), Values: uint32(len(rows)),
		Raw: uint32(len(raw)), Size: uint32(len(value)), Note: note, Value: value,
	}
}

// span returns the range between two rows.
func (tb *rawTable) span(from, to tuple.Row) Range {
	rng := Range{From: from, To: to}
	for s, split := range tb.splits {
		lo, hi := max(from, tuple.RowOf(s, 0)), min(to, tuple.RowOf(s, int64(len(split[0]))))
		if lo < hi {
			rng.Rows += int64(hi - lo)
		}
	}
	return rng
}

// edges returns all rows at which a group may begin or end.
func (tb *rawTable) edges() []tuple.Row {
	all := []tuple.Row{0}
	for s, split := range tb.splits {
		for n := 1; n < len(split[0]); n++ {
			all = append(all, tuple.RowOf(s, int64(n)))
		}
		all = append(all, tuple.RowOf(s+1, 0))
	}
	return all
}

// check compares a file with the rows of its range, in the file's order; rows tells whether
// blocks joined rows of two splits.
func (tb *rawTable) check(t testing.TB, file []byte, g *Group) {
	t.Helper()
	l, at, seen := &Laid{g}, 3, make([]tuple.Row, len(tb.f.shape.Columns))
	last, blocks := [2]int{}, int64(0)
	for c, k := range l.Order() {
		b := l.Block(c, k)
		value := file[at : at+int(b.Size)]
		at += int(b.Size)
		here := [2]int{c, k}
		if tb.f.shape.BySplit {
			here[0] = b.Row.Split()*len(tb.f.shape.Columns) + c
			if (b.Row + tuple.Row(b.Rows) - 1).Split() != b.Row.Split() {
				t.Fatalf("column %d block %d is of two splits", c, k)
			}
		}
		if here[0] < last[0] || b.Row < seen[c] {
			t.Fatalf("column %d block %d is out of order", c, k)
		}
		last, seen[c] = here, b.Row
		blocks++
		tb.checkBlock(t, c, b, value)
	}
	if all, _ := g.Blocks(); all != blocks {
		t.Fatalf("%d blocks in order, of %d", blocks, all)
	}
}

// checkBlock compares a block with its rows.
func (tb *rawTable) checkBlock(t testing.TB, c int, b Block, value []byte) {
	t.Helper()
	if tb.f.dictionary(uint32(c)) {
		for _, x := range tb.runs[c] {
			if x.Row.Split() == b.Row.Split() && !bytes.Equal(x.Value, value) {
				t.Fatalf("the dictionary of split %d is %x, want %x", b.Row.Split(), value, x.Value)
			}
		}
		return
	}
	var want []byte
	s, n := b.Row.Split(), int(b.Row.InSplit())
	for range b.Rows {
		for n == len(tb.splits[s][c]) {
			s, n = s+1, 0
		}
		want = append(want, tb.splits[s][c][n]...)
		n++
	}
	if !bytes.Equal(value, sealed(want)) || int(b.Raw) != len(want) {
		t.Fatalf("column %d from %v: %d bytes of %d rows are not theirs", c, b.Row, len(value), b.Rows)
	}
	j := &rawJoiner{f: tb.f, column: c}
	if n := j.noted(want); !bytes.Equal(n.Note, b.Note) {
		t.Fatalf("column %d from %v: noted %q, want %q", c, b.Row, b.Note, n.Note)
	}
}

// memory is a Source in memory.
type memory [][]tuple.Tuple

// Scan implements Source.
func (m memory) Scan(col uint32, from, to tuple.Row) Scanner {
	var in []tuple.Tuple
	for _, t := range m[col] {
		if from < to && t.Row < to && t.End() > from {
			in = append(in, t)
		}
	}
	return &memoryScanner{left: in}
}

type memoryScanner struct {
	left []tuple.Tuple
	cur  tuple.Tuple
	note []byte
}

func (s *memoryScanner) Next() bool {
	clear(s.note) // what was given is valid no more
	if len(s.left) == 0 {
		return false
	}
	s.cur, s.left = s.left[0], s.left[1:]
	return true
}

func (s *memoryScanner) Tuple() tuple.Tuple {
	t := s.cur
	t.Value, t.Note = nil, nil
	return t
}

func (s *memoryScanner) Note() ([]byte, error) {
	s.note = append(s.note[:0], s.cur.Note...)
	return s.note, nil
}

func (s *memoryScanner) Value(dst []byte) ([]byte, error) {
	clear(s.note)
	return append(dst, s.cur.Value...), nil
}

func (s *memoryScanner) Err() error   { return nil }
func (s *memoryScanner) Close() error { return nil }

// String names a range in a failure.
func (r Range) String() string { return fmt.Sprintf("[%v, %v)", r.From, r.To) }
