package mapper

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/avro"

	"avro2trevni/internal/schema"
	"avro2trevni/internal/tuple"
)

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
		{"type": "string", "default": strings.Repeat("d", 2*mostMarkBytes)},
		{"type": map[string]any{"type": "array", "items": "bytes"}, "default": []any{strings.Repeat("e", mostMarkBytes), ""}},
	}
	return list[e.r.IntN(len(list))]
}

// judge resolves rows with another implementation, and shreds what it makes of them by
// the reader's schema.
func judge(t *testing.T, c *testCase, w, r string) ([]tuple.Tuple, error) {
	t.Helper()
	blocks, err := rewritten(t, c, w, r)
	if err != nil {
		return nil, err
	}
	p, err := Compile(parse(t, r))
	if err != nil {
		t.Fatal(err)
	}
	tuples, _ := run(t, p, plainOptions(), blocks, 0)
	return tuples, nil
}

// rewritten returns the blocks of rows as another implementation resolves them to the
// reader's schema and writes them by it.
func rewritten(t *testing.T, c *testCase, w, r string) ([]testBlock, error) {
	t.Helper()
	writer, err := avro.Parse(w)
	if err != nil {
		t.Fatal(err)
	}
	reader, err := avro.Parse(r)
	if err != nil {
		t.Fatalf("%v: %s", err, r)
	}
	resolved, err := avro.Resolve(writer, reader)
	if err != nil {
		return nil, err
	}
	blocks := slices.Clone(c.blocks)
	for i, b := range blocks {
		data := b.data
		blocks[i].data = nil
		for range b.rows {
			var v any
			if data, err = resolved.Decode(data, &v, avro.TaggedUnions()); err != nil {
				return nil, err
			}
			if blocks[i].data, err = reader.AppendEncode(blocks[i].data, v); err != nil {
				return nil, err
			}
		}
	}
	return blocks, nil
}

// tryRun is run for rows that may fail.
func tryRun(t *testing.T, p *Program, o Options, blocks []testBlock, window int) ([]tuple.Tuple, Result, error) {
	sink := &keepSink{t: t}
	m := New(p, o, sink)
	m.Begin(7)
	for i := range blocks {
		if _, err := m.Segment(t.Context(), &fakeBlocks{blocks: blocks[i : i+1], size: window}); err != nil {
			return nil, Result{}, err
		}
	}
	r, err := m.End()
	return sink.tuples, r, err
}

// Rows resolved on their way into the columns are the rows that another implementation
// resolves, shredded.
func TestResolvesAsOthersDo(t *testing.T) {
	resolved, refused := 0, 0
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 3))
		names := 0
		w := textOf(t, randomSchema(r, 1+r.IntN(3), &names))
		e := evolver{r: r}
		b, err := json.Marshal(e.evolve(w.Schema))
		if err != nil {
			t.Fatal(err)
		}
		reader := string(b)
		c, err := caseOf(r, w.Schema, 1+r.IntN(60))
		if err != nil {
			t.Fatal(err)
		}
		if differsByDesign(w.String()) {
			continue
		}
		text := parseText(t, reader)
		p, err := CompileTo(w.Schema, text.All())
		var got []tuple.Tuple
		if err == nil {
			got, _, err = tryRun(t, p, plainOptions(), c.blocks, 0)
		}
		want, err2 := judge(t, c, w.String(), reader)
		var strict *avro.CompatibilityError
		if err == nil && errors.As(err2, &strict) {
			continue // a branch or symbol that has no match is an error for it, and here only where a row has it
		}
		if (err == nil) != (err2 == nil) {
			t.Fatalf("seed %d: %s\nas %s\nours: %v, theirs: %v", seed, w, reader, err, err2)
		}
		if err != nil {
			refused++
			continue
		}
		resolved++
		if d := cmp.Diff(values(want), values(got)); d != "" {
			t.Fatalf("seed %d: %s\nas %s\n%s", seed, w, reader, d)
		}
		checkWindows(t, p, c, r)
	}
	t.Logf("%d resolved, %d refused", resolved, refused)
	if resolved < 1000 || refused < 20 {
		t.Errorf("only %d resolved, %d refused", resolved, refused)
	}
}

// differsByDesign reports whether the judge is known to see it otherwise: maps lose
// their order in it, and keys that are there twice.
func differsByDesign(writer string) bool { return strings.Contains(writer, `"type":"map"`) }

// mostMarkBytes is the most bytes between two marks in checkWindows. There are defaults of
// twice as many.
const mostMarkBytes = 200

// checkWindows checks that rows cut anywhere are the same tuples, with the same cuts and
// marks.
func checkWindows(t *testing.T, p *Program, c *testCase, r *rand.Rand) {
	t.Helper()
	o := plainOptions()
	o.BlockSize, o.MarkBytes, o.bufferBytes = 1+r.IntN(300), r.IntN(mostMarkBytes), 1+r.IntN(2000)
	tuples, want, err := tryRun(t, p, o, c.blocks, 0)
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		parts, got, err := tryRun(t, p, o, c.blocks, 1+r.IntN(100))
		if err != nil {
			t.Fatal(err)
		}
		if d := differ(tuples, parts) + differ(want, got); d != "" {
			t.Fatalf("in windows: %s", d)
		}
	}
}

// values are what tuples hold, by column and row.
func values(tuples []tuple.Tuple) []string {
	var out []string
	for _, tp := range tuples {
		out = append(out, fmt.Sprintf("%d %v %d %d %x", tp.Column, tp.Row, tp.Rows, tp.Values, tp.Value))
	}
	slices.Sort(out)
	return out
}
