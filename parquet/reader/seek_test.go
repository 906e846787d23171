package reader

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"testing"

	"avro2trevni/parquet"
)

// counting notes which bytes of a file are read.
type counting struct {
	file []byte
	read []bool
	n    int64
}

func newCounting(file []byte) *counting { return &counting{file: file, read: make([]bool, len(file))} }

func (c *counting) ReadAt(p []byte, at int64) (int, error) {
	n, err := bytes.NewReader(c.file).ReadAt(p, at)
	for i := range n {
		c.read[at+int64(i)] = true
	}
	c.n += int64(n)
	return n, err
}

// within returns the bytes read in a range.
func (c *counting) within(from, to int64) int64 {
	n := int64(0)
	for _, was := range c.read[from:to] {
		if was {
			n++
		}
	}
	return n
}

// versions are the writer's options that decide how pages are read.
func versions() []parquet.EncoderOptions {
	var all []parquet.EncoderOptions
	for _, version := range []int{1, 2} {
		for _, codec := range []string{"", "snappy"} {
			all = append(all, parquet.EncoderOptions{PageVersion: version, Codec: parquet.Codec{Name: codec}})
		}
	}
	return all
}

// TestProjection reads each column alone: no byte of another column is read.
func TestProjection(t *testing.T) {
	r := rand.New(rand.NewPCG(seedOf(t), 2))
	for _, o := range versions() {
		file, want := randomFile(t, r, o, parquet.WriterOptions{}, 2, 3, 100)
		for i := range want[0] {
			src := newCounting(file)
			f, err := Open(src, int64(len(file)), nil)
			if err != nil {
				t.Fatal(err)
			}
			for g, group := range f.RowGroups {
				c, err := group.Column(i)
				if err != nil {
					t.Fatal(err)
				}
				got, err := collect(c)
				if d := got.equal(&want[g][i]); err != io.EOF || d != "" {
					t.Fatal(err, d)
				}
			}
			for _, group := range f.RowGroups {
				for other, chunk := range group.Chunks {
					n := src.within(chunk.Start, chunk.Start+chunk.Stored)
					if other == i && n != chunk.Stored || other != i && n != 0 {
						t.Errorf("column %d: %d of %d bytes of column %d were read", i, n, chunk.Stored, other)
					}
				}
			}
			if n := src.within(0, 4); n != 0 || src.n != int64(sum(src.read)) {
				t.Errorf("column %d: %d bytes read, %d of them different", i, src.n, sum(src.read))
			}
		}
	}
}

func sum(b []bool) (n int) {
	for _, v := range b {
		if v {
			n++
		}
	}
	return n
}

// from returns what is left of a column from a row on.
func (e *entries) from(row int, l *Node) entries {
	at, values := 0, 0
	for seen := 0; at < max(len(e.rep), len(e.def), len(e.values)); at++ {
		if e.rep == nil || e.rep[at] == 0 {
			if seen == row {
				break
			}
			seen++
		}
		if e.def == nil || e.def[at] == byte(l.MaxDef) {
			values++
		}
	}
	rest := entries{values: e.values[values:], rows: e.rows - row}
	if e.rep != nil {
		rest.rep = e.rep[at:]
	}
	if e.def != nil {
		rest.def = e.def[at:]
	}
	return rest
}

// TestFromRow reads columns from many rows on, with the offset index and without.
func TestFromRow(t *testing.T) {
	r := rand.New(rand.NewPCG(seedOf(t), 3))
	for _, o := range versions() {
		file, want := randomFile(t, r, o, parquet.WriterOptions{}, 1, 4, 30)
		for _, indexed := range []bool{true, false} {
			f := open(t, file, &Options{BatchEntries: 1 + r.IntN(50)})
			for i, chunk := range f.RowGroups[0].Chunks {
				x := chunk.OffsetIndex
				if !indexed {
					x = Place{}
				}
				chunk.OffsetIndex = x
				for row := range 121 {
					name := fmt.Sprintf("v%d, index %t, column %s, row %d", o.PageVersion, indexed, chunk.Leaf, row)
					c, err := chunk.ColumnFrom(int64(row))
					if err != nil {
						t.Fatal(name, err)
					}
					got, err := collect(c)
					rest := want[0][i].from(row, chunk.Leaf)
					if d := got.equal(&rest); err != io.EOF || d != "" {
						t.Fatal(name, err, d)
					}
				}
			}
		}
	}
	chunk := open(t, func() []byte {
		file, _ := randomFile(t, r, versions()[0], parquet.WriterOptions{}, 1, 1, 3)
		return file
	}(), nil).RowGroups[0].Chunks[0]
	for _, row := range []int64{-1, 4} {
		if _, err := chunk.ColumnFrom(row); err == nil {
			t.Errorf("row %d of 3 was found", row)
		}
	}
}

