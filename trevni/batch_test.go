package trevni

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"avro2trevni/trevni/block"
)

// batch reads up to n values of the column's type.
func batch(c *ColumnReader, n int) ([]any, error) {
	switch c.c.Type {
	case Null:
		n, err := c.ReadNulls(n)
		return make([]any, n), err
	case Boolean:
		return boxes(n, c.ReadBooleans)
	case Int:
		return boxes(n, c.ReadInts)
	case Long:
		return boxes(n, c.ReadLongs)
	case Fixed32:
		return boxes(n, c.ReadFixed32s)
	case Fixed64:
		return boxes(n, c.ReadFixed64s)
	case Float:
		return boxes(n, c.ReadFloats)
	case Double:
		return boxes(n, c.ReadDoubles)
	}
	vs, err := boxes(n, c.ReadBytes)
	for i, v := range vs {
		if c.c.Type == String {
			vs[i] = string(v.([]byte))
		} else {
			vs[i] = append([]byte{}, v.([]byte)...)
		}
	}
	return vs, err
}

func boxes[T any](n int, read func([]T) (int, error)) ([]any, error) {
	dst := make([]T, n)
	n, err := read(dst)
	var vs []any
	for _, v := range dst[:n] {
		vs = append(vs, v)
	}
	return vs, err
}

// stream is a column's lengths and values, and the error after them.
type stream struct {
	lengths []int32
	values  []any
	err     error
}

// byNext reads a column value by value, in an array column after each length.
func byNext(c *ColumnReader, budget int) (s stream) {
	for {
		n := 1
		if c.c.Array {
			if n, s.err = nextLength(c); s.err != nil {
				return s
			}
			s.lengths = append(s.lengths, int32(n))
		}
		if budget -= n + 1; budget < 0 {
			s.err = errBudget
			return s
		}
		for range n {
			v, err := next(c)
			if err != nil {
				s.err = err
				return s
			}
			s.values = append(s.values, v)
		}
	}
}

// byValues reads a column's values in batches of n, at most budget.
func byValues(c *ColumnReader, n, budget int) (s stream) {
	for {
		vs, err := batch(c, n)
		if (len(vs) > 0) != (err == nil) {
			return stream{err: errors.New("values and an error, or neither")}
		}
		if s.err = err; err != nil {
			return s
		}
		s.values = append(s.values, vs...)
		if len(s.values) > budget {
			s.err = errBudget
			return s
		}
	}
}

// byLengths reads a column's lengths in batches of n, and their values.
func byLengths(c *ColumnReader, n, budget int) (s stream) {
	dst := make([]int32, n)
	for {
		k, err := c.ReadLengths(dst)
		if s.err = err; err != nil {
			return s
		}
		s.lengths = append(s.lengths, dst[:k]...)
		sum := 0
		for _, l := range dst[:k] {
			sum += int(l)
		}
		for sum > 0 {
			vs, err := batch(c, min(sum, n+1))
			if s.err = err; err != nil {
				return s
			}
			s.values = append(s.values, vs...)
			if sum -= len(vs); len(s.values) > budget {
				s.err = errBudget
				return s
			}
		}
		if _, err := batch(c, 1); !errors.Is(err, ErrMisuse) && c.err == nil {
			s.err = errors.New("a value more than lengths")
			return s
		}
	}
}

// flat is a table's column as a stream.
func (c *tableColumn) flat() (s stream) {
	for r := range c.values {
		for _, l := range c.lengths[r] {
			s.lengths = append(s.lengths, int32(l))
		}
		s.values = append(s.values, c.values[r]...)
	}
	s.err = io.EOF
	return s
}

// compareBatches reads all columns that can be in batches of n.
func compareBatches(t rapidOrT, r *Reader, tb *table, n int) {
	t.Helper()
	for i := range tb.columns {
		want := tb.columns[i].flat()
		c, err := r.Column(i)
		if err != nil {
			t.Fatalf("%v", err)
		}
		if got := byValues(c, n, 1<<24); !reflect.DeepEqual(got.values, want.values) || got.err != io.EOF {
			t.Fatalf("column %s in batches of %d: %v, want %v", tb.columns[i].Name, n, got, want)
		}
		if !tb.columns[i].Array {
			continue
		}
		if c, err = r.Column(i); err != nil {
			t.Fatalf("%v", err)
		}
		if got := byLengths(c, n, 1<<24); !reflect.DeepEqual(got, want) {
			t.Fatalf("column %s by lengths, %d at a time: %v (%v), want %v", tb.columns[i].Name, n, got, got.err, want)
		}
	}
}

