package record_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"path/filepath"
	"testing"

	layout "avro2trevni/internal/columns"
	format "avro2trevni/internal/format/trevni"
	"avro2trevni/internal/schema"
	"avro2trevni/record"
	"avro2trevni/trevni"
)

// fuzzed are the fixtures whose schemas are fuzzed: every kind of column, and of
// place for it.
var fuzzed = []string{
	"primitives", "nulls", "unions", "arrays", "maps", "booleans", "nested", "events", "reused-types", "dremel",
	"top-int", "top-enum", "top-array-of-records", "top-map", "top-union", "no-fields", "runs", "address-book",
}

// pack writes a file's blocks one after another, a column's joined, each with its
// size in front.
func pack(t testing.TB, f *trevni.Reader) (out []byte) {
	t.Helper()
	for i := range f.Header().Columns {
		blocks, err := f.Blocks(i)
		if err != nil {
			t.Fatal(err)
		}
		var data []byte
		for b := range blocks {
			if data, err = f.ReadBlock(i, b, data); err != nil {
				t.Fatal(err)
			}
		}
		out = append(binary.AppendUvarint(out, uint64(len(data))), data...)
	}
	return out
}

// unpack makes a file of rows whose columns are a block each, of what pack wrote, or
// of any bytes; nil if there are fewer bytes than rows, so that no file can be.
func unpack(t testing.TB, text string, rows uint32, data []byte) []byte {
	t.Helper()
	s, err := schema.ParseText(text)
	if err != nil {
		t.Fatal(err)
	}
	to, err := layout.LayOut(s.All())
	if err != nil {
		t.Fatal(err)
	}
	h := &trevni.Header{Rows: uint64(rows), Columns: format.Columns(to)}
	h.Meta = h.Meta.Set("avro.schema", []byte(text))
	c := &columns{}
	for range to.Columns {
		size, n := binary.Uvarint(data)
		data = data[max(n, 0):]
		block := data[:min(size, uint64(len(data)))]
		data = data[len(block):]
		var blocks []trevni.Block
		var bytes [][]byte
		if rows > 0 {
			blocks = []trevni.Block{{Rows: rows, RawSize: uint32(len(block)), Size: uint32(len(block))}}
			bytes = [][]byte{block}
		}
		c.blocks, c.data = append(c.blocks, blocks), append(c.data, bytes)
	}
	if _, err := trevni.FileSize(h, c.blocks); err != nil {
		return nil
	}
	return c.file(t, h)
}

// drain reads a reader to its end, or to a limit of bytes, and returns the rows and
// where each ends.
func drain(r *record.Reader) (rows []byte, ends []int, err error) {
	for {
		out, n, err := r.ReadRows(rows, 1)
		if err != nil {
			return rows, ends, err
		}
		if n != 1 {
			return rows, ends, errors.New("not one row")
		}
		rows = out
		ends = append(ends, len(rows))
		if len(rows) > 1<<20 {
			return rows, ends, errMuch
		}
	}
}

var errMuch = errors.New("more than the test wants")

// FuzzAssemble puts rows together from columns of any bytes: there is an error with
// its place, or rows that are sound Avro, which shred into columns that give the same
// rows, and which a seek finds too.
func FuzzAssemble(f *testing.F) {
	var texts []string
	for i, name := range fuzzed {
		text, rows, n := avroRows(f, filepath.Join(testdata, "avro", "fastavro-1.13.1-"+name+".avro"))
		texts = append(texts, text)
		if len(rows) < 100_000 {
			f.Add(uint8(i), uint16(n), pack(f, openRapid(f, shred(f, text, rows, n, 1<<20, "null"))))
		}
	}
	f.Fuzz(func(t *testing.T, which uint8, n uint16, data []byte) {
		if len(data) > 1<<17 {
			return
		}
		text := texts[int(which)%len(texts)]
		file := unpack(t, text, uint32(n), data)
		if file == nil {
			return
		}
		r, err := record.NewReader(openRapid(t, file), &record.Options{RowBytes: 1 << 20})
		if err != nil {
			t.Fatal(err)
		}
		rows, ends, err := drain(r)
		if err != io.EOF && err != errMuch && !errors.Is(err, trevni.ErrCorrupt) && !errors.Is(err, record.ErrLimit) {
			t.Fatal(err)
		}
		again(t, text, rows, int64(len(ends)))
		if err != io.EOF {
			return
		}
		for _, k := range []int{0, len(ends) / 2, max(len(ends)-1, 0)} {
			if err := r.SeekRow(int64(k)); err != nil {
				t.Fatal(k, err)
			}
			start := 0
			if k > 0 {
				start = ends[k-1]
			}
			if tail, _, err := drain(r); err != io.EOF || !bytes.Equal(tail, rows[start:]) {
				t.Fatalf("from row %d on %d bytes, %v; want %d", k, len(tail), err, len(rows)-start)
			}
		}
	})
}

// again shreds rows and puts them together again.
func again(t *testing.T, text string, rows []byte, n int64) {
	t.Helper()
	r := reader(t, shred(t, text, rows, n, 1<<10, "null"), "")
	if got, k := all(t, r, 1<<20); k != n || !bytes.Equal(got, rows) {
		t.Fatalf("%d rows shredded come back as %d, or with other bytes", n, k)
	}
}

// FuzzFile reads any bytes as a file of records, in the file's own schema: there is
// an error or there are rows.
func FuzzFile(f *testing.F) {
	for _, path := range fixtures(f, "trevni", ".trv") {
		if data := read(f, path); len(data) < 10_000 {
			f.Add(data, uint16(3))
		}
	}
	f.Fuzz(func(t *testing.T, data []byte, row uint16) {
		o := &trevni.ReaderOptions{MaxBlockRaw: 1 << 20}
		file, err := trevni.NewReader(bytes.NewReader(data), int64(len(data)), o)
		if err != nil {
			return
		}
		r, err := record.NewReader(file, &record.Options{RowBytes: 1 << 20})
		if err != nil {
			return
		}
		var out []byte
		for range 100 {
			if out, _, err = r.ReadRows(out[:0], 1<<20); err != nil {
				break
			}
		}
		if r.SeekRow(int64(row)) == nil {
			_, _, _ = r.ReadRows(out[:0], 10)
		}
	})
}

// FuzzProject makes a projection of any text: an error, or a schema, which has what
// is left when it is made again.
func FuzzProject(f *testing.F) {
	for _, path := range fixtures(f, "avro", ".avro") {
		text, _, _ := avroRows(f, path)
		s, err := schema.Parse(text)
		if err != nil {
			f.Fatal(err)
		}
		for _, field := range s.Fields[:min(2, len(s.Fields))] {
			f.Add(text, field.Name)
		}
	}
	f.Fuzz(func(t *testing.T, text, path string) {
		once, err := record.Project(text, []string{path})
		if err != nil {
			return
		}
		if _, err := schema.Parse(once); err != nil {
			t.Fatalf("%s\nprojects to\n%s\n%v", text, once, err)
		}
		twice, err := record.Project(once, []string{path})
		if err != nil || twice != once {
			t.Fatalf("%s\nprojects to\n%s\n%v", once, twice, err)
		}
	})
}
