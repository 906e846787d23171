package mapper_test

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"

	"avro2trevni/internal/schema"
	"avro2trevni/trevni"
)

// model is the slow, plain way to shred: it keeps each column as rows of lengths and
// values, and writes any range of rows as a block.
type model struct {
	columns []*modelColumn
	byName  map[string]*modelColumn
}

// modelColumn holds what a column has, and where each row begins in it.
type modelColumn struct {
	array   bool
	bits    bool // boolean
	null    bool // values are of no bytes, and not kept
	lengths []int
	values  [][]byte
	rows    [][2]int // offsets into lengths and values
}

func newModel(p *program) *model {
	m := &model{byName: map[string]*modelColumn{}}
	for _, c := range p.columns {
		mc := &modelColumn{array: c.Array, bits: c.Type == trevni.Boolean, null: c.Type == trevni.Null}
		m.columns = append(m.columns, mc)
		if m.byName[c.Name] != nil {
			panic("two columns named " + c.Name)
		}
		m.byName[c.Name] = mc
	}
	return m
}

func (m *model) row() {
	for _, c := range m.columns {
		c.rows = append(c.rows, [2]int{len(c.lengths), len(c.values)})
	}
}

// block is rows [from, to) of column i as a Trevni block.
func (m *model) block(i int, from, to int64) []byte {
	c := m.columns[i]
	rows := append(append([][2]int(nil), c.rows...), [2]int{len(c.lengths), len(c.values)})
	begin, end := rows[from], rows[to]
	lengths, values := c.lengths[begin[0]:end[0]], c.values[begin[1]:end[1]]
	if !c.array {
		if c.bits {
			return pack(values)
		}
		return join(values)
	}
	var out []byte
	for len(lengths) > 0 {
		n := 1
		for lengths[0] < 2 && n < len(lengths) && lengths[n] == lengths[0] {
			n++
		}
		code := int64(lengths[0])
		if n > 1 {
			code = 3 - 2*int64(n) - code
		}
		out = binary.AppendVarint(out, code)
		for _, l := range lengths[:n] {
			if c.null {
				l = 0
			}
			v := values[:l]
			values = values[l:]
			if c.bits {
				out = append(out, pack(v)...)
			} else {
				out = append(out, join(v)...)
			}
		}
		lengths = lengths[n:]
	}
	return out
}

func join(values [][]byte) (out []byte) {
	for _, v := range values {
		out = append(out, v...)
	}
	return out
}

func pack(values [][]byte) []byte {
	out := make([]byte, (len(values)+7)/8)
	for i, v := range values {
		out[i/8] |= v[0] << (i % 8)
	}
	return out
}

// maker makes random data of a schema, as Avro writes it, and tells the model.
type maker struct {
	r    *rand.Rand
	m    *model
	long int // how long a string may be
}

// value appends a value of s to dst. path names its column; lengths are the array
// column that the value itself goes into, nil if it goes into its own.
func (k *maker) value(dst []byte, s *schema.Schema, path string, into *modelColumn) []byte {
	if !s.Kind.Simple() {
		return k.compound(dst, s, path)
	}
	if into == nil {
		if path == "" {
			path = s.TypeName()
		}
		into = k.m.byName[path]
	}
	avro, trv := k.simple(s)
	if s.Kind != schema.Null {
		into.values = append(into.values, trv)
	}
	return append(dst, avro...)
}

func (k *maker) simple(s *schema.Schema) (avro, trv []byte) {
	bytes := func(n int) []byte {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(k.r.Uint32())
		}
		return b
	}
	number := func(bits int) []byte { return binary.AppendVarint(nil, int64(k.r.Uint64())>>(64-bits)) }
	switch s.Kind {
	case schema.Null:
		return nil, nil
	case schema.Boolean:
		avro = []byte{byte(k.r.IntN(2))}
	case schema.Int:
		avro = number(1 + k.r.IntN(32))
	case schema.Long:
		avro = number(1 + k.r.IntN(64))
	case schema.Float:
		avro = bytes(4)
	case schema.Double:
		avro = bytes(8)
	case schema.Enum:
		avro = binary.AppendVarint(nil, int64(k.r.IntN(len(s.Symbols))))
	case schema.Fixed:
		avro = bytes(int(s.Size))
		return avro, append(binary.AppendVarint(nil, s.Size), avro...)
	default:
		n := k.r.IntN(1 + k.r.IntN(k.long))
		avro = append(binary.AppendVarint(nil, int64(n)), bytes(n)...)
	}
	return avro, avro
}

