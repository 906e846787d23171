package reader

import (
	"fmt"

	"avro2trevni/parquet"
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"
)

// A LogicalKind is the meaning of the values of a column, or of the fields of a group.
type LogicalKind uint8

// The kinds (LogicalTypes.md). A reader can take any that it does not know as NoLogical: the
// physical type says all about the bytes.
const (
	NoLogical LogicalKind = iota
	StringType
	EnumType
	JSONType
	BSONType
	UUIDType
	IntType     // Bits, Signed
	DecimalType // Precision, Scale
	Float16Type
	DateType
	TimeType      // Unit, UTC
	TimestampType // Unit, UTC
	IntervalType
	NullType
	ListType
	MapType
	KeyValueType // the repeated group of a map, in old files; in some the map itself
	VariantType
	GeometryType
	GeographyType
)

var kindNames = [...]string{"", "STRING", "ENUM", "JSON", "BSON", "UUID", "INT", "DECIMAL", "FLOAT16", "DATE", "TIME",
	"TIMESTAMP", "INTERVAL", "UNKNOWN", "LIST", "MAP", "MAP_KEY_VALUE", "VARIANT", "GEOMETRY", "GEOGRAPHY"}

// A Logical is a node's logical type, taken from its logical type or else its converted type.
// The zero Logical is none.
type Logical struct {
	Kind      LogicalKind
	Precision int          // of a decimal: digits
	Scale     int          // of a decimal: digits after the point
	Unit      parquet.Unit // of a time or timestamp
	UTC       bool         // of a time or timestamp: it is an instant, not the clock on some wall
	Bits      int          // of an integer: 8, 16, 32, 64
	Signed    bool         // of an integer
}

// String returns the type as parquet-java prints it in schemas, "TIMESTAMP(MILLIS,true)"; for
// none it is empty.
func (l Logical) String() string {
	switch l.Kind {
	case IntType:
		return fmt.Sprintf("INTEGER(%d,%t)", l.Bits, l.Signed)
	case DecimalType:
		return fmt.Sprintf("DECIMAL(%d,%d)", l.Precision, l.Scale)
	case TimeType, TimestampType:
		return fmt.Sprintf("%s(%s,%t)", kindNames[l.Kind], l.Unit, l.UTC)
	}
	return kindNames[l.Kind]
}

// logicalOf returns an element's logical type. Units and widths that are not known make it
// none.
func logicalOf(e *format.SchemaElement) Logical {
	switch t := e.LogicalType.Value.(type) {
	case *format.StringType:
		return Logical{Kind: StringType}
	case *format.EnumType:
		return Logical{Kind: EnumType}
	case *format.JsonType:
		return Logical{Kind: JSONType}
	case *format.BsonType:
		return Logical{Kind: BSONType}
	case *format.UUIDType:
		return Logical{Kind: UUIDType}
	case *format.IntType:
		return integer(int(t.BitWidth), t.IsSigned)
	case *format.DecimalType:
		return Logical{Kind: DecimalType, Precision: int(t.Precision), Scale: int(t.Scale)}
	case *format.Float16Type:
		return Logical{Kind: Float16Type}
	case *format.DateType:
		return Logical{Kind: DateType}
	case *format.TimeType:
		return timed(TimeType, t.Unit, t.IsAdjustedToUTC)
	case *format.TimestampType:
		return timed(TimestampType, t.Unit, t.IsAdjustedToUTC)
	case *format.NullType:
		return Logical{Kind: NullType}
	case *format.ListType:
		return Logical{Kind: ListType}
	case *format.MapType:
		return Logical{Kind: MapType}
	case *format.VariantType:
		return Logical{Kind: VariantType}
	case *format.GeometryType:
		return Logical{Kind: GeometryType}
	case *format.GeographyType:
		return Logical{Kind: GeographyType}
	}
	if e.ConvertedType.Valid {
		return converted(e)
	}
	return Logical{}
}

func integer(bits int, signed bool) Logical {
	switch bits {
	case 8, 16, 32, 64:
		return Logical{Kind: IntType, Bits: bits, Signed: signed}
	}
	return Logical{}
}

func timed(k LogicalKind, u format.TimeUnit, utc bool) Logical {
	l := Logical{Kind: k, UTC: utc}
	switch u.Value.(type) {
	case *format.MilliSeconds:
		l.Unit = parquet.Millis
	case *format.MicroSeconds:
		l.Unit = parquet.Micros
	case *format.NanoSeconds:
		l.Unit = parquet.Nanos
	default:
		return Logical{}
	}
	return l
}

// converted returns the meaning of an old file's converted type.
func converted(e *format.SchemaElement) Logical {
	switch t := e.ConvertedType.V; t {
	case deprecated.UTF8:
		return Logical{Kind: StringType}
	case deprecated.Enum:
		return Logical{Kind: EnumType}
	case deprecated.Json:
		return Logical{Kind: JSONType}
	case deprecated.Bson:
		return Logical{Kind: BSONType}
	case deprecated.Decimal:
		return Logical{Kind: DecimalType, Precision: int(e.Precision.V), Scale: int(e.Scale.V)}
	case deprecated.Date:
		return Logical{Kind: DateType}
	case deprecated.TimeMillis:
		return Logical{Kind: TimeType, Unit: parquet.Millis, UTC: true}
	case deprecated.TimeMicros:
		return Logical{Kind: TimeType, Unit: parquet.Micros, UTC: true}
	case deprecated.TimestampMillis:
		return Logical{Kind: TimestampType, Unit: parquet.Millis, UTC: true}
	case deprecated.TimestampMicros:
		return Logical{Kind: TimestampType, Unit: parquet.Micros, UTC: true}
	case deprecated.Interval:
		return Logical{Kind: IntervalType}
	case deprecated.List:
		return Logical{Kind: ListType}
	case deprecated.Map:
		return Logical{Kind: MapType}
	case deprecated.MapKeyValue:
		return Logical{Kind: KeyValueType}
	case deprecated.Uint8, deprecated.Uint16, deprecated.Uint32, deprecated.Uint64:
		return integer(8<<(t-deprecated.Uint8), false)
	case deprecated.Int8, deprecated.Int16, deprecated.Int32, deprecated.Int64:
		return integer(8<<(t-deprecated.Int8), true)
	}
	return Logical{}
}
