package record

import (
	"fmt"

	"avro2trevni/internal/schema"
	"avro2trevni/internal/shred"
	"avro2trevni/trevni"
)

// compiler is the state of one depth-first walk over the wanted schema and the
// file's, side by side.
type compiler struct {
	p        program
	header   *trevni.Header
	index    map[string]int // number of each of the file's columns, by name
	needed   map[int]uint32 // index of the need of each column read
	text     *schema.Text   // the wanted schema
	defaults *schema.Defaults
	resolver *schema.Resolver        // to the wanted schema
	open     map[*schema.Schema]bool // types of the file's schema that the walk is inside of
	deep     int                     // loops open where the walk is
	nodes    int                     // types that may still be walked over
}

// place is where in the file a value is.
type place struct {
	shred.Place
	list   int  // index of the need of the array column whose lengths count the values, -1: there is one a row
	branch bool // the value is a union's branch: the list is of 0 or 1
}

// at returns a part of pl that no other list counts.
func (pl place) at(part shred.Place) place { return place{Place: part, list: pl.list} }

// in returns a part that a list counts.
func in(list uint32, part shred.Place) place { return place{Place: part, list: int(list)} }

// String names the place in messages.
func (pl place) String() string {
	if pl.TopLevel() {
		return "the top level"
	}
	return fmt.Sprintf("%q", pl.Path())
}

// compile compiles the assembly of records of t's schema from a file of schema f.
func compile(t *schema.Text, f *schema.Schema, h *trevni.Header) (*program, error) {
	c := compiler{
		header: h, index: make(map[string]int, len(h.Columns)), needed: map[int]uint32{},
		text: t, defaults: t.Defaults(), resolver: schema.NewResolver(t), open: map[*schema.Schema]bool{},
		nodes: 4096 + (schema.MaxDepth+1)*len(h.Columns), // more than records without columns have use for
	}
	for i := range h.Columns {
		c.index[h.Columns[i].Name] = i
	}
	if err := c.value(t.Schema, place{Place: shred.Top(f), list: -1}); err != nil {
		return nil, err
	}
	return &c.p, nil
}

// value emits what puts together a value that is w in the rows and at pl in the file.
func (c *compiler) value(w *schema.Schema, pl place) error {
	if c.nodes--; c.nodes < 0 {
		return fmt.Errorf("%w: types without number, and %d columns", ErrColumns, len(c.header.Columns))
	}
	f := pl.Schema
	if w.Kind == schema.Union && f.Kind != schema.Union {
		return c.wrap(w, pl)
	}
	if !fits(w, f) {
		return fmt.Errorf("%w: %s in the file, %s wanted, at %s", ErrMismatch, f, w, pl)
	}
	if f.Kind.Simple() {
		return c.simple(w, pl)
	}
	if c.open[f] {
		return fmt.Errorf("%w: %s contains itself, at %s", ErrRecursive, f, pl)
	}
	c.open[f] = true
	defer delete(c.open, f)
	switch f.Kind {
	case schema.Record:
		return c.record(w, pl)
	case schema.Array:
		return c.array(w.Items, pl)
	case schema.Map:
		return c.dict(w.Items, pl)
	}
	return c.union(w, pl)
}

// fits reports whether values of f can be had as w and mean the same, as far as the
// types themselves tell: not what they are made of.
func fits(w, f *schema.Schema) bool {
	switch {
	case !schema.SameMeaning(f.Logical, w.Logical):
		return false
	case w.Kind == f.Kind:
		return w.Kind != schema.Fixed || w.Size == f.Size
	case w.Kind == schema.Long:
		return f.Kind == schema.Int
	case w.Kind == schema.Float:
		return f.Kind == schema.Int || f.Kind == schema.Long
	case w.Kind == schema.Double:
		return f.Kind == schema.Int || f.Kind == schema.Long || f.Kind == schema.Float
	case w.Kind == schema.String:
		return f.Kind == schema.Bytes
	case w.Kind == schema.Bytes:
		return f.Kind == schema.String
	}
	return false
}

// changes reports whether the bytes of a number change on the way from f to w.
func changes(w, f *schema.Schema) bool {
	return w.Kind != f.Kind && (w.Kind == schema.Float || w.Kind == schema.Double)
}

func (c *compiler) emit(o op) int {
	c.p.ops = append(c.p.ops, o)
	return len(c.p.ops) - 1
}

// here is the index of the instruction that comes next.
func (c *compiler) here() uint32 { return uint32(len(c.p.ops)) }

// constant emits bytes that stand in every row.
func (c *compiler) constant(b []byte) {
	if len(b) == 0 {
		return
	}
	c.emit(op{code: opConst, n: uint32(len(c.p.consts))})
	c.p.consts = append(c.p.consts, b)
}

// find returns the number in the file of a column of the schema's, which must be as the
// schema has it.
func (c *compiler) find(want trevni.Column) (int, error) {
	i, ok := c.index[want.Name]
	if !ok {
		return 0, fmt.Errorf("%w: there is no column %q", ErrColumns, want.Name)
	}
	if have := &c.header.Columns[i]; have.Type != want.Type || have.Array != want.Array || have.Parent != want.Parent {
		return 0, fmt.Errorf("%w: column %q is not of type %v, with lengths %v, and parent %q", ErrColumns, want.Name, want.Type, want.Array, want.Parent)
	}
	return i, nil
}

// need returns the index of the need of a column of the schema's, whose values a list counts.
func (c *compiler) need(want trevni.Column, list int) (uint32, error) {
	i, err := c.find(want)
	if err != nil {
		return 0, err
	}
	if _, ok := c.needed[i]; ok {
		return 0, fmt.Errorf("%w: %q is needed for two values", ErrColumns, want.Name)
	}
	if want.Parent == "" {
		list = -1
	}
	n := uint32(len(c.p.needs))
	c.needed[i] = n
	c.p.needs = append(c.p.needs, need{column: i, parent: list, typ: want.Type, array: want.Array})
	return n, nil
}

// record compiles a record: its fields in the order wanted, by name or alias.
func (c *compiler) record(w *schema.Schema, pl place) error {
	from := make([]int, len(w.Fields)) // the file's field, from 1; 0: it has none
	for i, to := range c.resolver.Fields(pl.Schema, w) {
		if to >= 0 {
			from[to] = i + 1
		}
	}
	for i, field := range w.Fields {
		var err error
		if from[i] > 0 {
			err = c.value(field.Type, pl.at(pl.Field(from[i]-1)))
		} else {
			var b []byte
			b, err = c.defaults.Of(w, i)
			c.constant(b)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