func (k *maker) compound(dst []byte, s *schema.Schema, path string) []byte {
	under := func(sep, name string) string {
		if path == "" {
			return name
		}
		return path + sep + name
	}
	switch s.Kind {
	case schema.Record:
		for _, f := range s.Fields {
			dst = k.value(dst, f.Type, under("#", f.Name), nil)
		}
		return dst
	case schema.Union:
		n := k.r.IntN(len(s.Branches))
		dst = binary.AppendVarint(dst, int64(n))
		for i, b := range s.Branches {
			name := under("/", b.TypeName())
			if c := k.m.byName[name]; b.Kind != schema.Null {
				c.lengths = append(c.lengths, 0)
				if i == n {
					c.lengths[len(c.lengths)-1] = 1
					dst = k.value(dst, b, name, c)
				}
			}
		}
		return dst
	case schema.Array:
		return k.array(dst, path+"[]", func(dst []byte, c *modelColumn) []byte {
			return k.value(dst, s.Items, path+"[]", c)
		})
	default:
		return k.array(dst, path+">", func(dst []byte, _ *modelColumn) []byte {
			dst = k.value(dst, &schema.Schema{Kind: schema.String}, path+">key", nil)
			return k.value(dst, s.Items, path+">value", nil)
		})
	}
}

// array appends an array in one or several blocks, some with their size in bytes.
func (k *maker) array(dst []byte, path string, element func([]byte, *modelColumn) []byte) []byte {
	c := k.m.byName[path]
	at := len(c.lengths)
	c.lengths = append(c.lengths, 0)
	for range k.r.IntN(3) {
		n := 1 + k.r.IntN(1+k.r.IntN(12))
		c.lengths[at] += n
		var elements []byte
		for range n {
			elements = element(elements, c)
		}
		if k.r.IntN(2) == 0 {
			dst = binary.AppendVarint(dst, int64(n))
		} else {
			dst = binary.AppendVarint(dst, -int64(n))
			dst = binary.AppendVarint(dst, int64(len(elements)))
		}
		dst = append(dst, elements...)
	}
	return append(dst, 0)
}

// randomSchema makes a schema of at most the given depth.
func randomSchema(r *rand.Rand, depth int, names *int) *schema.Schema {
	name := func() string { *names++; return fmt.Sprintf("n.T%d", *names) }
	kind := schema.Kind(r.IntN(int(schema.Fixed) + 1))
	if depth == 0 && !kind.Simple() {
		kind = schema.Long
	}
	s := &schema.Schema{Kind: kind}
	switch kind {
	case schema.Record:
		s.Name = name()
		for i := range r.IntN(5) {
			s.Fields = append(s.Fields, schema.Field{Name: fmt.Sprintf("f%d", i), Type: randomSchema(r, depth-1, names)})
		}
	case schema.Array, schema.Map:
		s.Items = randomSchema(r, depth-1, names)
	case schema.Union:
		seen := map[string]bool{}
		for range 1 + r.IntN(4) {
			b := randomSchema(r, depth-1, names)
			if b.Kind != schema.Union && !seen[b.TypeName()] {
				seen[b.TypeName()] = true
				s.Branches = append(s.Branches, b)
			}
		}
		if s.Branches == nil {
			s.Branches = []*schema.Schema{{Kind: schema.Null}}
		}
	case schema.Enum:
		s.Name, s.Symbols = name(), make([]string, 1+r.IntN(200))
	case schema.Fixed:
		s.Name, s.Size = name(), int64(r.IntN(40))
	}
	return s
}
