package schema_test

import (
	"fmt"
	"log"

	"avro2trevni/internal/schema"
)

func ExampleEqual() {
	a, err := schema.Parse(`{"type":"record","name":"R","fields":[{"name":"at","type":{"type":"int","logicalType":"date"}}]}`)
	if err != nil {
		log.Fatal(err)
	}
	b, err := schema.Parse(`{"type":"record","name":"R","doc":"dates lost","fields":[{"name":"at","type":"int"}]}`)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(schema.Equal(a, b))
	// Output:
	// schema: logical type differs at "at": date, and none
}
