package record_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"avro2trevni/internal/avrotest"
	"avro2trevni/record"
	"avro2trevni/trevni"
)

// written makes a Trevni file of rows with a Writer, one call for all of them.
func written(t testing.TB, text string, rows []byte, n int64, o *record.WriterOptions) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := record.NewWriter(&out, text, o)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.WriteRows(rows, int(n)); err != nil {
		t.Fatal(err)
	}
	if w.NumRows() != n {
		t.Errorf("%d rows, want %d", w.NumRows(), n)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// oneEach reports whether no column has more than one block.
func oneEach(t testing.TB, f *trevni.Reader) bool {
	t.Helper()
	for i := range f.Header().Columns {
		blocks, err := f.Blocks(i)
		if err != nil {
			t.Fatal(err)
		}
		if len(blocks) > 1 {
			return false
		}
	}
	return true
}

// otherBytes are fixtures that convert copies more of: padded numbers, and metadata.
var otherBytes = map[string]bool{"handmade-long-varints": true, "handmade-split-header": true}

// Every fixture is written, and comes back, whatever the size of blocks. The file is the one
// that convert makes, to the byte, if each column has one block.
func TestWriterFixtures(t *testing.T) {
	same := 0
	for _, path := range fixtures(t, "avro", ".avro") {
		t.Run(name(path), func(t *testing.T) {
			text, want, n := avroRows(t, path)
			for _, size := range []int{0, 1, 1 << 10} {
				o := &record.WriterOptions{BlockSize: size, Memory: int64(size), TempDir: t.TempDir()}
				data := written(t, text, want, n, o)
				got, rows := all(t, reader(t, data, ""), 1<<20)
				if rows != n {
					t.Errorf("%d rows, want %d", rows, n)
				}
				if size == 0 && oneEach(t, open(t, data)) && !otherBytes[name(path)] {
					same++
					if other := convert(t, path, 64<<10); !bytes.Equal(data, other) {
						t.Errorf("%d bytes, convert makes others, %d", len(data), len(other))
					}
				}
				sameRows(t, text, got, want, n)
			}
		})
	}
	if same < 50 {
		t.Errorf("only %d files were compared with convert's", same)
	}
}

// Rows that a reader gives one at a time are written one at a time.
func TestWriterOfReader(t *testing.T) {
	for _, path := range fixtures(t, "trevni/java-1.12.1-null", ".trv") {
		r := reader(t, read(t, path), "")
		var out bytes.Buffer
		w, err := record.NewWriter(&out, r.Schema(), nil)
		if err != nil {
			t.Fatal(err)
		}
		for row, err := range r.All() {
			if err != nil {
				t.Fatal(err)
			}
			if err := w.Write(row); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		want, n := all(t, reader(t, read(t, path), ""), 1000)
		if got, rows := all(t, reader(t, out.Bytes(), ""), 1000); rows != n || !bytes.Equal(got, want) {
			t.Errorf("%s: %d rows, %d bytes; want %d, %d", path, rows, len(got), n, len(want))
		}
	}
}

// Tables of random schemas come back.
func TestWriterAnyTable(t *testing.T) {
	seed := avrotest.Seed(t)
	for i := range uint64(300) {
		table := avrotest.NewTable(seed + i)
		rows := table.Rows(1 + table.IntN(50))
		data := written(t, table.Schema, bytes.Join(rows, nil), int64(len(rows)), &record.WriterOptions{BlockSize: 1 + table.IntN(300)})
		got, n := all(t, reader(t, data, ""), 1000)
		if n != int64(len(rows)) {
			t.Fatalf("seed %d: %d rows, want %d", seed+i, n, len(rows))
		}
		sameRows(t, table.Schema, got, bytes.Join(rows, nil), n)
	}
}

// Bytes that are no row end the writer, with the row, the column and the cause; nothing is written.
func TestWriterBadRows(t *testing.T) {
	field := func(typ string) string { return rec(fld("a", typ)) }
	for _, c := range []struct {
		name, schema, row, says string
	}{
		{"nothing", field(`"int"`), "", `row 1, column "a": number is cut short`},
		{"too much", field(`"int"`), "\x02\x02", `1 bytes after the last of 1 rows`},
		{"cut varint", field(`"long"`), "\x80", `number is cut short`},
		{"long varint", field(`"long"`), strings.Repeat("\x80", 11), `number of more than 64 bits`},
		{"no int", field(`"int"`), "\x80\x80\x80\x80\x10", `number 2147483648 does not fit 32 bits`},
		{"cut string", field(`"string"`), "\x06ab", `3 bytes wanted, 2 left`},
		{"negative string", field(`"bytes"`), "\x01", `negative length -1`},
		{"long string", field(`"string"`), "\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01", `bytes wanted, 0 left`},
		{"cut float", field(`"float"`), "abc", `4 bytes wanted, 3 left`},
		{"cut double", field(`"double"`), "abcdefg", `8 bytes wanted, 7 left`},
		{"no boolean", field(`"boolean"`), "\x02", `boolean that is 2`},
		{"cut boolean", field(`"boolean"`), "", `1 bytes wanted, 0 left`},
		{"cut fixed", field(`{"type":"fixed","name":"F","size":3}`), "ab", `3 bytes wanted, 2 left`},
		{"no symbol", field(`{"type":"enum","name":"E","symbols":["A"]}`), "\x02", `symbol 1 of 1`},
		{"negative symbol", field(`{"type":"enum","name":"E","symbols":["A"]}`), "\x01", `symbol -1 of 1`},
		{"no branch", field(`["null","int"]`), "\x04", `column "a": branch 2 of 2`},
		{"cut branch", field(`["null","int"]`), "\x02", `column "a/int": number is cut short`},
		{"cut array", field(`{"type":"array","items":"int"}`), "\x02\x02", `column "a[]": number is cut short`},
		{"cut element", field(`{"type":"array","items":"int"}`), "\x04\x02", `column "a[]": number is cut short`},
		{"cut size", field(`{"type":"array","items":"int"}`), "\x01", `column "a[]": number is cut short`},
		{"long array", field(`{"type":"array","items":"int"}`), "\x80\x80\x80\x80\x10", `2147483648 elements`},
		{"least count", field(`{"type":"array","items":"int"}`), "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x00", `9223372036854775808 elements`},
		{"long in two", field(`{"type":"array","items":"null"}`), "\x02\xfe\xff\xff\xff\x0f", `more than 1048576 elements of no bytes`},
		{"cut key", field(`{"type":"map","values":"null"}`), "\x02\x02", `column "a>key": 1 bytes wanted, 0 left`},
		{"cut map", field(`{"type":"map","values":"int"}`), "\x02\x02a", `column "a>value": number is cut short`},
		{"deep", field(`{"type":"array","items":` + strings.Replace(rec(fld("b", `["null","string"]`)), `"R"`, `"S"`, 1) + `}`), "\x04\x00\x02\x02", `column "a[]#b/string": 1 bytes wanted`},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out bytes.Buffer
			w, err := record.NewWriter(&out, strings.Replace(c.schema, `"fields":[`, `"fields":[{"name":"first","type":"int"},`, 1), nil)
			if err != nil {
				t.Fatal(err)
			}
			first := "\x02" // and a good row before, if the type has an easy one
			if strings.HasPrefix(c.says, "row 1") {
				if err := w.Write([]byte("\x02\x02")); err != nil {
					t.Fatal(err)
				}
			}
			err = w.Write([]byte(first + c.row))
			if !errors.Is(err, record.ErrDatum) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("it says %v", err)
			}
			if again := w.Write([]byte("\x02\x02")); again != err {
				t.Errorf("then %v", again)
			}
			if last := w.Close(); last != err || out.Len() > 0 {
				t.Errorf("Close says %v, and %d bytes were written", last, out.Len())
			}
		})
	}
}

