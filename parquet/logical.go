package parquet

import (
	"fmt"

	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// A LogicalKind is the meaning of the values of a column, or of the fields of a group.
type LogicalKind uint8

// The kinds, and what may have them.
const (
	NoLogical     LogicalKind = iota
	StringType                // BYTE_ARRAY, UTF-8
	EnumType                  // BYTE_ARRAY, UTF-8
	JSONType                  // BYTE_ARRAY, UTF-8
	UUIDType                  // FIXED_LEN_BYTE_ARRAY of 16
	DecimalType               // INT32, INT64, BYTE_ARRAY and FIXED_LEN_BYTE_ARRAY, big-endian, two's complement
	DateType                  // INT32, days since 1970-01-01
	TimeType                  // INT32 in milliseconds, else INT64, since midnight
	TimestampType             // INT64, since 1970-01-01T00:00
	IntervalType              // FIXED_LEN_BYTE_ARRAY of 12: months, days, milliseconds
	NullType                  // any: all values are null (UNKNOWN)
	ListType                  // a group
	MapType                   // a group
)

// A Unit is what times and timestamps count.
type Unit uint8

// The units.
const (
	Millis Unit = iota
	Micros
	Nanos
)

func (u Unit) String() string {
	return [...]string{"MILLIS", "MICROS", "NANOS"}[u]
}

// A Logical is a node's logical type. The zero Logical is none.
type Logical struct {
	Kind      LogicalKind
	Precision int  // of a decimal: digits, at least 1
	Scale     int  // of a decimal: digits after the point, at most Precision
	Unit      Unit // of a time or timestamp
	UTC       bool // of a time or timestamp: it is in UTC, an instant, not the clock on some wall
}

// String returns the type as parquet-java prints it in schemas, "TIMESTAMP(MILLIS,true)";
// for none it is empty.
func (l Logical) String() string {
	switch l.Kind {
	case StringType:
		return "STRING"
	case EnumType:
		return "ENUM"
	case JSONType:
		return "JSON"
	case UUIDType:
		return "UUID"
	case DecimalType:
		return fmt.Sprintf("DECIMAL(%d,%d)", l.Precision, l.Scale)
	case DateType:
		return "DATE"
	case TimeType:
		return fmt.Sprintf("TIME(%s,%t)", l.Unit, l.UTC)
	case TimestampType:
		return fmt.Sprintf("TIMESTAMP(%s,%t)", l.Unit, l.UTC)
	case IntervalType:
		return "INTERVAL"
	case NullType:
		return "UNKNOWN"
	case ListType:
		return "LIST"
	case MapType:
		return "MAP"
	}
	return ""
}

// check returns an error where a leaf cannot have the logical type.
func (l Logical) check(n *Node) error {
	fits := true
	switch l.Kind {
	case NoLogical, NullType:
	case StringType, EnumType, JSONType:
		fits = n.Type == ByteArray
	case UUIDType:
		fits = n.Type == FixedLenByteArray && n.Length == 16
	case IntervalType:
		fits = n.Type == FixedLenByteArray && n.Length == 12
	case DecimalType:
		return l.checkDecimal(n)
	case DateType:
		fits = n.Type == Int32
	case TimeType:
		fits = l.Unit <= Nanos && (n.Type == Int32 && l.Unit == Millis || n.Type == Int64 && l.Unit != Millis)
	case TimestampType:
		fits = n.Type == Int64 && l.Unit <= Nanos
	default:
		fits = false
	}
	if !fits {
		return fmt.Errorf("%s cannot be %s", n.physical(), l)
	}
	return nil
}

func (l Logical) checkDecimal(n *Node) error {
	digits := 1<<31 - 1
	switch n.Type {
	case Int32:
		digits = 9
	case Int64:
		digits = 18
	case FixedLenByteArray:
		digits = int(float64(8*n.Length-1) * 0.301029995663981195) // log10 of 2
	case ByteArray:
	default:
		return fmt.Errorf("%s cannot be %s", n.physical(), l)
	}
	if l.Precision < 1 || l.Precision > digits || l.Scale < 0 || l.Scale > l.Precision {
		return fmt.Errorf("%s cannot be %s", n.physical(), l)
	}
	return nil
}

// timeUnit returns the unit as the footer has it.
func (l Logical) timeUnit() format.TimeUnit {
	switch l.Unit {
	case Millis:
		return format.TimeUnit{Value: &format.MilliSeconds{}}
	case Micros:
		return format.TimeUnit{Value: &format.MicroSeconds{}}
	}
	return format.TimeUnit{Value: &format.NanoSeconds{}}
}

// annotate sets the element's logical type and, for old readers, its converted type where
// there is one.
func (l Logical) annotate(e *format.SchemaElement) {
	converted := func(t deprecated.ConvertedType) { e.ConvertedType = thrift.New(t) }
	switch l.Kind {
	case StringType:
		e.LogicalType.Value = &format.StringType{}
		converted(deprecated.UTF8)
	case EnumType:
		e.LogicalType.Value = &format.EnumType{}
		converted(deprecated.Enum)
	case JSONType:
		e.LogicalType.Value = &format.JsonType{}
		converted(deprecated.Json)
	case UUIDType:
		e.LogicalType.Value = &format.UUIDType{}
	case DecimalType:
		e.LogicalType.Value = &format.DecimalType{Scale: int32(l.Scale), Precision: int32(l.Precision)}
		e.Scale, e.Precision = thrift.New(int32(l.Scale)), thrift.New(int32(l.Precision))
		converted(deprecated.Decimal)
	case DateType:
		e.LogicalType.Value = &format.DateType{}
		converted(deprecated.Date)
	case IntervalType:
		converted(deprecated.Interval)
	case NullType:
		e.LogicalType.Value = &format.NullType{}
	case ListType:
		e.LogicalType.Value = &format.ListType{}
		converted(deprecated.List)
	case MapType:
		e.LogicalType.Value = &format.MapType{}
		converted(deprecated.Map)
	case TimeType, TimestampType:
		l.annotateTime(e)
	}
}

// annotateTime is annotate for times. Those that are not in UTC have the same converted types,
// though these mean UTC, as LogicalTypes.md demands.
func (l Logical) annotateTime(e *format.SchemaElement) {
	times := [...]deprecated.ConvertedType{deprecated.TimeMillis, deprecated.TimeMicros}
	if l.Kind == TimeType {
		e.LogicalType.Value = &format.TimeType{IsAdjustedToUTC: l.UTC, Unit: l.timeUnit()}
	} else {
		e.LogicalType.Value = &format.TimestampType{IsAdjustedToUTC: l.UTC, Unit: l.timeUnit()}
		times = [...]deprecated.ConvertedType{deprecated.TimestampMillis, deprecated.TimestampMicros}
	}
	if l.Unit != Nanos {
		e.ConvertedType = thrift.New(times[l.Unit])
	}
}
