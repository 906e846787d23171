package trevni

import (
	"bytes"
	"errors"
	"io"
	"math"
	"strings"
	"testing"

	"avro2trevni/trevni/block"
)

// TestSkipTooMany: numbers of values that no block has.
func TestSkipTooMany(t *testing.T) {
	for typ := range types {
		if n, err := block.SkipValues(make([]byte, 64), typ, -1); n != 0 || !errors.Is(err, ErrMisuse) {
			t.Errorf("%s: -1 values take %d bytes, error %v, want ErrMisuse", typ, n, err)
		}
		for _, n := range []int{1 << 61, 1 << 62, math.MaxInt} {
			size, err := block.SkipValues(make([]byte, 64), typ, n)
			if typ == Null && (size != 0 || err != nil) || typ != Null && !errors.Is(err, ErrCorrupt) {
				t.Errorf("%s: %d values take %d bytes, error %v", typ, n, size, err)
			}
		}
	}
}

// TestWideInts: an int past 32 bits is none in a descriptor, and in values to be ordered.
func TestWideInts(t *testing.T) {
	wide := block.AppendLong(nil, 1<<31)
	if _, _, err := block.CheckSorted(wide, Int, 1, nil); !errors.Is(err, ErrCorrupt) {
		t.Errorf("Ascending: error is %v, want ErrCorrupt", err)
	}
	if _, _, err := block.CheckSorted(wide, Long, 1, nil); err != nil {
		t.Errorf("Ascending of a long: %v", err)
	}
	h := &Header{Rows: 1, Columns: []Column{{Name: "a", Type: Int, FirstValues: true}}}
	block := Block{Rows: 1, RawSize: uint32(len(wide)), Size: uint32(len(wide)), FirstValue: wide}
	if _, err := FileSize(h, [][]Block{{block}}); err == nil {
		t.Error("such a first value can be written")
	}
	h.Columns[0].Type = Long
	file := write(t, h, [][]Block{{block}}, [][]byte{wide})
	file = bytes.Replace(file, []byte("\x08long"), []byte("\x06int"), 1)
	start := len(file) - len(wide)*2 - blockCountSize - descriptorSize
	file[start-startSize]-- // where the column starts
	r := open(t, file, nil)
	if _, err := r.Blocks(0); !errors.Is(err, ErrCorrupt) {
		t.Errorf("such a first value is read: error is %v, want ErrCorrupt", err)
	}
}

// TestBytesOfStrings: what is a string may be given and taken as bytes, in all ways.
func TestBytesOfStrings(t *testing.T) {
	for _, typ := range []Type{String, Bytes} {
		var file bytes.Buffer
		b, err := NewWriter(&file, &Header{Columns: []Column{{Name: "a", Type: typ}}}, nil)
		must(t, err)
		must(t, b.Column(0).Row())
		must(t, b.Column(0).Bytes([]byte("x")))
		must(t, b.Close())
		c, err := open(t, file.Bytes(), nil).Column(0)
		must(t, err)
		v := make([][]byte, 1)
		if _, err := c.ReadBytes(v); string(v[0]) != "x" || err != nil {
			t.Errorf("%s: %q, error %v", typ, v, err)
		}
	}
}

// TestNoSuchChecksum: a value that is none of the constants makes no blocks.
func TestNoSuchChecksum(t *testing.T) {
	none := Checksum(7)
	if got := none.String(); got != "Checksum(7)" || none.Size() != len(none.AppendSum(nil, nil)) {
		t.Errorf("it is called %q, and has %d bytes", got, none.Size())
	}
	if _, err := block.NewDecoder(block.Coding{Codec: block.Codec{Name: "null"}, Checksum: none}); !errors.Is(err, ErrUnsupported) {
		t.Errorf("NewBlockDecoder: error is %v, want ErrUnsupported", err)
	}
	var h Header
	h.SetChecksum(none)
	if _, err := NewBlockWriter(io.Discard, &h, nil); !errors.Is(err, ErrUnsupported) {
		t.Errorf("NewBlockWriter: error is %v, want ErrUnsupported", err)
	}
	defer func() {
		if recover() == nil {
			t.Error("NewBlockEncoder takes it")
		}
	}()
	newEncoder(block.Codec{}, none)
}

// TestMisuseIsSaidOnce: the package is named once in what a caller's mistake says.
func TestMisuseIsSaidOnce(t *testing.T) {
	var file bytes.Buffer
	b, err := NewWriter(&file, &Header{Columns: []Column{{Name: "a", Type: Int}}}, nil)
	must(t, err)
	_, skip := block.SkipValues(nil, Int, -1)
	_, _, order := block.CheckSorted(nil, Null, 0, nil)
	r := open(t, small(t, "null", "null"), nil)
	_, column := r.Column(-1)
	_, block := r.ReadBlock(0, 99, nil)
	c, err := r.Column(0)
	must(t, err)
	_, take := c.ReadBooleans(make([]bool, 1))
	for _, err := range []error{b.Column(0).Long(1), skip, order, column, block, take} {
		if !errors.Is(err, ErrMisuse) || strings.Count(err.Error(), "trevni: ") != 1 || !strings.HasPrefix(err.Error(), "trevni: ") {
			t.Errorf("%v", err)
		}
	}
}
