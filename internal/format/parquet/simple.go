package parquet

import (
	"fmt"
	"math/big"

	"avro2trevni/internal/schema"
	"avro2trevni/parquet"
)

// Values is how the values of a simple type stand in Avro's bytes, and what becomes of them.
// The column's type says the rest.
type Values uint8

// What a walk finds, and what it stores.
const (
	NoValues      Values = iota // not of a simple type
	Nulls                       // nothing: an entry without a value
	Booleans                    // a byte, 0 or 1: BOOLEAN
	Ints                        // a varint: INT32
	Longs                       // a varint: INT64
	Fours                       // 4 bytes, as they are: FLOAT
	Eights                      // 8 bytes, as they are: DOUBLE
	Texts                       // a length, and as many bytes, which must be UTF-8: BYTE_ARRAY
	Octets                      // a length, and as many bytes: BYTE_ARRAY
	Fixeds                      // as many bytes as the column's Length: FIXED_LEN_BYTE_ARRAY
	Empties                     // nothing: a value of no bytes, BYTE_ARRAY
	Symbols                     // a varint, the number of one of the column's Symbols: BYTE_ARRAY
	DecimalOctets               // a length, and as many bytes, big-endian: see [Decimal]
	DecimalFixeds               // as many bytes as the Avro type's Size, big-endian: see [Decimal]
)

// maxPortable is the most digits of a decimal that readers in wide use can hold.
const maxPortable = 38

// primitives are the columns of types without parameters.
var primitives = map[schema.Kind]struct {
	values Values
	t      parquet.Type
}{
	schema.Boolean: {Booleans, parquet.Boolean},
	schema.Int:     {Ints, parquet.Int32},
	schema.Long:    {Longs, parquet.Int64},
	schema.Float:   {Fours, parquet.Float},
	schema.Double:  {Eights, parquet.Double},
	schema.Bytes:   {Octets, parquet.ByteArray},
}

// simple maps a type whose values are each one value of one leaf.
func (m *mapping) simple(s *schema.Schema, pl place) (*Node, *parquet.Node, error) {
	switch {
	case s.Kind == schema.Null && !pl.kept:
		return nil, nil, nil
	case s.Kind == schema.Null:
		return m.nulls(s, pl)
	case s.Kind == schema.String:
		return m.text(s, pl)
	case s.Kind == schema.Enum:
		n, column, err := m.leaf(s, pl, Symbols, parquet.Required, parquet.ByteArray, parquet.Logical{Kind: parquet.StringType})
		column.Symbols = s.Symbols
		return n, column, err
	case s.Logical.Name == "decimal" && (m.o.Logical == All || s.Logical.Precision <= maxPortable):
		return m.decimal(s, pl)
	case s.Logical.Name == "decimal":
		m.notes = append(m.notes, fmt.Sprintf("%q is a %s of more than %d digits, for which few readers have numbers: it is written as %s", pl, s.Logical, maxPortable, s.Kind))
	}
	if s.Kind == schema.Fixed {
		return m.fixed(s, pl)
	}
	p := primitives[s.Kind]
	return m.leaf(s, pl, p.values, parquet.Required, p.t, m.logical(s))
}

// text makes the column of strings, or of a map's keys.
func (m *mapping) text(s *schema.Schema, pl place) (*Node, *parquet.Node, error) {
	if m.o.Binary {
		return m.leaf(s, pl, Octets, parquet.Required, parquet.ByteArray, parquet.Logical{})
	}
	return m.leaf(s, pl, Texts, parquet.Required, parquet.ByteArray, parquet.Logical{Kind: parquet.StringType})
}

func (m *mapping) fixed(s *schema.Schema, pl place) (*Node, *parquet.Node, error) {
	if s.Size == 0 {
		return m.leaf(s, pl, Empties, parquet.Required, parquet.ByteArray, parquet.Logical{})
	}
	if s.Size > maxFixed {
		return nil, nil, fmt.Errorf("parquet: %q: a fixed of %d bytes is larger than a page can be", pl, s.Size)
	}
	n, column, err := m.leaf(s, pl, Fixeds, parquet.Required, parquet.FixedLenByteArray, m.logical(s))
	column.Length = int(s.Size)
	return n, column, err
}

// logical returns the logical type of numbers and fixeds, but decimals.
func (m *mapping) logical(s *schema.Schema) parquet.Logical {
	all := m.o.Logical == All
	utc := true
	name := s.Logical.Name
	switch name {
	case "date":
		return parquet.Logical{Kind: parquet.DateType}
	case "local-timestamp-millis", "local-timestamp-micros", "local-timestamp-nanos":
		name, utc = name[len("local-"):], false
	}
	switch {
	case name == "timestamp-millis":
		return parquet.Logical{Kind: parquet.TimestampType, Unit: parquet.Millis, UTC: utc}
	case name == "timestamp-micros":
		return parquet.Logical{Kind: parquet.TimestampType, Unit: parquet.Micros, UTC: utc}
	case name == "timestamp-nanos" && all:
		return parquet.Logical{Kind: parquet.TimestampType, Unit: parquet.Nanos, UTC: utc}
	case name == "time-millis" && all:
		return parquet.Logical{Kind: parquet.TimeType, Unit: parquet.Millis}
	case name == "time-micros" && all:
		return parquet.Logical{Kind: parquet.TimeType, Unit: parquet.Micros}
	case name == "uuid" && all:
		return parquet.Logical{Kind: parquet.UUIDType}
	case name == "duration" && all:
		return parquet.Logical{Kind: parquet.IntervalType}
	}
	return parquet.Logical{}
}

// decimal makes the narrowest column of a decimal's digits.
func (m *mapping) decimal(s *schema.Schema, pl place) (*Node, *parquet.Node, error) {
	l := parquet.Logical{Kind: parquet.DecimalType, Precision: s.Logical.Precision, Scale: s.Logical.Scale}
	v := DecimalOctets
	if s.Kind == schema.Fixed {
		v = DecimalFixeds
	}
	switch {
	case l.Precision <= 9:
		return m.leaf(s, pl, v, parquet.Required, parquet.Int32, l)
	case l.Precision <= 18:
		return m.leaf(s, pl, v, parquet.Required, parquet.Int64, l)
	case l.Precision > maxDigits:
		return nil, nil, fmt.Errorf("parquet: %q: a %s is of more than %d digits", pl, s.Logical, maxDigits)
	}
	n, column, err := m.leaf(s, pl, v, parquet.Required, parquet.FixedLenByteArray, l)
	column.Length = tenTo(l.Precision).BitLen()/8 + 1
	return n, column, err
}

// maxDigits is the most digits of a decimal. Nothing in the format bounds them; a schema could
// ask for numbers that take minutes to make.
const maxDigits = 10_000

// tenTo returns 10 to the power of n, one more than the largest number of n digits.
func tenTo(n int) *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil) }
