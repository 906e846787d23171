package mapper_test

import (
	"slices"
	"testing"

	"avro2trevni/internal/avrotest"
	"avro2trevni/internal/columns"
	format "avro2trevni/internal/format/trevni"
	"avro2trevni/internal/schema"
	"avro2trevni/mapper"
	"avro2trevni/trevni"
	"avro2trevni/trevni/block"
)

// program is a program whose columns are those of a file of Trevni.
type program struct {
	*mapper.Program
	columns []trevni.Column
}

// compile compiles the walk over rows of a writer's schema into columns of rows.
func compile(writer *schema.Schema, rows *schema.Selection) (*program, error) {
	l, err := columns.LayOut(rows)
	if err != nil {
		return nil, err
	}
	p, err := mapper.Compile(writer, l)
	return &program{p, format.Columns(l)}, err
}

// compileText compiles the walk over rows of a schema as they are.
func compileText(t testing.TB, text string) *program {
	t.Helper()
	s := parseText(t, text)
	p, err := compile(s.Schema, s.All())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// newMapper returns a mapper whose tuples are Trevni's blocks, with values as they are.
func newMapper(p *program, o mapper.Options, sink mapper.Sink) *mapper.Mapper {
	return newCoded(p, block.Coding{Codec: block.Codec{Name: "null"}}, o, sink)
}

// newCoded is newMapper for blocks in a coding.
func newCoded(p *program, c block.Coding, o mapper.Options, sink mapper.Sink) *mapper.Mapper {
	o.Overhead = format.Overhead
	return mapper.New(p.Program, o, format.NewEncoder(p.columns, slices.Repeat([]block.Coding{c}, len(p.columns)), false), sink)
}

func parse(t testing.TB, text string) *schema.Schema {
	t.Helper()
	s, err := schema.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func parseText(t testing.TB, text string) *schema.Text {
	t.Helper()
	s, err := schema.ParseText(text)
	if err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return s
}

func textOf(t testing.TB, s *schema.Schema) *schema.Text {
	t.Helper()
	return parseText(t, avrotest.Text(s))
}

// names returns the names of a program's columns.
func names(p *program) (names []string) {
	for _, c := range p.Columns() {
		names = append(names, c.Name)
	}
	return names
}
