package record

import (
	"fmt"
	"slices"

	"avro2trevni/internal/schema"
	"avro2trevni/trevni/block"
)

// array compiles an array of w.
func (c *compiler) array(w *schema.Schema, pl place) error {
	lengths, _ := pl.Column()
	column, err := c.need(lengths, pl.list)
	if err != nil {
		return err
	}
	element := pl.Element()
	if code, ok := whole(w, element.Schema); ok {
		c.emit(op{code: code, column: column})
		return nil
	}
	return c.loop(column, func() error { return c.value(w, in(column, element)) })
}

// whole returns the instruction that copies whole arrays of values of no further
// parts, if there is one: if neither lengths nor indexes need work.
func whole(w, f *schema.Schema) (opcode, bool) {
	if !fits(w, f) || changes(w, f) {
		return 0, false
	}
	switch f.Kind {
	case schema.Null:
		return opNullArray, true
	case schema.Boolean:
		return opBits, true
	case schema.Int, schema.Long, schema.Float, schema.Double, schema.String, schema.Bytes:
		return opValues, true
	}
	return 0, false
}

// dict compiles a map of w.
func (c *compiler) dict(w *schema.Schema, pl place) error {
	lengths, _ := pl.Column()
	column, err := c.need(lengths, pl.list)
	if err != nil {
		return err
	}
	return c.loop(column, func() error {
		key := pl.Key()
		if err := c.simple(key.Schema, in(column, key)); err != nil {
			return err
		}
		return c.value(w, in(column, pl.Element()))
	})
}

// loop emits what repeats body for each element of an array.
func (c *compiler) loop(column uint32, body func() error) error {
	begin := c.emit(op{code: opArray, column: column, n: uint32(c.deep)})
	c.deep++
	c.p.loops = max(c.p.loops, c.deep)
	if err := body(); err != nil {
		return err
	}
	c.deep--
	if c.here() == uint32(begin)+1 {
		c.p.ops[begin].code = opNullArray
		return nil
	}
	c.emit(op{code: opNext, column: column, n: uint32(c.deep), jump: uint32(begin) + 1})
	c.p.ops[begin].jump = c.here()
	return nil
}

// match returns which of a union's branches takes values of f: the one of its name,
// else of that alias, else the first that they fit, else -1.
func (c *compiler) match(w, f *schema.Schema) int {
	for i, b := range w.Branches {
		if b.Kind == f.Kind && b.TypeName() == f.TypeName() {
			return i
		}
	}
	for i, b := range w.Branches {
		if b.Kind == f.Kind && f.Kind.Named() && slices.Contains(c.text.Aliases(b), f.Name) {
			return i
		}
	}
	for i, b := range w.Branches {
		if f.Kind.Simple() && !f.Kind.Named() && fits(b, f) {
			return i
		}
	}
	return -1
}

// wrap compiles a union where the file has one of its branches.
func (c *compiler) wrap(w *schema.Schema, pl place) error {
	f := pl.Schema
	i := c.match(w, f)
	if i < 0 {
		return fmt.Errorf("%w: %s in the file is no branch of the union wanted, at %s", ErrMismatch, f, pl)
	}
	c.constant(block.AppendLong(nil, int64(i)))
	return c.value(w.Branches[i], pl)
}

// pair is a branch of the file's union and the wanted branch it goes to.
type pair struct{ from, to int }

// union compiles a union: in the file an array column of length 0 or 1 for each
// branch but null.
func (c *compiler) union(w *schema.Schema, pl place) error {
	f := pl.Schema
	var pairs []pair
	u := union{none: corruptf("union of no branch")}
	for k, b := range f.Branches {
		i := c.match(w, b)
		switch {
		case b.Kind == schema.Null:
			u.none = fmt.Errorf("%w: null", ErrNoMatch)
			if i >= 0 {
				u.null = block.AppendLong(nil, int64(i))
			}
		case i >= 0:
			pairs = append(pairs, pair{k, i})
		}
	}
	c.rest(&u, w, f, len(pairs))
	if len(pairs) == 0 && u.null == nil {
		return fmt.Errorf("%w: no branch of the file's union is wanted, at %s", ErrMismatch, pl)
	}
	if len(pairs) == 0 {
		c.constant(u.null)
		return nil
	}
	if len(pairs) == 1 && u.null != nil && pairs[0].to < 64 && u.null[0] < 128 {
		return c.option(w, pairs[0], u.null[0], pl)
	}
	return c.choice(w, pairs, u, pl)
}

// rest sets what the branches of the file's union that are not wanted, if any, come
// to: null if the wanted one has it. had are those that are wanted, without null.
func (c *compiler) rest(u *union, w, f *schema.Schema, had int) {
	others := 0
	for _, b := range f.Branches {
		if b.Kind != schema.Null {
			others++
		}
	}
	if had == others {
		return
	}
	u.none = fmt.Errorf("%w: a branch of a union", ErrNoMatch)
	if i := c.match(w, &schema.Schema{Kind: schema.Null}); i >= 0 {
		u.null = block.AppendLong(nil, int64(i))
	}
}

// branch compiles the value of a branch, and calls begin with the need that has its lengths.
func (c *compiler) branch(w *schema.Schema, b pair, pl place, begin func(column uint32)) error {
	lengths, value := pl.Branch(b.from)
	column, err := c.need(lengths, pl.list)
	if err != nil {
		return err
	}
	begin(column)
	inside := in(column, value)
	inside.branch = true
	return c.value(w.Branches[b.to], inside)
}

// option compiles a union of null and one other branch.
func (c *compiler) option(w *schema.Schema, b pair, null byte, pl place) error {
	begin := c.emit(op{code: opOption, null: null, value: byte(2 * b.to)})
	err := c.branch(w, b, pl, func(column uint32) { c.p.ops[begin].column = column })
	c.p.ops[begin].jump = c.here()
	return err
}

// choice compiles any other union: a list of branches, and a jump after each.
func (c *compiler) choice(w *schema.Schema, pairs []pair, u union, pl place) error {
	u.branches = make([]branch, len(pairs))
	begin := c.emit(op{code: opUnion, n: uint32(len(c.p.unions))})
	c.p.unions = append(c.p.unions, u)
	var jumps []int
	for i, b := range pairs {
		u.branches[i] = branch{index: block.AppendLong(nil, int64(b.to)), jump: c.here()}
		set := func(column uint32) { u.branches[i].column = column }
		if err := c.branch(w, b, pl, set); err != nil {
			return err
		}
		jumps = append(jumps, c.emit(op{code: opJump}))
	}
	c.p.ops[begin].column = u.branches[0].column
	for _, j := range append(jumps, begin) {
		c.p.ops[j].jump = c.here()
	}
	return nil
}