// TestFromRowReadsNoPageBefore counts bytes: the offset index, the dictionary, and the pages
// from that row on.
func TestFromRowReadsNoPageBefore(t *testing.T) {
	r := rand.New(rand.NewPCG(seedOf(t), 4))
	for _, o := range versions() {
		file, _ := randomFile(t, r, o, parquet.WriterOptions{}, 1, 6, 200)
		src := newCounting(file)
		f, err := Open(src, int64(len(file)), nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, chunk := range f.RowGroups[0].Chunks {
			x, err := chunk.Offsets()
			if err != nil {
				t.Fatal(err)
			}
			c, err := chunk.ColumnFrom(850)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := collect(c); err != io.EOF {
				t.Fatal(err)
			}
			first, wanted := x.Pages[0].Offset, x.Pages[4].Offset
			if n := src.within(first, wanted); n > headerRoom {
				t.Errorf("v%d, column %s: %d bytes of the four pages before were read", o.PageVersion, chunk.Leaf, n)
			}
		}
	}
}

// TestOmitValues reads levels alone, and of version 2 nothing else.
func TestOmitValues(t *testing.T) {
	r := rand.New(rand.NewPCG(seedOf(t), 5))
	for _, o := range versions() {
		file, want := randomFile(t, r, o, parquet.WriterOptions{}, 1, 3, 4000)
		src := newCounting(file)
		f, err := Open(src, int64(len(file)), nil)
		if err != nil {
			t.Fatal(err)
		}
		for i, chunk := range f.RowGroups[0].Chunks {
			c, err := chunk.Column()
			if err != nil {
				t.Fatal(err)
			}
			c.OmitValues()
			got, err := collect(c)
			wanted := want[0][i]
			wanted.values = nil
			if d := got.equal(&wanted); err != io.EOF || d != "" {
				t.Fatal(chunk.Leaf, err, d)
			}
			levels := int64(0)
			p, err := chunk.Pages()
			if err != nil {
				t.Fatal(err)
			}
			for h, err := p.Next(); err == nil; h, err = p.Next() {
				levels += int64(h.DefBytes+h.RepBytes) + 2*headerRoom
			}
			n := src.within(chunk.Start, chunk.Start+chunk.Stored)
			if (o.PageVersion == 2 || chunk.Leaf.MaxDef == 0) && n > levels {
				t.Errorf("v%d, column %s: %d bytes were read for %d of levels", o.PageVersion, chunk.Leaf, n, levels)
			}
		}
	}
}

// TestIndexes compares indexes with the pages.
func TestIndexes(t *testing.T) {
	r := rand.New(rand.NewPCG(seedOf(t), 6))
	for _, o := range versions() {
		file, _ := randomFile(t, r, o, parquet.WriterOptions{}, 1, 5, 50)
		f := open(t, file, nil)
		for _, chunk := range f.RowGroups[0].Chunks {
			offsets, err := chunk.Offsets()
			if err != nil {
				t.Fatal(err)
			}
			bounds, err := chunk.Bounds()
			if err != nil {
				t.Fatal(err)
			}
			p, err := chunk.Pages()
			if err != nil {
				t.Fatal(err)
			}
			var places []PageLocation
			for h, err := p.Next(); err != io.EOF; h, err = p.Next() {
				if err != nil {
					t.Fatal(err)
				}
				if h.IsData() {
					places = append(places, PageLocation{h.Offset, int(h.End() - h.Offset), int64(50 * len(places))})
				}
			}
			if !slices.Equal(places, offsets.Pages) {
				t.Errorf("column %s: pages at %v, by the index %v", chunk.Leaf, places, offsets.Pages)
			}
			if bounds != nil && len(bounds.Pages) != 5 {
				t.Errorf("column %s: bounds of %d pages", chunk.Leaf, len(bounds.Pages))
			}
		}
	}
}
