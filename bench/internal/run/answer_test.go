package run

import (
	"os"
	"path/filepath"
	"testing"

	"avro2trevni/trevni"
	"avro2trevni/trevni/block"
)

// blockOf encodes numbers and bytes as an array column's block holds them.
func blockOf(parts ...any) []byte {
	var b []byte
	for _, p := range parts {
		switch p := p.(type) {
		case int:
			b = block.AppendLong(b, int64(p))
		case string:
			b = append(b, p...)
		}
	}
	return b
}

// TestDigest gives the same column cut in different ways, and others that differ
// from it in one thing.
func TestDigest(t *testing.T) {
	array := func(typ trevni.Type) trevni.Column { return trevni.Column{Type: typ, Array: true} }
	fixed := array(trevni.Fixed32)
	flags := array(trevni.Boolean)
	for name, test := range map[string]struct {
		column trevni.Column
		a, b   [][]byte
		rows   int
		differ bool
	}{
		"runs and lengths":   {fixed, [][]byte{blockOf(1, "aaaa", 1, "bbbb", 0, 0)}, [][]byte{blockOf(-2, "aaaabbbb", -1)}, 4, false},
		"runs over blocks":   {fixed, [][]byte{blockOf(-4, "aaaabbbbcccc")}, [][]byte{blockOf(-2, "aaaabbbb"), blockOf(1, "cccc")}, 3, false},
		"other lengths":      {fixed, [][]byte{blockOf(1, "aaaa", 0)}, [][]byte{blockOf(0, 1, "aaaa")}, 2, true},
		"other values":       {fixed, [][]byte{blockOf(1, "aaaa")}, [][]byte{blockOf(1, "aaab")}, 1, true},
		"bits and bytes":     {flags, [][]byte{blockOf(1, "\x01", 1, "\x00", 2, "\x02")}, [][]byte{blockOf(-2, "\x01\x00", 2, "\x02")}, 3, false},
		"other bits":         {flags, [][]byte{blockOf(2, "\x01")}, [][]byte{blockOf(2, "\x03")}, 1, true},
		"plain bits":         {trevni.Column{Type: trevni.Boolean}, [][]byte{{0x05}}, [][]byte{{0x05}}, 3, false},
		"padding of bits":    {trevni.Column{Type: trevni.Boolean}, [][]byte{{0x05}}, [][]byte{{0xf5}}, 3, false},
		"plain":              {trevni.Column{Type: trevni.Long}, [][]byte{blockOf(1, 2, 3)}, [][]byte{blockOf(1), blockOf(2, 3)}, 3, false},
		"a value of another": {trevni.Column{Type: trevni.Long}, [][]byte{blockOf(1, 2, 3)}, [][]byte{blockOf(1, 2, 4)}, 3, true},
	} {
		t.Run(name, func(t *testing.T) {
			a, b := digestOf(t, test.column, test.a, test.rows), digestOf(t, test.column, test.b, test.rows)
			if (a != b) != test.differ {
				t.Errorf("digests %s and %s; want them to differ: %t", a, b, test.differ)
			}
		})
	}
}

func digestOf(t *testing.T, c trevni.Column, blocks [][]byte, rows int) string {
	t.Helper()
	d := newDigester(c)
	for _, b := range blocks {
		if err := d.block(b, rows); err != nil {
			t.Fatal(err)
		}
	}
	return d.sum()
}

// TestAnswer reads a file that Java wrote, alone and twice over as a folder's.
func TestAnswer(t *testing.T) {
	const path = "../../../testdata/trevni/java-1.12.1-snappy/fastavro-1.13.1-flat.trv"
	one, err := readAnswer(path)
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, name := range []string{"part-00000.trv", "part-00001.trv"} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	two, err := readAnswer(dir)
	if err != nil {
		t.Fatal(err)
	}
	if one.Rows == 0 || two.Rows != 2*one.Rows || one.Same(one) != nil || one.Same(two) == nil {
		t.Errorf("%d rows, twice over %d; %v and %v", one.Rows, two.Rows, one.Same(one), one.Same(two))
	}
}
