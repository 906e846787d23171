package reader_test

import (
	"fmt"
	"io"
	"log"

	"avro2trevni/parquet/reader"
)

// The column "list" of a file: how many rows, entries and values it has.
func Example() {
	f, err := reader.OpenFile("testdata/writers/pyarrow-nested-zstd-v2.parquet", nil)
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	leaf := f.Schema.Leaves[1]
	fmt.Println(leaf, leaf.Type, leaf.MaxRep, leaf.MaxDef)
	for _, group := range f.RowGroups {
		column, err := group.Column(leaf.Leaf)
		if err != nil {
			log.Fatal(err)
		}
		var b reader.Batch
		entries, values := 0, 0
		for err = column.Next(&b); err == nil; err = column.Next(&b) {
			entries += b.N
			values += b.Values.N
		}
		if err != io.EOF {
			log.Fatal(err)
		}
		fmt.Println(group.Rows, entries, values)
	}
	// Output:
	// list.list.element INT32 1 3
	// 80 135 89
	// 40 71 44
}
