package mapper

import (
	"errors"
	"fmt"

	"avro2trevni/internal/schema"
)

// MaxColumns is the largest number of columns of a schema. Named types may be used any
// number of times, so that a short schema can have 2^n columns.
const MaxColumns = 100_000

// MaxTypes is the largest number of types in a schema, with each use of a named type
// counted: some make no column, such as records of no fields. It bounds the instructions
// too.
const MaxTypes = 10 * MaxColumns

// ErrUnresolved is the error of a row that is whole, and has a value that is none of
// the schema it is resolved to: a branch of a union, or a symbol.
var ErrUnresolved = errors.New("mapper: value has no match in the wanted schema")

// Errors of a schema that has no layout, and of [Compile].
var (
	ErrRecursive = errors.New("mapper: recursive schema cannot be shredded into columns")
	ErrDuplicate = errors.New("mapper: two columns would have one name")
	ErrTooWide   = fmt.Errorf("mapper: schema has more than %d columns, or %d types", MaxColumns, MaxTypes)
)

// Layout says which columns rows go into. It is data, which a format makes: the columns, and
// the rows' schema as a tree of nodes that leads to them.
//
// The structure of rows is recorded in one of two ways: by lengths, in columns of their own or
// woven into those of values; or by levels, two numbers beside each value of a leaf.
type Layout struct {
	Rows    *schema.Selection // the rows' schema, and what is kept of it
	Columns []Column          // at most MaxColumns
	Top     *Node             // of whole rows; at most MaxTypes are below it
	Levels  bool              // columns are leaves, and have levels
}

// Column is what the walk, and readers of single rows, know of a column.
type Column struct {
	Name string      // for messages
	Kind schema.Kind // of its values; Null if there are only lengths
	// Array tells that there is a length for each row, or each value of the parent.
	Array bool
	// Parent is the array column whose lengths count what the column has, -1: it has one
	// for each row.
	Parent int
	// MaxDef and MaxRep are the highest levels of a leaf. One whose MaxDef is 0 has a value for
	// each row, and no levels.
	MaxDef, MaxRep byte
}

// Node is a type of the rows' schema at one place, and the columns of its values.
type Node struct {
	Schema  *schema.Schema
	Column  int     // of a simple type its values', of an array or map its lengths'; -1: none
	Lengths int     // of a union's branch: the column that says whether it is there
	Key     int     // of a map: the column of its keys
	Inner   []*Node // fields, branches, or the one element; nil for what has no columns: null as a branch, and what is left out

	// Of a layout with levels. Column is then the leaf of a simple type, and of a record without
	// fields, which is there only by its levels; -1 of others. Lengths is not used.
	Lo, Hi int // the leaves of its values: [Lo, Hi)
	// Def is the definition level of what is here: of a simple value; of an array or map without
	// elements; of null, as a value or a branch.
	Def    byte
	Rep    byte // of an array or map: the repetition level of its elements but the first
	Absent byte // of a union: the definition level that the leaves of all branches but a value's own get
}

// Child returns field, branch or element i of n, nil of nil.
func (n *Node) Child(i int) *Node {
	if n == nil {
		return nil
	}
	return n.Inner[i]
}
