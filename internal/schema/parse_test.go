package schema

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

func mustParse(t testing.TB, text string) *Schema {
	t.Helper()
	s, err := Parse(text)
	if err != nil {
		t.Fatalf("Parse(%.200s): %v", text, err)
	}
	return s
}

// dump writes a schema out in one line, a named type's parts where it is first met.
func dump(s *Schema) string {
	var b strings.Builder
	dumpTo(&b, s, make(map[*Schema]bool))
	return b.String()
}

func dumpTo(b *strings.Builder, s *Schema, met map[*Schema]bool) {
	b.WriteString(s.TypeName())
	if s.Logical.Name != "" {
		fmt.Fprintf(b, ":%s", s.Logical)
	}
	if s.Kind.Named() {
		if met[s] {
			b.WriteString("^")
			return
		}
		met[s] = true
	}
	switch s.Kind {
	case Enum:
		fmt.Fprintf(b, "%v", s.Symbols)
	case Fixed:
		fmt.Fprintf(b, "(%d)", s.Size)
	case Record, Array, Map, Union:
		sep := "{"
		s.children(func(step string, c *Schema) bool {
			b.WriteString(sep)
			sep = " "
			if s.Kind == Record {
				b.WriteString(step[1:] + "=")
			}
			dumpTo(b, c, met)
			return true
		})
		if sep == "{" {
			b.WriteString(sep)
		}
		b.WriteString("}")
	}
}

