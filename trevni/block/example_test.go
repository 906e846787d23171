package block_test

import (
	"bytes"
	"fmt"
	"log"

	"avro2trevni/trevni/block"
)

func ExampleNewEncoder() {
	spec, err := block.ParseCodec("deflate:9")
	if err != nil {
		log.Fatal(err)
	}
	coding := block.Coding{Codec: spec, Checksum: block.ChecksumCRC32}
	enc, err := block.NewEncoder(coding)
	if err != nil {
		log.Fatal(err)
	}
	raw := bytes.Repeat([]byte("abcd"), 1000)
	arena := make([]byte, 0, enc.MaxLen(len(raw)))
	data, err := enc.Append(arena, raw) // no allocation but the first time
	if err != nil {
		log.Fatal(err)
	}
	dec, err := block.NewDecoder(coding)
	if err != nil {
		log.Fatal(err)
	}
	back, err := dec.Decode(nil, data, len(raw))
	fmt.Println(len(data) < 50, bytes.Equal(back, raw), err)
	// Output: true true <nil>
}

func ExampleLengthReader() {
	var l block.LengthReader
	for l.Reset([]byte("\x07\x0a\x0c\x0e\x01\x02\x10"), block.Int); l.Next(); {
		fmt.Printf("%d of length %d, %d bytes of values\n", l.Count, l.Length, len(l.Data))
	}
	fmt.Println(l.Err())
	// Output:
	// 3 of length 1, 3 bytes of values
	// 2 of length 0, 0 bytes of values
	// 1 of length 1, 1 bytes of values
	// <nil>
}
