package shred

import (
	"fmt"
	"strings"
	"testing"

	"avro2trevni/internal/schema"
	"avro2trevni/trevni"
)

// walk calls add with all columns of a place, in the order in which files have them.
func walk(p Place, add func(trevni.Column)) {
	if c, ok := p.Column(); ok {
		add(c)
	}
	switch s := p.Schema; s.Kind {
	case schema.Record:
		for i := range s.Fields {
			walk(p.Field(i), add)
		}
	case schema.Map:
		walk(p.Key(), add)
		walk(p.Element(), add)
	case schema.Array:
		walk(p.Element(), add)
	case schema.Union:
		for i, b := range s.Branches {
			if b.Kind != schema.Null {
				lengths, value := p.Branch(i)
				add(lengths)
				walk(value, add)
			}
		}
	}
}

// Each column is its name, its type, [] if it has lengths, and in brackets its parent.
func TestColumns(t *testing.T) {
	record := func(fields string) string { return `{"type":"record","name":"n.R","fields":[` + fields + `]}` }
	point := `{"type":"record","name":"n.P","fields":[{"name":"x","type":"float"},{"name":"y","type":"double"}]}`
	for _, c := range []struct{ schema, want string }{
		{`"int"`, "int int"},
		{`{"type":"enum","name":"n.E","symbols":["A"]}`, "n.E int"},
		{`{"type":"fixed","name":"F","size":3}`, "F bytes"},
		{record(``), ""},
		{record(`{"name":"a","type":"null"},{"name":"b","type":"boolean"},{"name":"c","type":"bytes"}`), "a null, b boolean, c bytes"},
		{record(`{"name":"p","type":` + point + `}`), "p#x float, p#y double"},
		{record(`{"name":"a","type":{"type":"array","items":"string"}}`), "a[] string[]"},
		{record(`{"name":"a","type":{"type":"array","items":` + point + `}}`), "a[] null[], a[]#x float (a[]), a[]#y double (a[])"},
		{record(`{"name":"a","type":{"type":"array","items":{"type":"array","items":"long"}}}`), "a[] null[], a[][] long[] (a[])"},
		{record(`{"name":"m","type":{"type":"map","values":"int"}}`), "m> null[], m>key string (m>), m>value int (m>)"},
		{record(`{"name":"m","type":{"type":"map","values":{"type":"array","items":"int"}}}`),
			"m> null[], m>key string (m>), m>value[] int[] (m>)"},
		{record(`{"name":"u","type":["null","int",` + point + `]}`),
			"u/int int[], u/n.P null[], u/n.P#x float (u/n.P), u/n.P#y double (u/n.P)"},
		{record(`{"name":"u","type":["null",{"type":"array","items":"int"}]}`), "u/array null[], u/array[] int[] (u/array)"},
		{record(`{"name":"u","type":["null",{"type":"map","values":"int"}]}`),
			"u/map null[], u/map> null[] (u/map), u/map>key string (u/map>), u/map>value int (u/map>)"},
		{record(`{"name":"a","type":{"type":"array","items":["null","int"]}}`), "a[] null[], a[]/int int[] (a[])"},
		{record(`{"name":"","type":` + point + `}`), "#x float, #y double"},
		{`["null","int"]`, "int int[]"},
		{`{"type":"array","items":"int"}`, "[] int[]"},
		{`{"type":"map","values":"int"}`, "> null[], >key string (>), >value int (>)"},
	} {
		s, err := schema.Parse(c.schema)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		walk(Top(s), func(c trevni.Column) {
			text := fmt.Sprint(c.Name, " ", c.Type)
			if c.Array {
				text += "[]"
			}
			if c.Parent != "" {
				text += " (" + c.Parent + ")"
			}
			got = append(got, text)
		})
		if got := strings.Join(got, ", "); got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.schema, got, c.want)
		}
	}
}
