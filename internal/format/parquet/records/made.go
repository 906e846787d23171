package records

import (
	"bytes"
	"encoding/json"
	"fmt"

	"avro2trevni/parquet"
	"avro2trevni/parquet/reader"
)

// made returns the text of the Avro schema of columns: see the package's page.
func made(root *reader.Node) string {
	m := maker{names: map[string]int{}, fixed: map[string]int{}}
	text, _ := json.Marshal(m.record(root)) // of strings, numbers, lists and objects
	return string(text)
}

// maker gives names: each record, and each size of a fixed, has its own.
type maker struct {
	names map[string]int
	fixed map[string]int // sizes of fixed that have a name
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

// record makes a group's type. A name that was given before gets a namespace, as parquet-avro
// has it.
func (m *maker) record(n *reader.Node) any {
	o := append(object{{"type", "record"}}, m.name(n.Name)...)
	fields := []any{}
	for _, f := range n.Fields {
		field := object{{"name", f.Name}, {"type", m.field(f)}}
		if f.Repetition == parquet.Optional {
			field = append(field, object{{"default", nil}}...)
		}
		fields = append(fields, field)
	}
	return append(o, object{{"fields", fields}}...)
}

// name gives a name to a type.
func (m *maker) name(name string) object {
	m.names[name]++
	if k := m.names[name]; k > 1 {
		return object{{"name", name}, {"namespace", fmt.Sprint(name, k)}}
	}
	return object{{"name", name}}
}

// field makes the type of a field, an element or a map's value.
func (m *maker) field(n *reader.Node) any {
	switch {
	case n.Repetition == parquet.Repeated:
		return object{{"type", "array"}, {"items", m.value(n)}}
	case n.Repetition == parquet.Required:
		return m.value(n)
	case n.Fields == nil && n.Logical.Kind == reader.NullType:
		return "null"
	}
	return []any{"null", m.value(n)}
}

// value makes the type of what is there.
func (m *maker) value(n *reader.Node) any {
	if n.Fields == nil {
		return m.simple(n)
	}
	if r, element := listed(n); r != nil {
		if r == element {
			return object{{"type", "array"}, {"items", m.value(r)}}
		}
		return object{{"type", "array"}, {"items", m.field(element)}}
	}
	switch r := entries(n); {
	case r != nil && keyed(r) && len(r.Fields) == 1:
		return object{{"type", "map"}, {"values", "null"}}
	case r != nil && keyed(r):
		return object{{"type", "map"}, {"values", m.field(r.Fields[1])}}
	}
	return m.record(n)
}

// simple makes the type of a column.
func (m *maker) simple(n *reader.Node) any {
	l := n.Logical
	switch n.Type {
	case parquet.Boolean:
		return "boolean"
	case parquet.Float:
		return "float"
	case parquet.Double:
		return "double"
	case parquet.Int32, parquet.Int64:
		return number(n)
	case reader.Int96:
		return m.fix("INT96", 12, nil)
	case parquet.ByteArray:
		switch l.Kind {
		case reader.StringType, reader.EnumType, reader.JSONType:
			return "string"
		case reader.DecimalType:
			return digits(l)
		}
		return "bytes"
	}
	switch {
	case l.Kind == reader.UUIDType && n.Length == 16:
		return object{{"type", "string"}, {"logicalType", "uuid"}}
	case l.Kind == reader.Float16Type && n.Length == 2:
		return "float"
	case l.Kind == reader.IntervalType && n.Length == 12:
		return m.fix(n.Name, 12, object{{"logicalType", "duration"}})
	case l.Kind == reader.DecimalType:
		return m.fix(n.Name, n.Length, digits(l)[1:])
	}
	return m.fix(n.Name, n.Length, nil)
}

// number makes the type of an integer.
func number(n *reader.Node) any {
	kind := map[parquet.Type]string{parquet.Int32: "int", parquet.Int64: "long"}[n.Type]
	switch l := n.Logical; l.Kind {
	case reader.DateType:
		if n.Type == parquet.Int32 {
			return object{{"type", kind}, {"logicalType", "date"}}
		}
	case reader.TimeType, reader.TimestampType:
		name := timed(l)
		if millis := name == "time-millis"; name != "" && millis == (n.Type == parquet.Int32) {
			return object{{"type", kind}, {"logicalType", name}}
		}
	case reader.DecimalType:
		return digits(l)
	case reader.IntType:
		switch {
		case l.Signed || l.Bits < 32:
		case n.Type == parquet.Int32:
			return "long"
		default:
			return digits(reader.Logical{Precision: 20})
		}
	}
	return kind
}

// digits is a decimal on bytes.
func digits(l reader.Logical) object {
	return object{{"type", "bytes"}, {"logicalType", "decimal"}, {"precision", l.Precision}, {"scale", l.Scale}}
}

// fix makes a fixed, or refers to one of that name and size.
func (m *maker) fix(name string, size int, more object) any {
	if name == "INT96" && m.fixed[name] > 0 {
		return name
	}
	m.fixed[name]++
	o := append(object{{"type", "fixed"}}, m.name(name)...)
	return append(append(o, object{{"size", size}}...), more...)
}