func TestBatches(t *testing.T) {
	for typ := range types {
		for _, rows := range []int{0, 1, 7, 8, 9, 64, 65, 200} {
			tb := typed(typ, rows)
			r := open(t, tb.file(t, Metadata{{keyCodec, []byte("snappy")}}, 41), nil)
			for _, n := range []int{1, 2, 7, 8, 9, 63, 64, 65, 1000} {
				compareBatches(t, r, tb, n)
			}
		}
	}
}

func TestAnyBatches(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		tb := drawTable(rt)
		file := tb.file(t, nil, rapid.IntRange(1, 20).Draw(rt, "step"))
		compareBatches(rt, open(t, file, nil), tb, rapid.IntRange(1, 70).Draw(rt, "n"))
	})
}

// TestLengthsAlone passes over the values.
func TestLengthsAlone(t *testing.T) {
	for typ := range types {
		tb := typed(typ, 100)
		r := open(t, tb.file(t, nil, 41), nil)
		for n := 1; n < 50; n += 3 {
			c, err := r.Column(2)
			must(t, err)
			var got []int32
			dst := make([]int32, n)
			for {
				k, err := c.ReadLengths(dst)
				if err == io.EOF {
					break
				}
				must(t, err)
				if got = append(got, dst[:k]...); dst[k-1] > 1 {
					_, err := batch(c, 1) // the rest is passed over
					must(t, err)
				}
			}
			if want := tb.columns[2].flat().lengths; !reflect.DeepEqual(got, want) {
				t.Fatalf("%s: lengths %v, want %v", typ, got, want)
			}
		}
	}
}

// TestVarints decodes numbers of every length by all ways.
func TestVarints(t *testing.T) {
	var want []int64
	var b []byte
	for bit := range 64 {
		for _, v := range []int64{1 << bit, 1<<bit - 1, -1 << bit, 3, 1 << bit, -1, 0, 1, 2, 3, 4, 5, 6} {
			want, b = append(want, v), block.AppendLong(b, v)
		}
	}
	b = append(b, 0x80, 0x80, 0, 0x84, 0) // longer than need be
	want = append(want, 0, 2)
	got := make([]int64, len(want)+1)
	n, size := decodeLongs(got, b)
	if n != len(want) || size != len(b) || !reflect.DeepEqual(got[:n], want) {
		t.Errorf("%d numbers in %d bytes, want %d in %d", n, size, len(want), len(b))
	}
	ints := make([]int32, len(want))
	n, _ = decodeInts(ints, b)
	for i, v := range want {
		if v != int64(int32(v)) {
			if n != i {
				t.Errorf("%d ints, want %d", n, i)
			}
			break
		}
		if i < n && int64(ints[i]) != v {
			t.Errorf("int %d is %d, want %d", i, ints[i], v)
		}
	}
}

// What machines do whose order of bytes is not the format's.
func TestSwap(t *testing.T) {
	for width, want := range map[int]string{1: "abcdefgh", 2: "badcfehg", 4: "dcbahgfe", 8: "hgfedcba"} {
		b := []byte("abcdefgh")
		if swap(b, width); string(b) != want {
			t.Errorf("by %d: %s, want %s", width, b, want)
		}
	}
}

func TestBatchMisuse(t *testing.T) {
	r := open(t, typed(Int, 12).file(t, nil, 5), nil)
	refused := func(err error) {
		t.Helper()
		if !errors.Is(err, ErrMisuse) || errors.Is(err, ErrCorrupt) {
			t.Errorf("error is %v, want ErrMisuse", err)
		}
	}
	read := func(c *ColumnReader) error { _, err := c.ReadInts(make([]int32, 1)); return err }
	lengths := func(c *ColumnReader) error { _, err := c.ReadLengths(make([]int32, 1)); return err }
	column := func(i int) *ColumnReader {
		c, err := r.Column(i)
		must(t, err)
		return c
	}
	c := column(0)
	refused(lengths(column(0)))
	_, err := c.ReadLongs(make([]int64, 1))
	refused(err)
	must(t, read(c))
	c = column(2)
	must(t, read(c))
	refused(lengths(c))
	c = column(2)
	must(t, lengths(c))
	refused(read(c)) // of none
	_, err = r.Column(99)
	refused(err)
	_, err = r.ColumnNamed("none")
	refused(err)
	_, err = r.Blocks(-1)
	refused(err)
	_, err = r.ReadBlock(0, 3, nil)
	refused(err)
}

