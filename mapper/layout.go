package mapper

import (
	"errors"
	"fmt"

	"avro2trevni/internal/schema"
	"avro2trevni/internal/shred"
	"avro2trevni/trevni"
)

// MaxColumns is the most columns a schema may shred into. Named types may be used
// any number of times, so that a short schema can ask for 2^n columns.
const MaxColumns = 100_000

// maxNodes is the most types in a schema with each use of a named one counted: some
// make no column, such as records of no fields. It bounds the instructions too.
const maxNodes = 10 * MaxColumns

// ErrUnresolved is the error of a row that is whole, and has a value that is none of
// the schema it is resolved to: a branch of a union, or a symbol.
var ErrUnresolved = errors.New("mapper: value has no match in the schema wanted")

// Errors of [Compile] and [CompileTo].
var (
	ErrRecursive = errors.New("mapper: recursive schema cannot be shredded into columns")
	ErrDuplicate = errors.New("mapper: two columns would have one name")
	ErrTooWide   = fmt.Errorf("mapper: schema has more than %d columns, or %d types", MaxColumns, maxNodes)
)

// Node is a type of the rows' schema at one place, and the columns of its values.
type Node struct {
	s       *schema.Schema
	column  int     // of a simple type its values', of an array or map its lengths'; -1: none
	lengths int     // of a union's branch: the column that says whether it is there
	key     int     // of a map: the column of its keys
	inner   []*Node // fields, branches, or the one element; nil for what has no columns: null as a branch, and what is left out
}

// Schema returns the type.
func (n *Node) Schema() *schema.Schema { return n.s }

// Column returns the number of the column that has the values of a simple type, or the lengths
// of an array or map; -1: there is none.
func (n *Node) Column() int { return n.column }

// Lengths returns, of a branch of a union, the column that says whether it is there.
func (n *Node) Lengths() int { return n.lengths }

// Child returns field, branch or element i of n, nil of nil.
func (n *Node) Child(i int) *Node {
	if n == nil {
		return nil
	}
	return n.inner[i]
}

// LayOut returns the columns of rows, as the tree that their schema is.
func LayOut(rows *schema.Selection) (*Node, error) {
	l := newLayout(rows.Keeps)
	return l.rows(rows.Text().Schema)
}

// layout is the state of one depth-first walk over the schema of the rows, which
// numbers the columns.
type layout struct {
	keeps   func(s *schema.Schema, i int) bool
	columns []trevni.Column
	parents []int
	open    map[*schema.Schema]bool // the types that the walk is inside of
	names   map[string]bool         // of the columns
	nodes   int                     // types walked over
}

func newLayout(keeps func(s *schema.Schema, i int) bool) *layout {
	return &layout{keeps: keeps, open: map[*schema.Schema]bool{}, names: map[string]bool{}}
}

// rows lays out rows of s.
func (l *layout) rows(s *schema.Schema) (*Node, error) {
	if l.width(s, map[*schema.Schema]width{}).tooWide() {
		return nil, ErrTooWide
	}
	return l.value(shred.Top(s), -1)
}

// value lays out the values at a place. list is the column whose lengths count them, -1:
// there is one a row.
func (l *layout) value(pl shred.Place, list int) (*Node, error) {
	if l.nodes++; l.nodes > maxNodes {
		return nil, ErrTooWide
	}
	s := pl.Schema
	if s.Kind.Simple() {
		return l.simple(pl, list)
	}
	if l.open[s] {
		return nil, fmt.Errorf("%w: %s contains itself at %q", ErrRecursive, s.TypeName(), pl.Path())
	}
	l.open[s] = true
	defer delete(l.open, s)
	switch s.Kind {
	case schema.Record:
		return l.record(pl, list)
	case schema.Array:
		return l.array(pl, list)
	case schema.Map:
		return l.dict(pl, list)
	case schema.Union:
		return l.union(pl, list)
	}
	return nil, fmt.Errorf("mapper: %q: a schema of unknown kind %v", pl.Path(), s.Kind)
}

// add numbers a column.
func (l *layout) add(c trevni.Column, list int) (int, error) {
	if len(l.columns) == MaxColumns {
		return 0, ErrTooWide
	}
	if l.names[c.Name] {
		return 0, fmt.Errorf("%w: %q", ErrDuplicate, c.Name)
	}
	l.names[c.Name] = true
	if c.Parent == "" {
		list = -1
	}
	l.columns = append(l.columns, c)
	l.parents = append(l.parents, list)
	return len(l.columns) - 1, nil
}

// simple lays out a value that is one value of one column.
func (l *layout) simple(pl shred.Place, list int) (*Node, error) {
	s := pl.Schema
	if s.Kind == schema.Fixed && s.Size > maxLength-10 {
		return nil, fmt.Errorf("mapper: %q: fixed of %d bytes is larger than a block can be", pl.Path(), s.Size)
	}
	c, own := pl.Column()
	if !own {
		return &Node{s: s, column: list}, nil
	}
	column, err := l.add(c, list)
	return &Node{s: s, column: column}, err
}

// record lays out a record's fields, which stand where the record does.
func (l *layout) record(pl shred.Place, list int) (*Node, error) {
	n := &Node{s: pl.Schema, column: -1, inner: make([]*Node, len(pl.Schema.Fields))}
	for i := range n.inner {
		if !l.keeps(n.s, i) {
			continue
		}
		var err error
		if n.inner[i], err = l.value(pl.Field(i), list); err != nil {
			return nil, err
		}
	}
	return n, nil
}

// array lays out an array.
func (l *layout) array(pl shred.Place, list int) (*Node, error) {
	lengths, _ := pl.Column()
	column, err := l.add(lengths, list)
	if err != nil {
		return nil, err
	}
	element, err := l.value(pl.Element(), column)
	return &Node{s: pl.Schema, column: column, inner: []*Node{element}}, err
}

// dict lays out a map.
func (l *layout) dict(pl shred.Place, list int) (*Node, error) {
	lengths, _ := pl.Column()
	column, err := l.add(lengths, list)
	if err != nil {
		return nil, err
	}
	key, _ := pl.Key().Column()
	keys, err := l.add(key, column)
	if err != nil {
		return nil, err
	}
	element, err := l.value(pl.Element(), column)
	return &Node{s: pl.Schema, column: column, key: keys, inner: []*Node{element}}, err
}

// union lays out a union's branches but null.
func (l *layout) union(pl shred.Place, list int) (*Node, error) {
	n := &Node{s: pl.Schema, column: -1, inner: make([]*Node, len(pl.Schema.Branches))}
	for i, b := range n.s.Branches {
		if b.Kind == schema.Null || !l.keeps(n.s, i) {
			continue
		}
		lengths, value := pl.Branch(i)
		column, err := l.add(lengths, list)
		if err != nil {
			return nil, err
		}
		if n.inner[i], err = l.value(value, column); err != nil {
			return nil, err
		}
		n.inner[i].lengths = column
	}
	return n, nil
}
