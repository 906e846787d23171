package mapper_test

import (
	"encoding/binary"
	"errors"
	"math"
	"strings"
	"testing"

	"avro2trevni/internal/tuple"
	"avro2trevni/mapper"
)

// dropSink throws tuples away, and keeps count of their bytes.
type dropSink struct {
	buf  []byte
	rows int64
	raw  int64
}

func (s *dropSink) Buffer(n int) ([]byte, error) {
	if cap(s.buf) < n {
		s.buf = make([]byte, 0, n)
	}
	return s.buf[:0], nil
}

func (s *dropSink) Add(t tuple.Tuple) error {
	s.rows += int64(t.Rows)
	s.raw += int64(t.Raw)
	return nil
}

func ints(values ...int64) (b []byte) {
	for _, v := range values {
		b = binary.AppendVarint(b, v)
	}
	return b
}

// Whatever is wrong with a row is an error with the block, the row and the cause.
func TestBadRows(t *testing.T) {
	const record = `{"type":"record","name":"R","fields":[{"name":"a","type":"int"},{"name":"b","type":`
	long := []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1}
	for _, c := range []struct {
		name, schema string
		rows         int64
		data         []byte
		row          int64
		want         string
	}{
		{"ends in a row", `"double"`, 2, make([]byte, 15), 1, "too few"},
		{"ends before a row", `"int"`, 3, make([]byte, 2), 2, "too few"},
		{"bytes left", `"int"`, 2, make([]byte, 3), 2, "left after"},
		{"no rows but bytes", `"int"`, 0, make([]byte, 1), 0, "left after"},
		{"int too large", `"int"`, 2, ints(1, math.MaxInt32+1), 1, "more than 32 bits"},
		{"int too small", `"int"`, 1, ints(math.MinInt32 - 1), 0, "more than 32 bits"},
		{"long of 11 bytes", `"long"`, 1, long, 0, "more than 64 bits"},
		{"boolean", `"boolean"`, 2, []byte{1, 2}, 1, "neither 0 nor 1"},
		{"enum", record + `{"type":"enum","name":"E","symbols":["X","Y"]}}]}`, 1, ints(0, 2), 0, `column "b": symbol 2 of an enum of 2`},
		{"negative enum", `{"type":"enum","name":"E","symbols":["X","Y"]}`, 1, ints(-1), 0, "symbol -1"},
		{"negative string", `"string"`, 1, ints(-1), 0, "length -1"},
		{"string past the end", `"string"`, 1, ints(100, 1), 0, "too few"},
		{"string of 2^62", `"string"`, 1, ints(1 << 62), 0, "length 4611686018427387904"},
		{"union branch", `["null","int"]`, 1, ints(2), 0, "branch 2 of a union of 2"},
		{"negative union branch", `["int","long","null"]`, 1, ints(-1), 0, "branch -1 of a union of 3"},
		{"array of 2^62 nulls", `{"type":"array","items":"null"}`, 1, ints(1<<62, 0), 0, "lengths cannot say"},
		{"array of too many in two blocks", `{"type":"array","items":"null"}`, 1, ints(math.MaxInt32, 1, 0), 0, "lengths cannot say"},
		{"array of -2^63", `{"type":"array","items":"int"}`, 1, ints(math.MinInt64, 0, 0), 0, "lengths cannot say"},
		{"array block of negative bytes", `{"type":"array","items":"int"}`, 1, ints(-1, -1, 0, 0), 0, "array block of -1 bytes"},
		{"array with too few elements", `{"type":"array","items":"int"}`, 1, ints(1000, 1, 2), 0, "too few"},
		{"empty fixed without end", `{"type":"fixed","name":"F","size":0}`, 1 << 30, nil, 1 << 20, "values of no bytes"},
		{"empty fixed in an array", `{"type":"array","items":{"type":"fixed","name":"F","size":0}}`, 1, ints(1<<30, 0), 0, "values of no bytes"},
		{"2^62 rows of nothing", `"null"`, 1 << 62, nil, 0, "split of more than"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := compileText(t, c.schema)
			for _, window := range []int{0, 1, 7} {
				m := newMapper(p, mapper.Options{}, &dropSink{})
				m.Begin(0)
				_, err := m.Segment(t.Context(), &fakeBlocks{blocks: []testBlock{{c.rows, c.data}}, size: window})
				var e *mapper.Error
				if !errors.As(err, &e) || !strings.Contains(err.Error(), c.want) {
					t.Fatalf("window %d: got %v, want %q", window, err, c.want)
				}
				if e.Offset != 1000 || e.Row != c.row {
					t.Errorf("window %d: at block %d, row %d, want 1000, %d", window, e.Offset, e.Row, c.row)
				}
			}
		})
	}
}

