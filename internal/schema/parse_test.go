package schema

import (
	"errors"
	"fmt"
	"math"
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
		{"record of a namespace alone", `{"type":"record","name":"n.","fields":[]}`, "record without a name", ErrSchema},
		{"field without a name", `{"type":"record","name":"r","fields":[{"name":"","type":"int"}]}`, "field 0 of \"r\" has no name", ErrSchema},
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

func TestNodes(t *testing.T) {
	tests := []struct {
		name, text string
		want       int64
	}{
		{"one", `"int"`, 1},
		{"five arrays", nested(5), 6},
		{"used twice", doubling(1), 1 + 2*2},
		{"used again and again", doubling(40), 3*(1<<40) - 1},
		{"more than can be counted", doubling(100), math.MaxInt64},
		{"recursive", `{"type":"record","name":"R","fields":[{"name":"r","type":["null","R"]}]}`, math.MaxInt64},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := mustParse(t, tt.text).Nodes(); got != tt.want {
				t.Errorf("got %d, want %d", got, tt.want)
			}
		})
	}
}