func TestParse(t *testing.T) {
	rec := func(fields string) string {
		return `{"type":"record","name":"R","fields":[` + fields + `]}`
	}
	tests := []struct{ name, text, want string }{
		{"primitive", `"string"`, "string"},
		{"primitive in an object", `{"type":"long"}`, "long"},
		{"no fields", rec(``), "R{}"},
		{"error is a record", `{"type":"error","name":"R","fields":[{"name":"a","type":"int"}]}`, "R{a=int}"},
		{"array of map", `{"type":"array","items":{"type":"map","values":"bytes"}}`, "array{map{bytes}}"},
		{"union of one", `["int"]`, "union{int}"},
		{"union of none", `[]`, "union{}"},
		{"null last", `["double","null"]`, "union{double null}"},
		{"enum", `{"type":"enum","name":"E","symbols":["B","A"]}`, "E[B A]"},
		{"fixed of nothing", `{"type":"fixed","name":"F","size":0}`, "F(0)"},
		{"fixed, huge", `{"type":"fixed","name":"F","size":9223372036854775807}`, "F(9223372036854775807)"},
		{"namespace inherited", `{"type":"record","name":"R","namespace":"n","fields":[
			{"name":"a","type":{"type":"record","name":"S","fields":[{"name":"c","type":["null","R"]}]}},
			{"name":"b","type":"n.S"},{"name":"d","type":{"type":"enum","name":"m.E","symbols":["X"]}}]}`,
			"n.R{a=n.S{c=union{null n.R^}} b=n.S^ d=m.E[X]}"},
		{"dotted name wins and is inherited", `{"type":"record","name":"x.R","namespace":"n","fields":[
			{"name":"a","type":{"type":"fixed","name":"F","size":1}},{"name":"b","type":"F"}]}`,
			"x.R{a=x.F(1) b=x.F^}"},
		{"null namespace inside a namespace", `{"type":"record","name":"n.R","fields":[
			{"name":"a","type":{"type":"fixed","name":"F","namespace":"","size":1}},{"name":"b","type":"F"}]}`,
			"n.R{a=F(1) b=F^}"},
		{"same short name in two namespaces", `{"type":"record","name":"n.R","fields":[
			{"name":"a","type":{"type":"fixed","name":"m.F","size":1}},
			{"name":"b","type":{"type":"fixed","name":"F","size":2}},
			{"name":"c","type":"F"},{"name":"d","type":"m.F"}]}`,
			"n.R{a=m.F(1) b=n.F(2) c=n.F^ d=m.F^}"},
		{"recursive", rec(`{"name":"next","type":["null","R"]}`), "R{next=union{null R^}}"},
		{"logical types", `{"type":"record","name":"R","fields":[
			{"name":"a","type":{"type":"int","logicalType":"date"}},
			{"name":"b","type":{"type":"bytes","logicalType":"decimal","precision":9,"scale":2}},
			{"name":"c","type":{"type":"fixed","name":"D","size":12,"logicalType":"duration"}},
			{"name":"d","type":{"type":"string","logicalType":"uuid"}}]}`,
			"R{a=int:date b=bytes:decimal(9,2) c=D:duration(12) d=string:uuid}"},
		{"logical types to ignore", `{"type":"record","name":"R","fields":[
			{"name":"a","type":{"type":"string","logicalType":"date"}},
			{"name":"b","type":{"type":"long","logicalType":"ours"}},
			{"name":"c","type":{"type":"fixed","name":"D","size":11,"logicalType":"duration"}},
			{"name":"d","type":"long","logicalType":"timestamp-millis"}]}`,
			"R{a=string b=long c=D(11) d=long}"},
		{"decimal without precision", `{"type":"bytes","logicalType":"decimal"}`, "bytes"},
		{"decimal of a negative precision", `{"type":"bytes","logicalType":"decimal","precision":-1}`, "bytes"},
		{"decimal wider than its fixed", `{"type":"fixed","name":"F","size":2,"logicalType":"decimal","precision":5}`, "F(2)"},
		{"decimal as wide as its fixed", `{"type":"fixed","name":"F","size":2,"logicalType":"decimal","precision":4}`, "F:decimal(4,0)(2)"},
		{"default of the wrong type", rec(`{"name":"a","type":"int","default":"x"}`), "R{a=int}"},
		{"default of another branch", rec(`{"name":"a","type":["null","int"],"default":7}`), "R{a=union{null int}}"},
		{"enum default that is no symbol", `{"type":"enum","name":"E","symbols":["A"],"default":"Z"}`, "E[A]"},
		{"null aliases", rec(`{"name":"a","type":"int","aliases":null,"doc":null}`), "R{a=int}"},
		{"aliases and order", rec(`{"name":"a","type":"int","aliases":["z"],"order":"ignore"}`), "R{a=int}"},
		{"names no one should give", `{"type":"record","name":"a-b","fields":[{"name":"c d#e","type":"int"}]}`, "a-b{c d#e=int}"},
		{"a type wrapped twice", `{"type":{"type":"array","items":{"type":{"type":"int"}}}}`, "array{int}"},
		{"no name at the top", `{"type":"record","name":"","fields":[{"name":"a","type":"int"}]}`, "row{a=int}"},
		{"no name at the top, and one taken", `{"type":"record","name":"","fields":[{"name":"a","type":{"type":"fixed","name":"row","size":1}}]}`, "row1{a=row(1)}"},
		{"no name but a namespace", `{"type":"record","name":"n.","fields":[]}`, "n.row{}"},
		{"no name below the top", `{"type":"record","name":"R","fields":[{"name":"a","type":["null",{"type":"record","name":"","fields":[{"name":"x","type":"int"}]}]}]}`, "R{a=union{null {x=int}}}"},
		{"no name in a union at the top", `["null",{"type":"record","name":"","fields":[]}]`, "union{null row{}}"},
		{"field of no name", rec(`{"name":"","type":"int"},{"name":"b","type":"int"}`), "R{=int b=int}"},
		{"name of an array", rec(`{"name":"a","type":{"type":"array","name":"tags","namespace":"n","items":"string"}}`), "R{a=array{string}}"},
		{"name of a map", rec(`{"name":"a","type":{"type":"map","name":7,"values":"string"}}`), "R{a=map{string}}"},
		{"null namespace", `{"type":"record","name":"R","namespace":null,"fields":[{"name":"a","type":{"type":"fixed","name":"F","namespace":null,"size":1}}]}`, "R{a=F(1)}"},
		{"null namespace inherits", `{"type":"record","name":"n.R","fields":[{"name":"a","type":{"type":"fixed","name":"F","namespace":null,"size":1}}]}`, "n.R{a=n.F(1)}"},
		{"keys of other types", `{"type":"record","name":"R","size":"x","items":7,"symbols":null,"fields":[{"name":"a","type":{"type":"int","fields":[],"items":{}}},{"name":"b","type":{"type":"array","items":"int","values":"what","size":-1}}]}`, "R{a=int b=array{int}}"},
		{"comments", "// a table\n{\"type\":\"record\", /* its \"name\" */ \"name\":\"R\",\"doc\":\"http://x /* y */\",\"fields\":[]} // end", "R{}"},
		{"enum defined twice alike", rec(`{"name":"a","type":{"type":"enum","name":"E","symbols":["A"]}},{"name":"b","type":{"type":"enum","name":"E","symbols":["A"]}}`), "R{a=E[A] b=E^}"},
		{"record defined twice alike", rec(`{"name":"a","type":{"type":"record","name":"S","fields":[{"name":"x","type":{"type":"fixed","name":"F","size":1}}]}},{"name":"b","type":{"type":"record","name":"S","fields":[{"name":"x","type":{"type":"fixed","name":"F","size":1}}]}}`), "R{a=S{x=F(1)} b=S^}"},
		{"decimal of any precision", `{"type":"bytes","logicalType":"decimal","precision":1000000,"scale":7}`, "bytes:decimal(1000000,7)"},
		{"decimal of a precision past 32 bits", `{"type":"bytes","logicalType":"decimal","precision":4294967296}`, "bytes"},
		{"used before it is defined", rec(`{"name":"a","type":"S"},{"name":"b","type":{"type":"record","name":"S","fields":[]}}`), "R{a=S{} b=S^}"},
		{"a name is of what came before", `{"type":"record","name":"R","fields":[{"name":"a","type":{"type":"fixed","name":"F","size":1}},{"name":"b","type":{"type":"record","name":"n.S","fields":[{"name":"x","type":"F"},{"name":"y","type":{"type":"fixed","name":"F","size":2}},{"name":"z","type":"F"}]}}]}`, "R{a=F(1) b=n.S{x=F^ y=n.F(2) z=n.F^}}"},
		{"leading dot", `{"type":"record","name":".R","namespace":"n","fields":[{"name":"a","type":["null",{"type":"fixed","name":"F","size":1}]}]}`, "R{a=union{null F(1)}}"},
		{"type called array", rec(`{"name":"a","type":{"type":"fixed","name":"array","size":1}},{"name":"b","type":"array"}`), "R{a=array(1) b=array^}"},
		{"key twice", `{"type":"int","type":"record","name":"X","name":"R","fields":[]}`, "R{}"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := dump(mustParse(t, tt.text)); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestParseErrors(t *testing.T) {
	tests := []struct {
		name, text, has string
		err             error
	}{
		{"empty", ``, "", ErrSchema},
		{"not JSON", `{"type":`, "", ErrSchema},
		{"two", `"int""int"`, "", ErrSchema},
		{"unknown type", `"strng"`, "strng", ErrSchema},
		{"record without a name", `{"type":"record","fields":[{"name":"a","type":"int"}]}`, "record without a name", ErrSchema},
		{"field without a name", `{"type":"record","name":"r","fields":[{"type":"int"}]}`, "field 0 of record r has no name", ErrSchema},
		{"field that is no object", `{"type":"record","name":"r","fields":["int"]}`, "field 0 of record r has no name", ErrSchema},
		{"field without a type", `{"type":"record","name":"r","fields":[{"name":"a"}]}`, `at "a": there is no type`, ErrSchema},
		{"array of nothing in a field", `{"type":"record","name":"r","namespace":"n","fields":[{"name":"a","type":"array","values":"int"}]}`, `at "a": "array" cannot stand alone`, ErrSchema},
		{"record of nothing in a field", `{"type":"record","name":"r","fields":[{"name":"a","type":{"type":"array","items":{"type":"record","name":"s","fields":[{"name":"b","type":"record"}]}}}]}`, `at "a[].b": "record" cannot stand alone`, ErrSchema},
		{"named as a primitive", `{"type":"record","name":"int","fields":[]}`, `"int", which is a type's`, ErrSchema},
		{"array without items", `{"type":"array"}`, `array without "items"`, ErrSchema},
		{"symbol twice", `{"type":"enum","name":"E","symbols":["A","A"]}`, `symbol "A"`, ErrSchema},
		{"symbol that is no string", `{"type":"enum","name":"E","symbols":[1]}`, `symbol "1"`, ErrSchema},
		{"fixed without a size", `{"type":"fixed","name":"F"}`, "size", ErrSchema},
		{"enum defined twice otherwise", `[{"type":"map","values":{"type":"enum","name":"E","symbols":["A"]}},{"type":"enum","name":"E","symbols":["B"]}]`, "enum E is defined twice, and not alike", ErrSchema},
		{"record defined twice with another order", `{"type":"record","name":"R","fields":[{"name":"a","type":{"type":"record","name":"S","fields":[{"name":"x","type":"int"}]}},{"name":"b","type":{"type":"record","name":"S","fields":[{"name":"x","type":"int","order":"descending"}]}}]}`, `at "b": record S is defined twice`, ErrSchema},
		{"no type", `7`, `"7" is no type`, ErrSchema},
		{"comment in JSON that goes on", `"int" /* */ 7`, "more after the schema", ErrSchema},
		{"name spelled otherwise", `{"type":"record","Name":"r","fields":[{"name":"a","type":{"Type":"int"}}]}`, "", ErrSchema},
		{"not defined", `{"type":"array","items":"n.Gone"}`, "n.Gone", ErrSchema},
		{"defined twice", `["null",{"type":"record","name":"R","fields":[
			{"name":"a","type":{"type":"fixed","name":"R","size":1}}]}]`, "R", ErrSchema},
		{"field twice", `{"type":"record","name":"R","fields":[{"name":"a","type":"int"},{"name":"a","type":"int"}]}`, `"a"`, ErrSchema},
		{"branch twice", `["int","int"]`, "int", ErrSchema},
		{"union in a union", `["null",["int"]]`, "union", ErrSchema},
		{"negative size", `{"type":"fixed","name":"F","size":-1}`, "size", ErrSchema},
		{"deep beyond parsing", nested(100_000), "", ErrSchema},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Parse(tt.text)
			if !errors.Is(err, tt.err) || !strings.Contains(fmt.Sprint(err), tt.has) {
				t.Fatalf("got %v, want %v with %q", err, tt.err, tt.has)
			}
			if n := len(err.Error()); n > 2*briefLen {
				t.Errorf("message of %d bytes", n)
			}
		})
	}
}

// nested is an int in n arrays.
func nested(n int) string {
	return strings.Repeat(`{"type":"array","items":`, n) + `"int"` + strings.Repeat("}", n)
}

// doubling is a record that unfolds to 2^n leaves: each holds the one before twice.
func doubling(n int) string {
	s := `{"type":"record","name":"R0","fields":[{"name":"x","type":"int"}]}`
	for i := 1; i <= n; i++ {
		s = fmt.Sprintf(`{"type":"record","name":"R%d","fields":[{"name":"a","type":%s},{"name":"b","type":"R%d"}]}`, i, s, i-1)
	}
	return s
}

func TestDepth(t *testing.T) {
	tests := []struct {
		name, text string
		deep       bool
	}{
		{"at the limit", nested(MaxDepth - 1), false},
		{"past it", nested(MaxDepth), true},
		{"records at the limit", doubling(MaxDepth - 2), false},
		{"records past it", doubling(MaxDepth - 1), true},
		// A type measured near the top is used again further down.
		{"by a name used deeper", `{"type":"record","name":"R","fields":[
			{"name":"a","type":{"type":"record","name":"S","fields":[{"name":"x","type":` + nested(200) + `}]}},
			{"name":"b","type":` + strings.Replace(nested(100), `"int"`, `"S"`, 1) + `}]}`, true},
		{"recursion is no depth", `{"type":"record","name":"R","fields":[{"name":"r","type":["null","R"]}]}`, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Parse(tt.text)
			if got := errors.Is(err, ErrDepth); got != tt.deep || (err != nil && !got) {
				t.Errorf("got %v, want too deep: %v", err, tt.deep)
			}
			if err != nil && len(err.Error()) > 2*briefLen {
				t.Errorf("message of %d bytes", len(err.Error()))
			}
		})
	}
}

