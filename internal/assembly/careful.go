package assembly

import (
	"encoding/binary"
	"fmt"
)

// careful carries out the instruction at pc where the walk could not, and returns the
// instruction to go on at, which may be the same.
func (r *Reader) careful(pc uint32) (uint32, error) {
	if r.n > len(r.out)-room {
		return pc, r.reserve(room)
	}
	o := &r.p.ops[pc]
	c := &r.cursors[o.column]
	switch o.code {
	case opConst:
		return pc + 1, r.copy(r.p.consts[o.n])
	case opAbsent:
		return pc + 1, r.absent(r.p.absences[o.n])
	case opSwitch:
		return r.choose(&r.p.unions[o.n], o)
	case opDrop:
		return pc + 1, r.drop(o, c)
	case opNext:
		return r.more(pc, o, c)
	case opEnd:
		rep, err := c.ahead()
		if err == nil && rep != 0 {
			err = levelsf("repetition level %d where the row ends", rep)
		}
		return pc + 1, err
	case opLevel, opMaybeLeaf, opMaybe, opList:
		if c.empty() {
			return pc, r.load(c)
		}
		return r.structure(pc, o, c)
	}
	if c.at >= c.end { // values
		if c.levels {
			return pc, levelsf("no value left at a level that has one")
		}
		return pc, r.load(c)
	}
	return pc + 1, r.value(o, c)
}

// load loads the next batch of a column in the middle of a row.
func (r *Reader) load(c *cursor) error {
	more, err := c.more()
	if err == nil && !more {
		err = levelsf("it ends here, and others do not")
	}
	return err
}

// structure carries out an instruction that looks at an entry which is there.
func (r *Reader) structure(pc uint32, o *op, c *cursor) (uint32, error) {
	d := c.def[c.pos]
	switch {
	case o.code == opMaybe && d == o.def:
		r.out[r.n] = o.null
	case o.code == opList && d == o.def:
		r.out[r.n] = 0
	default: // levels that cannot be, of an entry that would be taken
		return pc, r.unlike(c, o.def)
	}
	r.n++
	return o.jump, r.absent(r.p.absences[o.n])
}

// unlike returns what is wrong with the levels of c's next entry, where the register's and a
// definition level are due.
func (r *Reader) unlike(c *cursor, def byte) error {
	rep := byte(0)
	if c.repeats {
		rep = c.rep[c.pos]
	}
	if rep != r.rep {
		return levelsf("repetition level %d instead of %d", rep, r.rep)
	}
	return levelsf("definition level %d instead of %d", c.def[c.pos], def)
}

// take takes an entry that must be at the register's repetition level and a definition level,
// which is not the greatest.
func (r *Reader) take(c *cursor, def byte) error {
	if c.pos >= c.n {
		if err := r.load(c); err != nil {
			return err
		}
	}
	if c.def[c.pos] != def || c.repeats && c.rep[c.pos] != r.rep {
		return r.unlike(c, def)
	}
	c.pos++
	return nil
}

// absent takes an absence's entries.
func (r *Reader) absent(a absence) error {
	for i := a.lo; i < a.hi; i++ {
		c := &r.cursors[i]
		if !c.levels {
			return r.fault(c, levelsf("a value of what is not there"))
		}
		if err := r.take(c, a.def); err != nil {
			return r.fault(c, err)
		}
	}
	return nil
}

// choose writes the branch of a union that has a value.
func (r *Reader) choose(u *union, o *op) (uint32, error) {
	var found *branch
	for i := range u.branches {
		b := &u.branches[i]
		c := &r.cursors[b.driver]
		switch here, err := r.at(c); {
		case err != nil:
			return 0, r.fault(c, err)
		case here >= b.def && found != nil:
			return 0, r.fault(c, levelsf("two values of a union"))
		case here >= b.def:
			found = b
		}
	}
	if found != nil {
		return found.jump, r.copy(found.index)
	}
	c := &r.cursors[u.driver]
	here, err := r.at(c)
	switch {
	case err != nil:
		return 0, r.fault(c, err)
	case u.null != nil && (here == u.def || u.others && here == u.absent):
		if err := r.copy(u.null); err != nil {
			return 0, err
		}
		return o.jump, r.absent(absence{u.lo, u.hi, here})
	}
	return 0, r.fault(c, levelsf("no value of a union, at definition level %d", here))
}

// at returns the definition level of c's next entry.
func (r *Reader) at(c *cursor) (byte, error) {
	if c.empty() {
		if err := r.load(c); err != nil {
			return 0, err
		}
	}
	if !c.levels {
		return 0, nil
	}
	return c.def[c.pos], nil
}

// more ends an element of a list.
func (r *Reader) more(pc uint32, o *op, c *cursor) (uint32, error) {
	rep, err := c.ahead()
	if err != nil {
		return pc, err
	}
	l := &r.loops[o.n]
	if rep == o.rep {
		l.count++
		r.rep = rep
		return o.jump, nil
	}
	var b [binary.MaxVarintLen64]byte
	k := binary.PutVarint(b[:], int64(l.count)) - 1
	copy(r.out[l.at+1+k:], r.out[l.at+1:r.n])
	copy(r.out[l.at:], b[:k+1])
	r.n += k
	r.out[r.n] = 0
	r.n++
	r.rep = l.rep
	return pc + 1, nil
}

// drop takes the entries of one value in a leaf that is not written.
func (r *Reader) drop(o *op, c *cursor) error {
	here, err := r.at(c)
	switch {
	case err != nil:
		return err
	case here < o.def || o.only && here > o.def || c.repeats && c.rep[c.pos] != r.rep:
		return r.unlikeOr(c, o.def)
	}
	for {
		if err := c.discard(); err != nil {
			return err
		}
		rep, err := c.ahead()
		if err != nil || rep <= o.rep {
			return err
		}
	}
}

// unlikeOr is unlike of a column that may have no levels.
func (r *Reader) unlikeOr(c *cursor, def byte) error {
	if !c.levels {
		return levelsf("a value of what has none")
	}
	return r.unlike(c, def)
}

// discard takes an entry, and its value if it has one.
func (c *cursor) discard() error {
	if c.levels {
		c.pos++
		if c.def[c.pos-1] < c.maxDef {
			return nil
		}
	}
	if c.at >= c.end {
		return levelsf("no value left at a level that has one")
	}
	c.at += max(c.width, 1)
	return nil
}

// reserve makes room for n bytes more, within the limit of a row.
func (r *Reader) reserve(n int) error {
	if r.n-r.start > r.rowMax || n > max(r.rowMax, room) {
		return r.errLarge()
	}
	if n <= len(r.out)-r.n {
		return nil
	}
	buf := make([]byte, max(2*len(r.out), r.n+n, 1024))
	copy(buf, r.out[:r.n])
	r.out = buf
	return nil
}

func (r *Reader) errLarge() error { return fmt.Errorf("%w of %d bytes", ErrLimit, r.rowMax) }

// copy appends b.
func (r *Reader) copy(b []byte) error {
	if err := r.reserve(len(b)); err != nil {
		return err
	}
	r.n += copy(r.out[r.n:], b)
	return nil
}
