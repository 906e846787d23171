package schema

import (
	"errors"
	"strings"
	"testing"
)

func TestEqual(t *testing.T) {
	rec := func(fields string) string {
		return `{"type":"record","name":"R","fields":[` + fields + `]}`
	}
	a := func(typ string) string { return rec(`{"name":"a","type":` + typ + `}`) }
	tests := []struct {
		name, a, b string
		path, what string // what is empty if they are equal
	}{
		{"same", a(`"int"`), a(`"int"`), "", ""},
		{"spelled differently", a(`"int"`), `{"name":"R", "fields":[{"type":{"type":"int"},"name":"a"}], "type":"record"}`, "", ""},
		{"doc, alias, default, order, property", a(`"int"`),
			`{"type":"record","name":"R","doc":"d","aliases":["Q"],"x":1,"fields":[
			{"name":"a","doc":"d","aliases":["z"],"default":1,"order":"ignore","y":2,"type":"int"}]}`, "", ""},
		{"namespace inherited or not",
			`{"type":"record","name":"R","namespace":"n","fields":[{"name":"a","type":{"type":"fixed","name":"F","size":1}}]}`,
			`{"type":"record","name":"n.R","fields":[{"name":"a","type":{"type":"fixed","name":"n.F","size":1}}]}`, "", ""},
		{"type", a(`"int"`), a(`"long"`), "a", "type"},
		{"a wider int is another", a(`{"type":"array","items":"int"}`), a(`{"type":"array","items":"long"}`), "a[]", "type"},
		{"map values", a(`{"type":"map","values":"int"}`), a(`{"type":"map","values":"long"}`), "a{}", "type"},
		{"record name", `{"type":"record","name":"R","fields":[]}`, `{"type":"record","name":"S","fields":[]}`, "", "name"},
		{"namespace", `{"type":"record","name":"R","fields":[]}`, `{"type":"record","name":"n.R","fields":[]}`, "", "name"},
		{"field name", a(`"int"`), rec(`{"name":"b","type":"int"}`), "a", "field 0"},
		{"field order", rec(`{"name":"a","type":"int"},{"name":"b","type":"int"}`), rec(`{"name":"b","type":"int"},{"name":"a","type":"int"}`), "a", "field 0"},
		{"field more", a(`"int"`), rec(`{"name":"a","type":"int"},{"name":"b","type":"int"}`), "b", "field"},
		{"field less", rec(`{"name":"a","type":"int"},{"name":"b","type":"int"}`), a(`"int"`), "b", "field"},
		{"union order", a(`["null","int"]`), a(`["int","null"]`), "a", "branch 0"},
		{"union more", a(`["null","int"]`), a(`["null","int","string"]`), "a", "branch 2"},
		{"union less", a(`["null","int"]`), a(`["null"]`), "a", "branch 1"},
		{"in a branch", a(`["null",{"type":"array","items":"int"}]`), a(`["null",{"type":"array","items":"float"}]`), "a/array[]", "type"},
		{"nullable or not", a(`["null","int"]`), a(`"int"`), "a", "type"},
		{"symbol", `{"type":"enum","name":"E","symbols":["A","B"]}`, `{"type":"enum","name":"E","symbols":["A","C"]}`, "", "symbol 1"},
		{"symbol more", `{"type":"enum","name":"E","symbols":["A"]}`, `{"type":"enum","name":"E","symbols":["A","C"]}`, "", "symbol 1"},
		{"size", `{"type":"fixed","name":"F","size":1}`, `{"type":"fixed","name":"F","size":2}`, "", "size"},
		{"date and int", a(`{"type":"int","logicalType":"date"}`), a(`"int"`), "a", "logical type"},
		{"millis and micros", a(`{"type":"long","logicalType":"timestamp-millis"}`), a(`{"type":"long","logicalType":"timestamp-micros"}`), "a", "logical type"},
		{"scale", a(`{"type":"bytes","logicalType":"decimal","precision":9,"scale":2}`), a(`{"type":"bytes","logicalType":"decimal","precision":9,"scale":3}`), "a", "logical type"},
		{"scale of none is zero", a(`{"type":"bytes","logicalType":"decimal","precision":9}`), a(`{"type":"bytes","logicalType":"decimal","precision":9,"scale":0}`), "", ""},
		{"a logical type no one knows", a(`{"type":"int","logicalType":"ours"}`), a(`"int"`), "", ""},
		{"recursive", a(`["null","R"]`), a(`["null","R"]`), "", ""},
		{"unrolled once", a(`["null",{"type":"record","name":"S","fields":[{"name":"r","type":["null","R","S"]}]}]`),
			a(`["null",{"type":"record","name":"S","fields":[{"name":"r","type":["null","S","R"]}]}]`), "a/S.r", "branch 1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			x, y := mustParse(t, tt.a), mustParse(t, tt.b)
			checkEqual(t, x, y, tt.path, tt.what)
			if back := Equal(y, x); (back == nil) != (tt.what == "") {
				t.Errorf("the other way round: %v", back)
			}
		})
	}
}

