package records

import (
	"avro2trevni/internal/assembly"
	"avro2trevni/internal/schema"
	"avro2trevni/parquet"
	"avro2trevni/parquet/reader"
)

// simple matches a value of a column.
func simple(s *schema.Schema, n *reader.Node) (*assembly.Node, error) {
	a := node(assembly.Simple, n)
	v, ok := conversion(s, n)
	if n.Fields != nil || !ok {
		what := "group"
		if n.Fields == nil {
			what = n.Type.String()
			if l := n.Logical.String(); l != "" {
				what += " " + l
			}
		}
		return nil, mismatchf(n, "%s in the file, and %s in the schema", what, s)
	}
	a.Value, a.Symbols = v, s.Symbols
	if s.Kind == schema.Fixed {
		a.Size = int(s.Size)
	}
	return a, nil
}

// conversion returns how values of a column become those of a simple type, if they mean the same.
func conversion(s *schema.Schema, n *reader.Node) (assembly.Value, bool) {
	if s.Logical.Name == "decimal" && n.Logical.Kind != reader.NoLogical {
		return decimal(s, n)
	}
	if !means(s, n) {
		return 0, false
	}
	switch s.Kind {
	case schema.Boolean:
		return assembly.Boolean, n.Type == parquet.Boolean
	case schema.Int:
		return assembly.Int, n.Type == parquet.Int32
	case schema.Long:
		if n.Type == parquet.Int32 {
			return assembly.Uint, n.Logical.Kind == reader.IntType && !n.Logical.Signed
		}
		return assembly.Long, n.Type == parquet.Int64
	case schema.Float:
		if n.Logical.Kind == reader.Float16Type {
			return assembly.Half, n.Width() == 2
		}
		return assembly.Four, n.Type == parquet.Float
	case schema.Double:
		return assembly.Eight, n.Type == parquet.Double
	case schema.String:
		if n.Logical.Kind == reader.UUIDType {
			return assembly.UUID, n.Width() == 16
		}
		return assembly.Bytes, n.Type == parquet.ByteArray
	case schema.Bytes:
		return assembly.Bytes, n.Type == parquet.ByteArray
	case schema.Enum:
		return assembly.Symbol, n.Type == parquet.ByteArray
	case schema.Fixed:
		if s.Size == 0 {
			return assembly.Empty, n.Type == parquet.ByteArray
		}
		is := n.Type == parquet.FixedLenByteArray || n.Type == reader.Int96
		return assembly.Fixed, is && int64(n.Width()) == s.Size
	}
	return 0, false
}

// decimal is conversion for columns that have a logical type.
func decimal(s *schema.Schema, n *reader.Node) (assembly.Value, bool) {
	l := n.Logical
	if l.Kind == reader.IntType && !l.Signed && n.Type == parquet.Int64 {
		return assembly.UintDecimal, s.Logical.Precision == 20 && s.Logical.Scale == 0
	}
	if l.Kind != reader.DecimalType || l.Precision != s.Logical.Precision || l.Scale != s.Logical.Scale {
		return 0, false
	}
	switch n.Type {
	case parquet.Int32, parquet.Int64:
		return assembly.IntDecimal, true
	case parquet.ByteArray:
		if s.Kind == schema.Bytes {
			return assembly.Bytes, true
		}
		return assembly.BigDecimal, true
	case parquet.FixedLenByteArray:
		if s.Kind == schema.Fixed && int64(n.Width()) == s.Size {
			return assembly.Fixed, true
		}
		return assembly.BigDecimal, true
	}
	return 0, false
}

// means reports whether a column's logical type is that of an Avro type. A column without one is
// what the schema says.
func means(s *schema.Schema, n *reader.Node) bool {
	l, name := n.Logical, s.Logical.Name
	switch l.Kind {
	case reader.NoLogical, reader.NullType:
		return true
	case reader.DateType:
		return name == "date"
	case reader.TimeType, reader.TimestampType:
		return name == timed(l)
	case reader.UUIDType:
		return name == "uuid" || s.Kind == schema.Fixed && name == ""
	case reader.IntervalType:
		return name == "duration" || s.Kind == schema.Fixed && name == ""
	case reader.IntType:
		return name == "" && (l.Signed || l.Bits < 32 || s.Kind == schema.Long && n.Type == parquet.Int32)
	case reader.DecimalType:
		return false
	}
	return name == "" || name == "uuid" || name == "big-decimal" // texts of a kind
}

// timed returns the logical type that a time or timestamp is in Avro, "" if none is.
func timed(l reader.Logical) string {
	unit := [...]string{parquet.Millis: "millis", parquet.Micros: "micros", parquet.Nanos: "nanos"}[l.Unit]
	switch {
	case l.Kind == reader.TimeType && l.Unit == parquet.Nanos:
		return ""
	case l.Kind == reader.TimeType:
		return "time-" + unit
	case l.UTC:
		return "timestamp-" + unit
	}
	return "local-timestamp-" + unit
}
