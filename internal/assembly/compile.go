package assembly

import (
	"encoding/binary"
	"fmt"
	"slices"
)

// compiler is the state of the walks over a tree: first to find the leaves that are needed, then
// to emit instructions.
type compiler struct {
	p       Program
	used    []bool        // of each leaf
	drivers map[*Node]int // leaves of nodes that need none but to know whether they are there
	before  []uint32      // of each leaf, the needs before it; one more for all
	deep    int           // lists open where the walk is
}

// Compile makes a program of a tree of nodes over a file's leaves. It keeps neither. The error is
// [ErrTree].
func Compile(top *Node, leaves []Leaf) (*Program, error) {
	c := compiler{used: make([]bool, len(leaves)), drivers: map[*Node]int{}}
	c.p.leaves = slices.Clone(leaves)
	if err := c.check(top); err != nil {
		return nil, err
	}
	if err := c.need(top); err != nil {
		return nil, err
	}
	for i, used := range c.used {
		c.before = append(c.before, uint32(len(c.p.needs)))
		if used {
			c.p.needs = append(c.p.needs, i)
		}
	}
	c.before = append(c.before, uint32(len(c.p.needs)))
	c.placed(top, 0)
	for i, leaf := range c.p.needs {
		if leaves[leaf].MaxRep > 0 {
			c.emit(op{code: opEnd, column: uint32(i)})
		}
	}
	return &c.p, nil
}

// check compares a tree with the leaves.
func (c *compiler) check(n *Node) error {
	bad := n.First < 0 || n.Last < n.First || n.Last > len(c.p.leaves) ||
		max(n.Def, n.Rep, n.Absent) > 255 || min(n.Def, n.Rep, n.Absent) < 0
	fields := 0
	switch n.Kind {
	case Simple:
		bad = bad || n.Last != n.First+1 || c.p.leaves[n.First].MaxDef != n.Def
		fields = -1
	case Null:
		fields = -1
	case List:
		fields = 1
	case Map:
		fields = 2
	}
	if bad || fields < 0 && len(n.Fields) > 0 || fields > 0 && len(n.Fields) != fields {
		return fmt.Errorf("%w: leaves %d to %d at level %d", ErrTree, n.First, n.Last, n.Def)
	}
	for _, f := range n.Fields {
		if f.First < f.Last && (f.First < n.First || f.Last > n.Last) {
			return fmt.Errorf("%w: leaves %d to %d in a node of %d to %d", ErrTree, f.First, f.Last, n.First, n.Last)
		}
		if err := c.check(f); err != nil {
			return err
		}
	}
	return nil
}

// need finds the leaves that a node needs to be written where its place always has it, and those
// that say whether, or how often, it is there.
func (c *compiler) need(top *Node) error {
	some, err := c.needs(top)
	if err == nil && !some {
		err = c.drive(top)
	}
	return err
}

// needs marks the leaves below a node, and reports whether there are any.
func (c *compiler) needs(n *Node) (some bool, err error) {
	if n.Kind == Simple {
		c.used[n.First] = true
		return true, nil
	}
	for i, f := range n.Fields {
		below, err := c.needs(f)
		if err != nil {
			return false, err
		}
		if !below && n.decides(i) {
			if err := c.drive(f); err != nil {
				return false, err
			}
			below = true
		}
		some = some || below
	}
	return some, nil
}

// decides reports whether some leaf of field i has to be looked at, to know whether it is there
// or how often.
func (n *Node) decides(i int) bool {
	switch n.Kind {
	case List:
		return true
	case Union:
		return !n.Fields[i].null() && !n.always()
	}
	return false // a record's fields are there; a map's key is a value
}

// always reports whether a union has one branch, which is always there.
func (n *Node) always() bool {
	branches := 0
	for _, f := range n.Fields {
		if !f.null() {
			branches++
			if f.Def != n.Def {
				return false
			}
		}
	}
	return branches == 1 && !n.Others
}

// drive picks the leaf of a node that has the fewest levels, as the one that is looked at.
func (c *compiler) drive(n *Node) error {
	best := -1
	for i := n.First; i < n.Last; i++ {
		if l := c.p.leaves[i]; best < 0 || l.MaxRep < c.p.leaves[best].MaxRep {
			best = i
		}
	}
	if best < 0 {
		return fmt.Errorf("%w: a value without leaves, at level %d", ErrTree, n.Def)
	}
	c.used[best] = true
	c.drivers[n] = best
	return nil
}

// span returns the needs of a node's leaves.
func (c *compiler) span(n *Node) (lo, hi uint32) { return c.before[n.First], c.before[n.Last] }

func (c *compiler) emit(o op) int {
	c.p.ops = append(c.p.ops, o)
	return len(c.p.ops) - 1
}

// here is the index of the instruction that comes next.
func (c *compiler) here() uint32 { return uint32(len(c.p.ops)) }

// constant emits bytes that stand in every row.
func (c *compiler) constant(b []byte) {
	c.emit(op{code: opConst, n: uint32(len(c.p.consts))})
	c.p.consts = append(c.p.consts, b)
}

// index is how a union's branch is written.
func index(i int) []byte { return binary.AppendVarint(nil, int64(i)) }