func checkEqual(t *testing.T, x, y *Schema, path, what string) {
	t.Helper()
	err := Equal(x, y)
	if what == "" {
		if err != nil {
			t.Errorf("differ: %v", err)
		}
		return
	}
	var d *Difference
	if !errors.As(err, &d) || d.Path != path || d.What != what {
		t.Fatalf("got %v, want %s at %q", err, what, path)
	}
	if !strings.Contains(err.Error(), d.A) || !strings.Contains(err.Error(), d.B) {
		t.Errorf("%q does not tell what differs", err)
	}
}

// Schemas that unfold to 2^250 types compare in no time, equal or not.
func TestEqualReused(t *testing.T) {
	x := doubling(250)
	if err := Equal(mustParse(t, x), mustParse(t, x)); err != nil {
		t.Error(err)
	}
	y := strings.Replace(x, `"type":"int"`, `"type":"long"`, 1)
	var d *Difference
	if err := Equal(mustParse(t, x), mustParse(t, y)); !errors.As(err, &d) || d.Path != strings.Repeat("a.", 250)+"x" {
		t.Errorf("got %v", err)
	}
}

// FuzzParse: any text is a schema or an error; a schema equals itself, parsed again.
// FuzzParse has whatever parses written again, whole and with a field left out, and
// merged with itself.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		`"int"`, nested(5), doubling(3), `["null",{"type":"enum","name":"a.E","symbols":["A"]}]`,
		`{"type":"record","name":"R","namespace":"n","fields":[{"name":"a","type":["null","R"],"default":null}]}`,
		`{"type":"fixed","name":"F","size":16,"logicalType":"decimal","precision":9,"scale":2}`,
		`{"type":{"type":"map","values":"string"}}`, `{"type":"bytes","logicalType":"decimal"}`,
		`{"type":"record","name":"","fields":[{"name":"","type":"int","default":"x"},{"name":"a b","type":{"type":"array","name":"n","items":["null",{"type":"fixed","name":"n.","size":"3"}]}},{"name":"c","type":"n."}]}`,
		`{"type":"record","name":"R","fields":[{"name":"a","type":"array","items":"int"},{"name":"b","type":"int"}]} // x`,
		`[{"type":"array","items":{"type":"enum","name":"E","symbols":["A"],"default":"B"}},{"type":{"type":"enum","name":"E","symbols":["A"]}}]`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := ParseText(text)
		if err != nil {
			return
		}
		again, err := s.All().JSON()
		if err != nil {
			t.Fatal(err)
		}
		if err := Equal(s.Schema, mustParse(t, again)); err != nil {
			t.Fatalf("written again as %s: %v", again, err)
		}
		for _, field := range s.Schema.Fields {
			if part, err := s.Select(nil, []string{field.Name}); err == nil {
				if _, err = part.JSON(); err != nil {
					t.Fatal(err)
				}
			}
		}
		other, err := ParseText(text)
		if err != nil {
			t.Fatal(err)
		}
		if m, err := Merge(s, other); err == nil && m.Schema.Kind != s.Schema.Kind {
			t.Fatalf("merged with itself: %s", m)
		}
	})
}
