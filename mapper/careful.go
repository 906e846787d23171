package mapper

import "fmt"

// careful executes the instruction at pc for bytes that the walk's quick ways do not
// take: the last ones of src, long values, and whatever is wrong. It returns where
// to go on, errShort if src ends in the value, or what is wrong with it.
func (m *Mapper) careful(src []byte, pos int, pc uint32) (int, uint32, error) {
	o := &m.p.ops[pc]
	c := &m.cols[o.column]
	var err error
	switch o.code {
	case opInt, opLong, opEnum:
		pos, err = number(o, c, src, pos)
	case opFour:
		pos, err = plain(c, src, pos, 4)
	case opEight:
		pos, err = plain(c, src, pos, 8)
	case opString:
		pos, err = text(c, src, pos)
	case opFixed:
		c.long(int64(o.n))
		pos, err = plain(c, src, pos, int(o.n))
	case opEmpty:
		c.long(0)
		err = m.nothing(1)
	case opBoolean:
		pos, err = truth(c, src, pos)
	case opOption, opUnion:
		return m.union(o, src, pos, pc)
	case opArray:
		return m.array(o, src, pos, pc)
	case opNext:
		return m.more(o, src, pos, pc)
	case opNullArray:
		pos, err = m.nulls(c, src, pos)
	case opSwitch:
		return m.branch(o, src, pos, pc)
	case opLevel, opAbsent, opMaybe, opMaybeLeaf, opInt32, opInt64, opText, opRaw, opNoText, opIndex, opIndexOther, opList, opListNext:
		return m.levelled(o, c, src, pos, pc)
	default:
		pos, err = m.resolved(o, c, src, pos)
	}
	if err != nil {
		return pos, pc, m.wrong(o, err)
	}
	return pos, pc + 1, nil
}

// resolved is careful for instructions that only programs for rows of another schema have.
func (m *Mapper) resolved(o *op, c *column, src []byte, pos int) (int, error) {
	switch o.code {
	case opPresent:
		c.length(1)
	case opConst:
		return pos, m.constant(o, len(src)-pos)
	case opFail:
		return pos, m.p.fails[o.n]
	case opSymbol:
		return m.symbol(o, c, src, pos)
	case opGuard:
		return pos, m.nothing(1)
	default:
		return pos, fmt.Errorf("mapper: no such instruction: %d", o.code)
	}
	return pos, nil
}

// branch goes to what is to be done with a branch of a writer's union.
func (m *Mapper) branch(o *op, src []byte, pos int, pc uint32) (int, uint32, error) {
	table := m.p.tables[o.n]
	v, n, err := varint(src, pos)
	if err == nil && uint64(v) >= uint64(len(table)) {
		err = fmt.Errorf("branch %d of a union of %d", v, len(table))
	}
	if err != nil {
		return pos, pc, err
	}
	return pos + n, table[v].jump, nil
}

// wrong names the column of what is wrong with a value.
func (m *Mapper) wrong(o *op, err error) error {
	if err == errShort || len(m.p.columns) == 0 {
		return err
	}
	return fmt.Errorf("column %q: %w", m.p.columns[o.column].Name, err)
}

// long appends v to the buffer.
func (c *column) long(v int64) {
	c.room(10)
	u := uint64(v)<<1 ^ uint64(v>>63)
	for u >= 0x80 {
		c.buf[c.n] = byte(u) | 0x80
		u >>= 7
		c.n++
	}
	c.buf[c.n] = byte(u)
	c.n++
}

// plain copies n bytes.
func plain(c *column, src []byte, pos, n int) (int, error) {
	if n > len(src)-pos {
		return pos, errShort
	}
	c.room(n)
	c.n += copy(c.buf[c.n:], src[pos:pos+n])
	return pos + n, nil
}

// number copies a varint, as it is written.
func number(o *op, c *column, src []byte, pos int) (int, error) {
	v, n, err := varint(src, pos)
	if err != nil {
		return pos, err
	}
	switch {
	case o.code == opLong:
	case v != int64(int32(v)) || n > 5:
		return pos, errInt
	case o.code == opEnum && uint64(v) >= uint64(o.n):
		return pos, fmt.Errorf("symbol %d of an enum of %d", v, o.n)
	}
	return plain(c, src, pos, n)
}

// text copies a string or bytes, its length in front.
func text(c *column, src []byte, pos int) (int, error) {
	v, n, err := varint(src, pos)
	switch {
	case err != nil:
		return pos, err
	case v < 0 || v > maxLength-10:
		return pos, fmt.Errorf("string or bytes of length %d", v)
	}
	return plain(c, src, pos, n+int(v))
}

