package where

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"avro2trevni/internal/schema"
	"avro2trevni/trevni/block"
)

// ErrRow is the error of bytes that are no row of the schema.
var ErrRow = errors.New("bytes are no row of the schema")

// Match reports whether all clauses hold for the row at the start of src, and returns what
// follows the row.
func (f *Filter) Match(src []byte) (rest []byte, ok bool, err error) {
	clear(f.held)
	m := matcher{f: f, src: src}
	m.value(f.root.s, f.root)
	for _, held := range f.held {
		if !held {
			return m.src, false, m.err
		}
	}
	return m.src, true, m.err
}

// matcher walks one row.
type matcher struct {
	f   *Filter
	src []byte
	err error
}

// value passes over a value, and tests it if there is a node for it.
func (m *matcher) value(s *schema.Schema, n *node) {
	switch s.Kind {
	case schema.Null:
	case schema.Boolean:
		v := int64(0)
		if m.take(1)[0] != 0 {
			v = 1
		}
		m.long(n, v)
		return
	case schema.Int, schema.Long, schema.Enum:
		m.long(n, m.number())
		return
	case schema.Float:
		m.float(n, float64(math.Float32frombits(binary.LittleEndian.Uint32(m.take(4)))))
		return
	case schema.Double:
		m.float(n, math.Float64frombits(binary.LittleEndian.Uint64(m.take(8))))
		return
	case schema.String, schema.Bytes:
		m.text(n, m.take(m.number()))
		return
	case schema.Fixed:
		m.text(n, m.take(s.Size))
		return
	case schema.Record:
		for i, f := range s.Fields {
			m.value(f.Type, n.child(i))
		}
	case schema.Union:
		m.union(s, n)
	default:
		m.list(s, n)
	}
	m.reached(n)
}

// child returns the node of a field, a branch, or of the items, nil if there is none.
func (n *node) child(i int) *node {
	if n == nil {
		return nil
	}
	return n.inner[i]
}

func (m *matcher) union(s *schema.Schema, n *node) {
	i := m.number()
	if i < 0 || i >= int64(len(s.Branches)) {
		m.fail()
		return
	}
	m.value(s.Branches[i], n.child(int(i)))
}

func (m *matcher) list(s *schema.Schema, n *node) {
	items := n.child(0)
	for {
		count := m.number()
		if count < 0 {
			m.number() // bytes
			count = -count
		}
		if count <= 0 || m.err != nil {
			return
		}
		for before := -1; count > 0 && m.err == nil && len(m.src) != before; count-- {
			before = len(m.src) // of values of no bytes, one is as good as all
			if s.Kind == schema.Map {
				m.take(m.number())
			}
			m.value(s.Items, items)
		}
	}
}

// reached holds the clauses for which any value will do.
func (m *matcher) reached(n *node) {
	if n == nil || m.err != nil {
		return
	}
	for i := range n.tests {
		if n.tests[i].any {
			m.f.held[n.tests[i].clause] = true
		}
	}
}

func (m *matcher) long(n *node, v int64) {
	if n == nil || m.err != nil {
		return
	}
	for i := range n.tests {
		if t := &n.tests[i]; t.any || t.long(v) {
			m.f.held[t.clause] = true
		}
	}
}

func (m *matcher) float(n *node, v float64) {
	if n == nil || m.err != nil {
		return
	}
	for i := range n.tests {
		if t := &n.tests[i]; t.any || t.float(v) {
			m.f.held[t.clause] = true
		}
	}
}

func (m *matcher) text(n *node, v []byte) {
	if n == nil || m.err != nil {
		return
	}
	for i := range n.tests {
		if t := &n.tests[i]; t.any || t.text(v) {
			m.f.held[t.clause] = true
		}
	}
}

// number takes a varint.
func (m *matcher) number() int64 {
	v, n := block.ReadLong(m.src)
	if n <= 0 {
		m.fail()
		return 0
	}
	m.src = m.src[n:]
	return v
}

// take takes n bytes; if there are not as many, it returns eight zeros.
func (m *matcher) take(n int64) []byte {
	if n < 0 || n > int64(len(m.src)) {
		m.fail()
		return make([]byte, 8)
	}
	b := m.src[:n]
	m.src = m.src[n:]
	return b
}

func (m *matcher) fail() {
	if m.err == nil {
		m.err = fmt.Errorf("%w: %d bytes are left", ErrRow, len(m.src))
	}
	m.src = nil
}