// wide is a schema of n columns.
func wide(n int) string {
	fields := make([]string, n)
	for i := range fields {
		fields[i] = fld(fmt.Sprint("f", i), `"int"`)
	}
	return rec(fields...)
}

// What no writer can be made of.
func TestWriterRefuses(t *testing.T) {
	for _, c := range []struct {
		schema string
		o      *record.WriterOptions
		is     error
		says   string
	}{
		{`{`, nil, nil, "record: schema: "},
		{`{"type":"record","name":"R","fields":[{"name":"next","type":["null","R"]}]}`, nil, record.ErrRecursive, `at "next/R"`},
		{doubling(40), nil, record.ErrTooWide, "100000"},
		{wide(100_001), nil, record.ErrTooWide, "100000"},
		{`{"type":"fixed","name":"F","size":3000000000}`, nil, nil, "larger than a block"},
		{`"int"`, &record.WriterOptions{Codec: "lzma"}, trevni.ErrUnsupported, "lzma"},
		{`"int"`, &record.WriterOptions{Codec: "bzip2"}, trevni.ErrUnsupported, "only read"},
		{`"int"`, &record.WriterOptions{Checksum: "md5"}, trevni.ErrUnsupported, "md5"},
		{`"int"`, &record.WriterOptions{BlockSize: -1}, nil, "BlockSize"},
		{`"int"`, &record.WriterOptions{Meta: trevni.Metadata{{Key: "avro.schema"}}}, nil, "reserved"},
		{`"int"`, &record.WriterOptions{Meta: trevni.Metadata{{Key: "trevni.x"}}}, nil, "reserved"},
		{`"int"`, &record.WriterOptions{Meta: trevni.Metadata{{Key: "a"}, {Key: "a"}}}, nil, `"a"`},
	} {
		_, err := record.NewWriter(io.Discard, c.schema, c.o)
		if err == nil || c.is != nil && !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%.40s, %+v: %v", c.schema, c.o, err)
		}
	}
}

