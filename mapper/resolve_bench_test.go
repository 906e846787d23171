package mapper_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"avro2trevni/internal/schema"
	"avro2trevni/mapper"
)

// change is what becomes of lineitem in a benchmark.
type change struct {
	name    string
	edit    func(fields []any) []any
	columns []string
}

// field returns lineitem's field as JSON has it.
func field(f any) map[string]any { return f.(map[string]any) }

var changes = []change{
	{name: "itself"},
	{name: "reversed", edit: func(fields []any) []any { slices.Reverse(fields); return fields }},
	{name: "fields-added", edit: func(fields []any) []any {
		return append(fields,
			map[string]any{"name": "new", "type": []any{"null", "string"}, "default": nil},
			map[string]any{"name": "more", "type": "int", "default": 0},
			map[string]any{"name": "text", "type": "string", "default": "unknown"})
	}},
	{name: "fields-dropped", edit: func(fields []any) []any { return slices.Delete(fields, 4, 8) }},
	{name: "ints-to-longs", edit: func(fields []any) []any { return retype(fields, "int", "long") }},
	{name: "ints-to-doubles", edit: func(fields []any) []any { return retype(fields, "int", "double") }},
	{name: "longs-to-doubles", edit: func(fields []any) []any { return retype(fields, "long", "double") }},
	{name: "all-nullable", edit: func(fields []any) []any {
		for _, f := range fields {
			field(f)["type"] = []any{"null", field(f)["type"]}
		}
		return fields
	}},
	{name: "8-columns", columns: []string{"l_orderkey", "l_partkey", "l_quantity", "l_extendedprice", "l_discount", "l_returnflag", "l_shipdate", "l_shipmode"}},
	{name: "2-columns", columns: []string{"l_extendedprice", "l_shipdate"}},
	{name: "1-column", columns: []string{"l_quantity"}},
	{name: "last-column", columns: []string{"l_comment"}},
}

func retype(fields []any, from, to string) []any {
	for _, f := range fields {
		if field(f)["type"] == from {
			field(f)["type"] = to
		}
	}
	return fields
}

// to returns the selection that a change makes of a schema.
func (c change) to(tb testing.TB, text string) *schema.Selection {
	tb.Helper()
	var v map[string]any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		tb.Fatal(err)
	}
	if c.edit != nil {
		v["fields"] = c.edit(v["fields"].([]any))
	}
	out, err := json.Marshal(v)
	if err != nil {
		tb.Fatal(err)
	}
	sel, err := parseText(tb, string(out)).Select(c.columns, nil)
	if err != nil {
		tb.Fatal(err)
	}
	return sel
}

// BenchmarkResolve is the inner loop over rows that become another schema's, or a part;
// bytes are those of the rows read.
func BenchmarkResolve(b *testing.B) {
	flat := parse(b, lineitem)
	_, blocks, size := benchBlocks(b, flat)
	for _, c := range changes {
		b.Run("lineitem-as="+c.name, func(b *testing.B) {
			p, err := compile(flat, c.to(b, lineitem))
			if err != nil {
				b.Fatal(err)
			}
			benchSegments(b, p, blocks, size)
		})
	}
	nested := parse(b, events)
	_, blocks, size = benchBlocks(b, nested)
	for name, text := range map[string]string{
		"itself":      events,
		"field-added": strings.Replace(events, `{"name":"sku","type":"string"}`, `{"name":"sku","type":"string"},{"name":"vat","type":["null","double"],"default":null}`, 1),
		"no-tags":     strings.Replace(events, `,{"name":"tags","type":{"type":"array","items":"string"}}`, ``, 1),
	} {
		b.Run("events-as="+name, func(b *testing.B) {
			p, err := compile(nested, parseText(b, text).All())
			if err != nil {
				b.Fatal(err)
			}
			benchSegments(b, p, blocks, size)
		})
	}
}

// benchSegments maps blocks, without codec or checksum.
func benchSegments(b *testing.B, p *program, blocks []testBlock, size int64) {
	b.Helper()
	m := newMapper(p, mapper.Options{}, &dropSink{})
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		m.Begin(0)
		if _, err := m.Segment(b.Context(), &wholeBlocks{fakeBlocks{blocks: blocks}}); err != nil {
			b.Fatal(err)
		}
		if _, err := m.End(); err != nil {
			b.Fatal(err)
		}
	}
}
