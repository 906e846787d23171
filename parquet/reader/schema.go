package reader

import (
	"fmt"
	"slices"
	"strings"

	"avro2trevni/parquet"
	"github.com/parquet-go/parquet-go/format"
)

// Int96 is the physical type of old timestamps, 12 bytes.
const Int96 = parquet.Type(format.Int96)

const (
	maxLevel = 255 // of definition and repetition: levels are bytes
	// maxNesting is the deepest that groups are nested.
	maxNesting = 512
)

// A Node is a field of a schema: a group, which has Fields, or a leaf, which is a column. The
// root is a group. A group of an odd file can be empty.
type Node struct {
	Name       string
	Repetition parquet.Repetition // the root's is Required
	Logical    Logical
	FieldID    int32 // 0 if there is none

	Fields []*Node // a group's; nil in a leaf

	Type   parquet.Type // a leaf's
	Length int          // of a FIXED_LEN_BYTE_ARRAY: bytes, at least 1
	Leaf   int          // a leaf's number among the schema's leaves; -1 in a group

	MaxDef int // how many of the nodes from below the root to this one are optional or repeated
	MaxRep int // how many are repeated

	parent *Node // nil in the root
}

// Path returns the names from below the root down to the node.
func (n *Node) Path() []string {
	var path []string
	for ; n.parent != nil; n = n.parent {
		path = append(path, n.Name)
	}
	slices.Reverse(path)
	return path
}

// String returns the path with dots.
func (n *Node) String() string { return strings.Join(n.Path(), ".") }

// Width returns the bytes of each value of a leaf, as a [Batch] has them: 0 for byte arrays.
func (n *Node) Width() int {
	switch n.Type {
	case parquet.Boolean:
		return 1
	case parquet.Int32, parquet.Float:
		return 4
	case parquet.Int64, parquet.Double:
		return 8
	case Int96:
		return 12
	case parquet.FixedLenByteArray:
		return n.Length
	}
	return 0
}

// A Schema is a tree of nodes with its leaves enumerated. It does not change.
type Schema struct {
	Root   *Node
	Leaves []*Node // in the order of the tree, which is that of the chunks in a row group
}

// schemaOf makes the tree of a footer's list: each element before its children.
func schemaOf(elements []format.SchemaElement) (*Schema, error) {
	if len(elements) == 0 {
		return nil, corruptf("no schema")
	}
	p := schemaParser{rest: elements, schema: &Schema{}}
	root, err := p.node(&Node{Name: elements[0].Name}, 0)
	if err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	if root.Fields == nil {
		return nil, corruptf("schema: its root is no group")
	}
	if len(p.rest) > 0 {
		return nil, corruptf("schema: %d of %d elements belong to no group", len(p.rest), len(elements))
	}
	p.schema.Root = root
	return p.schema, nil
}

type schemaParser struct {
	rest   []format.SchemaElement
	schema *Schema
}

// node takes the next element and those below it. n has the name and the levels.
func (p *schemaParser) node(n *Node, depth int) (*Node, error) {
	e := &p.rest[0]
	p.rest = p.rest[1:]
	n.Logical, n.FieldID, n.Leaf = logicalOf(e), e.FieldID, -1
	if e.Type.Valid && e.NumChildren.V == 0 {
		return n, p.leaf(n, e)
	}
	if e.NumChildren.V < 0 || int(e.NumChildren.V) > len(p.rest) {
		return nil, corruptf("group %q has %d of the %d elements after it", n, e.NumChildren.V, len(p.rest))
	}
	if depth == maxNesting {
		return nil, limitf("groups more than %d deep", maxNesting)
	}
	n.Fields = make([]*Node, 0, e.NumChildren.V)
	for range e.NumChildren.V {
		if len(p.rest) == 0 {
			return nil, corruptf("group %q is cut short", n)
		}
		child, err := p.child(n, depth+1)
		if err != nil {
			return nil, err
		}
		n.Fields = append(n.Fields, child)
	}
	return n, nil
}

// child takes the next field of the group n.
func (p *schemaParser) child(n *Node, depth int) (*Node, error) {
	e := &p.rest[0]
	at := &Node{Name: e.Name, Repetition: parquet.Repetition(e.RepetitionType.V), MaxDef: n.MaxDef, MaxRep: n.MaxRep, parent: n}
	switch e.RepetitionType.V {
	case format.Required:
	case format.Optional:
		at.MaxDef++
	case format.Repeated:
		at.MaxDef++
		at.MaxRep++
	default:
		return nil, corruptf("field %q has repetition %d", at, e.RepetitionType.V)
	}
	if at.MaxDef > maxLevel {
		return nil, limitf("more than %d optional or repeated fields deep", maxLevel)
	}
	return p.node(at, depth)
}

func (p *schemaParser) leaf(n *Node, e *format.SchemaElement) error {
	if e.Type.V < format.Boolean || e.Type.V > format.FixedLenByteArray {
		return corruptf("column %q has type %d", n, e.Type.V)
	}
	n.Type = parquet.Type(e.Type.V)
	if n.Type == parquet.FixedLenByteArray {
		if e.TypeLength.V < 1 {
			return corruptf("column %q has values of %d bytes", n, e.TypeLength.V)
		}
		n.Length = int(e.TypeLength.V)
	}
	n.Leaf = len(p.schema.Leaves)
	p.schema.Leaves = append(p.schema.Leaves, n)
	return nil
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
	if n.FieldID != 0 {
		fmt.Fprintf(b, " = %d", n.FieldID)
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

// physical returns a leaf's type as printed schemas have it.
func (n *Node) physical() string {
	switch n.Type {
	case parquet.ByteArray:
		return "binary"
	case parquet.FixedLenByteArray:
		return fmt.Sprintf("fixed_len_byte_array(%d)", n.Length)
	}
	return strings.ToLower(format.Type(n.Type).String())
}
