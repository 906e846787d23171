package record_test

import (
	"bytes"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"

	"github.com/twmb/avro"

	"avro2trevni/record"
	"avro2trevni/trevni"
)

// dremel opens the documents of the Dremel paper, as Java wrote them.
func dremel() (*trevni.Reader, io.Closer) {
	f, err := os.Open(filepath.Join(testdata, "trevni", "java-1.12.1-null", "fastavro-1.13.1-dremel.trv"))
	if err != nil {
		log.Fatal(err)
	}
	info, err := f.Stat()
	if err != nil {
		log.Fatal(err)
	}
	r, err := trevni.NewReader(f, info.Size(), nil)
	if err != nil {
		log.Fatal(err)
	}
	return r, f
}

func ExampleReader() {
	f, c := dremel()
	defer c.Close()
	r, err := record.NewReader(f, nil)
	if err != nil {
		log.Fatal(err)
	}
	for row, err := range r.All() {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(len(row), "bytes")
	}
	// Output:
	// 60 bytes
	// 23 bytes
}

func ExampleReader_ReadRows() {
	f, c := dremel()
	defer c.Close()
	r, err := record.NewReader(f, nil)
	if err != nil {
		log.Fatal(err)
	}
	var buf []byte
	for {
		var n int
		buf, n, err = r.ReadRows(buf[:0], 1000)
		if err == io.EOF {
			break
		}
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(n, "rows of", len(buf), "bytes together")
	}
	// Output:
	// 2 rows of 83 bytes together
}

func ExampleProject() {
	f, c := dremel()
	defer c.Close()
	text, _ := f.Header().Meta.Get("avro.schema")
	want, err := record.Project(string(text), []string{"DocId", "Name.Language.Country"})
	if err != nil {
		log.Fatal(err)
	}
	r, err := record.NewReader(f, &record.Options{Schema: want})
	if err != nil {
		log.Fatal(err)
	}
	if err := r.SeekRow(1); err != nil {
		log.Fatal(err)
	}
	row, _, err := r.ReadRows(nil, 1)
	if err != nil {
		log.Fatal(err)
	}
	var v any
	s := avro.MustParse(want)
	if _, err := s.Decode(row, &v); err != nil {
		log.Fatal(err)
	}
	fmt.Println(v)
	// Output:
	// map[DocId:20 Name:[map[Language:[]]]]
}

func ExampleWriter() {
	const schema = `{"type":"record","name":"Track","fields":[
		{"name":"title","type":"string"},
		{"name":"tags","type":{"type":"array","items":"string"}}]}`
	var file bytes.Buffer
	w, err := record.NewWriter(&file, schema, nil)
	if err != nil {
		log.Fatal(err)
	}
	type Track struct {
		Title string   `avro:"title"`
		Tags  []string `avro:"tags"`
	}
	s := avro.MustParse(schema) // of any Avro library
	var row []byte
	for _, track := range []Track{{"Blue in Green", []string{"jazz", "1959"}}, {"Untitled", nil}} {
		if row, err = s.AppendEncode(row[:0], track); err != nil {
			log.Fatal(err)
		}
		if err := w.Write(row); err != nil {
			log.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		log.Fatal(err)
	}

	f, err := trevni.NewReader(bytes.NewReader(file.Bytes()), int64(file.Len()), nil)
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range f.Header().Columns {
		fmt.Println(c.Name, c.Type)
	}
	r, err := record.NewReader(f, nil)
	if err != nil {
		log.Fatal(err)
	}
	for row, err := range r.All() {
		var track Track
		if err == nil {
			_, err = s.Decode(row, &track)
		}
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(track.Title, track.Tags)
	}
	// Output:
	// title string
	// tags[] string
	// Blue in Green [jazz 1959]
	// Untitled []
}
