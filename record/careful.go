package record

import (
	"fmt"

	"avro2trevni/trevni/block"
)

// careful carries out the instruction at pc where the walk could not: for want of
// room, for a value that is long or wrong, or as it is one of the rarer ones. It
// returns the instruction to go on at, which may be the same.
func (r *Reader) careful(pc uint32) (uint32, error) {
	if r.n > len(r.out)-room {
		return pc, r.reserve(room)
	}
	o := &r.p.ops[pc]
	c := &r.cursors[o.column]
	switch o.code {
	case opLong, opInt, opEnum, opSymbol:
		return pc + 1, r.number(o, c)
	case opToFloat, opToDouble:
		return pc + 1, r.promote(o, c)
	case opFour, opEight, opBoolean:
		return pc, errCut
	case opByte:
		if c.pos == c.end {
			return pc, errCut
		}
		return pc, corruptf("boolean that is %d, neither 0 nor 1", c.buf[c.pos])
	case opString, opFixed:
		return pc + 1, r.bytes(o, c)
	case opConst:
		return pc + 1, r.copy(r.p.consts[o.n])
	case opOption:
		return r.option(pc, o, c)
	case opUnion:
		return r.union(o)
	case opArray:
		return r.array(pc, o, c)
	case opValues, opBits:
		return pc + 1, r.values(o, c)
	case opNullArray:
		n, err := c.length()
		r.count(n)
		return pc + 1, err
	}
	return pc, fmt.Errorf("record: instruction %d of an unknown kind %d", pc, o.code)
}

// reserve makes room for n bytes more, within the limit of a row.
func (r *Reader) reserve(n int) error {
	if int64(r.n-r.start) > r.o.RowBytes || int64(n) > max(r.o.RowBytes, room) {
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

func (r *Reader) errLarge() error {
	return fmt.Errorf("%w of %d bytes", ErrLimit, r.o.RowBytes)
}

// copy appends b, and leaves the room that an instruction needs.
func (r *Reader) copy(b []byte) error {
	if err := r.reserve(len(b)); err != nil {
		return err
	}
	r.n += copy(r.out[r.n:], b)
	return nil
}

// take appends the column's next n bytes, which are there.
func (r *Reader) take(c *cursor, n int) error {
	if err := r.copy(c.buf[c.pos : c.pos+n]); err != nil {
		return err
	}
	c.pos += n
	return nil
}

// number appends an int, long or enum, as it stands if it does not change.
func (r *Reader) number(o *op, c *cursor) error {
	v, n := block.ReadLong(c.rest())
	switch {
	case n <= 0:
		return errLong(n)
	case o.code == opInt && !isInt(v, n):
		return errInt
	case o.code == opEnum && (uint64(v) >= uint64(o.n) || !isInt(v, n)):
		return corruptf("symbol %d of an enum of %d", v, o.n)
	case o.code == opSymbol:
		c.pos += n
		return r.symbol(v, r.p.enums[o.n])
	}
	return r.take(c, n)
}

// symbol appends the index that stands for index v of the file's symbols.
func (r *Reader) symbol(v int64, table []int32) error {
	if uint64(v) >= uint64(len(table)) {
		return corruptf("symbol %d of an enum of %d", v, len(table))
	}
	if table[v] < 0 {
		return fmt.Errorf("%w: symbol %d of an enum", ErrNoMatch, v)
	}
	b := block.AppendLong(r.out[:r.n], int64(table[v]))
	r.n = len(b)
	return nil
}

// bytes appends a string, bytes, or fixed.
func (r *Reader) bytes(o *op, c *cursor) error {
	v, n := block.ReadLong(c.rest())
	switch {
	case n <= 0:
		return errLong(n)
	case v < 0:
		return corruptf("negative length %d", v)
	case v > int64(c.end-c.pos-n):
		return corruptf("length %d, %d bytes left: %w", v, c.end-c.pos-n, errCut)
	case o.code == opFixed && v != int64(o.n):
		return corruptf("length %d of a fixed of %d", v, o.n)
	case o.code == opFixed:
		c.pos += n
		return r.take(c, int(v))
	}
	return r.take(c, n+int(v))
}

// option appends a union's branch of two, as the column's next length tells.
func (r *Reader) option(pc uint32, o *op, c *cursor) (uint32, error) {
	n, err := c.length()
	if err != nil {
		return pc, err
	}
	switch n {
	case 0:
		r.out[r.n] = o.null
		pc = o.jump
	case 1:
		r.out[r.n] = o.value
		pc++
	default:
		return pc, corruptf("length %d in a union", n)
	}
	r.n++
	return pc, nil
}

// union appends the branch of a union that has a value.
func (r *Reader) union(o *op) (uint32, error) {
	u := &r.p.unions[o.n]
	var found *branch
	for i := range u.branches {
		b := &u.branches[i]
		n, err := r.cursors[b.column].length()
		switch {
		case err != nil:
			return 0, r.fault(&r.cursors[b.column], err)
		case n > 1 || n == 1 && found != nil:
			return 0, r.fault(&r.cursors[b.column], corruptf("union of more than one value"))
		case n == 1:
			found = b
		}
	}
	switch {
	case found != nil:
		return found.jump, r.copy(found.index)
	case u.null == nil:
		return 0, u.none
	}
	return o.jump, r.copy(u.null)
}

// count appends the number of elements of an array, and the end of one that has no
// bytes between.
func (r *Reader) count(n int) {
	b := r.out[:r.n]
	if n > 0 {
		b = block.AppendLong(b, int64(n))
	}
	r.n = len(append(b, 0))
}

// array begins an array or map.
func (r *Reader) array(pc uint32, o *op, c *cursor) (uint32, error) {
	n, err := c.length()
	if err != nil {
		return pc, err
	}
	r.count(n)
	if n == 0 {
		return o.jump, nil
	}
	r.n-- // the end comes after its elements
	r.loops[o.n] = n
	return pc + 1, nil
}

// values appends a whole array of values of no further parts.
func (r *Reader) values(o *op, c *cursor) error {
	n, err := c.length()
	if err != nil {
		return err
	}
	size, err := c.size(n)
	if err != nil {
		return err
	}
	r.count(n)
	if n == 0 {
		return nil
	}
	r.n--
	if o.code == opBits {
		err = r.bits(c, n)
		c.pos += size
	} else {
		err = r.take(c, size)
	}
	if err != nil {
		return err
	}
	return r.copy(end[:])
}

// end is what stands after an array.
var end [1]byte

// bits appends n booleans, which begin at the next byte.
func (r *Reader) bits(c *cursor, n int) error {
	if err := r.reserve(n); err != nil {
		return err
	}
	out := r.out[r.n : r.n+n]
	for i := range out {
		out[i] = c.buf[c.pos+i>>3] >> (i & 7) & 1
	}
	r.n += n
	return nil
}
