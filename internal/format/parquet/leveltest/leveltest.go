// Package leveltest puts rows into Parquet's columns in the slow, plain way, for tests: what
// the mapper's walk does by constants of the schema is done here value by value, as the Dremel
// paper has it.
//
//	row in Avro's bytes --> Go values --> values of the Parquet schema's groups --> entries of leaves
//
// It takes from the mapping under test the Parquet schema alone, and no level. Rows must be
// sound: others make it panic.
package leveltest

import (
	"fmt"
	"math/big"
	"strconv"

	"avro2trevni/internal/schema"
	"avro2trevni/parquet"
)

// Entry is an entry of a leaf.
type Entry struct {
	Value    any // nil if there is none; else bool, int32, int64, float32, float64, or a string of bytes
	Rep, Def int
}

// String returns the entry as the Dremel paper has it.
func (e Entry) String() string {
	switch v := e.Value.(type) {
	case nil:
		return fmt.Sprintf("NULL r:%d d:%d", e.Rep, e.Def)
	case string:
		return fmt.Sprintf("%s r:%d d:%d", strconv.Quote(v), e.Rep, e.Def)
	}
	return fmt.Sprintf("%v r:%d d:%d", e.Value, e.Rep, e.Def)
}

// Shred returns the entries of each leaf of s that a row makes. rows is what s was mapped from,
// row a row of its schema's, whole.
func Shred(s *parquet.Schema, rows *schema.Selection, row []byte) [][]Entry {
	top := rows.Text().Schema
	v, rest := decode(top, row)
	if len(rest) > 0 {
		panic("leveltest: bytes after the row")
	}
	f := former{keeps: rows.Keeps}
	var message any
	if top.Kind == schema.Record {
		message = f.form(top, s.Root, v)
	} else {
		message = []any{f.form(top, s.Root.Fields[0], v)}
	}
	sh := shredder{leaves: make([][]Entry, len(s.Leaves))}
	sh.inside(s.Root, message, 0, 0, 0)
	return sh.leaves
}

// former gives decoded values the form of a Parquet schema: nil, a leaf's value, or []any, the
// fields of a group or the elements of what is repeated.
type former struct {
	keeps func(*schema.Schema, int) bool
}

func (f former) form(s *schema.Schema, n *parquet.Node, v any) any {
	switch s.Kind {
	case schema.Record:
		return f.record(s, n, v.([]any))
	case schema.Union:
		return f.union(s, n, v.(branch))
	case schema.Array:
		list := []any{}
		for _, item := range v.([]any) {
			list = append(list, []any{f.form(s.Items, n.Fields[0].Fields[0], item)})
		}
		return []any{list}
	case schema.Map:
		list := []any{}
		for _, p := range v.([]pair) {
			list = append(list, []any{p.key, f.form(s.Items, n.Fields[0].Fields[1], p.v)})
		}
		return []any{list}
	case schema.Enum:
		return s.Symbols[v.(symbol)]
	}
	if text, ok := v.(string); ok && n.Logical.Kind == parquet.DecimalType {
		return decimal(n, text)
	}
	return v
}

// record finds the fields by name: what the mapping left out is not looked for.
func (f former) record(s *schema.Schema, n *parquet.Node, v []any) any {
	fields := map[string]int{}
	for i := range s.Fields {
		fields[s.Fields[i].Name] = i
	}
	group := make([]any, len(n.Fields))
	for k, to := range n.Fields {
		if i, ok := fields[to.Name]; ok && f.keeps(s, i) {
			group[k] = f.form(s.Fields[i].Type, to, v[i])
		}
	}
	return group
}

func (f former) union(s *schema.Schema, n *parquet.Node, v branch) any {
	var some []int
	for i, b := range s.Branches {
		if b.Kind != schema.Null && f.keeps(s, i) {
			some = append(some, i)
		}
	}
	if len(some) == 1 && some[0] == v.i {
		return f.form(s.Branches[v.i], n, v.v)
	}
	for k, i := range some {
		if i == v.i {
			group := make([]any, len(some))
			group[k] = f.form(s.Branches[i], n.Fields[k], v.v)
			return group
		}
	}
	return nil
}

// decimal returns a decimal as its column has it: a number, or big-endian bytes.
func decimal(n *parquet.Node, text string) any {
	v := new(big.Int).SetBytes([]byte(text))
	if text != "" && text[0] >= 0x80 {
		v.Sub(v, new(big.Int).Lsh(big.NewInt(1), uint(8*len(text))))
	}
	switch n.Type {
	case parquet.Int32:
		return int32(v.Int64())
	case parquet.Int64:
		return v.Int64()
	}
	if v.Sign() < 0 {
		v.Add(v, new(big.Int).Lsh(big.NewInt(1), uint(8*n.Length)))
	}
	return string(v.FillBytes(make([]byte, n.Length)))
}

// shredder holds the entries of all leaves, and the leaf that comes next.
type shredder struct {
	leaves [][]Entry
	next   int
}

// node puts the value of a field into the leaves below it. rep and def are the levels so far,
// depth counts what is repeated on the way.
func (s *shredder) node(n *parquet.Node, v any, rep, def, depth int) {
	switch n.Repetition {
	case parquet.Required:
		s.inside(n, v, rep, def, depth)
	case parquet.Optional:
		if v == nil {
			s.nothing(n, rep, def)
			return
		}
		s.inside(n, v, rep, def+1, depth)
	case parquet.Repeated:
		elements := v.([]any)
		if len(elements) == 0 {
			s.nothing(n, rep, def)
			return
		}
		first := s.next
		for _, e := range elements {
			s.next = first
			s.inside(n, e, rep, def+1, depth+1)
			rep = depth + 1
		}
	}
}

// inside puts a value that is there into the leaves of n.
func (s *shredder) inside(n *parquet.Node, v any, rep, def, depth int) {
	if n.Fields == nil {
		s.add(Entry{v, rep, def})
		return
	}
	for i, f := range n.Fields {
		s.node(f, v.([]any)[i], rep, def, depth)
	}
}

// nothing puts an entry without a value into the leaves of n.
func (s *shredder) nothing(n *parquet.Node, rep, def int) {
	if n.Fields == nil {
		s.add(Entry{nil, rep, def})
		return
	}
	for _, f := range n.Fields {
		s.nothing(f, rep, def)
	}
}

func (s *shredder) add(e Entry) {
	s.leaves[s.next] = append(s.leaves[s.next], e)
	s.next++
}
