package reader

import (
	"bytes"
	"encoding/binary"
	"io"
	"math/rand/v2"
	"slices"
	"testing"

	"avro2trevni/parquet"
	"github.com/parquet-go/parquet-go/encoding/delta"
	"github.com/parquet-go/parquet-go/format"
)

// randomRuns makes runs of values of a width, and their bytes.
func randomRuns(r *rand.Rand, width uint) (values []int32, b []byte) {
	for range 1 + r.IntN(6) {
		v := func() int32 { return int32(r.Uint32() & uint32(1<<width-1)) }
		if r.IntN(2) == 0 {
			n, repeated := 1+r.IntN(40), v()
			b = binary.AppendUvarint(b, uint64(n)<<1)
			b = append(b, binary.LittleEndian.AppendUint32(nil, uint32(repeated))[:(width+7)/8]...)
			values = append(values, slices.Repeat([]int32{repeated}, n)...)
			continue
		}
		groups := 1 + r.IntN(5)
		b = binary.AppendUvarint(b, uint64(groups)<<1|1)
		packed := make([]byte, groups*int(width))
		for i := range 8 * groups {
			x := v()
			for bit := range int(width) {
				at := i*int(width) + bit
				packed[at/8] |= byte(uint32(x)>>bit&1) << (at % 8)
			}
			values = append(values, x)
		}
		b = append(b, packed...)
	}
	return values, b
}

// TestRuns decodes random runs of all widths in pieces of random lengths.
func TestRuns(t *testing.T) {
	r := rand.New(rand.NewPCG(seedOf(t), 13))
	for range 3000 {
		width := uint(r.IntN(33))
		want, b := randomRuns(r, width)
		var h hybrid
		h.init(b, width)
		got := make([]int32, len(want))
		for at := 0; at < len(got); {
			n := 1 + r.IntN(len(got)-at)
			if err := h.indexes(got[at : at+n]); err != nil {
				t.Fatal(err)
			}
			at += n
		}
		if !slices.Equal(got, want) {
			t.Fatalf("width %d: %d, not %d", width, got, want)
		}
		if width > 8 {
			continue
		}
		h.init(b, width)
		levels := make([]byte, len(want))
		for at := 0; at < len(levels); {
			n := 1 + r.IntN(len(levels)-at)
			if err := h.levels(levels[at : at+n]); err != nil {
				t.Fatal(err)
			}
			at += n
		}
		for i, level := range levels {
			if int32(level) != want[i] {
				t.Fatalf("width %d: %d, not %d", width, levels, want)
			}
		}
	}
}

// TestCutGroup decodes a last group whose unused bytes are left out, as some writers do.
func TestCutGroup(t *testing.T) {
	var h hybrid
	h.init([]byte{1<<1 | 1, 0b1010_0101, 0b11}, 4) // 5, 10, 3, and 0 in what is left of the byte
	got := make([]byte, 3)
	if err := h.levels(got); err != nil || !bytes.Equal(got, []byte{5, 10, 3}) {
		t.Error(got, err)
	}
	if err := h.levels(make([]byte, 2)); err == nil {
		t.Error("values after the end")
	}
}

// TestBitPackedLevels decodes the encoding that RLE replaced.
func TestBitPackedLevels(t *testing.T) {
	leaf := &Node{Type: parquet.Int32, MaxDef: 3, MaxRep: 1}
	// Repetition 0 1 1 0 1, definition 3 2 3 0 3, three values.
	body := []byte{0b01101_000, 0b11_10_11_00, 0b11_000000, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0}
	bp := parquet.Encoding(format.BitPacked)
	for _, o := range []*Options{nil, {BatchEntries: 2}} {
		d, err := NewDecoder(leaf, Uncompressed, o)
		if err != nil {
			t.Fatal(err)
		}
		if err := d.Page(&PageHeader{Kind: DataPage, Entries: 5, Raw: len(body), Stored: len(body), DefEncoding: bp, RepEncoding: bp}, body); err != nil {
			t.Fatal(err)
		}
		var got entries
		var b Batch
		for err = d.Next(&b); err == nil; err = d.Next(&b) {
			got.add(&b, leaf)
		}
		want := entries{rep: []byte{0, 1, 1, 0, 1}, def: []byte{3, 2, 3, 0, 3}, rows: 2,
			values: [][]byte{{1, 0, 0, 0}, {2, 0, 0, 0}, {3, 0, 0, 0}}}
		if diff := got.equal(&want); err != io.EOF || diff != "" {
			t.Error(err, diff)
		}
	}
}

// TestDeltas decodes what parquet-go encodes, in pieces of random lengths.
func TestDeltas(t *testing.T) {
	r := rand.New(rand.NewPCG(seedOf(t), 14))
	var e delta.BinaryPackedEncoding
	for range 300 {
		want := make([]int64, r.IntN(1000))
		bits := r.IntN(64)
		for i := range want {
			want[i] = int64(r.Uint64()) >> bits
		}
		b, err := e.EncodeInt64(nil, want)
		if err != nil {
			t.Fatal(err)
		}
		var d deltaDecoder
		if err := d.init(append(b, "after"...)); err != nil {
			t.Fatal(err)
		}
		if after, err := d.after(); err != nil || string(after) != "after" {
			t.Fatalf("%q after %d values, %v", after, len(want), err)
		}
		got := make([]int64, len(want))
		for at := 0; at < len(got); {
			n := 1 + r.IntN(len(got)-at)
			if err := d.next(got[at : at+n]); err != nil {
				t.Fatal(err)
			}
			at += n
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%d values of %d bits differ", len(want), 64-bits)
		}
		if err := d.next(make([]int64, 1)); err == nil {
			t.Fatal("a value after the last")
		}
	}
}

// TestPagesWithoutFooter walks over the pages of a file from its fourth byte, and decodes them
// with the schema's leaves alone.
func TestPagesWithoutFooter(t *testing.T) {
	r := rand.New(rand.NewPCG(seedOf(t), 15))
	for _, o := range versions() {
		file, want := randomFile(t, r, o, parquet.WriterOptions{}, 1, 3, 50)
		f := open(t, file, nil)
		src, at := bytes.NewReader(file), int64(4)
		var body []byte
		for i, chunk := range f.RowGroups[0].Chunks {
			d, err := NewDecoder(chunk.Leaf, chunk.Codec, nil)
			if err != nil {
				t.Fatal(err)
			}
			var got entries
			for got.rows < 150 || chunk.Leaf.MaxRep > 0 && at < chunk.Start+chunk.Stored {
				h, err := ReadHeader(src, at, f.dataEnd, nil)
				if err != nil {
					t.Fatal(err)
				}
				if body, err = ReadBody(src, h, body); err != nil {
					t.Fatal(err)
				}
				if err := d.Page(h, body); err != nil {
					t.Fatal(err)
				}
				var b Batch
				for err = d.Next(&b); err == nil; err = d.Next(&b) {
					got.add(&b, chunk.Leaf)
				}
				if err != io.EOF {
					t.Fatal(err)
				}
				at = h.End()
			}
			if diff := got.equal(&want[0][i]); diff != "" {
				t.Errorf("column %s: %s", chunk.Leaf, diff)
			}
		}
		if _, err := ReadHeader(src, at, f.dataEnd, nil); !known(err) {
			t.Error("a page header in the indexes: ", err)
		}
	}
}
