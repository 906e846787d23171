package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/twmb/avro"

	"avro2trevni/cmd/trevni/avrorows"
	"avro2trevni/cmd/trevni/rowtext"
	"avro2trevni/internal/schema"
	"avro2trevni/internal/storage"
)

// fixtures returns the names of files below testdata.
func fixtures(t testing.TB, pattern string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join("../../testdata", pattern))
	if err != nil || len(names) == 0 {
		t.Fatal("no fixtures", err)
	}
	return names
}

// rowsOf returns the first rows of an Avro file, at most max, and their schema.
func rowsOf(t testing.TB, name string, max int) (rows [][]byte, s *schema.Schema) {
	t.Helper()
	a := &avrorows.Reader{FS: storage.Local{}, Names: []string{name}}
	defer a.Close()
	for len(rows) < max {
		row, err := a.Next(nil)
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, row)
	}
	return rows, a.Schema
}

// schemaText returns the text of an Avro file's schema as twmb/avro reads it, with decimals
// as the bytes that they are: it would write those anew in as few as will do.
func schemaText(t testing.TB, name string) *avro.Schema {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := bytes.Cut(data, []byte("avro.schema"))
	text := strings.ReplaceAll(firstJSON(t, rest), `"logicalType":"decimal"`, `"logicalType":"none"`)
	s, err := avro.Parse(text, avro.WithLaxNames(func(string) error { return nil }))
	if err != nil {
		t.Skip(err) // what that parser refuses is no matter of these tests
	}
	return s
}

// firstJSON returns the JSON text that begins within a varint's bytes of data.
func firstJSON(t testing.TB, data []byte) string {
	t.Helper()
	for skip := 1; skip < 5; skip++ {
		var text json.RawMessage
		if json.NewDecoder(bytes.NewReader(data[skip:])).Decode(&text) == nil && len(text) > 2 {
			return string(text)
		}
	}
	t.Fatal("no schema found")
	return ""
}

// What is printed of a row is read by another implementation as the same row.
func TestJSONAgainstAnother(t *testing.T) {
	files, compared := fixtures(t, "avro/*.avro"), 0
	defer func() {
		if compared < len(files)*9/10 {
			t.Errorf("only %d of %d files were compared", compared, len(files))
		}
	}()
	for _, name := range files {
		t.Run(filepath.Base(name), func(t *testing.T) {
			if strings.Contains(name, "many-zero-bytes") {
				t.Skip("they take only so many values of no bytes")
			}
			theirs := schemaText(t, name)
			compared++
			rows, s := rowsOf(t, name, 50)
			for i, row := range rows {
				if len(row) > 1<<16 {
					continue
				}
				var text beginning
				j := rowtext.JSON{W: &text}
				rest, err := j.Row(s, row)
				if err != nil || len(rest) > 0 || j.Flush() != nil {
					t.Fatalf("row %d: %d bytes left, %v", i, len(rest), err)
				}
				var v any
				if err := theirs.DecodeJSON(text, &v, avro.TaggedUnions()); err != nil {
					t.Fatalf("row %d: %v in %s", i, err, text)
				}
				back, err := theirs.AppendEncode(nil, v)
				if err != nil {
					t.Fatalf("row %d: %v", i, err)
				}
				canonical, _, err := new(rowtext.Canonical).Row(nil, back, s)
				if err != nil || len(canonical) != len(row) {
					t.Fatalf("row %d: %x is not %x, %v", i, back, row, err)
				}
				// They write maps in any order, and JSON knows only one NaN.
				if !hasMap(s) && !bytes.Contains(text, []byte(`"NaN"`)) && !bytes.Equal(canonical, row) {
					t.Fatalf("row %d: %x is not %x", i, canonical, row)
				}
			}
		})
	}
}

func hasMap(s *schema.Schema) bool {
	for _, f := range s.Fields {
		if hasMap(f.Type) {
			return true
		}
	}
	for _, b := range s.Branches {
		if hasMap(b) {
			return true
		}
	}
	return s.Kind == schema.Map || s.Items != nil && hasMap(s.Items)
}

// Every file that Java made of an Avro file has its rows, and so has what is made of
// it again.
func TestRoundTrip(t *testing.T) {
	dir := t.TempDir()
	codecs := []string{"null", "snappy", "deflate:1"}
	for i, name := range fixtures(t, "trevni/*/*.trv") {
		base := strings.TrimSuffix(filepath.Base(name), ".trv")
		if base == "handmade-empty-blocks" { // Java took none of its rows
			continue
		}
		source := filepath.Join("../../testdata/avro", base+".avro")
		if code, out, errs := trevniRun("verify", "-q", "--against", source, name); code != 0 {
			t.Errorf("exit status %d: %s%s", code, out, errs)
		}
		back := filepath.Join(dir, "back.avro")
		if code, _, errs := trevniRun("to-avro", "--force", "--codec", codecs[i%3], name, back); code != 0 {
			t.Fatalf("%s: exit status %d: %s", name, code, errs)
		}
		if code, out, errs := trevniRun("verify", "-q", "--against", back, name); code != 0 {
			t.Errorf("%s: exit status %d: %s%s", codecs[i%3], code, out, errs)
		}
	}
}

