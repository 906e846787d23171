package schema

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// rec is a record's text with the given fields' texts.
func rec(name string, fields ...string) string {
	return `{"type":"record","name":"` + name + `","fields":[` + strings.Join(fields, ",") + `]}`
}

// fld is a field's text; more is what stands after its type.
func fld(name, typ string, more ...string) string {
	return `{"name":"` + name + `","type":` + typ + strings.Join(append([]string{""}, more...), ",") + `}`
}

func parsed(t *testing.T, text string) *Text {
	t.Helper()
	out, err := ParseText(text)
	if err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return out
}

func TestMerge(t *testing.T) {
	const (
		a, b   = `{"type":"enum","name":"E","symbols":["A","B"]}`, `{"type":"enum","name":"E","symbols":["C","B"]}`
		money  = `{"type":"bytes","logicalType":"decimal","precision":9,"scale":2,"unit":"eur"}`
		money2 = `{"type":"bytes","logicalType":"decimal","precision":12,"scale":2}`
	)
	for _, c := range []struct{ name, a, b, want string }{
		{"the same", rec("R", fld("x", `"int"`)), rec("R", fld("x", `"int"`)), rec("R", fld("x", `"int"`))},
		{"new fields last", rec("R", fld("x", `"int"`)), rec("R", fld("y", `"int"`, `"default":7`), fld("x", `"int"`)),
			rec("R", fld("x", `"int"`), fld("y", `"int"`, `"default":7`))},
		{"without default: null", rec("R", fld("x", `"int"`)), rec("R", fld("x", `"int"`), fld("y", `"string"`, `"doc":"new"`)),
			rec("R", fld("x", `"int"`), fld("y", `["null","string"]`, `"doc":"new"`, `"default":null`))},
		{"gone fields", rec("R", fld("x", `"int"`), fld("y", `["int","null"]`)), rec("R", fld("x", `"int"`)),
			rec("R", fld("x", `"int"`), fld("y", `["null","int"]`, `"default":null`))},
		{"a union without null", rec("R"), rec("R", fld("y", `["int","string"]`)), rec("R", fld("y", `["null","int","string"]`, `"default":null`))},
		{"numbers", rec("R", fld("x", `"int"`), fld("y", `"float"`), fld("z", `"int"`)), rec("R", fld("x", `"long"`), fld("y", `"int"`), fld("z", `"int"`)),
			rec("R", fld("x", `"long"`), fld("y", `"double"`), fld("z", `"int"`))},
		{"text and bytes", `"string"`, `"bytes"`, `"bytes"`},
		{"with null", `"int"`, `"null"`, `["null","int"]`},
		{"with a union", `"int"`, `["null","string"]`, `["null","int","string"]`},
		{"unions", `["null","int","string"]`, `["double","null","boolean"]`, `["null","double","string","boolean"]`},
		{"exact in a union", `["null","long"]`, `["null","double"]`, `["null","long","double"]`},
		{"an int in a union", `["null","int"]`, `"long"`, `["null","long"]`},
		{"symbols", a, b, `{"type":"enum","name":"E","symbols":["A","B","C"]}`},
		{"elements", `{"type":"array","items":"int","tag":1}`, `{"type":"array","items":["null","int"]}`, `{"type":"array","items":["null","int"],"tag":1}`},
		{"a decimal's precision", money, money2, strings.Replace(money, "9", "12", 1)},
		{"an alias renames", rec("R", fld("old", `"int"`)), rec("R", fld("new", `"int"`, `"aliases":["old"]`)), rec("R", fld("new", `"int"`, `"aliases":["old"]`))},
		{"an alias keeps", rec("R", fld("new", `"int"`, `"aliases":["old"]`)), rec("R", fld("old", `"int"`)), rec("R", fld("new", `"int"`, `"aliases":["old"]`))},
		{"records of other names", rec("R", fld("x", `"int"`)), rec("S", fld("x", `"int"`)), strings.Replace(rec("R", fld("x", `"int"`)), `]}`, `],"aliases":["S"]}`, 1)},
		{"null becomes an optional default", rec("R", fld("x", `"int"`)), rec("R", fld("x", `["null","int"]`, `"default":null`)), rec("R", fld("x", `["null","int"]`, `"default":null`))},
		{"a default stays first", rec("R", fld("x", `"int"`, `"default":5`)), rec("R", fld("x", `["null","int"]`)), rec("R", fld("x", `["int","null"]`, `"default":5`))},
		{"a type in two places", rec("R", fld("x", rec("P", fld("a", `"int"`))), fld("y", `"P"`)), rec("R", fld("x", rec("P", fld("a", `"int"`), fld("b", `"int"`))), fld("z", `"P"`)),
			rec("R", fld("x", rec("P", fld("a", `"int"`), fld("b", `["null","int"]`, `"default":null`))), fld("y", `["null","P"]`, `"default":null`), fld("z", `["null","P"]`, `"default":null`))},
		{"namespaces", `{"type":"record","name":"n.R","fields":[` + fld("x", `{"type":"record","name":"S","fields":[]}`) + `]}`, rec("n.R", fld("y", rec("m.T", fld("z", `"int"`)))),
			`{"type":"record","name":"R","namespace":"n","fields":[` + fld("x", `["null",{"type":"record","name":"S","fields":[]}]`, `"default":null`) + `,` + fld("y", `["null",{"type":"record","name":"T","namespace":"m","fields":[{"name":"z","type":"int"}]}]`, `"default":null`) + `]}`},
		{"recursion", rec("L", fld("next", `["null","L"]`)), rec("L", fld("next", `["null","L"]`), fld("v", `"int"`)),
			rec("L", fld("next", `["null","L"]`), fld("v", `["null","int"]`, `"default":null`))},
	} {
		t.Run(c.name, func(t *testing.T) {
			x, y := parsed(t, c.a), parsed(t, c.b)
			got, err := Merge(x, y)
			if err != nil {
				t.Fatal(err)
			}
			if want := parsed(t, c.want); got.String() != compact(t, want) {
				t.Errorf("\ngot  %s\nwant %s", got, c.want)
			}
			for _, w := range []*Text{x, y} {
				if m := NewResolver(got).Check(w.Schema, got.Schema); m != nil {
					t.Errorf("%s does not resolve: %v", w, m)
				}
			}
		})
	}
}

