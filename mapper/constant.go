package mapper

import (
	"encoding/binary"
	"slices"

	"avro2trevni/internal/schema"
)

// put is a part of a value that does not come from the rows: what it adds to one
// column.
type put struct {
	column uint32
	code   putCode
	n      int    // putLength: the length; putBoolean: 0 or 1; putLevel: the definition level
	rep    int    // putLevel: the repetition level, or inherited
	data   []byte // putBytes: values, encoded
}

type putCode uint8

const (
	putLength putCode = iota
	putBoolean
	putBytes
	putLevel
)

// fill is what a column that has nothing from a writer's rows gets for each of them.
// It is appended for many rows at a time.
type fill struct {
	column uint32
	puts   []put
}

// size is the bytes that puts add, at most.
func size(puts []put) int {
	n := 0
	for _, p := range puts {
		n += len(p.data)
		if p.code == putLevel {
			n += 2
			continue
		}
		if p.code != putBytes && p.n > 0 {
			n += binary.MaxVarintLen64
		}
	}
	return n
}

// absent compiles the defaults of the fields of n's record that the writer's lacks.
func (c *compiler) absent(n *Node, to []int, once bool) error {
	for k, f := range n.Schema.Fields {
		if n.Inner[k] == nil || slices.Contains(to, k) {
			continue
		}
		if m := c.resolver.Missing(n.Schema, k); m != nil {
			return m
		}
		b, err := c.defaults.Of(n.Schema, k)
		if err != nil {
			return err
		}
		c.constant(c.puts(b, f.Type, n.Inner[k]), once)
	}
	return nil
}

// puts returns what a value in Avro's encoding adds to columns.
func (c *compiler) puts(b []byte, s *schema.Schema, n *Node) []put {
	if c.levels {
		var l leveller
		l.value(b, s, n, inherited)
		return l.puts
	}
	var l shredder
	l.value(b, s, n)
	return l.puts
}

// constant compiles what each row has, if once is true, or each value here.
func (c *compiler) constant(puts []put, once bool) {
	if len(puts) == 0 {
		return
	}
	if !once {
		c.p.widens = true
		c.emit(op{code: opConst, n: uint32(len(c.p.consts)), column: puts[0].column, jump: uint32(c.deep)})
		c.p.consts = append(c.p.consts, puts)
		return
	}
	c.p.fillSize += size(puts)
	at := map[uint32]int{} // columns do not meet: each may have its own list
	for _, p := range puts {
		i, ok := at[p.column]
		if !ok {
			i = len(c.p.fills)
			at[p.column] = i
			c.p.fills = append(c.p.fills, fill{column: p.column})
		}
		c.p.fills[i].puts = append(c.p.fills[i].puts, p)
	}
}

// total adds up what defaults add to each column.
func (p *Program) total() {
	if len(p.fills)+len(p.consts) == 0 {
		return
	}
	p.added = make([]int, len(p.columns))
	add := func(puts []put) {
		for i := range puts {
			p.added[puts[i].column] += size(puts[i : i+1])
		}
	}
	for i := range p.fills {
		add(p.fills[i].puts)
	}
	for _, puts := range p.consts {
		add(puts)
	}
}

// LargestDefault returns the largest number of bytes that defaults alone add to a column of
// one row. One element of an array is counted.
func (p *Program) LargestDefault() int64 {
	if p.added == nil {
		return 0
	}
	return int64(slices.Max(p.added))
}

// guard compiles a count of the elements that begin at first, which take no bytes: a
// few bytes of input would ask for any number of them.
func (c *compiler) guard(first uint32) {
	if slices.ContainsFunc(c.p.ops[first:], func(o op) bool { return o.code != opEmpty }) {
		c.emit(op{code: opGuard})
	}
}

// shredder makes puts of a value in Avro's encoding, which is known to be one.
type shredder struct{ puts []put }

// value takes a value of s off the front of b; n being nil it leaves it out.
func (d *shredder) value(b []byte, s *schema.Schema, n *Node) []byte {
	switch s.Kind {
	case schema.Record:
		for i, f := range s.Fields {
			b = d.value(b, f.Type, n.Child(i))
		}
		return b
	case schema.Array, schema.Map:
		return d.list(b, s, n)
	case schema.Union:
		return d.union(b, s, n)
	case schema.Null:
		return b
	case schema.Boolean:
		d.add(n, put{code: putBoolean, n: int(b[0])})
		return b[1:]
	}
	size, data := extent(b, s)
	d.add(n, put{code: putBytes, data: data})
	return b[size:]
}

