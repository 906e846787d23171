package trevni

import (
	"errors"
	"io"
	"reflect"
	"testing"

	"pgregory.net/rapid"
)

// slice returns rows [from, to) of the column as a stream.
func (c *tableColumn) slice(from, to int) stream {
	part := tableColumn{Column: c.Column, lengths: c.lengths[from:to], values: c.values[from:to]}
	return part.flat()
}

// seeks goes to rows [from, to) in all columns, and reads them in all ways.
func seeks(t rapidOrT, cs []*ColumnReader, tb *table, from, to, n int) {
	t.Helper()
	for i, c := range cs {
		want := tb.columns[i].slice(from, to)
		seek := func() {
			if err := c.SeekRows(uint64(from), uint64(to)); err != nil {
				t.Fatalf("column %s, to row %d: %v", tb.columns[i].Name, from, err)
			}
		}
		seek()
		if got := byValues(c, n, 1<<24); !reflect.DeepEqual(got.values, want.values) || got.err != io.EOF {
			t.Fatalf("column %s, rows %d to %d: %v %v, want %v", tb.columns[i].Name, from, to, got, got.err, want)
		}
		if tb.columns[i].Array {
			seek()
			if got := byLengths(c, n, 1<<24); !reflect.DeepEqual(got, want) {
				t.Fatalf("column %s, rows %d to %d by lengths: %v %v, want %v", tb.columns[i].Name, from, to, got, got.err, want)
			}
		}
		seek()
		if err := seekNext(c, &tb.columns[i], tb, from, to); err != nil {
			t.Fatalf("column %s, rows %d to %d by row: %v", tb.columns[i].Name, from, to, err)
		}
	}
}

// seekNext reads rows [from, to) row by row.
func seekNext(c *ColumnReader, want *tableColumn, tb *table, from, to int) error {
	got := tableColumn{Column: want.Column}
	var parent *tableColumn
	for i := range tb.columns {
		if p := &tb.columns[i]; p.Name == want.Parent && want.Parent != "" {
			parent = &tableColumn{Column: p.Column, lengths: p.lengths[from:to], values: p.values[from:to]}
		}
	}
	budget := 1 << 24
	if err := got.read(c, parent, to-from, &budget); err != nil {
		return err
	}
	if a, b := got.flat(), want.slice(from, to); !reflect.DeepEqual(a, b) {
		return errors.New("other values")
	}
	return nil
}

func columnsOf(t rapidOrT, r *Reader) (cs []*ColumnReader) {
	for i := range r.Header().Columns {
		c, err := r.Column(i)
		if err != nil {
			t.Fatalf("%v", err)
		}
		cs = append(cs, c)
	}
	return cs
}

func TestSeekEverywhere(t *testing.T) {
	for typ := range types {
		tb := typed(typ, 45)
		r := open(t, tb.file(t, Metadata{{keyCodec, []byte("snappy")}}, 14), nil)
		cs := columnsOf(t, r)
		for from := 0; from <= 45; from++ {
			seeks(t, cs, tb, from, 45, 7)
			seeks(t, cs, tb, from, min(45, from+from%17), 3)
		}
	}
}

func TestSeekAnyTable(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		tb := drawTable(rt)
		r := open(t, tb.file(t, nil, rapid.IntRange(1, 20).Draw(rt, "step")), nil)
		cs := columnsOf(rt, r)
		for range 3 {
			from := rapid.IntRange(0, tb.rows).Draw(rt, "from")
			seeks(rt, cs, tb, from, rapid.IntRange(from, tb.rows).Draw(rt, "to"), rapid.IntRange(1, 20).Draw(rt, "n"))
		}
	})
}

// counting counts the reads and the bytes of an io.ReaderAt.
type counting struct {
	io.ReaderAt
	reads int
	bytes int64
}

func (c *counting) ReadAt(p []byte, off int64) (int, error) {
	c.reads++
	c.bytes += int64(len(p))
	return c.ReaderAt.ReadAt(p, off)
}

// TestSeekReads: a seek reads one block, again none; of a parent one too; and a
// column that is read leaves all others alone.
func TestSeekReads(t *testing.T) {
	tb := typed(String, 400)
	file := tb.file(t, Metadata{{keyCodec, []byte("deflate")}, {keyChecksum, []byte("crc32")}}, 20)
	r := open(t, file, nil)
	src := &counting{ReaderAt: r.src}
	r.src = src
	for i, want := range []int{1, 1, 1, 1, 2, 2} {
		c, err := r.Column(i)
		must(t, err)
		if c.c.Parent != "" {
			must(t, c.SeekRow(1)) // the parent's descriptors are read
		}
		src.reads, src.bytes = 0, 0
		must(t, c.SeekRow(215))
		if src.reads != want {
			t.Errorf("column %s: %d reads, want %d", c.c.Name, src.reads, want)
		}
		if b := &c.index.blocks[10]; want == 1 && src.bytes != int64(b.Size)+4 {
			t.Errorf("column %s: %d bytes, the block has %d", c.c.Name, src.bytes, b.Size)
		}
		src.reads = 0
		must(t, c.SeekRow(215))
		if c.c.Parent == "" && src.reads != 0 {
			t.Errorf("column %s: %d reads to go where it is", c.c.Name, src.reads)
		}
	}
	c, err := r.Column(0)
	must(t, err)
	src.bytes = 0
	if s := byValues(c, 100, 1<<20); s.err != io.EOF {
		t.Error(s.err)
	}
	all := int64(0)
	for _, b := range c.index.blocks {
		all += int64(b.Size) + 4
	}
	if src.bytes != all {
		t.Errorf("%d bytes read, the column's blocks have %d", src.bytes, all)
	}
}

func TestSeekMisuse(t *testing.T) {
	r := open(t, typed(Long, 30).file(t, nil, 7), nil)
	c, err := r.Column(0)
	must(t, err)
	for _, rows := range [][2]uint64{{31, 31}, {5, 4}, {0, 31}, {1 << 63, 1 << 63}} {
		if err := c.SeekRows(rows[0], rows[1]); !errors.Is(err, ErrMisuse) {
			t.Errorf("rows %v: error is %v, want ErrMisuse", rows, err)
		}
	}
	must(t, c.SeekRow(30))
	if _, err := next(c); err != io.EOF {
		t.Errorf("after the last row: %v", err)
	}
	must(t, c.SeekRow(29))
	_, err = next(c)
	must(t, err)
}