// TestOrderBesideABadDefault is of a default that no reader takes, and an order that has
// nothing to do with it.
func TestOrderBesideABadDefault(t *testing.T) {
	s := mustParse(t, `{"type":"record","name":"R","fields":[
		{"name":"a","type":"int","order":"descending"},{"name":"b","type":"int","order":"DESCENDING"},
		{"name":"c","type":"int","default":null,"order":"up"}]}`)
	for i, want := range []bool{true, true, false} {
		if s.Fields[i].Descending != want {
			t.Errorf("field %d: descending %v, want %v", i, s.Fields[i].Descending, want)
		}
	}
}

// TestParseIsLinear parses texts that take minutes where each place is told in full, or
// each comment looked for to the end.
func TestParseIsLinear(t *testing.T) {
	var unions []string
	for i := range 20_000 {
		unions = append(unions, fmt.Sprintf(`{"name":"f%d","type":["null","int"]}`, i))
	}
	record := `{"type":"record","name":"S","fields":[` + strings.Join(unions, ",") + `]}`
	tests := []struct {
		name, text string
		err        error
	}{
		{"unions under a long name", `{"type":"record","name":"R","fields":[{"name":"` + strings.Repeat("x", 1<<20) + `","type":` + record + `}]}`, nil},
		{"comments without an end", `"int"` + strings.Repeat("/* ", 1<<20), nil},
		{"slashes in a name", `"` + strings.Repeat("/", 1<<20) + `"`, ErrSchema},
	}
	for _, tt := range tests {
		if _, err := Parse(tt.text); !errors.Is(err, tt.err) {
			t.Errorf("%s: %v, want %v", tt.name, err, tt.err)
		} else if err != nil && len(err.Error()) > 3*briefLen {
			t.Errorf("%s: a message of %d bytes", tt.name, len(err.Error()))
		}
	}
}