// absence notes the entries of needs that have no value, and returns its number.
func (c *compiler) absence(lo, hi uint32, def int) uint32 {
	c.p.absences = append(c.p.absences, absence{lo, hi, byte(def)})
	return uint32(len(c.p.absences) - 1)
}

// without emits the taking of an absence.
func (c *compiler) without(lo, hi uint32, def int) {
	if lo < hi {
		c.emit(op{code: opAbsent, column: lo, n: c.absence(lo, hi, def)})
	}
}

// placed emits a value at a place inside of rep lists, and takes the entries of its driver.
func (c *compiler) placed(n *Node, rep int) {
	c.value(n, rep)
	if leaf, ok := c.drivers[n]; ok {
		c.emit(op{code: opDrop, column: c.before[leaf], def: byte(n.Def), rep: byte(rep), only: n.Kind == Null})
	}
}

// value emits what writes a value.
func (c *compiler) value(n *Node, rep int) {
	switch n.Kind {
	case Simple:
		c.simple(n, true)
	case Record:
		for _, f := range n.Fields {
			c.placed(f, rep)
		}
	case List, Map:
		c.list(n, rep)
	case Union:
		c.union(n, rep)
	}
}

// simple emits a value of a leaf, and its levels unless they are taken.
func (c *compiler) simple(n *Node, levels bool) {
	column, _ := c.span(n)
	leaf := &c.p.leaves[n.First]
	if leaf.MaxDef > 0 && levels {
		c.emit(op{code: opLevel, column: column, def: byte(n.Def)})
	}
	o := op{column: column}
	switch {
	case n.Value == Boolean && leaf.Width == 1:
		o.code = opBoolean
	case n.Value == Int && leaf.Width == 4:
		o.code = opInt
	case n.Value == Long && leaf.Width == 8:
		o.code = opLong
	case n.Value == Four && leaf.Width == 4:
		o.code = opFour
	case n.Value == Eight && leaf.Width == 8:
		o.code = opEight
	case n.Value == Bytes && leaf.Width == 0:
		o.code = opText
	case n.Value == Fixed && leaf.Width > 0:
		o.code, o.n = opRaw, uint32(leaf.Width)
	default:
		o.code, o.n = opConvert, uint32(len(c.p.converts))
		c.p.converts = append(c.p.converts, conversion{n.Value, n.Size, newSymbols(n.Symbols)})
	}
	c.emit(o)
}

// list emits an array or map.
func (c *compiler) list(n *Node, rep int) {
	lo, hi := c.span(n)
	slot := uint32(c.deep)
	begin := c.emit(op{code: opList, column: lo, def: byte(n.Def), slot: slot, n: c.absence(lo, hi, n.Def)})
	c.deep++
	c.p.loops = max(c.p.loops, c.deep)
	for _, f := range n.Fields {
		c.placed(f, rep+1)
	}
	c.deep--
	c.emit(op{code: opNext, column: lo, rep: byte(n.Rep), n: slot, jump: uint32(begin) + 1})
	c.p.ops[begin].jump = c.here()
}

// union emits a union, in the narrowest of its forms.
func (c *compiler) union(n *Node, rep int) {
	null, other := -1, -1
	for i, f := range n.Fields {
		if f.null() {
			null = i
		} else {
			other = i
		}
	}
	switch {
	case other < 0: // null alone
		c.constant(index(max(null, 0)))
	case n.always():
		c.constant(index(other))
		c.placed(n.Fields[other], rep)
	case len(n.Fields) == 2 && null >= 0 && !n.Others && n.Fields[other].Def == n.Def+1:
		c.option(n, null, other, rep)
	default:
		c.choice(n, null, rep)
	}
}

// option emits a union of null and one other branch.
func (c *compiler) option(n *Node, null, other, rep int) {
	lo, hi := c.span(n)
	f := n.Fields[other]
	o := op{code: opMaybe, column: lo, null: byte(2 * null), value: byte(2 * other), def: byte(n.Def)}
	if f.Kind == Simple {
		o.code, o.def = opMaybeLeaf, byte(f.Def)
		begin := c.emit(o)
		c.simple(f, false)
		c.p.ops[begin].jump = c.here()
		return
	}
	o.n = c.absence(lo, hi, n.Def)
	begin := c.emit(o)
	c.placed(f, rep)
	c.p.ops[begin].jump = c.here()
}

// choice emits any other union: a table of branches, and a jump after each.
func (c *compiler) choice(n *Node, null, rep int) {
	lo, hi := c.span(n)
	u := union{driver: lo, def: byte(n.Def), absent: byte(n.Absent), others: n.Others, lo: lo, hi: hi}
	if null >= 0 {
		u.null = index(null)
	}
	begin := c.emit(op{code: opSwitch, column: lo, n: uint32(len(c.p.unions))})
	c.p.unions = append(c.p.unions, union{})
	var jumps []int
	for i, f := range n.Fields {
		if f.null() {
			continue
		}
		from, to := c.span(f)
		u.branches = append(u.branches, branch{driver: from, def: byte(f.Def), index: index(i), jump: c.here()})
		c.without(lo, from, n.Absent)
		c.without(to, hi, n.Absent)
		c.placed(f, rep)
		jumps = append(jumps, c.emit(op{code: opJump}))
	}
	c.p.unions[c.p.ops[begin].n] = u
	for _, j := range append(jumps, begin) {
		c.p.ops[j].jump = c.here()
	}
}
