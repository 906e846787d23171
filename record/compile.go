package record

import (
	"fmt"

	"avro2trevni/internal/schema"
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
	path   string // of the column
	below  bool   // the top: the path is one, though it may be ""
	parent string // the column whose lengths say how many values there are; "" for one a row
	in     int    // index of the need of the array column that has the value itself, -1: none
	single bool   // that column's lengths are a union's, not an array's
}

// inner returns the place of a field or branch of a value at pl.
func (pl place) inner(sep, name string) place {
	if pl.below {
		name = pl.path + sep + name
	}
	return place{path: name, below: true, parent: pl.parent, in: -1}
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
	if err := c.value(t.Schema, f, place{in: -1}); err != nil {
		return nil, err
	}
	return &c.p, nil
}

// value emits what puts together a value that is w in the rows and f in the file.
func (c *compiler) value(w, f *schema.Schema, pl place) error {
	if c.nodes--; c.nodes < 0 {
		return fmt.Errorf("%w: types without number, and %d columns", ErrColumns, len(c.header.Columns))
	}
	if w.Kind == schema.Union && f.Kind != schema.Union {
		return c.wrap(w, f, pl)
	}
	if !fits(w, f) {
		return fmt.Errorf("%w: %s in the file, %s wanted, at %s", ErrMismatch, f, w, pl)
	}
	if isSimple(f.Kind) {
		return c.simple(w, f, pl)
	}
	if c.open[f] {
		return fmt.Errorf("%w: %s contains itself, at %s", ErrRecursive, f, pl)
	}
	c.open[f] = true
	defer delete(c.open, f)
	switch f.Kind {
	case schema.Record:
		return c.record(w, f, pl)
	case schema.Array:
		return c.array(w.Items, f.Items, place{path: pl.path + "[]", below: true, parent: pl.parent})
	case schema.Map:
		return c.dict(w.Items, f.Items, place{path: pl.path + ">", below: true, parent: pl.parent})
	}
	return c.union(w, f, pl)
}

// String names the place in messages.
func (pl place) String() string {
	if !pl.below {
		return "the top level"
	}
	return fmt.Sprintf("%q", pl.path)
}

// isSimple reports whether a value of the kind is one value of one column.
func isSimple(k schema.Kind) bool {
	switch k {
	case schema.Record, schema.Array, schema.Map, schema.Union:
		return false
	}
	return true
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

// find returns the number of the column at a place, which must be as the schema has
// it.
func (c *compiler) find(pl place, t trevni.Type, array bool) (int, error) {
	i, ok := c.index[pl.path]
	if !ok {
		return 0, fmt.Errorf("%w: there is no column %q", ErrColumns, pl.path)
	}
	if col := &c.header.Columns[i]; col.Type != t || col.Array != array || col.Parent != pl.parent {
		return 0, fmt.Errorf("%w: column %q is not of type %v, with lengths %v, and parent %q", ErrColumns, pl.path, t, array, pl.parent)
	}
	return i, nil
}

// need returns the index of the need of the column at a place.
func (c *compiler) need(pl place, t trevni.Type, array bool) (uint32, error) {
	i, err := c.find(pl, t, array)
	if err != nil {
		return 0, err
	}
	if _, ok := c.needed[i]; ok {
		return 0, fmt.Errorf("%w: %q is needed for two values", ErrColumns, pl.path)
	}
	parent := -1
	if pl.parent != "" { // an array column that the walk is under
		parent = int(c.needed[c.index[pl.parent]])
	}
	n := uint32(len(c.p.needs))
	c.needed[i] = n
	c.p.needs = append(c.p.needs, need{column: i, parent: parent, typ: t, array: array})
	return n, nil
}

// record compiles a record: its fields in the order wanted, by name or alias.
func (c *compiler) record(w, f *schema.Schema, pl place) error {
	from := make([]*schema.Field, len(w.Fields))
	for i, to := range c.resolver.Fields(f, w) {
		if to >= 0 {
			from[to] = &f.Fields[i]
		}
	}
	for i, field := range w.Fields {
		var err error
		if have := from[i]; have != nil {
			err = c.value(field.Type, have.Type, pl.inner("#", have.Name))
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
