package rowtext

import (
	"errors"
	"fmt"
	"math"

	"avro2trevni/internal/schema"
	"avro2trevni/trevni/block"
)

// ErrShort says that a row continues after the available bytes.
var ErrShort = errors.New("trevni: row continues after the available bytes")

// Canonical rewrites rows of Avro's binary encoding as its writers have them by default:
// numbers and decimals as short as can be, arrays and maps in one block without a size, true as 1.
// Two rows are equal in meaning exactly if they are the same bytes then.
type Canonical struct {
	src   []byte
	at    int
	dst   []byte
	empty map[*schema.Schema]bool // types whose values take no bytes
	err   error
}

// Row appends the row at the start of src to dst, and returns the bytes that it took.
// If it does not end in src the error is [ErrShort].
func (c *Canonical) Row(dst, src []byte, s *schema.Schema) (out []byte, n int, err error) {
	c.src, c.at, c.dst, c.err = src, 0, dst, nil
	c.value(s)
	return c.dst, c.at, c.err
}

func (c *Canonical) value(s *schema.Schema) {
	switch s.Kind {
	case schema.Null:
	case schema.Boolean:
		if b := c.take(1); len(b) == 1 && b[0] != 0 {
			c.dst = append(c.dst, 1)
		} else {
			c.dst = append(c.dst, 0)
		}
	case schema.Int, schema.Long, schema.Enum:
		c.number(c.long())
	case schema.Float:
		c.dst = append(c.dst, c.take(4)...)
	case schema.Double:
		c.dst = append(c.dst, c.take(8)...)
	case schema.String, schema.Bytes:
		if s.Logical.Name == "decimal" {
			c.decimal()
			return
		}
		c.bytes()
	case schema.Fixed:
		c.dst = append(c.dst, c.take(s.Size)...)
	case schema.Record:
		for _, f := range s.Fields {
			c.value(f.Type)
		}
	case schema.Union:
		c.union(s)
	default:
		c.list(s)
	}
}

// decimal rewrites a number in as few bytes as it takes: Avro does not say in how many it is.
func (c *Canonical) decimal() {
	n := c.long()
	if n < 0 {
		c.fail(fmt.Errorf("length %d", n))
		return
	}
	b := c.take(n)
	for len(b) > 1 && (b[0] == 0 && b[1] < 0x80 || b[0] == 0xff && b[1] >= 0x80) {
		b = b[1:]
	}
	if len(b) == 0 {
		b = []byte{0}
	}
	c.number(int64(len(b)))
	c.dst = append(c.dst, b...)
}

func (c *Canonical) union(s *schema.Schema) {
	i := c.long()
	if c.err != nil || i < 0 || i >= int64(len(s.Branches)) {
		c.fail(fmt.Errorf("branch %d of a union of %d", i, len(s.Branches)))
		return
	}
	c.number(i)
	c.value(s.Branches[i])
}

// list rewrites an array or map. Its count goes in front when all of it is known.
func (c *Canonical) list(s *schema.Schema) {
	start, total := len(c.dst), int64(0)
	hollow := s.Kind == schema.Array && c.hollow(s.Items)
	for n := c.count(); n > 0 && c.err == nil; n = c.count() {
		if total += n; total < 0 {
			c.fail(errors.New("an array of more than 2^63 elements"))
			return
		}
		for ; n > 0 && c.err == nil && !hollow; n-- {
			if s.Kind == schema.Map {
				c.bytes()
			}
			c.value(s.Items)
		}
	}
	if total > 0 {
		var count [block.MaxLongLen]byte
		head := block.AppendLong(count[:0], total)
		c.dst = append(c.dst, head...)
		copy(c.dst[start+len(head):], c.dst[start:len(c.dst)-len(head)])
		copy(c.dst[start:], head)
	}
	c.number(0)
}

// count returns the elements of the next block of an array or map, 0 at its end.
func (c *Canonical) count() int64 {
	n := c.long()
	if n >= 0 {
		return n
	}
	c.long() // bytes
	if n == math.MinInt64 {
		c.fail(errors.New("a count of -2^63"))
		return 0
	}
	return -n
}

// hollow reports whether values of s take no bytes: there may be 2^62 of them.
func (c *Canonical) hollow(s *schema.Schema) bool {
	known, ok := c.empty[s]
	if ok {
		return known
	}
	switch s.Kind {
	case schema.Null:
		known = true
	case schema.Fixed:
		known = s.Size == 0
	case schema.Record:
		known = true
		for _, f := range s.Fields {
			known = known && c.hollow(f.Type)
		}
	}
	if c.empty == nil {
		c.empty = map[*schema.Schema]bool{}
	}
	c.empty[s] = known
	return known
}

func (c *Canonical) number(v int64) { c.dst = block.AppendLong(c.dst, v) }

func (c *Canonical) bytes() {
	n := c.long()
	b := c.take(n)
	if c.err == nil {
		c.number(n)
		c.dst = append(c.dst, b...)
	}
}

func (c *Canonical) long() int64 {
	v, n := block.ReadLong(c.src[c.at:])
	switch {
	case c.err != nil:
		return 0
	case n < 0:
		c.fail(errors.New("a number of more than 64 bits"))
		return 0
	case n == 0:
		c.err = ErrShort
		return 0
	}
	c.at += n
	return v
}

// take takes n bytes, none after an error.
func (c *Canonical) take(n int64) []byte {
	switch {
	case c.err != nil:
		return nil
	case n < 0:
		c.fail(fmt.Errorf("a length of %d", n))
		return nil
	case n > int64(len(c.src)-c.at):
		c.err = ErrShort
		return nil
	}
	b := c.src[c.at : c.at+int(n)]
	c.at += int(n)
	return b
}

func (c *Canonical) fail(err error) {
	if c.err == nil {
		c.err = fmt.Errorf("%w: %w", ErrRow, err)
	}
}