// TestBatchAllocations: values cost none.
func TestBatchAllocations(t *testing.T) {
	for typ := range types {
		c := tableColumn{Column: Column{Name: "c", Type: typ}}
		for i := range 20000 {
			c.add(nil, samples[typ][i%len(samples[typ]):][:1])
		}
		r := open(t, (&table{20000, []tableColumn{c}}).file(t, Metadata{{keyCodec, []byte("snappy")}}, 1000), nil)
		read := batchDrain(typ)
		allocs := testing.AllocsPerRun(5, func() {
			c, err := r.Column(0)
			must(t, err)
			must(t, read(c))
		})
		if allocs > 20 {
			t.Errorf("%s: %v allocations for 20,000 values in 20 blocks", typ, allocs)
		}
	}
}

func TestOpenFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a.trv")
	want := typed(Double, 30)
	must(t, os.WriteFile(name, want.file(t, nil, 7), 0o600))
	f, err := OpenFile(name, nil)
	must(t, err)
	got, err := readTable(f.Reader, 1<<20)
	must(t, err)
	compare(t, got, want)
	must(t, f.Close())
	if _, err := f.ReadBlock(0, 0, nil); !errors.Is(err, os.ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
	if _, err := OpenFile(name+"x", nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	if _, err := OpenFile(filepath.Dir(name), nil); err == nil {
		t.Error("a folder is opened")
	}
	must(t, os.WriteFile(name, []byte("Trv\x02"), 0o600))
	var e *Error
	if _, err := OpenFile(name, nil); !errors.As(err, &e) || e.Path != name || !errors.Is(err, ErrCorrupt) {
		t.Errorf("cut: %v", err)
	}
}

// FuzzBatch: any bytes as a block give the same values and the same error value by
// value, in batches, and in batches by lengths.
func FuzzBatch(f *testing.F) {
	f.Add(byte(Int), true, uint16(6), byte(2), []byte("\x07\x0a\x0c\x0e\x01\x02\x10"))
	f.Add(byte(Boolean), true, uint16(6), byte(3), []byte("\x07\x01\x00\x01\x01\x02\x01"))
	f.Add(byte(String), true, uint16(6), byte(9), []byte("\x04\x02a\x02b\x05\x02\x02c\x00"))
	f.Add(byte(Long), false, uint16(12), byte(9), []byte("\x04\x02\x02\x02\x02\x02\x02\x02\x02\x80\x01\x01\x80"))
	f.Add(byte(Int), false, uint16(2), byte(9), []byte("\x80\x80\x80\x80\x80\x01\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, typ byte, array bool, rows uint16, n byte, raw []byte) {
		c := Column{Name: "c", Type: Type(typ % byte(types)), Array: array}
		b := Block{Rows: uint32(rows), RawSize: uint32(len(raw)), Size: uint32(len(raw))}
		if c.checkBlock(&b) != nil {
			return
		}
		h := &Header{Rows: uint64(rows), Columns: []Column{c}}
		r := open(t, write(t, h, [][]Block{{b}}, [][]byte{bytes.Clone(raw)}), nil)
		column := func() *ColumnReader {
			c, err := r.Column(0)
			must(t, err)
			return c
		}
		const budget = 1 << 16
		want := byNext(column(), budget)
		if errors.Is(want.err, errBudget) {
			return
		}
		same := func(how string, got stream) {
			if fmt.Sprint(got.values) != fmt.Sprint(want.values) || got.err.Error() != want.err.Error() {
				t.Fatalf("%s: %v; by value: %v", how, got, want)
			}
		}
		same("batches", byValues(column(), int(n)+1, budget))
		if array {
			got := byLengths(column(), int(n)+1, budget)
			same("lengths", got)
			if want.err != io.EOF { // lengths come before the values after them are looked at
				got.lengths = got.lengths[:min(len(got.lengths), len(want.lengths))]
			}
			if !reflect.DeepEqual(got.lengths, want.lengths) {
				t.Fatalf("lengths %v; by value: %v", got.lengths, want.lengths)
			}
		}
		c1, row := column(), int(rows)/2
		switch err := c1.SeekRow(uint64(row)); {
		case err != nil && (want.err == io.EOF || !ours(err)):
			t.Fatalf("seek: %v; by value: %v", err, want.err)
		case err == nil && want.err == io.EOF && array:
			if got := byLengths(c1, int(n)+1, budget); fmt.Sprint(got.lengths) != fmt.Sprint(want.lengths[row:]) {
				t.Fatalf("lengths from row %d: %v; by value: %v", row, got.lengths, want.lengths)
			}
		case err == nil && want.err == io.EOF:
			if got := byValues(c1, int(n)+1, budget); fmt.Sprint(got.values) != fmt.Sprint(want.values[row:]) {
				t.Fatalf("values from row %d: %v; by value: %v", row, got.values, want.values)
			}
		}
	})
}
