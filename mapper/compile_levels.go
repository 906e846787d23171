package mapper

import (
	"encoding/binary"
	"slices"

	"avro2trevni/internal/schema"
)

// absence notes what leaves get where nothing is there, and returns its number.
func (c *compiler) absence(lo, hi int, def byte) uint32 {
	c.p.absences = append(c.p.absences, absence{uint32(lo), uint32(hi), def})
	return uint32(len(c.p.absences) - 1)
}

// without emits the entries of leaves that have no value here.
func (c *compiler) without(lo, hi int, def byte, once bool) {
	switch {
	case lo == hi:
	case once:
		var s leveller
		s.absent(lo, hi, def, inherited)
		c.constant(s.puts, true)
	default:
		c.emit(op{code: opAbsent, column: uint32(lo), n: c.absence(lo, hi, def)})
	}
}

// others emits the entries of the leaves of union n that are not branch i's: of all, where that
// is null or not kept.
func (c *compiler) others(n *Node, i int, once bool) {
	in := n.Inner[i]
	if in == nil {
		c.without(n.Lo, n.Hi, n.Def, once)
		return
	}
	c.without(n.Lo, in.Lo, n.Absent, once)
	c.without(in.Hi, n.Hi, n.Absent, once)
}

// leafLevels compiles a value of a leaf; its levels are there already where known is true.
func (c *compiler) leafLevels(w *schema.Schema, n *Node, known bool) (int, error) {
	if w.Kind == schema.Null {
		c.without(n.Lo, n.Hi, n.Def, false)
		return 0, nil
	}
	o, min := plainLeaf(w, n.Schema)
	o.column = uint32(n.Column)
	if err := c.convertPlain(&o, w, n.Schema); err != nil {
		return 0, err
	}
	if c.p.columns[n.Column].MaxDef > 0 && !known {
		c.emit(op{code: opLevel, column: o.column, value: n.Def})
	}
	c.emit(o)
	return min, nil
}

// plainLeaf returns the instruction that copies a value of w to a leaf of r's as Parquet's
// PLAIN encoding has it, and the least bytes of one.
func plainLeaf(w, r *schema.Schema) (op, int) {
	switch w.Kind {
	case schema.Int:
		if r.Kind == schema.Long {
			return op{code: opInt64, null: 1}, 1
		}
		return op{code: opInt32}, 1
	case schema.Long:
		return op{code: opInt64}, 1
	case schema.String, schema.Bytes:
		return op{code: opText}, 1
	case schema.Enum:
		return op{code: opIndex, n: uint32(len(w.Symbols))}, 1
	case schema.Fixed:
		if w.Size == 0 {
			return op{code: opNoText}, 0
		}
		return op{code: opRaw, n: uint32(w.Size)}, int(min(w.Size, 1<<31-1))
	}
	return leaf(w)
}

// convertPlain is convert for leaves.
func (c *compiler) convertPlain(o *op, w, r *schema.Schema) error {
	if c.same || w.Kind != schema.Enum {
		return c.convert(o, w, r)
	}
	err := c.symbols(o, w, r)
	if o.code == opSymbol {
		o.code = opIndexOther
	}
	return err
}

// optionLevels compiles a union of null and one other branch.
func (c *compiler) optionLevels(w *schema.Schema, n *Node, null, other, to int) error {
	into := n.Inner[to]
	o := op{code: opMaybe, null: byte(2 * null), value: byte(2 * other), column: uint32(n.Lo)}
	leaf := w.Branches[other].Kind.Simple() && into.Schema.Kind.Simple()
	if leaf {
		o.code, o.n = opMaybeLeaf, uint32(into.Def)
	} else {
		o.n = c.absence(n.Lo, n.Hi, n.Def)
	}
	begin := c.emit(o)
	c.here()
	var err error
	if leaf {
		_, err = c.leafLevels(w.Branches[other], into, true)
	} else {
		_, err = c.value(w.Branches[other], into, false)
	}
	c.p.ops[begin].jump = c.here()
	return below("/"+n.Schema.Branches[to].TypeName(), err)
}

// choiceLevels compiles a union whose branches are those of the rows', by a table.
func (c *compiler) choiceLevels(w *schema.Schema, n *Node, to []int) error {
	table := make([]branch, len(w.Branches))
	c.emit(op{code: opSwitch, n: uint32(len(c.p.tables)), column: uint32(n.Lo)})
	c.p.tables = append(c.p.tables, table)
	var jumps []int
	for i, b := range w.Branches {
		table[i] = branch{column: -1, jump: c.here()}
		c.others(n, to[i], false)
		if into := n.Inner[to[i]]; into != nil {
			if _, err := c.value(b, into, false); err != nil {
				return below("/"+n.Schema.Branches[to[i]].TypeName(), err)
			}
		}
		jumps = append(jumps, c.emit(op{code: opJump}))
	}
	c.land(jumps)
	return nil
}