// add adds a put to n's column.
func (d *shredder) add(n *Node, p put) {
	if n == nil {
		return
	}
	p.column = uint32(n.Column)
	if last := len(d.puts) - 1; last >= 0 && p.code == putBytes && d.puts[last].code == putBytes && d.puts[last].column == p.column {
		d.puts[last].data = append(d.puts[last].data, p.data...)
		return
	}
	d.puts = append(d.puts, p)
}

// extent returns the bytes that a simple value takes at the front of b, and the value
// as Trevni has it.
func extent(b []byte, s *schema.Schema) (size int, data []byte) {
	v, n := binary.Varint(b)
	switch s.Kind {
	case schema.Float:
		n = 4
	case schema.Double:
		n = 8
	case schema.String, schema.Bytes:
		n += int(v)
	case schema.Fixed:
		n = int(s.Size)
		return n, append(binary.AppendVarint(nil, s.Size), b[:n]...)
	}
	return n, slices.Clone(b[:n])
}

// list takes an array or map, which the encoder writes in one block without its size.
func (d *shredder) list(b []byte, s *schema.Schema, n *Node) []byte {
	v, k := binary.Varint(b)
	b = b[k:]
	d.add(n, put{code: putLength, n: int(v)})
	if v == 0 {
		return b
	}
	for range v {
		if s.Kind == schema.Map {
			size, key := extent(b, &schema.Schema{Kind: schema.String})
			if n != nil {
				d.add(&Node{Column: n.Key}, put{code: putBytes, data: key})
			}
			b = b[size:]
		}
		b = d.value(b, s.Items, n.Child(0))
	}
	return b[1:] // the block of none
}

func (d *shredder) union(b []byte, s *schema.Schema, n *Node) []byte {
	v, k := binary.Varint(b)
	if n != nil {
		for i, branch := range n.Inner {
			if branch == nil {
				continue
			}
			present := 0
			if int64(i) == v {
				present = 1
			}
			d.puts = append(d.puts, put{column: uint32(branch.Lengths), code: putLength, n: present})
		}
	}
	return d.value(b[k:], s.Branches[v], n.Child(int(v)))
}

// put adds a put to its column.
func (m *Mapper) put(p *put) {
	c := &m.cols[p.column]
	switch p.code {
	case putLength:
		c.length(p.n)
	case putBoolean:
		c.boolean(byte(p.n))
	case putBytes:
		c.room(len(p.data))
		c.n += copy(c.buf[c.n:], p.data)
	case putLevel:
		rep := m.rep
		if p.rep != inherited {
			rep = byte(p.rep)
		}
		c.level(rep, byte(p.n))
	}
}

// constant executes opConst.
func (m *Mapper) constant(o *op, rest int) error {
	puts := m.p.consts[o.n]
	for i := range puts {
		n := len(puts[i].data)
		if err := m.widen(&m.cols[puts[i].column], n, m.ahead(o, n, rest)); err != nil {
			return err
		}
		m.put(&puts[i])
		m.made += n
	}
	return nil
}

// fill appends what rows that were walked have in the columns that get nothing from
// them.
func (m *Mapper) fill(rows int64) {
	m.rep = 0
	for i := range m.p.fills {
		f := &m.p.fills[i]
		c := &m.cols[f.column]
		if p := &f.puts[0]; len(f.puts) > 1 || p.code == putBoolean || p.code == putLevel || p.n > 0 {
			for range rows {
				for k := range f.puts {
					m.put(&f.puts[k])
				}
			}
		} else if p.code == putLength {
			c.absent(rows)
		} else {
			c.repeat(p.data, int(rows))
		}
	}
}

// absent records rows lengths of zero.
func (c *column) absent(rows int64) {
	c.bits = 0
	c.room(16)
	b := c.lengths.AddZeros(c.buf[:c.n], int(rows))
	c.n = len(b)
	c.buf = b[:cap(b)]
}

// repeat appends a value n times.
func (c *column) repeat(value []byte, times int) {
	c.room(len(value) * times)
	to := c.buf[c.n : c.n+len(value)*times]
	for n := copy(to, value); n < len(to); {
		n += copy(to[n:], to[:n])
	}
	c.n += len(to)
}
