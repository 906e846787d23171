package rowsort

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"testing"
)

// entries returns all entries of a raw block.
func entries(raw []byte) (all []pair, err error) {
	var key []byte
	for len(raw) > 0 {
		var v value
		if raw, key, v, err = entry(raw, key); err != nil {
			return nil, err
		}
		row := string(v.row)
		if v.large {
			row = string(binary.AppendVarint(binary.AppendVarint(nil, v.size), v.piece))
		}
		all = append(all, pair{string(key), v.kind<<1 | uint32(b2i(v.large)), row})
	}
	return all, nil
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// rebuild builds a raw block of entries.
func rebuild(all []pair) []byte {
	var b builder
	for _, p := range all {
		v := value{kind: p.kind >> 1, row: []byte(p.row)}
		if p.kind&1 == 1 {
			size, n := binary.Varint([]byte(p.row))
			piece, _ := binary.Varint([]byte(p.row[n:]))
			v = value{kind: p.kind >> 1, large: true, size: size, piece: piece}
		}
		b.add([]byte(p.key), v)
	}
	return b.buf
}

func TestBlock(t *testing.T) {
	all := []pair{
		{"", 0, ""}, {"a", 2, "row"}, {"ab", 4, strings.Repeat("r", 300)}, {"abcdefghijk", 1<<32 - 2, ""}, {"abcdefghijl", 0, "x"},
		{strings.Repeat("z", MaxKey), 0, "y"}, {"zz", 1, string(binary.AppendVarint(binary.AppendVarint(nil, 1<<40), 1<<39))},
	}
	raw := rebuild(all)
	got, err := entries(raw)
	if err != nil || !slices.Equal(got, all) {
		t.Errorf("%+v, %v", got, err)
	}
	for _, packed := range []bool{true, false} {
		b := builder{buf: slices.Clone(raw), rows: len(all)}
		if !packed {
			b.buf = []byte("nothing to gain")
		}
		want := slices.Clone(b.buf)
		block := b.encode(make([]byte, 0, b.maxLen()))
		back, err := decode(nil, block, uint32(len(want)))
		if err != nil || !bytes.Equal(back, want) || packed != (len(block) < len(want)) {
			t.Errorf("packed %v: %d bytes of %d, %v", packed, len(block), len(want), err)
		}
	}
}

func TestMalformed(t *testing.T) {
	for name, raw := range map[string]string{
		"ends in the key":         "\x00\x05abc",
		"shares more than is":     "\x03\x01a\x00\x00",
		"ends before the row":     "\x00\x01a\x00",
		"ends in the row":         "\x00\x01a\x00\x04abc",
		"kind of more than 32":    "\x00\x01a\xff\xff\xff\xff\xff\x01\x00",
		"number without end":      "\x00\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff",
		"large without its piece": "\x00\x01a\x01\x04",
		"large of negative size":  "\x00\x01a\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x00",
	} {
		if _, err := entries([]byte(raw)); !errors.Is(err, ErrCorrupt) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, block := range map[string]string{"garbage": "\xff\xff\xff", "another size": "\x04\x0cabcd"} {
		if _, err := decode(nil, []byte(block), 1<<16); !errors.Is(err, ErrCorrupt) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Any bytes are entries, which build a block that holds the same, or an error.
func FuzzBlock(f *testing.F) {
	f.Add([]byte("\x00\x01a\x00\x01b\x01\x01b\x02\x00"))
	f.Add([]byte("\x00\x01a\x01\x04\x07"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		_, _ = decode(nil, raw, uint32(2*len(raw)))
		all, err := entries(raw)
		if err != nil {
			if !errors.Is(err, ErrCorrupt) {
				t.Fatal(err)
			}
			return
		}
		again, err := entries(rebuild(all))
		if err != nil || !slices.Equal(again, all) {
			t.Fatalf("%+v, then %+v, %v", all, again, err)
		}
	})
}