// truth packs a boolean.
func truth(c *column, src []byte, pos int) (int, error) {
	switch {
	case pos >= len(src):
		return pos, errShort
	case src[pos] > 1:
		return pos, errBoolean
	}
	c.boolean(src[pos])
	return pos + 1, nil
}

// union records which branch a value is of.
func (m *Mapper) union(o *op, src []byte, pos int, pc uint32) (int, uint32, error) {
	v, n, err := varint(src, pos)
	if err != nil {
		return pos, pc, m.wrong(o, err)
	}
	if o.code == opOption {
		return m.option(o, v, pos+n, pc)
	}
	table := m.p.tables[o.n]
	if uint64(v) >= uint64(len(table)) {
		return pos, pc, m.wrong(o, fmt.Errorf("branch %d of a union of %d", v, len(table)))
	}
	for i, b := range table {
		if b.column < 0 {
			continue
		}
		present := 0
		if int64(i) == v {
			present = 1
		}
		m.cols[b.column].length(present)
	}
	return pos + n, table[v].jump, nil
}

// option is union for one of null and another.
func (m *Mapper) option(o *op, v int64, pos int, pc uint32) (int, uint32, error) {
	c := &m.cols[o.column]
	switch v {
	case int64(o.value >> 1):
		c.length(1)
		return pos, pc + 1, nil
	case int64(o.null >> 1):
		c.length(0)
		return pos, o.jump, nil
	}
	return pos, pc, m.wrong(o, fmt.Errorf("branch %d of a union of 2", v))
}

// badArrayBlock is the format of the error of an array's block with a negative size.
const badArrayBlock = "array block of %d bytes"

// count reads the count of an array's or map's block; a negative one has the block's
// bytes after it, which are not needed. 0 ends the array.
func count(src []byte, pos, total int) (n, end int, err error) {
	v, k, err := varint(src, pos)
	if err != nil {
		return 0, pos, err
	}
	pos += k
	if v < 0 {
		size, k, err := varint(src, pos)
		switch {
		case err != nil:
			return 0, pos, err
		case size < 0:
			return 0, pos, fmt.Errorf(badArrayBlock, size)
		}
		v, pos = -v, pos+k
	}
	if v < 0 || v > int64(maxLength-total) {
		return 0, pos, fmt.Errorf("array of more than %d elements, which Trevni's lengths cannot say", maxLength)
	}
	return int(v), pos, nil
}

// array begins an array or map.
func (m *Mapper) array(o *op, src []byte, pos int, pc uint32) (int, uint32, error) {
	n, pos, err := count(src, pos, 0)
	if err != nil {
		return pos, pc, m.wrong(o, err)
	}
	c := &m.cols[o.column]
	c.length(n)
	if n == 0 {
		return pos, o.jump, nil
	}
	m.loops[o.n] = loop{left: n, total: n, start: c.n}
	return pos, pc + 1, nil
}

// more ends an element: the next is of the same block, or another block's, or there
// is none.
func (m *Mapper) more(o *op, src []byte, pos int, pc uint32) (int, uint32, error) {
	l, c := &m.loops[o.n], &m.cols[o.column]
	n, pos, err := count(src, pos, l.total)
	switch {
	case err != nil:
		return pos, pc, m.wrong(o, err)
	case n == 0:
		return pos, pc + 1, nil
	}
	values := c.n - l.start
	if err := m.widen(c, growRoom+values, 0); err != nil {
		return pos, pc, m.wrong(o, err)
	}
	c.grow(l.total, n, l.start)
	l.left, l.total, l.start = n, l.total+n, c.n-values
	return pos, o.jump, nil
}

// nulls reads an array whose elements take no bytes: all that there is to it is its
// length, however large.
func (m *Mapper) nulls(c *column, src []byte, pos int) (int, error) {
	total := 0
	for {
		n, end, err := count(src, pos, total)
		if err != nil {
			return pos, err
		}
		pos = end
		if n == 0 {
			c.length(total)
			return pos, nil
		}
		total += n
	}
}

// nothing counts values that take no bytes of input but some of output: they are
// bounded, or a file of a few bytes would fill a disk.
func (m *Mapper) nothing(n int) error {
	m.empty += int64(n)
	if m.empty > m.o.MaxEmpty {
		return fmt.Errorf("more than %d values of no bytes in one block", m.o.MaxEmpty)
	}
	return nil
}
