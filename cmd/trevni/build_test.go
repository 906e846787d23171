package main

import (
	"os"
	"path/filepath"

	"avro2trevni/trevni"
	"avro2trevni/trevni/block"
)

// part is a block of a file to be made: its rows and its bytes before compression.
type part struct {
	rows  int
	raw   []byte
	first []byte
}

// made is a column of a file to be made.
type made struct {
	trevni.Column
	parts []part
}

// build writes a file of columns, all with a CRC-32, and returns its name. edit, if
// not nil, may change its bytes.
func build(t interface {
	Helper()
	Fatal(...any)
}, dir string, columns []made, edit func([]byte) []byte) string {
	t.Helper()
	h := &trevni.Header{}
	h.SetCodec("snappy")
	h.SetChecksum(trevni.ChecksumCRC32)
	enc, err := block.NewEncoder(block.Coding{Codec: block.Codec{Name: "snappy"}, Checksum: trevni.ChecksumCRC32})
	if err != nil {
		t.Fatal(err)
	}
	blocks := make([][]trevni.Block, len(columns))
	var stored [][]byte
	for i, c := range columns {
		h.Columns = append(h.Columns, c.Column)
		rows := 0
		for _, p := range c.parts {
			data, err := enc.Append(nil, p.raw)
			if err != nil {
				t.Fatal(err)
			}
			stored = append(stored, data)
			blocks[i] = append(blocks[i], trevni.Block{
				Rows: uint32(p.rows), RawSize: uint32(len(p.raw)), Size: uint32(len(data) - 4), FirstValue: p.first,
			})
			rows += p.rows
		}
		h.Rows = uint64(rows)
	}
	name := filepath.Join(dir, "made.trv")
	write(t, name, h, blocks, stored)
	if edit != nil {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, edit(data), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return name
}

func write(t interface {
	Helper()
	Fatal(...any)
}, name string, h *trevni.Header, blocks [][]trevni.Block, stored [][]byte) {
	t.Helper()
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w, err := trevni.NewBlockWriter(f, h, blocks)
	if err != nil {
		t.Fatal(err)
	}
	for _, data := range stored {
		if err := w.WriteBlock(data); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// longs returns numbers as ints, longs and lengths are written.
func longs(numbers ...int64) []byte {
	var b []byte
	for _, n := range numbers {
		b = block.AppendLong(b, n)
	}
	return b
}

// good returns columns of which nothing is wrong: a is a list of records of x and a
// list of flags and numbers y, and z numbers the rows.
//
//	row   a[]                                z
//	0     {x 1, y [5]} {x 2, y []}           10
//	1                                        11
//	2     {x 3, y [6, 7]}                    12
func good() []made {
	child := func(name string, t trevni.Type, array bool) trevni.Column {
		return trevni.Column{Name: name, Type: t, Parent: "a[]", Array: array}
	}
	return []made{
		{trevni.Column{Name: "a[]", Type: trevni.Null, Array: true}, []part{{2, longs(2, 0), nil}, {1, longs(1), nil}}},
		{child("a[]#x", trevni.Int, false), []part{{1, longs(1, 2), nil}, {1, nil, nil}, {1, longs(3), nil}}},
		{child("a[]#y[]", trevni.Int, true), []part{{3, longs(1, 5, 0, 2, 6, 7), nil}}},
		{trevni.Column{Name: "a[]#y[]#b", Type: trevni.Boolean, Parent: "a[]#y[]"}, []part{{1, []byte{1}, nil}, {2, []byte{2}, nil}}},
		{trevni.Column{Name: "z", Type: trevni.Long, FirstValues: true}, []part{{2, longs(10, 11), longs(10)}, {1, longs(12), longs(12)}}},
	}
}
