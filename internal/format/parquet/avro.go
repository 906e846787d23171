package parquet

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"avro2trevni/internal/schema"
	"avro2trevni/parquet"
)

// AvroKey is the key of a file's metadata with the Avro schema by which parquet-avro reads it.
const AvroKey = "parquet.avro.schema"

// Avro returns the Avro schema, as JSON, by which parquet-avro reads a file of the layout, for
// [AvroKey]. It is that of the rows but for what parquet-avro would not find, or not take, in
// the columns:
//
//	not a record at the top                  a record with a field "value"
//	null, as a field                         left out
//	null, elsewhere                          ["null", "boolean"]
//	record of no fields                      has a field "_" of ["null", "boolean"]
//	union of T                               T
//	decimal in INT32, INT64                  int, long, which are the decimal's digits
//	decimal in FIXED_LEN_BYTE_ARRAY          a fixed has the column's size
//	fixed of no bytes                        bytes
//	union of two types that become one       record of fields member0, member1, ..., as the group is
//	record, enum or fixed without a name     has one
//
// Doc strings, aliases, defaults and properties are not in it.
func (l *Layout) Avro() string {
	w := avroWriter{named: map[*schema.Schema]bool{}, taken: map[string]bool{}}
	w.take(l.Top)
	var v any
	if l.Top.Avro.Kind == schema.Record {
		v = w.value(l.Top, l.Schema.Root)
	} else {
		value := l.Schema.Root.Fields[0]
		v = object{{"type", "record"}, {"name", w.free(schema.TopName)}, {"fields", []any{
			object{{"name", value.Name}, {"type", w.value(l.Top, value)}},
		}}}
	}
	text, _ := json.Marshal(v) // of strings, numbers, lists and objects
	return string(text)
}

// object is a JSON object whose keys keep their order.
type object []struct {
	key string
	v   any
}

// MarshalJSON implements [json.Marshaler].
func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	for i, m := range o {
		b.WriteByte("{,"[min(i, 1)])
		key, _ := json.Marshal(m.key)
		v, err := json.Marshal(m.v)
		if err != nil {
			return nil, err
		}
		b.Write(key)
		b.WriteByte(':')
		b.Write(v)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// noValue is the type of what is always null.
var noValue = []any{"null", "boolean"}

type avroWriter struct {
	named map[*schema.Schema]bool // types that are defined
	taken map[string]bool         // names of types, and those that this writer gave
}

// take takes the names of n's types.
func (w *avroWriter) take(n *Node) {
	w.taken[n.Avro.Name] = true
	for _, inner := range n.Inner {
		if inner != nil {
			w.take(inner)
		}
	}
}

// value writes the type of what a column or group has.
func (w *avroWriter) value(n *Node, c *parquet.Node) any {
	switch n.Avro.Kind {
	case schema.Null:
		return noValue
	case schema.Union:
		return w.union(n, c)
	case schema.Array:
		return object{{"type", "array"}, {"items", w.value(n.Inner[0], c.Fields[0].Fields[0])}}
	case schema.Map:
		return object{{"type", "map"}, {"values", w.value(n.Inner[0], c.Fields[0].Fields[1])}}
	case schema.Record:
		if w.named[n.Avro] {
			return n.Avro.Name
		}
		return w.record(n, c)
	}
	return w.simple(n, c)
}

func (w *avroWriter) record(n *Node, c *parquet.Node) any {
	o := w.define("record", n.Avro)
	fields := []any{}
	for _, inner := range n.Inner {
		if inner != nil {
			column := c.Fields[len(fields)]
			fields = append(fields, object{{"name", column.Name}, {"type", w.value(inner, column)}})
		}
	}
	if n.Values == Nulls {
		fields = append(fields, object{{"name", "_"}, {"type", noValue}})
	}
	return append(o, object{{"fields", fields}}...)
}

// union writes a union, null where it stood.
func (w *avroWriter) union(n *Node, c *parquet.Node) any {
	var branches []any
	null, types, several := false, 0, count(n) > 1
	for _, inner := range n.Inner {
		switch {
		case inner == nil && !null:
			null = true
			branches = append(branches, "null")
		case inner == nil:
		case several:
			branches = append(branches, w.value(inner, c.Fields[types]))
			types++
		default:
			branches = append(branches, w.value(inner, c))
		}
	}
	if len(branches) == 1 && null {
		return noValue
	} else if len(branches) == 1 {
		return branches[0]
	}
	if !alike(branches) {
		return branches
	}
	record := object{{"type", "record"}, {"name", w.free("union")}, {"fields", members(branches)}}
	if null {
		return []any{"null", record}
	}
	return record
}

// count returns how many of a node's parts have leaves.
func count(n *Node) (parts int) {
	for _, inner := range n.Inner {
		if inner != nil {
			parts++
		}
	}
	return parts
}

// alike reports whether two branches cannot stand in one union.
func alike(branches []any) bool {
	seen := map[string]bool{}
	for _, b := range branches {
		name, _ := b.(string)
		if o, ok := b.(object); ok {
			name = o[0].v.(string) // its type
			if o[1].key == "name" {
				name = "a " + o[2].v.(string) + "." + o[1].v.(string)
			}
		}
		if seen[name] {
			return true
		}
		seen[name] = true
	}
	return false
}

// members writes the fields of a union's group.
func members(branches []any) []any {
	fields := []any{}
	for _, b := range branches {
		if b != "null" {
			fields = append(fields, object{{"name", fmt.Sprintf("member%d", len(fields))}, {"type", []any{"null", b}}})
		}
	}
	return fields
}

// simple writes a type whose values are single values of a column.
func (w *avroWriter) simple(n *Node, c *parquet.Node) any {
	s := n.Avro
	integer := map[parquet.Type]string{parquet.Int32: "int", parquet.Int64: "long"}[c.Type]
	switch {
	case n.Values == Empties, s.Kind == schema.String && n.Values == Octets:
		return "bytes"
	case c.Logical.Kind == parquet.DecimalType && integer != "":
		return append(object{{"type", integer}}, logicalType(s.Logical)...)
	case s.Kind == schema.Fixed || s.Kind == schema.Enum:
		if w.named[s] {
			return s.Name
		}
		o := w.define(s.Kind.String(), s)
		if s.Kind == schema.Enum {
			return append(o, object{{"symbols", s.Symbols}}...)
		}
		return append(append(o, object{{"size", c.Length}}...), logicalType(s.Logical)...)
	case s.Logical.Name != "":
		return append(object{{"type", s.Kind.String()}}, logicalType(s.Logical)...)
	}
	return s.Kind.String()
}

func logicalType(l schema.Logical) object {
	switch l.Name {
	case "":
		return nil
	case "decimal":
		return object{{"logicalType", l.Name}, {"precision", l.Precision}, {"scale", l.Scale}}
	}
	return object{{"logicalType", l.Name}}
}

// define begins the definition of a named type. One without a name gets one at each place.
func (w *avroWriter) define(kind string, s *schema.Schema) object {
	space, name := "", s.Name
	if i := strings.LastIndexByte(name, '.'); i >= 0 {
		space, name = name[:i], name[i+1:]
	}
	if name == "" {
		name = w.free(schema.TopName)
	} else {
		w.named[s] = true
	}
	return object{{"type", kind}, {"name", name}, {"namespace", space}}
}

// free returns a name that was not given yet.
func (w *avroWriter) free(name string) string {
	for n := 0; ; n++ {
		numbered := name
		if n > 0 {
			numbered = fmt.Sprint(name, n)
		}
		if !w.taken[numbered] {
			w.taken[numbered] = true
			return numbered
		}
	}
}
