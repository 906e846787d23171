package schema

import (
	"fmt"
	"strings"

	"github.com/twmb/avro"
)

// builder makes Schemas of the parser's nodes. A named type is in types under its
// full name from the time it is declared, and filled where it is defined.
type builder struct {
	types map[string]*Schema
}

var primitives = map[string]Kind{
	"null": Null, "boolean": Boolean, "int": Int, "long": Long, "float": Float,
	"double": Double, "string": String, "bytes": Bytes,
}

var complexes = map[string]Kind{
	"array": Array, "map": Map, "union": Union,
	"record": Record, "error": Record, "enum": Enum, "fixed": Fixed,
}

// fullName returns the full name of the named type n and the namespace that types
// within it inherit. The parser has resolved the namespace of n itself.
func fullName(n *avro.SchemaNode) (name, space string) {
	if i := strings.LastIndexByte(n.Name, '.'); i >= 0 {
		return n.Name, n.Name[:i]
	}
	if n.Namespace == "" {
		return n.Name, ""
	}
	return n.Namespace + "." + n.Name, n.Namespace
}

// declare enters the named types of n and below.
func (b *builder) declare(n *avro.SchemaNode, space string) {
	kind, ok := complexes[n.Type]
	switch {
	case !ok:
		return
	case kind.Named():
		var name string
		name, space = fullName(n)
		b.types[name] = &Schema{Kind: kind, Name: name}
	}
	switch kind {
	case Array:
		b.declare(n.Items, space)
	case Map:
		b.declare(n.Values, space)
	case Union:
		for i := range n.Branches {
			b.declare(&n.Branches[i], space)
		}
	case Record:
		for i := range n.Fields {
			b.declare(&n.Fields[i].Type, space)
		}
	}
}

// build returns the Schema of n, which stands in the given namespace.
func (b *builder) build(n *avro.SchemaNode, space string) (*Schema, error) {
	if kind, ok := primitives[n.Type]; ok {
		return &Schema{Kind: kind, Logical: logical(n, kind)}, nil
	}
	kind, ok := complexes[n.Type]
	switch {
	case !ok:
		return b.resolve(n.Type, space)
	case kind.Named():
		return b.define(n, kind)
	case kind == Union:
		return b.union(n, space)
	}
	of := n.Items
	if kind == Map {
		of = n.Values
	}
	items, err := b.build(of, space)
	if err != nil {
		return nil, err
	}
	return &Schema{Kind: kind, Items: items}, nil
}

// resolve finds a named type: in its namespace, then among those without one.
func (b *builder) resolve(name, space string) (*Schema, error) {
	if space != "" && !strings.Contains(name, ".") {
		if s := b.types[space+"."+name]; s != nil {
			return s, nil
		}
	}
	if s := b.types[name]; s != nil {
		return s, nil
	}
	return nil, fmt.Errorf("type %q is not defined", name)
}

// define fills in a named type where it is defined.
func (b *builder) define(n *avro.SchemaNode, kind Kind) (*Schema, error) {
	name, space := fullName(n)
	if name == "" || strings.HasSuffix(name, ".") {
		return nil, fmt.Errorf("%s without a name", n.Type)
	}
	s := b.types[name]
	switch kind {
	case Enum:
		s.Symbols = n.Symbols
	case Fixed:
		s.Size = int64(n.Size)
		s.Logical = logical(n, kind)
	case Record:
		s.Fields = make([]Field, len(n.Fields))
		for i := range n.Fields {
			if n.Fields[i].Name == "" {
				return nil, fmt.Errorf("field %d of %q has no name", i, name)
			}
			t, err := b.build(&n.Fields[i].Type, space)
			if err != nil {
				return nil, err
			}
			s.Fields[i] = Field{Name: n.Fields[i].Name, Type: t, Descending: n.Fields[i].Order == "descending"}
		}
	}
	return s, nil
}

func (b *builder) union(n *avro.SchemaNode, space string) (*Schema, error) {
	s := &Schema{Kind: Union, Branches: make([]*Schema, len(n.Branches))}
	for i := range n.Branches {
		var err error
		if s.Branches[i], err = b.build(&n.Branches[i], space); err != nil {
			return nil, err
		}
	}
	return s, nil
}
