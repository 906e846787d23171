package schema

import (
	"errors"
	"strings"
	"testing"
)

// TestFlatFields is of fields in which their types' keys stand: what they are, and how
// they are written.
func TestFlatFields(t *testing.T) {
	tests := []struct{ name, text, is, want string }{
		{"array", rec("R", `{"name":"a","type":"array","items":"int","default":[1],"order":"ignore","doc":"d","x":7}`), "R{a=array{int}}",
			rec("R", `{"name":"a","type":{"type":"array","items":"int"},"default":[1],"order":"ignore","doc":"d","x":7}`)},
		{"map", rec("R", `{"values":"int","type":"map","aliases":["z"],"name":"m"}`), "R{m=map{int}}",
			rec("R", `{"type":{"type":"map","values":"int"},"aliases":["z"],"name":"m"}`)},
		{"enum, whose default is the field's", rec("R", `{"name":"e","type":"enum","symbols":["A","B"],"default":"B"}`, fld("f", `"e"`)), "R{e=e[A B] f=e^}",
			rec("R", `{"name":"e","type":{"type":"enum","name":"e","symbols":["A","B"]},"default":"B"}`, fld("f", `"e"`))},
		{"fixed, with a logical type", rec("n.R", `{"name":"d","type":"fixed","size":"4","logicalType":"decimal","precision":9,"scale":2}`), "n.R{d=n.d:decimal(9,2)(4)}",
			`{"type":"record","name":"R","namespace":"n","fields":[{"name":"d","type":{"type":"fixed","name":"d","size":4,"logicalType":"decimal","precision":9,"scale":2}}]}`},
		{"record, whose namespace is of what is in it", rec("n.R", `{"name":"r","type":"record","namespace":"m","fields":[{"name":"f","type":"fixed","size":1}]}`, fld("g", `"m.f"`)), "n.R{r=m.r{f=m.f(1)} g=m.f^}",
			`{"type":"record","name":"R","namespace":"n","fields":[{"name":"r","type":{"type":"record","name":"r","namespace":"m","fields":[{"name":"f","type":{"type":"fixed","name":"f","size":1}}]}},{"name":"g","type":"m.f"}]}`},
		{"namespace of an array, which has no use for it", rec("n.R", `{"name":"a","type":"array","namespace":"m","items":{"type":"fixed","name":"F","size":1}}`), "n.R{a=array{n.F(1)}}",
			`{"type":"record","name":"R","namespace":"n","fields":[{"name":"a","type":{"type":"array","namespace":"m","items":{"type":"fixed","name":"F","size":1}}}]}`},
		{"twice, and alike", rec("R", fld("a", rec("A", `{"name":"e","type":"enum","symbols":["X"]}`)), `{"name":"e","type":"enum","symbols":["X"]}`), "R{a=A{e=e[X]} e=e^}",
			rec("R", fld("a", rec("A", fld("e", `{"type":"enum","name":"e","symbols":["X"]}`))), fld("e", `"e"`))},
		{"one called error", rec("R", `{"name":"error","type":"record","fields":[]}`), "R{error=error{}}", rec("R", fld("error", rec("error")))},
		{"a map's name in a map", rec("R", `{"name":"map","type":"map","values":"int"}`), "R{map=map{int}}", rec("R", fld("map", `{"type":"map","values":"int"}`))},
		{"the name of a type that is known", rec("R", fld("a", `{"type":"fixed","name":"array","size":1}`), `{"name":"b","type":"array","items":"int"}`), "R{a=array(1) b=array^}", ""},
		{"a primitive's", rec("R", `{"name":"a","type":"bytes","logicalType":"decimal","precision":4,"items":"int"}`), "R{a=bytes}", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			text := parsed(t, tt.text)
			if got := dump(text.Schema); got != tt.is {
				t.Errorf("got  %s\nwant %s", got, tt.is)
			}
			if tt.want == "" {
				tt.want = tt.text
			}
			got, err := text.All().JSON()
			if err != nil || got != tt.want {
				t.Errorf("%v\ngot  %s\nwant %s", err, got, tt.want)
			}
			if again, err := parsed(t, got).All().JSON(); err != nil || again != got {
				t.Errorf("%v: once more it is %s", err, again)
			}
		})
	}
}

