package jobs

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
)

// modelType is an Avro type. Every named type stands in one place.
type modelType struct {
	kind     string // as in the schema's text
	name     string // of a record, enum or fixed
	logical  string
	fields   []modelField
	branches []*modelType
	items    *modelType // of an array or map
	symbols  []string
	fallback string // an enum's default
	size     int    // of a fixed

	few  bool // values are of a few; arrays are mostly empty
	only int  // of a union: the branch that values are of, -1: any
}

type modelField struct {
	name, alias string
	typ         *modelType
	order       string
	has         bool // a default
	fallback    any
	bad         bool // the text has a default of another type
}

// Values are nil, bool, int64, float32, float64, string (also of bytes, fixed and enums), []any (of
// records and arrays), []modelEntry (of maps) and modelBranch (of unions).
type (
	modelEntry struct {
		key   string
		value any
	}
	modelBranch struct {
		i     int
		value any
	}
)

// title is what a branch is called in a path.
func (t *modelType) title() string {
	if t.name != "" {
		return t.name
	}
	return t.kind
}

func (t *modelType) simple() bool {
	return !slices.Contains([]string{"record", "array", "map", "union"}, t.kind)
}

// null returns the number of a union's branch that is null, -1 if none is.
func (t *modelType) null() int {
	return slices.IndexFunc(t.branches, func(b *modelType) bool { return b.kind == "null" })
}

// text returns the schema as JSON.
func (t *modelType) text() string {
	text, err := json.Marshal(t.json())
	if err != nil {
		panic(err) // of maps and strings
	}
	return string(text)
}

func (t *modelType) json() any {
	m := map[string]any{"type": t.kind}
	switch t.kind {
	case "union":
		all := []any{}
		for _, b := range t.branches {
			all = append(all, b.json())
		}
		return all
	case "array":
		m["items"] = t.items.json()
	case "map":
		m["values"] = t.items.json()
	case "enum":
		m["symbols"] = t.symbols
		if t.fallback != "" {
			m["default"] = t.fallback
		}
	case "fixed":
		m["size"] = t.size
	case "record":
		fields := []any{}
		for _, f := range t.fields {
			fields = append(fields, f.json())
		}
		m["fields"] = fields
	}
	if t.name != "" {
		m["name"] = t.name
	}
	if t.logical != "" {
		m["logicalType"] = t.logical
	}
	if len(m) == 1 {
		return t.kind
	}
	return m
}

func (f *modelField) json() any {
	m := map[string]any{"name": f.name, "type": f.typ.json()}
	if f.order != "" {
		m["order"] = f.order
	}
	if f.alias != "" {
		m["aliases"] = []string{f.alias}
	}
	if f.has {
		m["default"] = f.typ.jsonOf(f.fallback)
	}
	if f.bad {
		m["default"] = map[string]any{"no": "such value"}
	}
	return m
}

// jsonOf returns a value as defaults are written; a union's is of its first branch.
func (t *modelType) jsonOf(v any) any {
	switch v := v.(type) {
	case modelBranch:
		return t.branches[v.i].jsonOf(v.value)
	case []modelEntry:
		m := map[string]any{}
		for _, e := range v {
			m[e.key] = t.items.jsonOf(e.value)
		}
		return m
	case []any:
		if t.kind == "record" {
			m := map[string]any{}
			for i := range v {
				m[t.fields[i].name] = t.fields[i].typ.jsonOf(v[i])
			}
			return m
		}
		all := []any{}
		for _, e := range v {
			all = append(all, t.items.jsonOf(e))
		}
		return all
	}
	return v
}

// encode appends a value as Avro's writers do. With r, arrays and maps come in several blocks, some
// with their sizes.
func (t *modelType) encode(dst []byte, v any, r *rand.Rand) []byte {
	switch t.kind {
	case "null":
	case "boolean":
		if v.(bool) {
			return append(dst, 1)
		}
		return append(dst, 0)
	case "int", "long":
		return binary.AppendVarint(dst, v.(int64))
	case "float":
		return binary.LittleEndian.AppendUint32(dst, math.Float32bits(v.(float32)))
	case "double":
		return binary.LittleEndian.AppendUint64(dst, math.Float64bits(v.(float64)))
	case "string", "bytes":
		return append(binary.AppendVarint(dst, int64(len(v.(string)))), v.(string)...)
	case "fixed":
		return append(dst, v.(string)...)
	case "enum":
		return binary.AppendVarint(dst, int64(slices.Index(t.symbols, v.(string))))
	case "union":
		b := v.(modelBranch)
		return t.branches[b.i].encode(binary.AppendVarint(dst, int64(b.i)), b.value, r)
	case "record":
		for i, f := range t.fields {
			dst = f.typ.encode(dst, v.([]any)[i], r)
		}
	case "array":
		all := v.([]any)
		return blocks(dst, len(all), r, func(dst []byte, i int) []byte { return t.items.encode(dst, all[i], r) })
	case "map":
		all := v.([]modelEntry)
		return blocks(dst, len(all), r, func(dst []byte, i int) []byte {
			dst = append(binary.AppendVarint(dst, int64(len(all[i].key))), all[i].key...)
			return t.items.encode(dst, all[i].value, r)
		})
	}
	return dst
}

// blocks appends the n items of an array or map.
func blocks(dst []byte, n int, r *rand.Rand, item func([]byte, int) []byte) []byte {
	for i := 0; i < n; {
		end := n
		if r != nil {
			end = i + 1 + r.IntN(n-i)
		}
		var data []byte
		count := int64(end - i)
		for ; i < end; i++ {
			data = item(data, i)
		}
		if r != nil && r.IntN(3) == 0 {
			dst = binary.AppendVarint(binary.AppendVarint(dst, -count), int64(len(data)))
		} else {
			dst = binary.AppendVarint(dst, count)
		}
		dst = append(dst, data...)
	}
	return append(dst, 0)
}
