package mapper

import (
	"errors"
	"fmt"
	"math"

	"avro2trevni/internal/schema"
	"avro2trevni/trevni"
)

// MaxColumns is the most columns a schema may shred into. Named types may be used
// any number of times, so that a short schema can ask for 2^n columns.
const MaxColumns = 100_000

// maxNodes is the most types in a schema with each use of a named one counted: some
// make no column, such as records of no fields.
const maxNodes = 10 * MaxColumns

// Errors of [Compile].
var (
	ErrRecursive = errors.New("mapper: recursive schema cannot be shredded into columns")
	ErrDuplicate = errors.New("mapper: two columns would have one name")
	ErrTooWide   = fmt.Errorf("mapper: schema has more than %d columns, or %d types", MaxColumns, maxNodes)
)

// Compile compiles a schema for the walk. Its columns are named and ordered as
// Avro's Java implementation does, which is what existing readers look for:
// a record's field `a#b`, an array's elements `a[]`, a map `a>`, `a>key`, `a>value`,
// a union's branch `a/branch`.
//
// A recursive schema is an error that names the path that recurs ([ErrRecursive]);
// one of more than [MaxColumns] columns is [ErrTooWide]; two fields of one name are
// [ErrDuplicate].
func Compile(s *schema.Schema) (*Program, error) {
	c := compiler{open: map[*schema.Schema]bool{}, names: map[string]bool{}}
	min, err := c.compile(s, place{column: -1})
	if err != nil {
		return nil, err
	}
	c.p.minSize = min
	return &c.p, nil
}

// compiler is the state of one depth-first walk over a schema.
type compiler struct {
	p    Program
	open map[*schema.Schema]bool // the types that the walk is inside of
	deep int                     // loops open where the walk is

	names map[string]bool // of the columns
	nodes int             // types walked over
}

// place is where in the table a schema's values go.
type place struct {
	path   string // of the column; "" at the top
	parent string // the column whose lengths say how many values there are; "" for one a row
	number int    // the parent's number
	column int    // the array column that takes the value itself, -1: one is to be made
}

// inner returns the place of a field or branch of a value at pl.
func (pl place) inner(sep, name string) place {
	if pl.path != "" {
		name = pl.path + sep + name
	}
	return place{path: name, parent: pl.parent, number: pl.number, column: -1}
}

// compile emits what shreds a value of s, and returns the least bytes one takes.
func (c *compiler) compile(s *schema.Schema, pl place) (int, error) {
	if c.nodes++; c.nodes > maxNodes {
		return 0, ErrTooWide
	}
	if isSimple(s.Kind) {
		return c.simple(s, pl)
	}
	if c.open[s] {
		return 0, fmt.Errorf("%w: %s contains itself at %q", ErrRecursive, title(s), pl.path)
	}
	c.open[s] = true
	defer delete(c.open, s)
	switch s.Kind {
	case schema.Record:
		return c.record(s, pl)
	case schema.Array:
		return c.array(s.Items, place{path: pl.path + "[]", parent: pl.parent, number: pl.number}, false)
	case schema.Map:
		return c.array(s.Items, place{path: pl.path + ">", parent: pl.parent, number: pl.number}, true)
	case schema.Union:
		return c.union(s, pl)
	}
	return 0, fmt.Errorf("mapper: %q: a schema of unknown kind %v", pl.path, s.Kind)
}

// isSimple reports whether a value of the kind is one value of one column.
func isSimple(k schema.Kind) bool {
	switch k {
	case schema.Record, schema.Array, schema.Map, schema.Union:
		return false
	}
	return true
}

// title is how columns and messages name a type.
func title(s *schema.Schema) string {
	if s.Name != "" {
		return s.Name
	}
	return s.Kind.String()
}

func (c *compiler) emit(o op) int {
	c.p.ops = append(c.p.ops, o)
	return len(c.p.ops) - 1
}

// here is the index of the instruction that comes next.
func (c *compiler) here() uint32 { return uint32(len(c.p.ops)) }

// add makes a column at a place.
func (c *compiler) add(pl place, t trevni.Type, array bool) (int, error) {
	if len(c.p.columns) == MaxColumns {
		return 0, ErrTooWide
	}
	if c.names[pl.path] {
		return 0, fmt.Errorf("%w: %q", ErrDuplicate, pl.path)
	}
	c.names[pl.path] = true
	parent := -1
	if pl.parent != "" {
		parent = pl.number
	}
	c.p.columns = append(c.p.columns, trevni.Column{Name: pl.path, Type: t, Array: array, Parent: pl.parent})
	c.p.parents = append(c.p.parents, parent)
	return len(c.p.columns) - 1, nil
}

// simple compiles a value that is one value of one column.
func (c *compiler) simple(s *schema.Schema, pl place) (int, error) {
	t, o, min := leaf(s)
	if pl.column < 0 {
		if pl.path == "" {
			pl.path = title(s)
		}
		var err error
		if pl.column, err = c.add(pl, t, false); err != nil {
			return 0, err
		}
	}
	if o.code == opFixed && s.Size > maxLength-10 {
		return 0, fmt.Errorf("mapper: %q: fixed of %d bytes is larger than a block can be", pl.path, s.Size)
	}
	o.column = uint32(pl.column)
	if o.code != opNothing {
		c.emit(o)
	}
	return min, nil
}