// TestFlatFieldsInDoubt is of flat fields that goavro writes otherwise than they look, or
// that have no other form.
func TestFlatFieldsInDoubt(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"a name with a dot", rec("R", fld("s", rec("S", `{"name":"m.e","type":"enum","symbols":["A"]}`))), `at "s.m.e": a field of the name "m.e" cannot name its type too`},
		{"a kind's name", rec("R", `{"name":"record","type":"record","fields":[]}`), `at "record": a field of the name "record" cannot name its type too`},
		{"a primitive's name", rec("R", `{"name":"int","type":"enum","symbols":["A"]}`), `at "int": enum of the name "int", which is a type's`},
		{"a type called array, which comes later", rec("R", `{"name":"a","type":"array","items":"int"}`, fld("b", `{"type":"fixed","name":"array","size":1}`)), `at "a": "array" is also a type that is defined after it`},
		{"within a record called map", rec("n.map", `{"name":"m","type":"map","values":"int"}`), `at "m": "map" is also a type`},
		{"twice, and not alike", rec("R", fld("a", rec("A", `{"name":"e","type":"enum","symbols":["X"]}`)), `{"name":"e","type":"enum","symbols":["Y"]}`), `at "e": enum e is defined twice, and not alike`},
		{"in itself", rec("R", `{"name":"R","type":"record","fields":[]}`), `record R is defined twice, and not alike`},
		{"symbols that are none", rec("R", `{"name":"e","type":"enum","symbols":"A"}`), `at "e": enum e without symbols`},
		{"items that are none", rec("R", `{"name":"a","type":"array","items":"array"}`), `at "a[]": "array" cannot stand alone`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := ParseText(tt.text); !errors.Is(err, ErrSchema) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
}

// TestFlatFieldsMergeAndProject is of what is done with a text beside parsing it: it is
// that of the same schema in the specification's form.
func TestFlatFieldsMergeAndProject(t *testing.T) {
	flat := parsed(t, rec("R", fld("id", `"int"`),
		`{"name":"a","type":"array","items":{"type":"record","name":"I","fields":[{"name":"x","type":"int"},{"name":"y","type":"map","values":"int"}]},"default":[]}`,
		`{"name":"e","type":"enum","symbols":["A","B"],"default":"B","order":"descending"}`,
		`{"name":"r","type":"record","fields":[{"name":"f","type":"fixed","size":2}],"aliases":["old"]}`))
	text, err := flat.All().JSON()
	if err != nil {
		t.Fatal(err)
	}
	nested := parsed(t, text)
	other := parsed(t, rec("R", `{"name":"e","type":"enum","symbols":["C"]}`, `{"name":"more","type":"map","values":"int"}`,
		`{"name":"a","type":"array","items":{"type":"record","name":"I","fields":[{"name":"x","type":"long"}]}}`))
	wrote := func(text *Text, err error) string {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return text.String()
	}
	for _, m := range [][2][2]*Text{{{flat, other}, {nested, other}}, {{other, flat}, {other, nested}}} {
		if got, want := wrote(Merge(m[0][0], m[0][1])), wrote(Merge(m[1][0], m[1][1])); got != want {
			t.Errorf("merge:\ngot  %s\nwant %s", got, want)
		}
	}
	for _, columns := range []string{"a.x", "e", "r.f", "a.y,r"} {
		got, want := selected(t, flat, columns), selected(t, nested, columns)
		if got != want {
			t.Errorf("%s:\ngot  %s\nwant %s", columns, got, want)
		}
	}
	for i := range flat.Schema.Fields {
		got, err := flat.Defaults().Of(flat.Schema, i)
		want, err2 := nested.Defaults().Of(nested.Schema, i)
		if string(got) != string(want) || (err == nil) != (err2 == nil) {
			t.Errorf("default of field %d: %x, %v, want %x, %v", i, got, err, want, err2)
		}
	}
	if !flat.Schema.Fields[2].Descending || len(flat.FieldAliases(flat.Schema, 3)) != 1 {
		t.Error("the order or the aliases of a field are lost")
	}
}

// selected returns the text of some columns, given with commas.
func selected(t *testing.T, text *Text, columns string) string {
	t.Helper()
	sel, err := text.Select(strings.Split(columns, ","), nil)
	if err != nil {
		t.Fatal(err)
	}
	out, err := sel.JSON()
	if err != nil {
		t.Fatal(err)
	}
	return out
}
