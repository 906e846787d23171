package shred

import (
	"avro2trevni/internal/schema"
	"avro2trevni/trevni"
)

// Place is one type of a schema, and where in a table its values go.
type Place struct {
	Schema *schema.Schema
	path   string
	named  bool   // the path is a name, though it may be ""; false: the top level
	list   string // the array column whose lengths count the values; "": there is one a row
	inside bool   // the values stand in that column too
}

// Top returns the place of whole rows of s.
func Top(s *schema.Schema) Place { return Place{Schema: s} }

// Path returns the name that the names of all columns of the place begin with; "" at the
// top level.
func (p Place) Path() string { return p.path }

// TopLevel reports whether the place is that of whole rows.
func (p Place) TopLevel() bool { return !p.named }

// Column returns the column of the place itself: that of the values of a simple type, or
// that of the lengths of an array or map. There is none (false) for a record and a union,
// nor for a simple type whose values are in the column of the array or branch around it.
func (p Place) Column() (trevni.Column, bool) {
	switch k := p.Schema.Kind; {
	case k == schema.Array:
		lengths, _ := p.elements("[]", p.Schema.Items)
		return lengths, true
	case k == schema.Map:
		return trevni.Column{Name: p.path + ">", Type: trevni.Null, Array: true, Parent: p.list}, true
	case !k.Simple() || p.inside:
		return trevni.Column{}, false
	}
	name := p.path
	if !p.named {
		name = p.Schema.TypeName()
	}
	return trevni.Column{Name: name, Type: TypeOf(p.Schema.Kind), Parent: p.list}, true
}

// Field returns the place of field i of a record.
func (p Place) Field(i int) Place {
	f := &p.Schema.Fields[i]
	return Place{Schema: f.Type, path: p.join("#", f.Name), named: true, list: p.list}
}

// Element returns the place of an array's elements, or a map's values.
func (p Place) Element() Place {
	if p.Schema.Kind == schema.Map {
		return p.entry("value", p.Schema.Items)
	}
	_, element := p.elements("[]", p.Schema.Items)
	return element
}

// Key returns the place of a map's keys.
func (p Place) Key() Place { return p.entry("key", keys) }

// Branch returns the place of branch i of a union, which must not be null, and the column
// whose lengths of 0 or 1 tell whether a value is of it.
func (p Place) Branch(i int) (lengths trevni.Column, value Place) {
	b := p.Schema.Branches[i]
	p.path, p.named = p.join("/", b.TypeName()), true
	return p.elements("", b)
}

// keys is the schema of maps' keys.
var keys = &schema.Schema{Kind: schema.String}

// elements returns the column of the lengths of lists of s, whose name is the path and
// what ends it, and the place of their elements: in it if they are simple, else below it.
func (p Place) elements(end string, s *schema.Schema) (trevni.Column, Place) {
	c := trevni.Column{Name: p.path + end, Type: trevni.Null, Array: true, Parent: p.list}
	if s.Kind.Simple() {
		c.Type = TypeOf(s.Kind)
	}
	return c, Place{Schema: s, path: c.Name, named: true, list: c.Name, inside: s.Kind.Simple()}
}

// entry returns the place of the keys or the values of a map.
func (p Place) entry(name string, s *schema.Schema) Place {
	path := p.path + ">"
	return Place{Schema: s, path: path + name, named: true, list: path}
}

// join returns the path of a part that has a name.
func (p Place) join(sep, name string) string {
	if !p.named {
		return name
	}
	return p.path + sep + name
}

// TypeOf returns the type of the column of a simple kind.
func TypeOf(k schema.Kind) trevni.Type {
	switch k {
	case schema.Boolean:
		return trevni.Boolean
	case schema.Int, schema.Enum:
		return trevni.Int
	case schema.Long:
		return trevni.Long
	case schema.Float:
		return trevni.Float
	case schema.Double:
		return trevni.Double
	case schema.String:
		return trevni.String
	case schema.Bytes, schema.Fixed:
		return trevni.Bytes
	}
	return trevni.Null
}
