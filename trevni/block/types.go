package block

import "fmt"

// Type is the type of a column's values (section Type Names).
type Type uint8

// The ten types. The zero value is Null.
const (
	Null    Type = iota // no bytes
	Boolean             // a bit, least significant first; see the package comment for array columns
	Int                 // zigzag varint of a 32-bit number
	Long                // zigzag varint of a 64-bit number
	Fixed32             // 4 bytes, little-endian
	Fixed64             // 8 bytes, little-endian
	Float               // 4 bytes, IEEE 754, little-endian
	Double              // 8 bytes, IEEE 754, little-endian
	String              // a varint length and that many bytes of UTF-8
	Bytes               // a varint length and that many bytes
	types
)

var typeNames = [types]string{
	"null", "boolean", "int", "long", "fixed32", "fixed64", "float", "double", "string", "bytes",
}

// String returns the type's name on the wire.
func (t Type) String() string {
	if t < types {
		return typeNames[t]
	}
	return fmt.Sprintf("Type(%d)", uint8(t))
}

// ParseType returns the type of a wire name; an unknown one is an error.
func ParseType(name string) (Type, error) {
	for t, n := range typeNames {
		if n == name {
			return Type(t), nil
		}
	}
	return 0, fmt.Errorf("unknown type %q", name)
}

// Width returns the bytes that every value of t takes, and whether there is such a
// number: there is none for booleans, which take a bit, nor for types of variable
// length.
func (t Type) Width() (int, bool) {
	switch t {
	case Null:
		return 0, true
	case Fixed32, Float:
		return 4, true
	case Fixed64, Double:
		return 8, true
	}
	return 0, false
}
