package schema

import "github.com/twmb/avro"

// logicals holds the types each logical type may stand on (Avro 1.12, "Logical
// Types").
var logicals = map[string][]Kind{
	"decimal":                {Bytes, Fixed},
	"big-decimal":            {Bytes},
	"uuid":                   {String, Fixed},
	"date":                   {Int},
	"time-millis":            {Int},
	"time-micros":            {Long},
	"timestamp-millis":       {Long},
	"timestamp-micros":       {Long},
	"timestamp-nanos":        {Long},
	"local-timestamp-millis": {Long},
	"local-timestamp-micros": {Long},
	"local-timestamp-nanos":  {Long},
	"duration":               {Fixed},
}

// logicalSizes holds the sizes that logical types ask of a fixed.
var logicalSizes = map[string]int{"uuid": 16, "duration": 12}

// logical returns the logical type of n, zero where the specification has readers
// ignore it.
func logical(n *avro.SchemaNode, kind Kind) Logical {
	for _, k := range logicals[n.LogicalType] {
		if k != kind {
			continue
		}
		if size, ok := logicalSizes[n.LogicalType]; ok && kind == Fixed && n.Size != size {
			return Logical{}
		}
		l := Logical{Name: n.LogicalType}
		if l.Name == "decimal" {
			l.Precision, l.Scale = n.Precision, n.Scale
		}
		return l
	}
	return Logical{}
}
