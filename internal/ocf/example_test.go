package ocf_test

import (
	"bytes"
	"fmt"
	"io"
	"log"

	"avro2trevni/internal/ocf"
	"github.com/linkedin/goavro/v2"
)

func Example() {
	var file bytes.Buffer
	w, err := goavro.NewOCFWriter(goavro.OCFConfig{W: &file, Schema: `"string"`, CompressionName: "snappy"})
	if err != nil {
		log.Fatal(err)
	}
	if err := w.Append([]string{"a", "bc"}); err != nil {
		log.Fatal(err)
	}

	src, size := bytes.NewReader(file.Bytes()), int64(file.Len())
	h, err := ocf.ReadHeader(src, size, "words.avro", ocf.Limits{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(h.Schema, h.Codec)

	r := ocf.NewReader(ocf.Limits{}, nil)
	defer r.Close()
	if err := r.Open(src, "words.avro", size, h, 0, size); err != nil {
		log.Fatal(err)
	}
	for {
		b, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			log.Fatal(err)
		}
		data, last, err := r.Window(0)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%d rows: %q, all of them: %v\n", b.Rows, data, last)
	}
	// Output:
	// "string" snappy
	// 2 rows: "\x02a\x04bc", all of them: true
}
