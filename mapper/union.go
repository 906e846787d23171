package mapper

import (
	"errors"
	"fmt"

	"avro2trevni/internal/schema"
)

// targets returns, for each branch of a writer's union, which branch of n's it
// becomes, -1 for none.
func (c *compiler) targets(w *schema.Schema, n *Node) []int {
	to := make([]int, len(w.Branches))
	for i, b := range w.Branches {
		if to[i] = i; !c.same {
			to[i] = c.resolver.Branch(b, n.Schema)
		}
	}
	return to
}

// union compiles a writer's union.
func (c *compiler) union(w *schema.Schema, n *Node) error {
	if n.Schema.Kind != schema.Union {
		return c.dispatch(w, n)
	}
	to := c.targets(w, n)
	null, other, ok := isOption(w, n, to)
	switch {
	case ok && c.levels:
		return c.optionLevels(w, n, null, other, to[other])
	case ok:
		return c.option(w, n, null, other, to[other])
	case !oneToOne(w, n, to):
		return c.dispatch(w, n)
	case c.levels:
		return c.choiceLevels(w, n, to)
	}
	return c.choice(w, n, to)
}

// isOption reports whether a writer's union is of null and one other branch, which
// are null and the only other branch in the rows; it returns their indexes.
func isOption(w *schema.Schema, n *Node, to []int) (null, other int, ok bool) {
	if len(w.Branches) != 2 {
		return 0, 0, false
	}
	null, other = 0, 1
	if w.Branches[0].Kind != schema.Null {
		null, other = 1, 0
	}
	if w.Branches[null].Kind != schema.Null || to[null] < 0 || to[other] < 0 || n.Inner[to[other]] == nil {
		return 0, 0, false
	}
	columns := 0
	for _, b := range n.Inner {
		if b != nil {
			columns++
		}
	}
	return null, other, columns == 1
}

// oneToOne reports whether each branch of a writer's union is one of the rows', and
// all of those that have columns are had.
func oneToOne(w *schema.Schema, n *Node, to []int) bool {
	had := make([]bool, len(n.Inner))
	for i, k := range to {
		if k < 0 || had[k] || n.Inner[k] == nil && w.Branches[i].Kind != schema.Null {
			return false
		}
		had[k] = true
	}
	for k, b := range n.Inner {
		if b != nil && !had[k] {
			return false
		}
	}
	return true
}

// option compiles a union of null and one other branch.
func (c *compiler) option(w *schema.Schema, n *Node, null, other, to int) error {
	into := n.Inner[to]
	begin := c.emit(op{code: opOption, null: byte(2 * null), value: byte(2 * other), column: uint32(into.Lengths)})
	c.here()
	_, err := c.value(w.Branches[other], into, false)
	c.p.ops[begin].jump = c.here()
	return below("/"+n.Schema.Branches[to].TypeName(), err)
}

// choice compiles a union by a table of its branches, and a jump after each.
func (c *compiler) choice(w *schema.Schema, n *Node, to []int) error {
	table := make([]branch, len(w.Branches))
	begin := c.emit(op{code: opUnion, n: uint32(len(c.p.tables))})
	c.p.tables = append(c.p.tables, table)
	var jumps []int
	for i := len(table) - 1; i >= 0; i-- {
		if b := n.Inner[to[i]]; b != nil { // errors name the first branch's column
			c.p.ops[begin].column = uint32(b.Lengths)
		}
	}
	for i, b := range w.Branches {
		table[i] = branch{column: -1, jump: c.here()}
		if into := n.Inner[to[i]]; into != nil {
			table[i].column = into.Lengths
			if _, err := c.value(b, into, false); err != nil {
				return below("/"+n.Schema.Branches[to[i]].TypeName(), err)
			}
		}
		jumps = append(jumps, c.emit(op{code: opJump}))
	}
	c.land(jumps)
	return nil
}

// land makes jumps lead to what comes next.
func (c *compiler) land(jumps []int) {
	for _, j := range jumps {
		c.p.ops[j].jump = c.here()
	}
}

// dispatch compiles a writer's union that is not the rows': each branch is resolved
// by itself, and one that cannot be is an error at the row that has it.
func (c *compiler) dispatch(w *schema.Schema, n *Node) error {
	table := make([]branch, len(w.Branches))
	c.emit(op{code: opSwitch, n: uint32(len(c.p.tables)), column: n.some()})
	c.p.tables = append(c.p.tables, table)
	var jumps []int
	var failed error // the first
	for i, b := range w.Branches {
		table[i] = branch{column: -1, jump: c.here()}
		err := c.attempt(b, n)
		var m *schema.Mismatch
		if err != nil && !errors.As(err, &m) {
			return err
		}
		if err != nil {
			if failed == nil {
				failed = err
			}
			c.emit(op{code: opFail, n: uint32(len(c.p.fails)), column: n.some()})
			c.p.fails = append(c.p.fails, unresolved(b, m))
			continue
		}
		jumps = append(jumps, c.emit(op{code: opJump}))
	}
	c.land(jumps)
	if len(jumps) > 0 || len(table) == 0 {
		return nil
	}
	if m := c.resolver.Check(w, n.Schema); m != nil {
		return m
	}
	return failed
}

// unresolved is the error of a row that has a branch that cannot be had.
func unresolved(branch *schema.Schema, m *schema.Mismatch) error {
	err := fmt.Errorf("%w: branch %s of a union", ErrUnresolved, branch.TypeName())
	if m.Path != "" {
		err = fmt.Errorf("%w: %w", err, m)
	}
	return err
}

// some is one of the columns of a node, for messages.
func (n *Node) some() uint32 {
	switch {
	case n.Column >= 0:
		return uint32(n.Column)
	case n.Lo < n.Hi:
		return uint32(n.Lo)
	}
	for _, c := range n.Inner {
		if c != nil && n.Schema.Kind == schema.Union {
			return uint32(c.Lengths)
		} else if c != nil {
			return c.some()
		}
	}
	return 0
}

// attempt compiles a value, and takes back what it emitted where that fails.
func (c *compiler) attempt(w *schema.Schema, n *Node) error {
	was, fence, deep := c.p, c.fence, c.deep
	_, err := c.value(w, n, false)
	if err != nil {
		c.p.ops, c.p.tables, c.p.consts, c.p.fails = was.ops, was.tables, was.consts, was.fails
		c.p.absences = was.absences
		c.p.symbols, c.fence, c.deep = was.symbols, fence, deep
	}
	return err
}

// wrap compiles a value that is a branch of the rows' union.
func (c *compiler) wrap(w *schema.Schema, n *Node, once bool) (int, error) {
	i := c.resolver.Branch(w, n.Schema)
	if i < 0 {
		return 0, c.resolver.NoBranch(w, n.Schema)
	}
	if c.levels {
		c.others(n, i, once)
	}
	for k, b := range n.Inner {
		switch {
		case b == nil || c.levels:
		case k == i:
			c.emit(op{code: opPresent, column: uint32(b.Lengths)})
		default:
			c.constant([]put{{column: uint32(b.Lengths), code: putLength}}, once)
		}
	}
	if n.Inner[i] == nil {
		return c.skip(w), nil
	}
	size, err := c.value(w, n.Inner[i], false)
	return size, below("/"+n.Schema.Branches[i].TypeName(), err)
}
