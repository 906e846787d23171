package mapper

import (
	"errors"
	"fmt"

	"avro2trevni/internal/schema"
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
// names and numbers the columns.
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
	return l.value(s, place{column: -1})
}

// place is where in the table a schema's values go.
type place struct {
	path   string // of the column
	below  bool   // the top: the path is one, though it may be ""
	parent string // the column whose lengths say how many values there are; "" for one a row
	number int    // the parent's number
	column int    // the array column that takes the value itself, -1: one is to be made
}

// inner returns the place of a field or branch of a value at pl.
func (pl place) inner(sep, name string) place {
	if pl.below {
		name = pl.path + sep + name
	}
	return place{path: name, below: true, parent: pl.parent, number: pl.number, column: -1}
}

// isSimple reports whether a value of the kind is one value of one column.
func isSimple(k schema.Kind) bool {
	switch k {
	case schema.Record, schema.Array, schema.Map, schema.Union:
		return false
	}
	return true
}

// value lays out a value of s.
func (l *layout) value(s *schema.Schema, pl place) (*Node, error) {
	if l.nodes++; l.nodes > maxNodes {
		return nil, ErrTooWide
	}
	if isSimple(s.Kind) {
		return l.simple(s, pl)
	}
	if l.open[s] {
		return nil, fmt.Errorf("%w: %s contains itself at %q", ErrRecursive, s.TypeName(), pl.path)
	}
	l.open[s] = true
	defer delete(l.open, s)
	switch s.Kind {
	case schema.Record:
		return l.record(s, pl)
	case schema.Array:
		return l.array(s, place{path: pl.path + "[]", below: true, parent: pl.parent, number: pl.number})
	case schema.Map:
		return l.dict(s, place{path: pl.path + ">", below: true, parent: pl.parent, number: pl.number})
	case schema.Union:
		return l.union(s, pl)
	}
	return nil, fmt.Errorf("mapper: %q: a schema of unknown kind %v", pl.path, s.Kind)
}

// add makes a column at a place.
func (l *layout) add(pl place, t trevni.Type, array bool) (int, error) {
	if len(l.columns) == MaxColumns {
		return 0, ErrTooWide
	}
	if l.names[pl.path] {
		return 0, fmt.Errorf("%w: %q", ErrDuplicate, pl.path)
	}
	l.names[pl.path] = true
	parent := -1
	if pl.parent != "" {
		parent = pl.number
	}
	l.columns = append(l.columns, trevni.Column{Name: pl.path, Type: t, Array: array, Parent: pl.parent})
	l.parents = append(l.parents, parent)
	return len(l.columns) - 1, nil
}

// simple lays out a value that is one value of one column.
func (l *layout) simple(s *schema.Schema, pl place) (*Node, error) {
	if s.Kind == schema.Fixed && s.Size > maxLength-10 {
		return nil, fmt.Errorf("mapper: %q: fixed of %d bytes is larger than a block can be", pl.path, s.Size)
	}
	if pl.column < 0 {
		if !pl.below {
			pl.path = s.TypeName()
		}
		var err error
		if pl.column, err = l.add(pl, columnType(s.Kind), false); err != nil {
			return nil, err
		}
	}
	return &Node{s: s, column: pl.column}, nil
}

// columnType returns the type of the column of a simple kind.
func columnType(k schema.Kind) trevni.Type {
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

// record lays out a record's fields, which stand where the record does.
func (l *layout) record(s *schema.Schema, pl place) (*Node, error) {
	n := &Node{s: s, column: -1, inner: make([]*Node, len(s.Fields))}
	for i, f := range s.Fields {
		if !l.keeps(s, i) {
			continue
		}
		var err error
		if n.inner[i], err = l.value(f.Type, pl.inner("#", f.Name)); err != nil {
			return nil, err
		}
	}
	return n, nil
}

// array lays out an array at a path that ends in its brackets.
func (l *layout) array(s *schema.Schema, pl place) (*Node, error) {
	inside, column, err := l.lengths(s.Items, pl, false)
	if err != nil {
		return nil, err
	}
	element, err := l.value(s.Items, inside)
	return &Node{s: s, column: column, inner: []*Node{element}}, err
}

// dict lays out a map at a path that ends in its bracket.
func (l *layout) dict(s *schema.Schema, pl place) (*Node, error) {
	inside, column, err := l.lengths(s.Items, pl, true)
	if err != nil {
		return nil, err
	}
	key, value := inside, inside
	key.path += "key"
	value.path += "value"
	keys, err := l.add(key, trevni.String, false)
	if err != nil {
		return nil, err
	}
	element, err := l.value(s.Items, value)
	return &Node{s: s, column: column, key: keys, inner: []*Node{element}}, err
}

// lengths makes the column that has an array's lengths, and returns the place of its
// elements: in that column if they are simple, else in columns under it.
func (l *layout) lengths(s *schema.Schema, pl place, isMap bool) (place, int, error) {
	if isSimple(s.Kind) && !isMap {
		column, err := l.add(pl, columnType(s.Kind), true)
		return place{path: pl.path, below: true, column: column}, column, err
	}
	column, err := l.add(pl, trevni.Null, true)
	return place{path: pl.path, below: true, parent: pl.path, number: column, column: -1}, column, err
}

// union lays out a union: an array column of length 0 or 1 for each branch but null.
func (l *layout) union(s *schema.Schema, pl place) (*Node, error) {
	n := &Node{s: s, column: -1, inner: make([]*Node, len(s.Branches))}
	for i, b := range s.Branches {
		if b.Kind == schema.Null || !l.keeps(s, i) {
			continue
		}
		inside, column, err := l.lengths(b, pl.inner("/", b.TypeName()), false)
		if err != nil {
			return nil, err
		}
		if n.inner[i], err = l.value(b, inside); err != nil {
			return nil, err
		}
		n.inner[i].lengths = column
	}
	return n, nil
}
