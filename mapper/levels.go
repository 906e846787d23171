package mapper

import (
	"encoding/binary"
	"fmt"
)

// This file has the instructions of a layout with levels: each entry of a column has a
// definition level, and a repetition level where the column repeats, beside the values. They
// are those of the Dremel paper. The definition level is known when the schema is compiled;
// the repetition level is a register of the walk: 0 where a row begins, a loop's own level
// from its second element on, and what it was before when the loop ends.
//
//	leaf          its levels, then its value
//	option        null: the level of what is there, to all leaves below; go on after it
//	union         to the leaves of all branches but the row's: the level of the union
//	list          empty: the level of the list, to all leaves below; else its elements

// absence is what the leaves below one place of the schema get where nothing is there: an entry
// each, at a definition level.
type absence struct {
	lo, hi uint32 // the leaves: [lo, hi)
	def    byte
}

// level appends an entry's levels.
func (c *column) level(rep, def byte) {
	if c.entries >= len(c.def) {
		c.roomForLevels()
	}
	c.def[c.entries] = def
	if c.repeats {
		c.rep[c.entries] = rep
	}
	c.entries++
}

// roomForLevels doubles the room for levels.
//
//go:noinline
func (c *column) roomForLevels() { c.sizeLevels(max(minBuffer, 2*len(c.def))) }

// sizeLevels makes room for that many entries in all.
func (c *column) sizeLevels(size int) {
	def := make([]byte, size)
	copy(def, c.def[:c.entries])
	c.def = def
	if c.repeats {
		rep := make([]byte, size)
		copy(rep, c.rep[:c.entries])
		c.rep = rep
	}
}

// held is the bytes of the open run, levels included.
func (c *column) held() int {
	if c.repeats {
		return c.n + 2*c.entries
	}
	return c.n + c.entries
}

// absent appends an absence's entries.
func (m *Mapper) absent(a absence) {
	for i := a.lo; i < a.hi; i++ {
		m.cols[i].level(m.rep, a.def)
	}
}

// levelled is careful for the instructions of a layout with levels.
func (m *Mapper) levelled(o *op, c *column, src []byte, pos int, pc uint32) (int, uint32, error) {
	var err error
	switch o.code {
	case opLevel:
		c.level(m.rep, o.value)
	case opAbsent:
		m.absent(m.p.absences[o.n])
	case opInt32:
		pos, err = int32LE(c, src, pos)
	case opInt64:
		pos, err = int64LE(o, c, src, pos)
	case opText:
		pos, err = textLE(c, src, pos)
	case opRaw:
		pos, err = plain(c, src, pos, int(o.n))
	case opNoText:
		c.four32(0)
		err = m.nothing(1)
	case opIndex:
		pos, err = index(o, c, src, pos)
	case opIndexOther:
		pos, err = m.indexOther(o, c, src, pos)
	case opMaybe, opMaybeLeaf:
		return m.maybe(o, c, src, pos, pc)
	case opList:
		return m.list(o, src, pos, pc)
	case opListNext:
		return m.listMore(o, src, pos, pc)
	default:
		err = fmt.Errorf("mapper: no such instruction: %d", o.code)
	}
	if err != nil {
		return pos, pc, m.wrong(o, err)
	}
	return pos, pc + 1, nil
}

// four32 appends 4 bytes, little-endian.
func (c *column) four32(v uint32) {
	c.room(4)
	binary.LittleEndian.PutUint32(c.buf[c.n:], v)
	c.n += 4
}

// int32LE copies a varint of 32 bits as 4 bytes.
func int32LE(c *column, src []byte, pos int) (int, error) {
	v, n, err := varint(src, pos)
	switch {
	case err != nil:
		return pos, err
	case v != int64(int32(v)) || n > 5:
		return pos, errInt
	}
	c.four32(uint32(v))
	return pos + n, nil
}

// int64LE copies a varint as 8 bytes; o.null says that it is an int's.
func int64LE(o *op, c *column, src []byte, pos int) (int, error) {
	v, n, err := varint(src, pos)
	switch {
	case err != nil:
		return pos, err
	case o.null != 0 && (v != int64(int32(v)) || n > 5):
		return pos, errInt
	}
	c.room(8)
	binary.LittleEndian.PutUint64(c.buf[c.n:], uint64(v))
	c.n += 8
	return pos + n, nil
}

// textLE copies a string or bytes, its length in front in 4 bytes.
func textLE(c *column, src []byte, pos int) (int, error) {
	v, n, err := varint(src, pos)
	switch {
	case err != nil:
		return pos, err
	case v < 0 || v > maxLength-10:
		return pos, fmt.Errorf("string or bytes of length %d", v)
	case int(v) > len(src)-pos-n:
		return pos, errShort
	}
	c.room(4 + int(v))
	binary.LittleEndian.PutUint32(c.buf[c.n:], uint32(v))
	c.n += 4
	c.n += copy(c.buf[c.n:], src[pos+n:pos+n+int(v)])
	return pos + n + int(v), nil
}

// index copies an enum's index as 4 bytes.
func index(o *op, c *column, src []byte, pos int) (int, error) {
	v, n, err := varint(src, pos)
	switch {
	case err != nil:
		return pos, err
	case uint64(v) >= uint64(o.n):
		return pos, fmt.Errorf("symbol %d of an enum of %d", v, o.n)
	}
	c.four32(uint32(v))
	return pos + n, nil
}

// indexOther copies an enum's index as another, in 4 bytes.
func (m *Mapper) indexOther(o *op, c *column, src []byte, pos int) (int, error) {
	v, n, err := m.newIndex(o, src, pos)
	if err != nil {
		return pos, err
	}
	c.four32(uint32(v))
	return pos + n, nil
}

// maybe records whether there is a value where null may be.
func (m *Mapper) maybe(o *op, c *column, src []byte, pos int, pc uint32) (int, uint32, error) {
	v, n, err := varint(src, pos)
	if err != nil {
		return pos, pc, m.wrong(o, err)
	}
	switch v {
	case int64(o.value >> 1):
		if o.code == opMaybeLeaf {
			c.level(m.rep, byte(o.n))
		}
		return pos + n, pc + 1, nil
	case int64(o.null >> 1):
		if o.code == opMaybeLeaf {
			c.level(m.rep, byte(o.n)-1)
		} else {
			m.absent(m.p.absences[o.n])
		}
		return pos + n, o.jump, nil
	}
	return pos, pc, m.wrong(o, fmt.Errorf("branch %d of a union of 2", v))
}

// list begins an array or map.
func (m *Mapper) list(o *op, src []byte, pos int, pc uint32) (int, uint32, error) {
	n, pos, err := count(src, pos, 0)
	if err != nil {
		return pos, pc, m.wrong(o, err)
	}
	if n == 0 {
		m.absent(m.p.absences[o.n])
		return pos, o.jump, nil
	}
	m.loops[o.value] = loop{left: n, total: n, rep: m.rep}
	return pos, pc + 1, nil
}

// listMore ends an element: the next is of the same block, or another block's, or there is
// none.
func (m *Mapper) listMore(o *op, src []byte, pos int, pc uint32) (int, uint32, error) {
	l := &m.loops[o.value]
	n, pos, err := count(src, pos, l.total)
	switch {
	case err != nil:
		return pos, pc, m.wrong(o, err)
	case n == 0:
		m.rep = l.rep
		return pos, pc + 1, nil
	}
	l.left, l.total, m.rep = n, l.total+n, byte(o.n)
	return pos, o.jump, nil
}
