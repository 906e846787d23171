package trevni

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"testing"

	"avro2trevni/trevni/block"
)

// TestLargestHeader opens a header of about as many properties and columns as the limits
// allow, and goes to a row of columns whose parent stands far from the first. Work in
// proportion to the columns times the properties, or times the columns, would take minutes.
func TestLargestHeader(t *testing.T) {
	const properties, before, children = 400_000, 100_000, 60_000
	h := &Header{Rows: 1}
	for range properties {
		h.Meta = append(h.Meta, Property{Key: "trevni.codex"}) // as long as the key looked for
	}
	for i := range before {
		h.Columns = append(h.Columns, Column{Name: fmt.Sprintf("%06d", i)})
	}
	h.Columns = append(h.Columns, Column{Name: "parent", Array: true})
	for i := range children {
		h.Columns = append(h.Columns, Column{Name: fmt.Sprint("c", i), Parent: "parent"})
	}
	file := h.append(nil)
	starts, one := rawHeader{}, words(1, 1, 0, 0) // of one row, and no bytes
	parent := append(words(1, 1, 1, 1), block.AppendLong(nil, 1)...)
	at := uint64(len(file) + startSize*len(h.Columns))
	for i := range h.Columns {
		column := one
		if i == before {
			column = parent
		}
		starts.starts = append(starts.starts, at)
		starts.rest = append(starts.rest, column...)
		at += uint64(len(column))
	}
	file = append(file, starts.bytes()[rowsSize+columnsSize:]...)

	r := open(t, file, nil)
	if last := r.Coding(len(h.Columns) - 1); last.Codec.Name != "null" || last.Checksum != ChecksumNull {
		t.Errorf("coding %+v", last)
	}
	for i := before; i < len(h.Columns); i++ {
		c, err := r.Column(i)
		must(t, err)
		must(t, c.SeekRow(0))
		if n, err := c.ReadNulls(9); n != 1 || err != nil {
			t.Fatalf("column %d: %d values, error %v", i, n, err)
		}
	}
}

// nested returns the header of n columns, each the parent of the next.
func nested(n int) *Header {
	h := &Header{}
	for i := range n {
		c := Column{Name: fmt.Sprint(i), Array: true}
		if i > 0 {
			c.Parent = h.Columns[i-1].Name
		}
		h.Columns = append(h.Columns, c)
	}
	return h
}

func TestDepth(t *testing.T) {
	r := open(t, write(t, nested(maxDepth+1), make([][]Block, maxDepth+1), nil), nil)
	if got := len(r.Header().Columns); got != maxDepth+1 {
		t.Errorf("%d columns", got)
	}
	deep := nested(maxDepth + 2)
	if _, err := NewBlockWriter(io.Discard, deep, make([][]Block, maxDepth+2)); !errors.Is(err, ErrLimit) {
		t.Errorf("error of writing is %v, want ErrLimit", err)
	}
	file := deep.append(nil)
	file = append(file, make([]byte, 12*len(deep.Columns))...)
	_, err := NewReader(bytes.NewReader(file), int64(len(file)), nil)
	if !errors.Is(err, ErrLimit) || errors.Is(err, ErrCorrupt) {
		t.Errorf("error of reading is %v, want ErrLimit", err)
	}
}

// TestHeaderIsCopied: a header that goes on to another file does not change the one that
// is being made.
func TestHeaderIsCopied(t *testing.T) {
	own := Metadata{{"k", []byte("first")}}
	h := &Header{Columns: []Column{{Name: "a", Type: Long, Meta: own}}}
	h.SetCodec("snappy")
	var file bytes.Buffer
	b, err := NewWriter(&file, h, nil)
	must(t, err)
	h.SetCodec("null")
	own.Set("k", []byte("second"))
	h.Columns[0].Type = Int
	must(t, b.Column(0).Row())
	must(t, b.Column(0).Long(1))
	must(t, b.Close())
	got := open(t, file.Bytes(), nil).Header()
	if got.Codec() != "snappy" || got.Columns[0].Meta.text("k") != "first" || got.Columns[0].Type != Long {
		t.Errorf("header is %+v", got)
	}
}

// TestReservedKeys: keys that a field of Column stands for are not written from its other
// properties; reserved keys of a later version are.
func TestReservedKeys(t *testing.T) {
	for _, key := range []string{"trevni.name", "trevni.type", "trevni.values", "trevni.array", "trevni.parent", "trevni.codec", "trevni.checksum"} {
		h := &Header{Columns: []Column{{Name: "a", Type: Int, Meta: Metadata{{key, nil}}}}}
		if _, err := NewBlockWriter(io.Discard, h, make([][]Block, 1)); err == nil {
			t.Errorf("NewBlockWriter takes %s", key)
		}
		if _, err := NewWriter(io.Discard, h, nil); err == nil {
			t.Errorf("NewWriter takes %s", key)
		}
	}
	h := &Header{Columns: []Column{{Name: "a", Meta: Metadata{{"trevni.later", []byte("x")}}}}}
	file := write(t, h, make([][]Block, 1), nil)
	again := write(t, open(t, file, nil).Header(), make([][]Block, 1), nil)
	if !bytes.Equal(file, again) {
		t.Errorf("written again it is %q, was %q", again, file)
	}
}

// TestEmptyNames: a key that is there, and says nothing, is not as if it were absent. The
// Java implementation refuses such files too.
func TestEmptyNames(t *testing.T) {
	for _, key := range []string{keyParent, keyCodec, keyChecksum} {
		h := rawHeader{magic: magic, columns: 1, meta: props(), column: props(keyName, "a", keyType, "int", key, ""),
			starts: []uint64{0}, rest: words(0)}
		h.starts[0] = uint64(len(h.bytes()) - len(h.rest))
		file := h.bytes()
		if _, err := NewReader(bytes.NewReader(file), int64(len(file)), nil); !errors.Is(err, ErrCorrupt) {
			t.Errorf("%s: error is %v, want ErrCorrupt", key, err)
		}
	}
	var h Header
	h.SetCodec("")
	if got := h.Meta.text(keyCodec); got != "null" {
		t.Errorf("SetCodec writes %q for the default", got)
	}
}
