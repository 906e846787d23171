package scanner

import (
	"fmt"

	"avro2trevni/internal/columns"
	"avro2trevni/internal/schema"
)

// Column is a column that can be summed up in every format, and its name in each.
type Column struct {
	Path    string // fields by dots, as Avro's readers and record.Project have them
	Trevni  string // the column that holds the values
	Parquet string // the leaf, as pyarrow names it
	Kind    schema.Kind
	Logical string // logical type, "" if none
	Nested  bool   // within an array
}

// Number reports whether the column holds numbers.
func (c Column) Number() bool {
	return c.Kind == schema.Int || c.Kind == schema.Long || c.Kind == schema.Float || c.Kind == schema.Double
}

// Columns lists the columns of a schema that a scan can sum up: numbers, booleans,
// strings and bytes. Enums and fixed, which the formats' readers give as different
// things, maps, and unions of more than null and one type are left out.
func Columns(text string) ([]Column, error) {
	t, err := schema.ParseText(text)
	if err != nil {
		return nil, err
	}
	s := t.Schema
	if s.Kind != schema.Record {
		return nil, fmt.Errorf("bench: scans need a record, not %s", s)
	}
	if _, err := columns.LayOut(t.All()); err != nil { // recursive, or too wide
		return nil, fmt.Errorf("bench: schema: %w", err)
	}
	l := &columnLister{}
	l.record(s, Column{})
	return l.all, nil
}

type columnLister struct{ all []Column }

func (l *columnLister) record(s *schema.Schema, at Column) {
	for _, f := range s.Fields {
		next := at
		next.Path = joined(at.Path, ".", f.Name)
		next.Trevni = joined(at.Trevni, "#", f.Name)
		next.Parquet = joined(at.Parquet, ".", f.Name)
		l.walk(f.Type, next)
	}
}

func (l *columnLister) walk(s *schema.Schema, at Column) {
	switch s.Kind {
	case schema.Record:
		l.record(s, at)
	case schema.Array:
		at.Trevni += "[]"
		at.Parquet += ".list.element"
		at.Nested = true
		l.walk(s.Items, at)
	case schema.Union:
		if branch := other(s); branch != nil {
			at.Trevni += "/" + branch.TypeName()
			l.walk(branch, at)
		}
	case schema.Boolean, schema.Int, schema.Long, schema.Float, schema.Double, schema.String, schema.Bytes:
		at.Kind, at.Logical = s.Kind, s.Logical.Name
		l.all = append(l.all, at)
	}
}

// other returns the other branch of a union of null and one type, or nil.
func other(s *schema.Schema) *schema.Schema {
	switch b := s.Branches; {
	case len(b) != 2:
		return nil
	case b[0].Kind == schema.Null:
		return b[1]
	case b[1].Kind == schema.Null:
		return b[0]
	default:
		return nil
	}
}

func joined(a, between, b string) string {
	if a == "" {
		return b
	}
	return a + between + b
}
