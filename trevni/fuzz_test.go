package trevni

import (
	"bytes"
	"errors"
	"reflect"
	"testing"

	"avro2trevni/trevni/block"
)

// seeds adds whole files: those to learn from, all shapes, and Java's small ones.
func seeds(f *testing.F) {
	for _, codec := range []string{"null", "snappy", "deflate"} {
		f.Add(small(f, codec, "crc32"))
	}
	for _, file := range javaFiles(f) {
		if len(file) < 4<<10 {
			f.Add(file)
		}
	}
}

// FuzzHeader: any bytes give a header or an error of our kinds, and a header that
// was read may be written and reads the same.
func FuzzHeader(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, file []byte) {
		opt := (&ReaderOptions{MaxHeader: 1 << 20}).withDefaults()
		p := newParser(bytes.NewReader(file), int64(len(file)), &opt)
		h, _ := p.header()
		if p.err != nil {
			if !ours(p.err) {
				t.Fatalf("error of no kind: %v", p.err)
			}
			return
		}
		if h.checkMeta() != nil { // a key twice: read, but not written
			return
		}
		again := h.append(nil)
		again = append(again, make([]byte, startSize*len(h.Columns))...)
		p = newParser(bytes.NewReader(again), int64(len(again)), &opt)
		h2, _ := p.header()
		if !reflect.DeepEqual(h, h2) {
			t.Fatalf("written and read again: %+v, was %+v", h2, h)
		}
	})
}

// FuzzIndex: any bytes after a header of a long column with first values give
// descriptors or an error, and descriptors come back from a BlockWriter unchanged.
func FuzzIndex(f *testing.F) {
	f.Add(uint64(2), byte(Long), false, join(words(1, 2, 2, 2), []byte{2, 4}))
	f.Add(uint64(2), byte(Long), true, join(words(1, 2, 2, 2), []byte{2, 2, 4}))
	f.Add(uint64(1), byte(String), true, join(words(1, 1, 4, 4), []byte("\x06foo\x06foo")))
	f.Add(uint64(9), byte(Boolean), true, join(words(1, 9, 2, 2), []byte{1, 255, 1}))
	f.Fuzz(func(t *testing.T, rows uint64, typ byte, values bool, data []byte) {
		c := Column{Name: "c", Type: Type(typ % byte(types)), FirstValues: values}
		h := &Header{Rows: rows, Columns: []Column{c}}
		file := append(h.append(nil), 0, 0, 0, 0, 0, 0, 0, 0)
		file[len(file)-8], file[len(file)-7] = byte(len(file)), byte(len(file)>>8)
		file = append(file, data...)
		r, err := NewReader(bytes.NewReader(file), int64(len(file)), &ReaderOptions{MaxBlockRaw: 1 << 20})
		var blocks []Block
		if err == nil {
			blocks, err = r.Blocks(0)
		}
		if err != nil {
			if !ours(err) {
				t.Fatalf("error of no kind: %v", err)
			}
			return
		}
		r2 := open(t, rewrite(t, r, file), nil)
		got, err := r2.Blocks(0)
		if err != nil || !reflect.DeepEqual(got, blocks) {
			t.Fatalf("written and read again: %v, %v; was %v", got, err, blocks)
		}
	})
}

// FuzzFile: any bytes give a table or an error; a table is the same when the file
// is written anew from its blocks.
func FuzzFile(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, file []byte) {
		h, tb, err := readAll(file, 1<<16)
		if err != nil {
			if !ours(err) {
				t.Fatalf("error of no kind: %v", err)
			}
			return
		}
		if h.checkMeta() != nil {
			return
		}
		h2, tb2, err := readAll(rewrite(t, open(t, file, nil), file), 1<<16)
		if err != nil || !reflect.DeepEqual(h, h2) || diff(tb, tb2) != "" {
			t.Fatalf("written and read again it differs: %v", err)
		}
	})
}

// FuzzColumn: any bytes as one block of a column read value by value and, in arrays,
// run by run to the same lengths or an error both ways.
func FuzzColumn(f *testing.F) {
	f.Add(byte(Int), uint16(6), []byte("\x07\x0a\x0c\x0e\x01\x02\x10"))
	f.Add(byte(Boolean), uint16(6), []byte("\x07\x01\x00\x01\x01\x02\x01"))
	f.Add(byte(String), uint16(6), []byte("\x04\x02a\x02b\x05\x02\x02c\x00"))
	f.Add(byte(Null), uint16(6), []byte("\x04\x07\x01"))
	f.Fuzz(func(t *testing.T, typ byte, rows uint16, raw []byte) {
		c := Column{Name: "c", Type: Type(typ % byte(types)), Array: true}
		h := &Header{Rows: uint64(rows), Columns: []Column{c}}
		b := Block{Rows: uint32(rows), RawSize: uint32(len(raw)), Size: uint32(len(raw))}
		tb, err := readTable(open(t, write(t, h, [][]Block{{b}}, [][]byte{raw}), nil), 1<<16)
		if err != nil && !ours(err) {
			t.Fatalf("error of no kind: %v", err)
		}
		if errors.Is(err, errBudget) {
			return
		}
		lengths, walked := walk(raw, c.Type, int(rows))
		if (err == nil) != walked {
			// Only values can tell a 33-bit int from others.
			if c.Type == Int && walked {
				return
			}
			t.Fatalf("by value: %v; by run: %v", err, walked)
		}
		for r := 0; err == nil && r < int(rows); r++ {
			if tb.columns[0].lengths[r][0] != lengths[r] {
				t.Fatalf("row %d: length %d by value, %d by run", r, tb.columns[0].lengths[r][0], lengths[r])
			}
		}
	})
}

// walk returns the lengths of a block, and whether there are as many as rows.
func walk(raw []byte, typ Type, rows int) ([]int, bool) {
	var l block.LengthReader
	var lengths []int
	for l.Reset(raw, typ); l.Next(); {
		if l.Count > rows-len(lengths) {
			return nil, false
		}
		for range l.Count {
			lengths = append(lengths, l.Length)
		}
	}
	return lengths, l.Err() == nil && len(lengths) == rows
}