// compact is a text without what has no meaning in JSON.
func compact(t *testing.T, text *Text) string {
	t.Helper()
	s, err := newDraft(text).text()
	if err != nil {
		t.Fatal(err)
	}
	return s.String()
}

func TestMergeErrors(t *testing.T) {
	date := `{"type":"int","logicalType":"date"}`
	for _, c := range []struct{ name, a, b, path, writer, reader string }{
		{"kinds", rec("R", fld("a", rec("S", fld("x", `"int"`)))), rec("R", fld("a", rec("S", fld("x", `"string"`)))), ".a.x", "string", "int"},
		{"not exact", `"long"`, `"double"`, "", "double", "long"},
		{"logical", date, `"int"`, "", "int", "int (date)"},
		{"logical and number", rec("R", fld("d", date)), rec("R", fld("d", `"long"`)), ".d", "long", "int (date)"},
		{"elements", `{"type":"array","items":"int"}`, `{"type":"array","items":"boolean"}`, "[]", "boolean", "int"},
		{"values", `{"type":"map","values":"int"}`, `{"type":"map","values":"boolean"}`, "{}", "boolean", "int"},
		{"fixed", `{"type":"fixed","name":"F","size":3}`, `{"type":"fixed","name":"F","size":4}`, "", "fixed F of 4 bytes", "fixed F of 3 bytes"},
		{"enums", `{"type":"enum","name":"E","symbols":["A"]}`, `{"type":"enum","name":"F","symbols":["A"]}`, "", "enum F", "enum E"},
		{"a branch", `["null",` + date + `]`, `["null","int"]`, "/int", "int", "int (date)"},
		{"scales", `{"type":"bytes","logicalType":"decimal","precision":9,"scale":2}`, `{"type":"bytes","logicalType":"decimal","precision":9,"scale":3}`, "", "bytes (decimal(9,3))", "bytes (decimal(9,2))"},
		{"one name, two types", rec("R", fld("a", rec("P"))), rec("R", fld("b", `{"type":"enum","name":"P","symbols":["A"]}`)), ".b", "enum P", "record P"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Merge(parsed(t, c.a), parsed(t, c.b))
			var m *Mismatch
			if !errors.As(err, &m) || m.Path != c.path || m.Writer != c.writer || m.Reader != c.reader {
				t.Errorf("got %+v", err)
			}
		})
	}
}

// TestMergeWide merges records of many fields, which must not be compared each with each.
func TestMergeWide(t *testing.T) {
	const n = 30_000
	var a, b []string
	for i := range n {
		a = append(a, fld(fmt.Sprint("a", i), `"int"`))
		b = append(b, fld(fmt.Sprint("b", i), `"int"`, fmt.Sprintf(`"aliases":["c%d"]`, i)))
	}
	b[7] = fld("renamed", `"int"`, `"aliases":["x","a5","a3"]`)
	m, err := Merge(parsed(t, rec("R", a...)), parsed(t, rec("R", b...)))
	if err != nil || len(m.Schema.Fields) != 2*n-1 {
		t.Fatalf("%v, %d fields", err, len(m.Schema.Fields))
	}
	if got := m.Schema.Fields[3].Name; got != "renamed" {
		t.Errorf("field 3 is %q", got)
	}
}
