package trevni

import (
	"errors"
	"io"
	"math"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"avro2trevni/trevni/block"
)

// TestErrorStays checks that a reader which met bad bytes goes no further.
func TestErrorStays(t *testing.T) {
	tb := typed(Long, 9)
	file := tb.file(t, Metadata{{keyChecksum, []byte("crc32")}}, 4)
	r := open(t, file, nil)
	_, err := r.Blocks(0)
	must(t, err)
	file[r.columns[0].index.at[1]]++
	c, err := r.Column(0)
	must(t, err)
	for range 4 {
		_, err := next(c)
		must(t, err)
	}
	_, first := next(c)
	if _, err := next(c); !errors.Is(first, ErrCorrupt) || err != first {
		t.Errorf("errors are %v and %v", first, err)
	}
}

// TestBadValues reads blocks whose bytes are no values, after a right checksum.
func TestBadValues(t *testing.T) {
	long := func(v int64) []byte { return block.AppendLong(nil, v) }
	for _, c := range []struct {
		name   string
		column Column
		raw    []byte
		want   string
	}{
		{"int of 33 bits", Column{Type: Int}, long(1 << 32), "int 4294967296 does not fit 32 bits"},
		{"int cut", Column{Type: Int}, []byte{0x80}, "number is cut short"},
		{"long of 65 bits", Column{Type: Long}, []byte("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02"), "more than 64 bits"},
		{"string of negative length", Column{Type: String}, long(-2), "negative length -2"},
		{"string past the end", Column{Type: String}, append(long(5), "four"...), "length 5, 4 bytes left"},
		{"bytes of 2^62", Column{Type: Bytes}, long(1 << 62), "length 4611686018427387904, 0 bytes left"},
		{"no length", Column{Type: Null, Array: true}, nil, "number is cut short"},
		{"length of 33 bits", Column{Type: Null, Array: true}, long(1 << 31), "length 2147483648 does not fit 32 bits"},
		{"run of 33 bits", Column{Type: Null, Array: true}, long(-1 << 32), "does not fit 32 bits"},
		{"run past the rows", Column{Type: Null, Array: true}, long(-3), "2 lengths more than rows"},
		{"length past the end", Column{Type: Double, Array: true}, long(2), "8 bytes wanted"},
		{"booleans past the end", Column{Type: Boolean, Array: true}, append(long(9), 0xff), "1 bytes wanted"},
		{"bytes after", Column{Type: Null, Array: true}, append(long(1), 7), "1 bytes after the last value"},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.column.Name = "bad"
			h := &Header{Rows: 1, Columns: []Column{c.column}}
			b := Block{Rows: 1, RawSize: uint32(len(c.raw)), Size: uint32(len(c.raw))}
			r := open(t, write(t, h, [][]Block{{b}}, [][]byte{c.raw}), nil)
			_, err := readTable(r, 1000)
			if !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), `column "bad" block 0`) {
				t.Errorf("error is %v, want %q", err, c.want)
			}
		})
	}
}

// TestNullsOfManyRows reads a block of the most rows there may be, in no bytes.
func TestNullsOfManyRows(t *testing.T) {
	h := &Header{Rows: block.MaxRows, Columns: []Column{{Name: "n"}, {Name: "a", Array: true}}}
	run := append(block.AppendLengthRun(nil, true, block.MaxLengthRun), block.AppendLengthRun(nil, false, block.MaxLengthRun-1)...)
	blocks := [][]Block{{{Rows: block.MaxRows}}, {{Rows: block.MaxRows, RawSize: uint32(len(run)), Size: uint32(len(run))}}}
	r := open(t, write(t, h, blocks, [][]byte{nil, run}), nil)
	c, err := r.Column(1)
	must(t, err)
	if n, err := nextLength(c); n != 1 || err != nil {
		t.Errorf("length %d, %v", n, err)
	}
	_, err = next(c)
	must(t, err)
	c, err = r.Column(0)
	must(t, err)
	if _, err := next(c); err != nil {
		t.Errorf("plain nulls: %v", err)
	}
}

func TestLengthReader(t *testing.T) {
	type run struct {
		Length, Count, Offset int
		Data                  string
	}
	long := func(v int64) []byte { return block.AppendLong(nil, v) }
	for _, c := range []struct {
		name  string
		typ   Type
		block []byte
		want  []run
		err   string
	}{
		{"nothing", Int, nil, nil, ""},
		{"ints", Int, join(long(2), []byte{1, 2}, long(-8), []byte{1, 0, 1, 1, 0}, long(-1), long(1), []byte{4}),
			[]run{{2, 1, 0, "\x01\x02"}, {1, 5, 3, "\x01\x00\x01\x01\x00"}, {0, 2, 9, ""}, {1, 1, 10, "\x04"}}, ""},
		{"booleans", Boolean, join(long(9), []byte{255, 1}, long(-4), []byte{1, 0, 1}, long(1), []byte{1}),
			[]run{{9, 1, 0, "\xff\x01"}, {1, 3, 3, "\x01\x00\x01"}, {1, 1, 7, "\x01"}}, ""},
		{"nulls", Null, join(long(math.MaxInt32), long(math.MinInt32+1)),
			[]run{{math.MaxInt32, 1, 0, ""}, {0, 1<<30 + 1, 5, ""}}, ""},
		{"strings", String, join(long(1), long(2), []byte("ab")), []run{{1, 1, 0, "\x04ab"}}, ""},
		{"values cut", Int, join(long(0), long(2), []byte{1}), []run{{0, 1, 0, ""}}, "length at 1 of a block: number is cut short"},
		{"length cut", Int, join(long(0), []byte{0x80}), []run{{0, 1, 0, ""}}, "length at 1 of a block: number is cut short"},
		{"run cut", Double, long(-2), nil, "length at 0 of a block: 16 bytes wanted, 0 left"},
		{"booleans cut", Boolean, join(long(-2), []byte{1}), nil, "2 bytes wanted, 1 left"},
	} {
		var l block.LengthReader
		var got []run
		for l.Reset(c.block, c.typ); l.Next(); {
			got = append(got, run{l.Length, l.Count, l.Offset, string(l.Data)})
		}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, d)
		}
		if err := l.Err(); err == nil && (c.err != "" || l.End() != len(c.block)) || err != nil && (c.err == "" || !strings.Contains(err.Error(), c.err) || !errors.Is(err, ErrCorrupt)) {
			t.Errorf("%s: ends at %d with %v, want %q", c.name, l.End(), err, c.err)
		}
	}
}

// TestManyGoroutines reads one reader's blocks and columns from several at once.
func TestManyGoroutines(t *testing.T) {
	want := typed(String, 50)
	r := open(t, want.file(t, Metadata{{keyCodec, []byte("deflate")}}, 4), nil)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			got, err := readTable(r, 1<<20)
			if err != nil {
				t.Error(err)
				return
			}
			compare(t, got, want)
			for i := range want.columns {
				for b := range 12 {
					raw, err := r.ReadBlock(i, b, nil)
					if err != nil || string(raw) != string(want.columns[i].block(4*b, 4*b+4)) {
						t.Errorf("column %d block %d: %v", i, b, err)
					}
				}
			}
		})
	}
	wg.Wait()
}

// TestEndOfColumn checks that the end is io.EOF and stays it.
func TestEndOfColumn(t *testing.T) {
	c, err := open(t, typed(Long, 0).file(t, nil, 1), nil).Column(0)
	must(t, err)
	for range 2 {
		if _, err := next(c); err != io.EOF {
			t.Errorf("no rows, and %v", err)
		}
	}
}
