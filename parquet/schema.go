package parquet

import (
	"errors"
	"fmt"
	"strings"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// maxLevel is the deepest that fields can be optional or repeated: levels are bytes.
const maxLevel = 255

// A Node is a field of a schema: a group, which has Fields, or a leaf, which is a column.
type Node struct {
	Name       string
	Repetition Repetition // the root's is not looked at
	Logical    Logical

	Fields []*Node // a group's, at least one; nil in a leaf

	Type    Type     // a leaf's
	Length  int      // of a FIXED_LEN_BYTE_ARRAY: bytes, at least 1
	Symbols []string // of a BYTE_ARRAY: its values are given as numbers of these, and stored as they are spelled
}

// Group returns a group of fields.
func Group(name string, r Repetition, fields ...*Node) *Node {
	return &Node{Name: name, Repetition: r, Fields: fields}
}

// Column returns a leaf.
func Column(name string, r Repetition, t Type, l Logical) *Node {
	return &Node{Name: name, Repetition: r, Type: t, Logical: l}
}

// List returns a list in its three levels:
//
//	r group name (LIST) { repeated group list { element } }
//
// It renames the element to "element", which is what readers expect.
func List(name string, r Repetition, element *Node) *Node {
	element.Name = "element"
	list := Group(name, r, Group("list", Repeated, element))
	list.Logical.Kind = ListType
	return list
}

// Map returns a map:
//
//	r group name (MAP) { repeated group key_value { key; value } }
//
// It renames key and value so, and makes the key required.
func Map(name string, r Repetition, key, value *Node) *Node {
	key.Name, key.Repetition, value.Name = "key", Required, "value"
	m := Group(name, r, Group("key_value", Repeated, key, value))
	m.Logical.Kind = MapType
	return m
}

// physical returns the type as errors and printed schemas have it.
func (n *Node) physical() string {
	switch n.Type {
	case ByteArray:
		return "binary"
	case FixedLenByteArray:
		return fmt.Sprintf("fixed_len_byte_array(%d)", n.Length)
	}
	return strings.ToLower(n.Type.String())
}

// A Leaf is a column of a schema.
type Leaf struct {
	*Node
	Index  int      // among the schema's leaves
	Path   []string // names from below the root down to the leaf
	MaxDef int      // how many of the path's nodes are optional or repeated
	MaxRep int      // how many are repeated
}

// String returns the path with dots.
func (l *Leaf) String() string { return strings.Join(l.Path, ".") }

// A Schema is a checked tree of nodes with its leaves enumerated. It does not change, and may
// be used by many goroutines.
type Schema struct {
	Root   *Node
	Leaves []*Leaf // in the order of the tree, which is that of columns in a row group
}

// NewSchema returns the schema of the fields of root, whose name is the message's. It keeps the
// nodes, which must not be changed afterwards. The error names the path of what cannot be
// stored: an empty group, two fields of a name in a group, a logical type that is not its
// leaf's.
func NewSchema(root *Node) (*Schema, error) {
	s := &Schema{Root: root}
	if root == nil || root.Fields == nil {
		return nil, errors.New("parquet: a schema is a group")
	}
	err := s.add(root, Leaf{})
	if err != nil {
		return nil, err
	}
	return s, nil
}

// add checks n and adds its leaves; at is where n is, and has n's levels.
func (s *Schema) add(n *Node, at Leaf) error {
	fail := func(format string, args ...any) error {
		return fmt.Errorf("parquet: schema: field %q: %w", at.String(), fmt.Errorf(format, args...))
	}
	if at.MaxDef > maxLevel {
		return fail("more than %d optional or repeated groups deep", maxLevel)
	}
	if n.Fields == nil {
		if err := n.checkLeaf(); err != nil {
			return fail("%w", err)
		}
		at.Node, at.Index = n, len(s.Leaves)
		s.Leaves = append(s.Leaves, &at)
		return nil
	}
	if len(n.Fields) == 0 {
		return fail("a group without fields")
	}
	if k := n.Logical.Kind; k != NoLogical && k != ListType && k != MapType {
		return fail("a group cannot be %s", n.Logical)
	}
	names := make(map[string]bool, len(n.Fields))
	for _, field := range n.Fields {
		if names[field.Name] {
			return fail("two fields named %q", field.Name)
		}
		names[field.Name] = true
		if err := s.add(field, at.child(field)); err != nil {
			return err
		}
	}
	return nil
}

// child returns where field is, a field of the group at l.
func (l *Leaf) child(field *Node) Leaf {
	c := Leaf{MaxDef: l.MaxDef, MaxRep: l.MaxRep}
	c.Path = append(l.Path[:len(l.Path):len(l.Path)], field.Name)
	if field.Repetition != Required {
		c.MaxDef++
	}
	if field.Repetition == Repeated {
		c.MaxRep++
	}
	return c
}

func (n *Node) checkLeaf() error {
	switch {
	case n.Repetition > Repeated:
		return errors.New(n.Repetition.String())
	case !n.Type.valid():
		return errors.New(n.Type.String())
	case n.Type == FixedLenByteArray && (n.Length < 1 || n.Length > maxPage):
		return fmt.Errorf("a fixed length of %d bytes", n.Length)
	case n.Symbols != nil && n.Type != ByteArray:
		return fmt.Errorf("%s cannot have symbols", n.physical())
	}
	return n.Logical.check(n)
}

// elements appends the node and all below, as the footer has them.
func (n *Node) elements(to []format.SchemaElement, root bool) []format.SchemaElement {
	e := format.SchemaElement{Name: n.Name}
	if !root {
		e.RepetitionType = thrift.New(format.FieldRepetitionType(n.Repetition))
	}
	n.Logical.annotate(&e)
	if n.Fields == nil {
		e.Type = thrift.New(format.Type(n.Type))
		if n.Type == FixedLenByteArray {
			e.TypeLength = thrift.New(int32(n.Length))
		}
		return append(to, e)
	}
	e.NumChildren = thrift.New(int32(len(n.Fields)))
	to = append(to, e)
	for _, field := range n.Fields {
		to = field.elements(to, false)
	}
	return to
}

// String returns the schema in the language of the Dremel paper, as parquet-java prints it.
func (s *Schema) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "message %s {\n", s.Root.Name)
	for _, field := range s.Root.Fields {
		field.print(&b, "  ")
	}
	b.WriteString("}\n")
	return b.String()
}

func (n *Node) print(b *strings.Builder, indent string) {
	kind := "group"
	if n.Fields == nil {
		kind = n.physical()
	}
	fmt.Fprintf(b, "%s%s %s %s", indent, n.Repetition, kind, n.Name)
	if l := n.Logical.String(); l != "" {
		fmt.Fprintf(b, " (%s)", l)
	}
	if n.Fields == nil {
		b.WriteString(";\n")
		return
	}
	b.WriteString(" {\n")
	for _, field := range n.Fields {
		field.print(b, indent+"  ")
	}
	b.WriteString(indent + "}\n")
}
