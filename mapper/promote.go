package mapper

import (
	"encoding/binary"
	"fmt"
	"math"

	"avro2trevni/internal/schema"
	"avro2trevni/trevni/block"
)

// convert makes a writer's instruction one that gives the rows' type: of another
// kind, or with other symbols.
func (c *compiler) convert(o *op, w, r *schema.Schema) error {
	if c.same {
		return nil
	}
	switch {
	case w.Kind == schema.Enum:
		return c.symbols(o, w, r)
	case w.Kind == schema.Float && r.Kind == schema.Double:
		c.wider(o, opDouble, 0)
	case w.Kind == r.Kind:
	case r.Kind == schema.Float:
		c.wider(o, opToFloat, w.Kind)
	case r.Kind == schema.Double:
		c.wider(o, opToDouble, w.Kind)
	}
	return nil // an int is written as a long is, a string as bytes are
}

// wider makes an instruction one that makes a wider number of one of a kind.
func (c *compiler) wider(o *op, code opcode, from schema.Kind) {
	*o = op{code: code, column: o.column, value: byte(from), jump: uint32(c.deep)}
	c.p.widens = true
}

// symbols compiles an enum: indexes are copied, unless the rows' differ.
func (c *compiler) symbols(o *op, w, r *schema.Schema) error {
	to, err := c.resolver.Symbols(w, r)
	if err != nil {
		return err
	}
	for i, k := range to {
		if i != k {
			*o = op{code: opSymbol, column: o.column, n: uint32(len(c.p.symbols))}
			c.p.symbols = append(c.p.symbols, to)
			return nil
		}
	}
	return nil
}

// promote copies a number as another kind.
func (m *Mapper) promote(o *op, c *column, src []byte, pos int) (int, error) {
	if c.n > len(c.buf)-8 {
		if err := m.widen(c, 8, m.ahead(o, 8, len(src)-pos)); err != nil {
			return pos, err
		}
	}
	if o.code == opDouble {
		if len(src)-pos < 4 {
			return pos, errShort
		}
		c.eight(float64(math.Float32frombits(binary.LittleEndian.Uint32(src[pos:]))))
		return pos + 4, nil
	}
	v, n, err := number64(src, pos)
	switch {
	case err != nil:
		return pos, err
	case o.value == byte(schema.Int) && (v != int64(int32(v)) || n > 5):
		return pos, errInt
	case o.code == opToDouble:
		c.eight(float64(v))
	default:
		c.four(float32(v))
	}
	return pos + n, nil
}

// number64 is varint, but takes up to 8 bytes at once.
func number64(src []byte, pos int) (v int64, n int, err error) {
	if pos > len(src)-8 {
		return varint(src, pos)
	}
	u, n := block.GatherLong(binary.LittleEndian.Uint64(src[pos:]))
	if n == 0 {
		return varint(src, pos)
	}
	return int64(u>>1) ^ -int64(u&1), n, nil
}

// eight appends a double, for which there is room.
func (c *column) eight(v float64) {
	binary.LittleEndian.PutUint64(c.buf[c.n:], math.Float64bits(v))
	c.n += 8
}

// four appends a float, for which there is room.
func (c *column) four(v float32) {
	binary.LittleEndian.PutUint32(c.buf[c.n:], math.Float32bits(v))
	c.n += 4
}

// symbol copies an enum's index as another.
func (m *Mapper) symbol(o *op, c *column, src []byte, pos int) (int, error) {
	v, n, err := m.newIndex(o, src, pos)
	if err != nil {
		return pos, err
	}
	c.long(int64(v))
	return pos + n, nil
}

// newIndex reads an enum's index, and returns the one that it becomes and the bytes that it
// takes.
func (m *Mapper) newIndex(o *op, src []byte, pos int) (index, n int, err error) {
	table := m.p.symbols[o.n]
	v, n, err := varint(src, pos)
	switch {
	case err != nil:
		return 0, 0, err
	case uint64(v) >= uint64(len(table)):
		return 0, 0, fmt.Errorf("symbol %d of an enum of %d", v, len(table))
	case table[v] < 0:
		return 0, 0, fmt.Errorf("%w: symbol %d of the enum, and there is no default", ErrUnresolved, v)
	}
	return table[v], n, nil
}
