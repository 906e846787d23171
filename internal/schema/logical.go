package schema

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
)

// logicals holds the types that each logical type may annotate (Avro 1.12, "Logical
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
var logicalSizes = map[string]int64{"uuid": 16, "duration": 12}

// logical returns the logical type of an object of some kind, zero where the
// specification has readers ignore it.
func logical(v object, kind Kind) Logical {
	name, _ := v.get("logicalType").(string)
	if !slices.Contains(logicals[name], kind) {
		return Logical{}
	}
	if name == "decimal" {
		return decimal(v, kind)
	}
	size, ok := logicalSizes[name]
	if has, _ := whole(v.get("size")); ok && kind == Fixed && has != size {
		return Logical{}
	}
	return Logical{Name: name}
}

// decimal returns a decimal if its attributes are as the specification asks: whole
// numbers with 0 <= scale <= precision, and 0 < precision <= what a fixed holds.
func decimal(v object, kind Kind) Logical {
	precision, ok := number(v, "precision")
	scale := 0
	if _, has := v.find("scale"); has && ok {
		scale, ok = number(v, "scale")
	}
	if size, _ := whole(v.get("size")); kind == Fixed && int64(precision) > fixedDigits(size) {
		ok = false
	}
	if !ok || precision <= 0 || scale < 0 || scale > precision {
		return Logical{}
	}
	return Logical{Name: "decimal", Precision: precision, Scale: scale}
}

// number returns an attribute that is a number of 32 bits.
func number(v object, key string) (int, bool) {
	n, ok := v.get(key).(json.Number)
	if !ok {
		return 0, false
	}
	i, err := strconv.ParseInt(n.String(), 10, 32)
	return int(i), err == nil
}

// whole returns a JSON value as a whole number, if it is one. It may be in quotes, which
// the canonical form of a schema removes.
func whole(v any) (int64, bool) {
	var text string
	switch v := v.(type) {
	case json.Number:
		text = v.String()
	case string:
		text = v
	}
	i, err := strconv.ParseInt(text, 10, 64)
	return i, err == nil
}

// fixedDigits returns the decimal digits that every number of a fixed's size has room
// for.
func fixedDigits(size int64) int64 {
	return int64(math.Log10(2) * (float64(size)*8 - 1))
}
