package shuffle_test

import (
	"fmt"
	"log"

	"avro2trevni/internal/tuple"
	"avro2trevni/shuffle"
)

func ExampleNew() {
	s, err := shuffle.New(&shuffle.Options{Memory: 8 << 20, Writers: 1})
	if err != nil {
		log.Fatal(err)
	}
	w := s.NewWriter()
	for _, row := range []tuple.Row{20, 0, 10} {
		buf, err := w.Buffer(64)
		if err != nil {
			log.Fatal(err)
		}
		value := fmt.Appendf(buf, "ten rows from %d", row)
		t := tuple.Tuple{Column: 3, Row: row, Rows: 10, Size: uint32(len(value)), Value: value}
		if err := w.Add(t); err != nil {
			log.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		log.Fatal(err)
	}
	sc := s.Scan(3, 5, 20)
	for sc.Next() {
		value, err := sc.Value(nil)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(string(value))
	}
	if err := sc.Close(); err != nil {
		log.Fatal(err)
	}
	s.Release(20)
	if err := s.Close(); err != nil {
		log.Fatal(err)
	}
	// Output:
	// ten rows from 0
	// ten rows from 10
}