// Options are in the file.
func TestWriterOptions(t *testing.T) {
	data := written(t, `"float"`, []byte{1, 0, 0xa0, 0x7f}, 1, &record.WriterOptions{ // a NaN that signals
		Codec: "deflate:9", Checksum: "crc-32", Meta: trevni.Metadata{{Key: "who", Value: []byte("me")}},
	})
	f := open(t, data)
	h := f.Header()
	who, _ := h.Meta.Get("who")
	sum, err := h.Checksum()
	if h.Codec() != "deflate" || sum != trevni.ChecksumCRC32LE || err != nil || string(who) != "me" || h.Rows != 1 {
		t.Errorf("%+v", h)
	}
	c, err := f.ColumnNamed("float")
	if err != nil {
		t.Fatal(err)
	}
	var v [2]float32
	if n, err := c.ReadFloats(v[:]); n != 1 || err != nil || math.Float32bits(v[0]) != 0x7fa00001 {
		t.Errorf("%d values, %x, %v", n, math.Float32bits(v[0]), err)
	}
}

// A writer that was closed or given up takes no more rows; what fails below it comes back.
func TestWriterEnds(t *testing.T) {
	for _, text := range []string{`"null"`, `"int"`, `{"type":"record","name":"R","fields":[]}`} {
		for _, end := range []func(w *record.Writer) error{(*record.Writer).Close, (*record.Writer).Abort} {
			w, err := record.NewWriter(io.Discard, text, nil)
			if err != nil {
				t.Fatal(err)
			}
			if err := end(w); err != nil {
				t.Error(err)
			}
			if w.WriteRows(nil, 1) == nil || w.Close() == nil || w.Abort() != nil {
				t.Errorf("%s: it goes on", text)
			}
		}
	}
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	read.Close()
	defer write.Close()
	w, err := record.NewWriter(write, `{"type":"record","name":"R","fields":[]}`, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err == nil || w.Close() != err {
		t.Errorf("the pipe is closed, and the error is %v", err)
	}
	w, err = record.NewWriter(io.Discard, `"string"`, &record.WriterOptions{BlockSize: 1, Memory: 1, TempDir: filepath.Join(t.TempDir(), "none")})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.WriteRows([]byte("\x02a\x02a\x02a"), 3); !errors.Is(err, os.ErrNotExist) || w.NumRows() != 1 {
		t.Errorf("no folder, and it says %v after %d rows", err, w.NumRows())
	}
}

// FuzzWriter: any bytes are written or refused as the mapper does it, and what is written is read back.
func FuzzWriter(f *testing.F) {
	var texts []string
	for _, short := range fuzzed {
		text, rows, n := avroRows(f, filepath.Join(testdata, "avro", "fastavro-1.13.1-"+short+".avro"))
		f.Add(uint8(len(texts)), uint8(n), rows[:min(len(rows), 1<<10)])
		texts = append(texts, text)
	}
	f.Fuzz(func(t *testing.T, which, n uint8, rows []byte) {
		text := texts[int(which)%len(texts)]
		var out bytes.Buffer
		w, err := record.NewWriter(&out, text, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.WriteRows(rows, int(n)); err != nil {
			if !errors.Is(err, record.ErrDatum) {
				t.Fatal(err)
			}
			return
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		got, m := all(t, reader(t, out.Bytes(), ""), 100)
		if m != int64(n) {
			t.Fatalf("%d rows, want %d", m, n)
		}
		if again := written(t, text, got, m, nil); !bytes.Equal(again, out.Bytes()) {
			t.Error("what was read makes another file")
		}
		if d := cmp.Diff(decode(t, text, rows, m), decode(t, text, got, m)); d != "" {
			t.Error(d)
		}
	})
}
