package schema

import "fmt"

// Kind is the type of a [Schema].
type Kind uint8

// The kinds, those without a name of their own first.
const (
	Null Kind = iota
	Boolean
	Int
	Long
	Float
	Double
	String
	Bytes
	Array
	Map
	Union
	Record
	Enum
	Fixed
)

var kindNames = [...]string{
	Null: "null", Boolean: "boolean", Int: "int", Long: "long", Float: "float", Double: "double",
	String: "string", Bytes: "bytes", Array: "array", Map: "map", Union: "union",
	Record: "record", Enum: "enum", Fixed: "fixed",
}

// String returns the kind's name in Avro's JSON.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return fmt.Sprintf("kind(%d)", uint8(k))
}

// Primitive reports whether k is null, boolean, a number, string or bytes.
func (k Kind) Primitive() bool { return k <= Bytes }

// Simple reports whether types of kind k are made of no others: neither record, array, map
// nor union.
func (k Kind) Simple() bool { return k.Primitive() || k == Enum || k == Fixed }

// Named reports whether types of kind k have a name: records, enums and fixed.
func (k Kind) Named() bool { return k >= Record && k <= Fixed }

// Schema is one type. It is made by [Parse], never changed after, and safe for any
// number of goroutines. Which of the fields are set follows from Kind.
type Schema struct {
	Kind     Kind
	Name     string    // full name of a record, enum or fixed
	Logical  Logical   // logical type, zero if none that the specification knows
	Fields   []Field   // record: fields in order
	Items    *Schema   // array: its elements; map: its values
	Branches []*Schema // union: branches in order
	Symbols  []string  // enum: symbols in order
	Size     int64     // fixed: bytes, 0 or more; nothing bounds it
}

// Field is a field of a record.
type Field struct {
	Name string
	Type *Schema

	Descending bool // whether its "order" is that
}

// Logical is a logical type of the Avro specification on a type it is defined for. One that
// is unknown, or annotates another type, or lacks a required property, is a property and
// not a logical type, as the specification rules.
type Logical struct {
	Name      string // "decimal", "date", ..., or empty
	Precision int    // decimal: digits
	Scale     int    // decimal: digits after the point
}

// String returns the logical type as text, empty if there is none.
func (l Logical) String() string {
	if l.Name == "decimal" {
		return fmt.Sprintf("decimal(%d,%d)", l.Precision, l.Scale)
	}
	return l.Name
}

// TypeName returns what names the type among a union's branches: the full name of
// a named type, else the kind.
func (s *Schema) TypeName() string {
	if s.Kind.Named() {
		return s.Name
	}
	return s.Kind.String()
}

// String describes the type in a few words, not its parts.
func (s *Schema) String() string {
	switch {
	case s.Kind.Named() && s.Name == "":
		return s.Kind.String() + ` ""`
	case s.Kind.Named():
		return s.Kind.String() + " " + s.Name
	case s.Logical.Name != "":
		return s.Kind.String() + " (" + s.Logical.String() + ")"
	}
	return s.Kind.String()
}

// children calls f for each type that s is made of, with the step that leads to it
// in a path, until f returns false.
func (s *Schema) children(f func(step string, c *Schema) bool) {
	switch s.Kind {
	case Record:
		for _, field := range s.Fields {
			if !f("."+field.Name, field.Type) {
				return
			}
		}
	case Array:
		f("[]", s.Items)
	case Map:
		f("{}", s.Items)
	case Union:
		for _, b := range s.Branches {
			if !f("/"+b.TypeName(), b) {
				return
			}
		}
	}
}
