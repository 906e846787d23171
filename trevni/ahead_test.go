package trevni

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"testing"
)

// TestReadAhead reads files of all types in all ways with blocks read ahead, and
// compares with what is read without.
func TestReadAhead(t *testing.T) {
	for typ := range types {
		file := typed(typ, 200).file(t, Metadata{{keyCodec, []byte("deflate")}, {keyChecksum, []byte("crc32")}}, 14)
		want, err := readPaths(file, len(file))
		must(t, err)
		for _, ahead := range []int{1, 3, 100} {
			got, err := readAhead(file, len(file), ahead)
			must(t, err)
			if !reflect.DeepEqual(got.got, want.got) {
				t.Errorf("%s, %d ahead: other data", typ, ahead)
			}
		}
	}
}

// TestReadAheadSeeks goes to and fro in columns with blocks under way.
func TestReadAheadSeeks(t *testing.T) {
	tb := typed(String, 120)
	r := open(t, tb.file(t, Metadata{{keyCodec, []byte("snappy")}}, 9), &ReaderOptions{ReadAhead: 2})
	cs := columnsOf(t, r)
	for from := range 120 {
		seeks(t, cs, tb, from*37%120, 120, 7)
		seeks(t, cs, tb, from, min(120, from+from%30), 50)
	}
}

// TestReadAheadOfBadBlock: the values before a bad block are there, then its error,
// until a seek.
func TestReadAheadOfBadBlock(t *testing.T) {
	tb := typed(Long, 100)
	file := tb.file(t, Metadata{{keyCodec, []byte("null")}, {keyChecksum, []byte("crc32")}}, 10)
	r := open(t, file, &ReaderOptions{ReadAhead: 4})
	at, err := r.BlockOffsets(0)
	must(t, err)
	file[at[6]]++
	c, err := r.Column(0)
	must(t, err)
	for range 3 {
		must(t, c.SeekRow(0))
		got := byValues(c, 7, 1000)
		var e *Error
		if len(got.values) != 60 || !errors.As(got.err, &e) || e.Block != 6 {
			t.Fatalf("%d values, then %v; want 60, then block 6's", len(got.values), got.err)
		}
		must(t, c.SeekRow(70))
		if got := byValues(c, 7, 1000); len(got.values) != 30 || got.err != io.EOF {
			t.Fatalf("behind it %d values, then %v", len(got.values), got.err)
		}
	}
}

// TestReadAheadEnds: blocks behind the last row asked for are not read, nor any ahead
// of a seek.
func TestReadAheadEnds(t *testing.T) {
	file := typed(Long, 100).file(t, nil, 10)
	src := &tape{Reader: bytes.NewReader(file)}
	r, err := NewReader(src, int64(len(file)), &ReaderOptions{ReadAhead: 50})
	must(t, err)
	c, err := r.Column(0)
	must(t, err)
	src.rewind()
	must(t, c.SeekRows(25, 47))
	src.exactly(t, "seek", r.block(t, 0, 2))
	if got := byValues(c, 4, 1000); len(got.values) != 22 || got.err != io.EOF {
		t.Fatalf("%d values, %v", len(got.values), got.err)
	}
	src.exactly(t, "rows", r.block(t, 0, 3), r.block(t, 0, 4))
	if _, err := NewReader(src, int64(len(file)), &ReaderOptions{ReadAhead: -1}); err == nil {
		t.Error("-1 is no error")
	}
}

// BenchmarkReadAhead reads a column of doubles with blocks read ahead.
func BenchmarkReadAhead(b *testing.B) {
	raw := benchBlock("price")
	enc := encoder("snappy", ChecksumCRC32)
	h := &Header{Columns: []Column{{Name: "c", Type: Double}}}
	h.SetCodec("snappy")
	h.SetChecksum(ChecksumCRC32)
	var blocks []Block
	var data [][]byte
	for range 100 {
		d, err := enc.Append(nil, raw)
		must(b, err)
		data = append(data, d)
		blocks = append(blocks, Block{Rows: uint32(len(raw) / 8), Raw: uint32(len(raw)), Size: uint32(len(d) - sumSize)})
		h.Rows += uint64(len(raw) / 8)
	}
	file := write(b, h, [][]Block{blocks}, data)
	for _, ahead := range []int{0, 1, 4} {
		b.Run(fmt.Sprintf("ahead=%d", ahead), func(b *testing.B) {
			r, read := open(b, file, &ReaderOptions{ReadAhead: ahead}), batchDrain(Double)
			b.SetBytes(int64(100 * len(raw)))
			b.ReportAllocs()
			for b.Loop() {
				c, err := r.Column(0)
				must(b, err)
				must(b, read(c))
			}
		})
	}
}