// Rows with other encodings of the same values are the same rows.
func TestCanon(t *testing.T) {
	parsed := func(text string) *schema.Schema {
		s, err := schema.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	longArray := append(longs(100), bytes.Repeat([]byte{2}, 100)...)
	for _, test := range []struct {
		name, schema string
		src, want    []byte
		err          error
	}{
		{"boolean of 2", `"boolean"`, []byte{2}, []byte{1}, nil},
		{"long varint", `"long"`, []byte{0x82, 0x80, 0x00}, []byte{2}, nil},
		{"blocks", `{"type":"array","items":"int"}`, longs(1, 5, 2, 6, 7, 0), longs(3, 5, 6, 7, 0), nil},
		{"blocks with sizes", `{"type":"array","items":"int"}`, longs(-2, 2, 5, 6, 0), longs(2, 5, 6, 0), nil},
		{"many", `{"type":"array","items":"int"}`, append(longArray, 0), append(longArray, 0), nil},
		{"empty", `{"type":"array","items":"int"}`, longs(0), longs(0), nil},
		{"nulls", `{"type":"array","items":"null"}`, longs(1<<62, 1, 0), longs(1<<62+1, 0), nil},
		{"too many nulls", `{"type":"array","items":"null"}`, longs(1<<62, 1<<62, 1, 0), nil, rowtext.ErrRow},
		{"least count", `{"type":"array","items":"null"}`, longs(-1<<63, 1, 0), nil, rowtext.ErrRow},
		{"map", `{"type":"map","values":"null"}`, append(longs(-1, 2, 1), 'k', 0), append(longs(1, 1), 'k', 0), nil},
		{"branch", `["null","int"]`, longs(2), nil, rowtext.ErrRow},
		{"length", `"string"`, longs(-1), nil, rowtext.ErrRow},
		{"short string", `"string"`, longs(1), nil, rowtext.ErrShort},
		{"short number", `"long"`, []byte{0x80}, nil, rowtext.ErrShort},
		{"long number", `"long"`, bytes.Repeat([]byte{0xff}, 11), nil, rowtext.ErrRow},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, n, err := new(rowtext.Canonical).Row(nil, test.src, parsed(test.schema))
			if !errors.Is(err, test.err) || err == nil && (!bytes.Equal(got, test.want) || n != len(test.src)) {
				t.Errorf("%x, %d bytes, %v; want %x, %v", got, n, err, test.want, test.err)
			}
		})
	}
}

// everyKind is a schema with every kind of type.
const everyKind = `{"type":"record","name":"R","fields":[
	{"name":"n","type":"null"},{"name":"b","type":"boolean"},{"name":"i","type":"int"},{"name":"l","type":"long"},
	{"name":"f","type":"float"},{"name":"d","type":"double"},{"name":"s","type":"string"},{"name":"y","type":"bytes"},
	{"name":"x","type":{"type":"fixed","name":"X","size":2}},
	{"name":"e","type":{"type":"enum","name":"E","symbols":["A","B"]}},
	{"name":"a","type":{"type":"array","items":["null","X",{"type":"map","values":"E"}]}},
	{"name":"z","type":{"type":"array","items":{"type":"record","name":"Z","fields":[{"name":"n","type":"null"}]}}}]}`

// FuzzRow feeds bytes as a row: what one walk takes the other takes, canon's is
// stable, and what is printed is JSON.
func FuzzRow(f *testing.F) {
	s, err := schema.Parse(everyKind)
	if err != nil {
		f.Fatal(err)
	}
	f.Add([]byte("\x01\x02\x04aaaabbbbbbbb\x02s\x02yxx\x02\x02\x00\x00\x02\x00"))
	f.Add([]byte("\x01\x02\x04aaaabbbbbbbb\x02s\x02yxx\x00\x03\x06\x04\x02\x02k\x00\x00\x00\xfe\xff\xff\xff\x0f\x00"))
	f.Fuzz(func(t *testing.T, src []byte) {
		row, n, err := new(rowtext.Canonical).Row(nil, src, s)
		if err != nil {
			return
		}
		again, m, err := new(rowtext.Canonical).Row(nil, row, s)
		if err != nil || m != len(row) || !bytes.Equal(again, row) {
			t.Fatalf("%x becomes %x, and that %x, %v", src[:n], row, again, err)
		}
		var text beginning
		j := rowtext.JSON{W: &text}
		rest, err := j.Row(s, src)
		if err != nil { // of an enum's index, which canon passes on, or there is no end of nulls
			return
		}
		if j.Flush() == nil && (len(rest) != len(src)-n || !json.Valid(text)) {
			t.Fatalf("%d bytes left of %d, %d taken: %s", len(rest), len(src), n, text)
		}
	})
}