// listLevels compiles an array or map.
func (c *compiler) listLevels(w *schema.Schema, n *Node) error {
	if n.Lo == n.Hi {
		c.skip(w)
		return nil
	}
	slot := byte(c.deep)
	begin := c.emit(op{code: opList, column: uint32(n.Lo), value: slot, n: c.absence(n.Lo, n.Hi, n.Def)})
	first := c.here()
	c.deep++
	c.p.loops = max(c.p.loops, c.deep)
	size, step := 0, "[]"
	if w.Kind == schema.Map {
		c.emit(op{code: opLevel, column: uint32(n.Key), value: n.Def + 1})
		c.emit(op{code: opText, column: uint32(n.Key)})
		size, step = 1, "{}"
	}
	more, err := c.value(w.Items, n.Inner[0], false)
	if err != nil {
		return below(step, err)
	}
	c.deep--
	if size+more == 0 {
		c.emit(op{code: opGuard, column: uint32(n.Lo)})
	}
	c.emit(op{code: opListNext, column: uint32(n.Lo), value: slot, n: uint32(n.Rep), jump: first})
	c.p.ops[begin].jump = c.here()
	return nil
}

// inherited is the repetition level of the first entry of a value: that of the place where it
// stands.
const inherited = -1

// leveller makes puts of a value in Avro's encoding, for leaves with levels.
type leveller struct{ puts []put }

// value takes a value of s off the front of b. rep is the repetition level of its first
// entries.
func (d *leveller) value(b []byte, s *schema.Schema, n *Node, rep int) []byte {
	if n == nil {
		return new(shredder).value(b, s, nil)
	}
	switch s.Kind {
	case schema.Record:
		if n.Column >= 0 {
			d.absent(n.Lo, n.Hi, n.Def, rep)
		}
		for i, f := range s.Fields {
			b = d.value(b, f.Type, n.Child(i), rep)
		}
		return b
	case schema.Array, schema.Map:
		return d.list(b, s, n, rep)
	case schema.Union:
		return d.union(b, s, n, rep)
	case schema.Null:
		d.absent(n.Lo, n.Hi, n.Def, rep)
		return b
	}
	return d.leaf(b, s, n.Column, n.Def, rep)
}

// leaf takes a simple value.
func (d *leveller) leaf(b []byte, s *schema.Schema, column int, def byte, rep int) []byte {
	d.level(column, def, rep)
	if s.Kind == schema.Boolean {
		d.puts = append(d.puts, put{column: uint32(column), code: putBoolean, n: int(b[0])})
		return b[1:]
	}
	size, data := plainExtent(b, s)
	d.puts = append(d.puts, put{column: uint32(column), code: putBytes, data: data})
	return b[size:]
}

func (d *leveller) level(column int, def byte, rep int) {
	d.puts = append(d.puts, put{column: uint32(column), code: putLevel, n: int(def), rep: rep})
}

func (d *leveller) absent(lo, hi int, def byte, rep int) {
	for i := lo; i < hi; i++ {
		d.level(i, def, rep)
	}
}

// list takes an array or map, which the encoder writes in one block without its size.
func (d *leveller) list(b []byte, s *schema.Schema, n *Node, rep int) []byte {
	v, k := binary.Varint(b)
	b = b[k:]
	if v == 0 {
		d.absent(n.Lo, n.Hi, n.Def, rep)
		return b
	}
	for range v {
		if s.Kind == schema.Map {
			b = d.leaf(b, &schema.Schema{Kind: schema.String}, n.Key, n.Def+1, rep)
		}
		b = d.value(b, s.Items, n.Child(0), rep)
		rep = int(n.Rep)
	}
	return b[1:] // the block of none
}

func (d *leveller) union(b []byte, s *schema.Schema, n *Node, rep int) []byte {
	v, k := binary.Varint(b)
	in := n.Child(int(v))
	if in == nil {
		d.absent(n.Lo, n.Hi, n.Def, rep)
	} else {
		d.absent(n.Lo, in.Lo, n.Absent, rep)
		d.absent(in.Hi, n.Hi, n.Absent, rep)
	}
	return d.value(b[k:], s.Branches[v], in, rep)
}

// plainExtent returns the bytes that a simple value takes at the front of b, and the value as
// Parquet's PLAIN encoding has it.
func plainExtent(b []byte, s *schema.Schema) (size int, data []byte) {
	v, n := binary.Varint(b)
	le := binary.LittleEndian
	switch s.Kind {
	case schema.Int, schema.Enum:
		return n, le.AppendUint32(nil, uint32(v))
	case schema.Long:
		return n, le.AppendUint64(nil, uint64(v))
	case schema.String, schema.Bytes:
		return n + int(v), append(le.AppendUint32(nil, uint32(v)), b[n:n+int(v)]...)
	case schema.Fixed:
		if s.Size == 0 {
			return 0, make([]byte, 4)
		}
		return int(s.Size), slices.Clone(b[:s.Size])
	}
	return extent(b, s)
}
