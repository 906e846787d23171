package record_test

import (
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