// Rows of no bytes are legal, in any number, and cost no time.
func TestRowsOfNoBytes(t *testing.T) {
	for _, schema := range []string{`"null"`, `{"type":"record","name":"R","fields":[]}`,
		`{"type":"record","name":"R","fields":[{"name":"a","type":"null"},{"name":"b","type":"null"}]}`} {
		p := compileText(t, schema)
		sink := &dropSink{}
		m := newMapper(p, mapper.Options{}, sink)
		m.Begin(0)
		const rows = 1 << 34
		if n, err := m.Segment(t.Context(), &fakeBlocks{blocks: []testBlock{{rows, nil}}}); n != rows || err != nil {
			t.Errorf("%s: %d rows, %v", schema, n, err)
		}
		if r, err := m.End(); r.Rows != rows || err != nil || sink.rows != rows*int64(len(p.Columns())) {
			t.Errorf("%s: result of %d rows, %v; %d in tuples", schema, r.Rows, err, sink.rows)
		}
	}
}

// An array of 2^31-1 nulls is six bytes, and stays about that.
func TestArrayOfManyNulls(t *testing.T) {
	p := compileText(t, `{"type":"array","items":{"type":"record","name":"R","fields":[]}}`)
	data := ints(math.MaxInt32, 0, -1, 0, 1, 0)
	tuples, _ := run(t, p, mapper.Options{}, []testBlock{{2, data}}, 0)
	if want := ints(math.MaxInt32, 2); len(tuples) != 1 || string(tuples[0].Value) != string(want) {
		t.Errorf("got %+v, want one run of %x", tuples, want)
	}
}

// FuzzWalk shreds any bytes by any of the schemas: data or an error, whole and in
// windows alike, and never more out than in by more than the schema explains.
func FuzzWalk(f *testing.F) {
	schemas := []string{
		`{"type":"record","name":"R","fields":[{"name":"l","type":"long"},{"name":"i","type":"int"},
			{"name":"s","type":"string"},{"name":"b","type":"boolean"},{"name":"d","type":"double"},
			{"name":"f","type":"float"},{"name":"x","type":{"type":"fixed","name":"X","size":5}},
			{"name":"e","type":{"type":"enum","name":"E","symbols":["A","B","C"]}}]}`,
		`{"type":"record","name":"R","fields":[{"name":"o","type":["null","string"]},{"name":"p","type":["boolean","null"]},
			{"name":"u","type":["int","null",{"type":"record","name":"S","fields":[{"name":"z","type":["null","double"]}]},"bytes"]}]}`,
		`{"type":"array","items":{"type":"record","name":"A","fields":[{"name":"m","type":{"type":"map","values":
			{"type":"array","items":["null","long"]}}},{"name":"b","type":{"type":"array","items":"boolean"}}]}}`,
		`{"type":"map","values":{"type":"array","items":"null"}}`,
		`{"type":"array","items":{"type":"fixed","name":"F","size":0}}`,
	}
	var programs []*program
	for _, s := range schemas {
		p := compileText(f, s)
		programs = append(programs, p)
	}
	f.Add(uint8(0), uint16(1), uint8(3), make([]byte, 40))
	f.Add(uint8(1), uint16(2), uint8(0), []byte{2, 4, 'h', 'i', 0, 1, 4, 2, 1, 2, 3, 4, 5, 6, 7, 8, 0, 2, 0, 2})
	f.Add(uint8(2), uint16(1), uint8(1), []byte{2, 2, 2, 'k', 4, 0, 2, 8, 0, 0, 6, 1, 0, 1, 0, 0})
	f.Add(uint8(4), uint16(1), uint8(1), []byte{20, 0})
	f.Fuzz(func(t *testing.T, which uint8, rows uint16, window uint8, data []byte) {
		p := programs[int(which)%len(programs)]
		o := mapper.Options{}
		o.BlockSize, o.MarkBytes, o.MaxEmpty = 64, 50, 1000
		shred := func(size int) ([]tuple.Tuple, error) {
			sink := &keepSink{t: t}
			m := newMapper(p, o, sink)
			m.Begin(0)
			if _, err := m.Segment(t.Context(), &fakeBlocks{blocks: []testBlock{{int64(rows), data}}, size: size}); err != nil {
				return nil, err
			}
			_, err := m.End()
			return sink.tuples, err
		}
		whole, err := shred(0)
		parts, err2 := shred(1 + int(window))
		if (err == nil) != (err2 == nil) {
			t.Fatalf("whole: %v, in windows of %d: %v", err, 1+int(window), err2)
		}
		if len(whole) != len(parts) {
			t.Fatalf("%d runs whole, %d in windows", len(whole), len(parts))
		}
		total := 0
		for i := range whole {
			if string(whole[i].Value) != string(parts[i].Value) || whole[i].Row != parts[i].Row || whole[i].Column != parts[i].Column {
				t.Fatalf("run %d differs", i)
			}
			total += len(whole[i].Value)
		}
		if most := 8*len(data) + 8*int(rows) + 2000; total > most {
			t.Errorf("%d bytes of %d", total, len(data))
		}
	})
}
