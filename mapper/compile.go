package mapper

import (
	"math"

	"avro2trevni/internal/schema"
)

// Compile compiles the walk over rows of a writer's schema into the columns of a layout, by
// Avro's rules of resolution ([schema.Resolver]). What the layout's rows lack, or what is not
// selected of them, is skipped. Programs of several writers for one layout have the same
// columns.
//
// That the schemas do not resolve is a *[schema.Mismatch], a default that is none
// [schema.ErrDefault], and more than [MaxTypes] types to walk over [ErrTooWide].
func Compile(writer *schema.Schema, to *Layout) (*Program, error) {
	t := to.Rows.Text()
	c := compiler{
		resolver: schema.NewResolver(t), defaults: t.Defaults(), same: writer == t.Schema,
		skips: map[*schema.Schema]*sequence{},
	}
	c.p.columns, c.levels, c.p.levels = to.Columns, to.Levels, to.Levels
	var err error
	if c.p.minSize, err = c.value(writer, to.Top, true); err != nil {
		return nil, err
	}
	c.p.total()
	return &c.p, nil
}

// compiler is the state of one depth-first walk over a writer's schema, side by side
// with the columns of the rows'.
type compiler struct {
	p        Program
	same     bool // the two schemas are one: there is nothing to resolve
	levels   bool // of the layout
	resolver *schema.Resolver
	defaults *schema.Defaults
	fence    int                          // instructions before it are not changed any more: jumps lead after them
	deep     int                          // loops open where the walk is
	nodes    int                          // types walked over
	skips    map[*schema.Schema]*sequence // of types that are stepped over
}

// value emits what shreds a value of w into n's columns, and returns the least bytes
// one takes. once tells that each row has one.
func (c *compiler) value(w *schema.Schema, n *Node, once bool) (int, error) {
	if c.nodes++; c.nodes > MaxTypes {
		return 0, ErrTooWide
	}
	switch {
	case n == nil:
		return c.skip(w), nil
	case w.Kind == schema.Union:
		return 1, c.union(w, n)
	case n.Schema.Kind == schema.Union:
		return c.wrap(w, n, once)
	}
	if !c.same {
		if m := c.resolver.Types(w, n.Schema); m != nil {
			return 0, m
		}
	}
	switch w.Kind {
	case schema.Record:
		if n.Column >= 0 {
			c.without(n.Lo, n.Hi, n.Def, once)
		}
		return c.record(w, n, once)
	case schema.Array, schema.Map:
		if c.levels {
			return 1, c.listLevels(w, n)
		}
		return 1, c.array(w, n)
	}
	if c.levels {
		return c.leafLevels(w, n, false)
	}
	return c.simple(w, n)
}

func (c *compiler) emit(o op) int {
	c.p.ops = append(c.p.ops, o)
	return len(c.p.ops) - 1
}

// here is the index of the instruction that comes next, for a jump to it.
func (c *compiler) here() uint32 {
	c.fence = len(c.p.ops)
	return uint32(len(c.p.ops))
}

// simple compiles a value that is one value of one column.
func (c *compiler) simple(w *schema.Schema, n *Node) (int, error) {
	o, min := leaf(w)
	o.column = uint32(n.Column)
	if err := c.convert(&o, w, n.Schema); err != nil {
		return 0, err
	}
	if o.code != opNothing {
		c.emit(o)
	}
	return min, nil
}

// leaf returns a simple type's instruction, and the least bytes of a value.
func leaf(s *schema.Schema) (op, int) {
	switch s.Kind {
	case schema.Boolean:
		return op{code: opBoolean}, 1
	case schema.Int:
		return op{code: opInt}, 1
	case schema.Long:
		return op{code: opLong}, 1
	case schema.Float:
		return op{code: opFour}, 4
	case schema.Double:
		return op{code: opEight}, 8
	case schema.String, schema.Bytes:
		return op{code: opString}, 1
	case schema.Enum:
		return op{code: opEnum, n: uint32(len(s.Symbols))}, 1
	case schema.Fixed:
		if s.Size == 0 {
			return op{code: opEmpty}, 0
		}
		return op{code: opFixed, n: uint32(s.Size), value: byte(2 * s.Size)}, int(min(s.Size, math.MaxInt32))
	}
	return op{code: opNothing}, 0
}

// record compiles a record's fields, in the writer's order, and what it lacks.
func (c *compiler) record(w *schema.Schema, n *Node, once bool) (int, error) {
	if c.same {
		return c.fields(w, n, nil, once)
	}
	to := c.resolver.Fields(w, n.Schema)
	min, err := c.fields(w, n, to, once)
	if err != nil {
		return 0, err
	}
	return min, c.absent(n, to, once)
}

// fields compiles the fields that the writer has: field i becomes to[i], or i itself.
func (c *compiler) fields(w *schema.Schema, n *Node, to []int, once bool) (int, error) {
	min := 0
	for i, f := range w.Fields {
		k := i
		if to != nil {
			k = to[i]
		}
		var into *Node
		if k >= 0 {
			into = n.Inner[k]
		}
		size, err := c.value(f.Type, into, once)
		if err != nil {
			return 0, below("."+f.Name, err)
		}
		min = addSize(min, size)
	}
	return min, nil
}

// below puts a step in front of the path of an error of resolution.
func below(step string, err error) error {
	if m, ok := err.(*schema.Mismatch); ok {
		return m.Below(step)
	}
	return err
}

// addSize adds sizes of at most [math.MaxInt32], and stays there.
func addSize(a, b int) int { return min(a+b, math.MaxInt32) }

// array compiles an array or map.
func (c *compiler) array(w *schema.Schema, n *Node) error {
	begin := c.emit(op{code: opArray, column: uint32(n.Column), n: uint32(c.deep)})
	first := c.here()
	c.deep++
	c.p.loops = max(c.p.loops, c.deep)
	size, step := 0, "[]"
	if w.Kind == schema.Map {
		c.emit(op{code: opString, column: uint32(n.Key)})
		size, step = 1, "{}"
	}
	more, err := c.value(w.Items, n.Inner[0], false)
	if err != nil {
		return below(step, err)
	}
	c.deep--
	if len(c.p.ops) == int(first) {
		c.p.ops[begin].code = opNullArray
		return nil
	}
	if size+more == 0 {
		c.guard(first)
	}
	c.emit(op{code: opNext, column: uint32(n.Column), n: uint32(c.deep), jump: first})
	c.p.ops[begin].jump = c.here()
	return nil
}
