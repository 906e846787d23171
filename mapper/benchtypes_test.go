package mapper_test

import (
	"fmt"
	"strings"
	"testing"

	"avro2trevni/internal/schema"
	"avro2trevni/mapper"
	"avro2trevni/trevni"
	"avro2trevni/trevni/block"
)

// benchTypes are the types of Avro's values, and those that are made of them.
var benchTypes = []struct{ name, schema string }{
	{"boolean", `"boolean"`}, {"int", `"int"`}, {"long", `"long"`}, {"float", `"float"`}, {"double", `"double"`},
	{"string", `"string"`}, {"bytes", `"bytes"`}, {"fixed", `{"type":"fixed","name":"f%d","size":16}`},
	{"enum", `{"type":"enum","name":"e%d","symbols":["A","B","C"]}`},
	{"nullable-long", `["null","long"]`}, {"array-int", `{"type":"array","items":"int"}`}, {"map-string", `{"type":"map","values":"string"}`},
}

// tableOf is a record of eight fields of a type.
func tableOf(b *testing.B, text string) *schema.Schema {
	s := `{"type":"record","name":"r","fields":[`
	for i := range 8 {
		field := strings.Replace(text, "%d", fmt.Sprint(i), 1) // a name is defined once
		if i > 0 {
			s += ","
		}
		s += fmt.Sprintf(`{"name":"c%d","type":%s}`, i, field)
	}
	return parse(b, s+"]}")
}

// BenchmarkShred cuts rows of one type into columns: the walk, and blocks cut and
// compressed after it.
func BenchmarkShred(b *testing.B) {
	for _, t := range benchTypes {
		for _, codec := range []string{"null", "snappy"} {
			b.Run(fmt.Sprintf("type=%s/codec=%s", t.name, codec), func(b *testing.B) {
				p, blocks, size := benchBlocks(b, tableOf(b, t.schema))
				m := newCoded(p, block.Coding{Codec: block.Codec{Name: codec}, Checksum: trevni.ChecksumCRC32}, mapper.Options{MarkBytes: 1 << 20}, &dropSink{})
				b.SetBytes(size)
				b.ReportAllocs()
				for b.Loop() {
					m.Begin(0)
					if _, err := m.Segment(b.Context(), &wholeBlocks{fakeBlocks{blocks: blocks}}); err != nil {
						b.Fatal(err)
					}
					if _, err := m.End(); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
