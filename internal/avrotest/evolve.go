package avrotest

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/twmb/avro"

	"avro2trevni/internal/schema"
)

// LargeDefault is the bytes of the largest defaults that [Evolved] adds.
const LargeDefault = 400

// Text returns the text of a schema; symbols get other names, as many.
func Text(s *schema.Schema) string { return text(jsonOf(s)) }

func text(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // of strings and maps
	}
	return string(b)
}

// Evolved returns the text of a schema that rows of s mostly resolve to.
func Evolved(r *rand.Rand, s *schema.Schema) string {
	e := evolver{r: r}
	return text(e.evolve(s))
}

// Rewritten returns rows, which are written by a schema w, as another implementation
// resolves them to the schema r and writes them by it.
func Rewritten(w, r string, rows int, data []byte) (out []byte, err error) {
	writer, err := avro.Parse(w)
	if err != nil {
		panic(err)
	}
	reader, err := avro.Parse(r)
	if err != nil {
		panic(fmt.Sprintf("%v: %s", err, r))
	}
	resolved, err := avro.Resolve(writer, reader)
	if err != nil {
		return nil, err
	}
	for range rows {
		var v any
		if data, err = resolved.Decode(data, &v, avro.TaggedUnions()); err != nil {
			return nil, err
		}
		if out, err = reader.AppendEncode(out, v); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// evolver makes a reader's schema of a writer's, as people change schemas.
type evolver struct {
	r     *rand.Rand
	names int
}

// evolve returns the JSON of a schema that rows of s mostly resolve to.
func (e *evolver) evolve(s *schema.Schema) any {
	switch e.r.IntN(12) {
	case 0:
		if s.Kind != schema.Union {
			return e.around(s)
		}
	case 1:
		if s.Kind == schema.Union {
			b := s.Branches[e.r.IntN(len(s.Branches))]
			return e.evolve(b)
		}
	}
	switch s.Kind {
	case schema.Record:
		return map[string]any{"type": "record", "name": s.Name, "fields": e.fields(s)}
	case schema.Array:
		return map[string]any{"type": "array", "items": e.evolve(s.Items)}
	case schema.Map:
		return map[string]any{"type": "map", "values": e.evolve(s.Items)}
	case schema.Union:
		return e.union(s)
	case schema.Enum:
		symbols := slices.Clone(s.Symbols)
		e.r.Shuffle(len(symbols), func(i, k int) { symbols[i], symbols[k] = symbols[k], symbols[i] })
		symbols = append(symbols[:1+e.r.IntN(len(symbols))], "new")
		return map[string]any{"type": "enum", "name": s.Name, "symbols": symbols, "default": symbols[0]}
	}
	return e.promote(s)
}

func (e *evolver) promote(s *schema.Schema) any {
	wider := map[schema.Kind][]string{
		schema.Int: {"long", "float", "double"}, schema.Long: {"float", "double"}, schema.Float: {"double"},
		schema.Bytes: {"bytes"}, schema.String: {"bytes"},
	}[s.Kind]
	if len(wider) > 0 && e.r.IntN(3) == 0 {
		return wider[e.r.IntN(len(wider))]
	}
	return jsonOf(s)
}

// around returns a union with s as a branch.
func (e *evolver) around(s *schema.Schema) any {
	out := []any{"null", e.evolve(s)}
	if s.Kind == schema.Null {
		out = []any{"null", "string"}
	}
	if _, isUnion := out[1].([]any); isUnion {
		return out[1]
	}
	e.r.Shuffle(2, func(i, k int) { out[i], out[k] = out[k], out[i] })
	return out
}

func (e *evolver) union(s *schema.Schema) any {
	var out []any
	seen := map[string]bool{}
	for _, b := range s.Branches {
		v := e.evolve(b)
		if list, ok := v.([]any); ok || v == nil {
			v = list[e.r.IntN(len(list))]
		}
		name, _ := v.(string)
		if o, isObject := v.(map[string]any); isObject {
			var named bool
			if name, named = o["name"].(string); !named {
				name = o["type"].(string)
			}
		}
		if !seen[name] {
			seen[name] = true
			out = append(out, v)
		}
	}
	e.r.Shuffle(len(out), func(i, k int) { out[i], out[k] = out[k], out[i] })
	return out
}

// fields drops, adds, renames and shuffles fields.
func (e *evolver) fields(s *schema.Schema) []any {
	out := []any{}
	for _, f := range s.Fields {
		switch e.r.IntN(8) {
		case 0:
			continue
		case 1:
			e.names++
			out = append(out, map[string]any{"name": fmt.Sprint("was", e.names), "aliases": []string{fmt.Sprint("other", e.names), f.Name}, "type": e.evolve(f.Type)})
		default:
			out = append(out, map[string]any{"name": f.Name, "type": e.evolve(f.Type)})
		}
	}
	for range e.r.IntN(3) {
		e.names++
		field := e.added()
		field["name"] = fmt.Sprint("new", e.names)
		out = append(out, field)
	}
	e.r.Shuffle(len(out), func(i, k int) { out[i], out[k] = out[k], out[i] })
	return out
}

// added returns a field that the writer does not have.
func (e *evolver) added() map[string]any {
	e.names++
	inner := map[string]any{"type": "record", "name": fmt.Sprint("n.New", e.names), "fields": []any{
		map[string]any{"name": "x", "type": "int", "default": 7},
		map[string]any{"name": "y", "type": []any{"null", "string"}, "default": nil},
		map[string]any{"name": "z", "type": map[string]any{"type": "array", "items": "boolean"}, "default": []any{true, false}}}}
	list := []map[string]any{
		{"type": "int", "default": -3},
		{"type": []any{"null", "long"}, "default": nil},
		{"type": []any{"string", "null"}, "default": "abc"},
		{"type": "boolean", "default": true},
		{"type": "double", "default": 2.5},
		{"type": map[string]any{"type": "array", "items": "int"}, "default": []any{1, 2, 3}},
		{"type": map[string]any{"type": "map", "values": []any{"null", "string"}}, "default": map[string]any{"k": nil}},
		{"type": map[string]any{"type": "array", "items": inner}, "default": []any{map[string]any{}, map[string]any{"x": 1}}},
		{"type": inner, "default": map[string]any{"y": nil}},
		{"type": []any{inner, "null"}, "default": map[string]any{"x": 5}},
		{"type": "string", "default": strings.Repeat("d", LargeDefault)},
		{"type": map[string]any{"type": "array", "items": "bytes"}, "default": []any{strings.Repeat("e", LargeDefault/2), ""}},
	}
	return list[e.r.IntN(len(list))]
}

// jsonOf returns what encodes to a schema's text; symbols and sizes are as in the
// schema, symbols without a name get one.
func jsonOf(s *schema.Schema) any {
	list := func(n int, f func(i int) any) []any {
		out := make([]any, n)
		for i := range out {
			out[i] = f(i)
		}
		return out
	}
	switch s.Kind {
	case schema.Record:
		return map[string]any{"type": "record", "name": s.Name, "fields": list(len(s.Fields), func(i int) any {
			return map[string]any{"name": s.Fields[i].Name, "type": jsonOf(s.Fields[i].Type)}
		})}
	case schema.Array:
		return map[string]any{"type": "array", "items": jsonOf(s.Items)}
	case schema.Map:
		return map[string]any{"type": "map", "values": jsonOf(s.Items)}
	case schema.Union:
		return list(len(s.Branches), func(i int) any { return jsonOf(s.Branches[i]) })
	case schema.Enum:
		return map[string]any{"type": "enum", "name": s.Name, "symbols": list(len(s.Symbols), func(i int) any { return fmt.Sprint("s", i) })}
	case schema.Fixed:
		return map[string]any{"type": "fixed", "name": s.Name, "size": s.Size}
	}
	return s.Kind.String()
}
