package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"avro2trevni/internal/ocf"
	"avro2trevni/internal/schema"
	"avro2trevni/jobs"
	"avro2trevni/trevni"
)

// otherBytes are the fixtures whose rows do not come back byte for byte, and why: the
// rows are the same, but are not spelled as Avro's writers do by default.
var otherBytes = map[string]string{
	"handmade-negative-counts":               "arrays and maps in several blocks, with their sizes in bytes; they come back in one, without",
	"java-1.12.1-sized-blocks-arrays-snappy": "arrays in blocks with their sizes in bytes, as Java's BlockingBinaryEncoder writes them",
	"java-1.12.1-sized-blocks-events-snappy": "likewise",
	"java-1.12.1-sized-blocks-maps-snappy":   "likewise, of maps",
}

// asWritten returns a schema's text as convert writes it.
func asWritten(t *testing.T, text string) string {
	t.Helper()
	s, err := schema.ParseText(text)
	if err != nil {
		t.Fatal(err)
	}
	if text, err = s.All().JSON(); err != nil {
		t.Fatal(err)
	}
	return text
}

// TestEveryFixtureComesBack converts each Avro fixture, and has to-avro make an Avro
// file of it again: the same schema text, number of rows, and rows; and the same bytes
// of rows too, but for those in otherBytes.
func TestEveryFixtureComesBack(t *testing.T) {
	all := map[string]bool{}
	codecs := []string{"null", "snappy", "deflate"}
	for i, source := range fixtures(t, "avro/*.avro") {
		base := strings.TrimSuffix(filepath.Base(source), ".avro")
		all[base] = true
		t.Run(base, func(t *testing.T) {
			dir := t.TempDir()
			trv, back := filepath.Join(dir, "a.trv"), filepath.Join(dir, "back.avro")
			o := jobs.Options{Inputs: []string{source}, Output: trv, BlockSize: 4 << 10, Codec: codecs[(i+1)%3]}
			if _, err := jobs.Convert(t.Context(), &o); err != nil {
				t.Fatal(err)
			}
			if code, _, stderr := trevniRun("to-avro", "--codec", codecs[i%3], trv, back); code != 0 {
				t.Fatalf("to-avro: exit status %d: %s", code, stderr)
			}
			for _, against := range []string{source, back} {
				if code, out, stderr := trevniRun("verify", "-q", "--against", against, trv); code != 0 {
					t.Errorf("verify --against %s: exit status %d: %s%s", filepath.Base(against), code, out, stderr)
				}
			}
			text, want, n := rowBytes(t, source)
			text = asWritten(t, text)
			gotText, got, rows := rowBytes(t, back)
			if gotText != text || rows != n {
				t.Errorf("%d rows of %q, want %d of %q", rows, gotText, n, text)
			}
			if same, why := bytes.Equal(got, want), otherBytes[base]; same != (why == "") {
				t.Errorf("bytes of the rows the same: %t; exception: %q", same, why)
			}
		})
	}
	for base := range otherBytes {
		if !all[base] {
			t.Errorf("%s: an exception for a fixture that does not exist", base)
		}
	}
}

// rowBytes returns an Avro file's schema, the bytes of its rows, one after another
// and decompressed, and their number.
func rowBytes(t *testing.T, name string) (text string, rows []byte, n int64) {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	src, size := bytes.NewReader(data), int64(len(data))
	h, err := ocf.ReadHeader(src, size, name, ocf.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	r := ocf.NewReader(ocf.Limits{}, nil)
	defer r.Close()
	if err := r.Open(src, name, size, h, 0, size); err != nil {
		t.Fatal(err)
	}
	for {
		b, err := r.Next()
		if errors.Is(err, io.EOF) {
			return h.Schema, rows, n
		}
		if err != nil {
			t.Fatal(err)
		}
		n += b.Rows
		for last := false; !last; {
			var w []byte
			if w, last, err = r.Window(0); err != nil {
				t.Fatal(err)
			}
			rows = append(rows, w...)
		}
	}
}

// TestFlatFieldsInTrevni reads a file whose schema has a flat field, which Java refuses,
// and writes it as Avro that Java reads.
func TestFlatFieldsInTrevni(t *testing.T) {
	dir := t.TempDir()
	trv, back := filepath.Join(dir, "flat.trv"), filepath.Join(dir, "back.avro")
	var file bytes.Buffer
	w, err := trevni.NewWriter(&file, &trevni.Header{
		Columns: []trevni.Column{{Name: "e", Type: trevni.Int}},
		Meta:    trevni.Metadata{{Key: "avro.schema", Value: []byte(`{"type":"record","name":"R","fields":[{"name":"e","type":"enum","symbols":["A","B"]}]}`)}},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Column(0).Row(), w.Column(0).Int(1), w.Close(), os.WriteFile(trv, file.Bytes(), 0o666)); err != nil {
		t.Fatal(err)
	}
	if code, out, errs := trevniRun("cat", trv); code != 0 || out != `{"e":"B"}`+"\n" {
		t.Errorf("cat: exit status %d: %s%s", code, out, errs)
	}
	for _, args := range [][]string{{"to-avro", trv, back}, {"verify", "--against", back, trv}} {
		if code, out, errs := trevniRun(args...); code != 0 {
			t.Fatalf("%s: exit status %d: %s%s", args[0], code, out, errs)
		}
	}
	const want = `{"type":"record","name":"R","fields":[{"name":"e","type":{"type":"enum","name":"e","symbols":["A","B"]}}]}`
	if got, _, _ := rowBytes(t, back); got != want {
		t.Errorf("the schema is %s, want %s", got, want)
	}
}
