package schema

import (
	"bytes"
	"encoding/json"
	"maps"
	"math"
)

// idle are the keys of a schema's JSON that have no part in the data's bytes or
// meaning. A writer may have put anything there.
var idle = []string{"doc", "aliases", "default", "order"}

// strip returns the text without what has no part in the data, and with a type that
// only wraps another replaced by it. False means that it is not JSON.
func strip(text string) (string, bool) {
	var v any
	d := json.NewDecoder(bytes.NewReader([]byte(text)))
	d.UseNumber()
	if d.Decode(&v) != nil || d.More() {
		return "", false
	}
	out, err := json.Marshal(stripType(v))
	return string(out), err == nil
}

// stripType strips the JSON of a type, in place where it can.
func stripType(v any) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = stripType(v[i])
		}
	case map[string]any:
		switch v["type"].(type) {
		case map[string]any, []any:
			return stripType(v["type"])
		}
		stripKeys(v)
		for _, key := range []string{"items", "values"} {
			if of, ok := v[key]; ok {
				v[key] = stripType(of)
			}
		}
		stripFields(v["fields"])
	}
	return v
}

// stripFields strips the JSON of a record's fields, if it is that.
func stripFields(v any) {
	fields, _ := v.([]any)
	for _, f := range fields {
		if f, ok := f.(map[string]any); ok {
			stripKeys(f)
			f["type"] = stripType(f["type"])
		}
	}
}

// stripKeys removes idle keys, and a decimal's that is not one.
func stripKeys(v map[string]any) {
	for _, key := range idle {
		delete(v, key)
	}
	if v["logicalType"] == "decimal" && !decimal(v) {
		maps.DeleteFunc(v, func(key string, _ any) bool {
			return key == "logicalType" || key == "precision" || key == "scale"
		})
	}
}

// decimal reports whether the attributes of a decimal are as the specification asks:
// whole numbers with 0 <= scale <= precision, and 0 < precision <= what a fixed holds.
func decimal(v map[string]any) bool {
	precision, ok := whole(v["precision"])
	scale, scaled := whole(v["scale"])
	if _, has := v["scale"]; !ok || has && !scaled {
		return false
	}
	if size, fixed := whole(v["size"]); fixed && precision > fixedDigits(size) {
		return false
	}
	return precision > 0 && scale >= 0 && scale <= precision
}

// whole returns a JSON value as a whole number, if it is one.
func whole(v any) (int64, bool) {
	n, ok := v.(json.Number)
	if !ok {
		return 0, false
	}
	i, err := n.Int64()
	return i, err == nil
}

// fixedDigits returns the decimal digits that every number of a fixed's size has room
// for.
func fixedDigits(size int64) int64 {
	return int64(math.Log10(2) * (float64(size)*8 - 1))
}
