package records

import (
	"errors"
	"fmt"

	"avro2trevni/internal/assembly"
	"avro2trevni/internal/schema"
	"avro2trevni/parquet/reader"
)

// Keys of the metadata that may have the schema of the rows.
const (
	OwnKey  = "avro.schema"
	AvroKey = "parquet.avro.schema"
)

// ErrSchema is the error for a wanted schema that is no projection of the file's, and for columns
// that no Avro schema has, such as two fields of one name.
var ErrSchema = errors.New("schema")

// Table is a file as rows of Avro. It does not change, and any number of goroutines may use it.
type Table struct {
	f      *reader.File
	path   string
	text   string
	file   *schema.Schema
	source string
	whole  *assembly.Node
}

// Open finds the schema of a file's rows. It reads nothing: the footer is read. Path names the file
// in errors of its rows. The error is [ErrSchema].
func Open(f *reader.File, path string) (*Table, error) {
	for _, key := range []string{OwnKey, AvroKey} {
		for _, kv := range f.KeyValues {
			if kv.Key != key {
				continue
			}
			if t, err := open(f, kv.Value, key); err == nil {
				t.path = path
				return t, nil
			}
		}
	}
	t, err := open(f, made(f.Schema.Root), "")
	if err != nil {
		return nil, err
	}
	t.path = path
	return t, nil
}

// open makes a table of a schema, if it fits.
func open(f *reader.File, text, source string) (*Table, error) {
	s, err := schema.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSchema, err)
	}
	m := matcher{whole: true}
	whole, err := m.top(s, s, f.Schema.Root)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSchema, err)
	}
	t := &Table{f: f, text: text, file: s, source: source, whole: whole}
	if _, err := t.compile(whole); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSchema, err)
	}
	return t, nil
}

// Schema returns the text of the schema of the rows.
func (t *Table) Schema() string { return t.text }

// Source returns the key of the metadata that has the schema, "" if it is made of the columns.
func (t *Table) Source() string { return t.source }

// compile makes a program over the file's leaves.
func (t *Table) compile(n *assembly.Node) (*assembly.Program, error) {
	var leaves []assembly.Leaf
	for _, l := range t.f.Schema.Leaves {
		leaves = append(leaves, assembly.Leaf{Name: l.String(), MaxRep: l.MaxRep, MaxDef: l.MaxDef, Width: l.Width()})
	}
	return assembly.Compile(n, leaves)
}

// project returns the program of a wanted schema, "" for the file's own.
func (t *Table) project(want string) (*assembly.Program, error) {
	if want == "" || want == t.text {
		return t.compile(t.whole)
	}
	s, err := schema.Parse(want)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSchema, err)
	}
	n, err := new(matcher).top(s, t.file, t.f.Schema.Root)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSchema, err)
	}
	return t.compile(n)
}
