package colfile

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"avro2trevni/internal/ocf"
)

// made is a format whose files begin with a magic, and that opens them to nothing.
func made(name, magic string) Format {
	return Format{
		Name: name, Magic: magic,
		Open:    func(io.ReaderAt, int64, Options) (File, error) { return nil, errors.New(name) },
		Corrupt: func(err error) bool { return err.Error() == name },
	}
}

// A file is opened by the format of its first bytes; what is of no format is named.
func TestOpen(t *testing.T) {
	formats := Formats{made("one", "One"), made("two", "Two\x01")}
	for content, want := range map[string]string{
		"One":              "one",
		"One, and more":    "one",
		"Two\x01":          "two",
		"Two\x02":          `f: not a one or two file: it begins with "Two\x02"`,
		"On":               `f: not a one or two file: it begins with "On"`,
		"":                 "f: the file is empty",
		"Obj\x01\x04":      "f: this is an Avro data file: convert makes a Parquet or Trevni file of it",
		"ORC":              "f: this is an ORC file, which is not read here",
		"\x1f\x8b\x08\x00": "f: this file is compressed by gzip: decompress it first",
	} {
		_, err := formats.Open(strings.NewReader(content), int64(len(content)), Options{Path: "f"})
		if err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", content, err, want)
		}
		if !formats.Corrupt(err) {
			t.Errorf("%q: %v is not about the file", content, err)
		}
	}
}

// An error of reading says nothing about the file.
func TestOpenUnreadable(t *testing.T) {
	formats := Formats{made("one", "One")}
	_, err := formats.Open(failing{}, 10, Options{Path: "f"})
	if err == nil || err.Error() != "f: no luck" || formats.Corrupt(err) {
		t.Errorf("error %v", err)
	}
}

type failing struct{}

func (failing) ReadAt([]byte, int64) (int, error) { return 0, errors.New("no luck") }

// What a user gave stays, even if another format would reserve it; the last of a key counts.
func TestUsers(t *testing.T) {
	meta := []ocf.Meta{{Key: "trevni.codec"}, {Key: "a", Value: []byte("1")}, {Key: "parquet.x"}, {Key: "avro.schema"}, {Key: "a", Value: []byte("2")}}
	if got := fmt.Sprintf("%s", Users(meta, "trevni.")); got != "[{a 2} {parquet.x }]" {
		t.Error(got)
	}
	if got := fmt.Sprintf("%s", Users(meta, "parquet.")); got != "[{trevni.codec } {a 2}]" {
		t.Error(got)
	}
}