// leaf returns a simple type's column type, its instruction, and the least bytes of
// a value.
func leaf(s *schema.Schema) (trevni.Type, op, int) {
	switch s.Kind {
	case schema.Boolean:
		return trevni.Boolean, op{code: opBoolean}, 1
	case schema.Int:
		return trevni.Int, op{code: opInt}, 1
	case schema.Long:
		return trevni.Long, op{code: opLong}, 1
	case schema.Float:
		return trevni.Float, op{code: opFour}, 4
	case schema.Double:
		return trevni.Double, op{code: opEight}, 8
	case schema.String:
		return trevni.String, op{code: opString}, 1
	case schema.Bytes:
		return trevni.Bytes, op{code: opString}, 1
	case schema.Enum:
		return trevni.Int, op{code: opEnum, n: uint32(len(s.Symbols))}, 1
	case schema.Fixed:
		if s.Size == 0 {
			return trevni.Bytes, op{code: opEmpty}, 0
		}
		return trevni.Bytes, op{code: opFixed, n: uint32(s.Size), value: byte(2 * s.Size)}, int(min(s.Size, math.MaxInt32))
	}
	return trevni.Null, op{code: opNothing}, 0
}

// record compiles a record's fields, which stand where the record does.
func (c *compiler) record(s *schema.Schema, pl place) (int, error) {
	min := 0
	for _, f := range s.Fields {
		n, err := c.compile(f.Type, pl.inner("#", f.Name))
		if err != nil {
			return 0, err
		}
		min = addSize(min, n)
	}
	return min, nil
}

// addSize adds sizes of at most [math.MaxInt32], and stays there.
func addSize(a, b int) int { return min(a+b, math.MaxInt32) }

// array compiles an array of s, or a map of s, at a path that ends in its brackets.
func (c *compiler) array(s *schema.Schema, pl place, isMap bool) (int, error) {
	inside, column, err := c.lengths(s, pl, isMap)
	if err != nil {
		return 0, err
	}
	begin := c.emit(op{code: opArray, column: uint32(column), n: uint32(c.deep)})
	c.deep++
	c.p.loops = max(c.p.loops, c.deep)
	if isMap {
		if err := c.key(inside); err != nil {
			return 0, err
		}
		inside.path += "value"
	}
	if _, err := c.compile(s, inside); err != nil {
		return 0, err
	}
	c.deep--
	if c.here() == uint32(begin)+1 {
		c.p.ops[begin].code = opNullArray
		return 1, nil
	}
	c.emit(op{code: opNext, column: uint32(column), n: uint32(c.deep), jump: uint32(begin) + 1})
	c.p.ops[begin].jump = c.here()
	return 1, nil
}

// lengths makes the column that has an array's lengths, and returns the place of its
// elements: in that column if they are simple, else in columns under it.
func (c *compiler) lengths(s *schema.Schema, pl place, isMap bool) (place, int, error) {
	if isSimple(s.Kind) && !isMap {
		t, _, _ := leaf(s)
		column, err := c.add(pl, t, true)
		return place{path: pl.path, column: column}, column, err
	}
	column, err := c.add(pl, trevni.Null, true)
	return place{path: pl.path, parent: pl.path, number: column, column: -1}, column, err
}

// key compiles a map's key.
func (c *compiler) key(pl place) error {
	pl.path += "key"
	_, err := c.simple(&schema.Schema{Kind: schema.String}, pl)
	return err
}

// union compiles a union: an array column of length 0 or 1 for each branch but null.
func (c *compiler) union(s *schema.Schema, pl place) (int, error) {
	null, others := -1, 0
	for i, b := range s.Branches {
		if b.Kind == schema.Null {
			null = i
		} else {
			others++
		}
	}
	if null >= 0 && others == 1 {
		return 1, c.option(s, pl, null)
	}
	return 1, c.choice(s, pl)
}

// branch compiles branch i of a union, and returns its column.
func (c *compiler) branch(s *schema.Schema, i int, pl place, begin func(column int)) error {
	b := s.Branches[i]
	inside, column, err := c.lengths(b, pl.inner("/", title(b)), false)
	if err != nil {
		return err
	}
	begin(column)
	_, err = c.compile(b, inside)
	return err
}

// option compiles a union of null and one other branch, of two branches: the first
// or the second is null.
func (c *compiler) option(s *schema.Schema, pl place, null int) error {
	begin := c.emit(op{code: opOption, null: byte(2 * null), value: byte(2 * (1 - null))})
	err := c.branch(s, 1-null, pl, func(column int) { c.p.ops[begin].column = uint32(column) })
	c.p.ops[begin].jump = c.here()
	return err
}

// choice compiles any other union: a table of branches, and a jump behind each.
func (c *compiler) choice(s *schema.Schema, pl place) error {
	table := make([]branch, len(s.Branches))
	begin := c.emit(op{code: opUnion, n: uint32(len(c.p.tables)), column: uint32(len(c.p.columns))})
	c.p.tables = append(c.p.tables, table)
	var jumps []int
	for i, b := range s.Branches {
		table[i] = branch{column: -1, jump: c.here()}
		if b.Kind != schema.Null {
			set := func(column int) { table[i].column = column }
			if err := c.branch(s, i, pl, set); err != nil {
				return err
			}
		}
		jumps = append(jumps, c.emit(op{code: opJump}))
	}
	for _, j := range jumps {
		c.p.ops[j].jump = c.here()
	}
	if int(c.p.ops[begin].column) == len(c.p.columns) {
		c.p.ops[begin].column = 0 // a union of nothing but null fills no column
	}
	return nil
}
