package columns

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"avro2trevni/internal/schema"
	"avro2trevni/internal/shred"
	"avro2trevni/mapper"
)

func parse(t testing.TB, text string) *schema.Text {
	t.Helper()
	s, err := schema.ParseText(text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// names describes columns as "name kind", with [] for arrays and ^parent.
func names(l *mapper.Layout) []string {
	var out []string
	for _, c := range l.Columns {
		s := c.Name + " " + c.Kind.String()
		if c.Array {
			s += " array"
		}
		if c.Parent >= 0 {
			s += " ^" + l.Columns[c.Parent].Name
		}
		out = append(out, s)
	}
	return out
}

// The names and order are those that Java was seen to give.
func TestNamesColumnsAsJavaDoes(t *testing.T) {
	for _, c := range []struct {
		name, schema string
		want         []string
	}{
		{"observed", `{"type":"record","name":"n.R","fields":[
			{"name":"x","type":["null","long"]},
			{"name":"a","type":{"type":"array","items":"string"}},
			{"name":"u","type":["null","string",{"type":"record","name":"S","fields":[
				{"name":"p","type":"int"},{"name":"q","type":["null","double"]}]}]},
			{"name":"e","type":{"type":"enum","name":"E","symbols":["A","B"]}},
			{"name":"f","type":{"type":"fixed","name":"F","size":3}},
			{"name":"b","type":"boolean"},
			{"name":"nb","type":["null","boolean"]},
			{"name":"aa","type":{"type":"array","items":{"type":"array","items":"int"}}}]}`,
			[]string{"x/long long array", "a[] string array", "u/string string array", "u/n.S null array",
				"u/n.S#p int ^u/n.S", "u/n.S#q/double double array ^u/n.S", "e enum", "f fixed", "b boolean",
				"nb/boolean boolean array", "aa[] null array", "aa[][] int array ^aa[]"}},
		{"map", `{"type":"record","name":"R","fields":[{"name":"m","type":{"type":"map","values":"int"}}]}`,
			[]string{"m> null array", "m>key string ^m>", "m>value int ^m>"}},
		{"map of unions", `{"type":"map","values":["null","int"]}`,
			[]string{"> null array", ">key string ^>", ">value/int int array ^>"}},
		{"top level primitive", `"string"`, []string{"string string"}},
		{"top level enum", `{"type":"enum","name":"a.E","symbols":["X"]}`, []string{"a.E enum"}},
		{"top level union", `["null","int",{"type":"array","items":"int"}]`,
			[]string{"int int array", "array null array", "array[] int array ^array"}},
		{"top level array", `{"type":"array","items":"long"}`, []string{"[] long array"}},
		{"record in record", `{"type":"record","name":"R","fields":[{"name":"a","type":
			{"type":"record","name":"S","fields":[{"name":"b","type":"null"}]}}]}`, []string{"a#b null"}},
		{"no fields", `{"type":"record","name":"R","fields":[]}`, nil},
		{"a union of null", `{"type":"record","name":"R","fields":[{"name":"a","type":["null"]}]}`, nil},
		{"a union of one", `{"type":"record","name":"R","fields":[{"name":"a","type":["int"]}]}`, []string{"a/int int array"}},
		{"a type used twice", `{"type":"record","name":"R","fields":[
			{"name":"a","type":{"type":"record","name":"S","fields":[{"name":"b","type":"int"}]}},
			{"name":"c","type":"S"},{"name":"d","type":{"type":"array","items":"S"}}]}`,
			[]string{"a#b int", "c#b int", "d[] null array", "d[]#b int ^d[]"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			l, err := LayOut(parse(t, c.schema).All())
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(c.want, names(l)); d != "" {
				t.Errorf("columns (-want +got):\n%s", d)
			}
		})
	}
}

func TestRefuses(t *testing.T) {
	doubling := `{"type":"record","name":"R0","fields":[{"name":"x","type":"int"}]}`
	for i := 1; i < 40; i++ {
		doubling = fmt.Sprintf(`{"type":"record","name":"R%d","fields":[{"name":"a","type":%s},{"name":"b","type":"R%d"}]}`, i, doubling, i-1)
	}
	hollow := strings.Replace(doubling, `{"name":"x","type":"int"}`, "", 1)
	for _, c := range []struct {
		name, schema string
		want         error
		says         string
	}{
		{"a list", `{"type":"record","name":"n.List","fields":[{"name":"v","type":"int"},
			{"name":"next","type":["null","List"]}]}`, mapper.ErrRecursive, `n.List contains itself at "next/n.List"`},
		{"a tree in an array", `{"type":"record","name":"T","fields":[
			{"name":"kids","type":{"type":"array","items":"T"}}]}`, mapper.ErrRecursive, `"kids[]"`},
		{"through a map and another record", `{"type":"record","name":"A","fields":[{"name":"b","type":
			{"type":"record","name":"B","fields":[{"name":"m","type":{"type":"map","values":"A"}}]}}]}`,
			mapper.ErrRecursive, `"b#m>value"`},
		{"2^39 columns", doubling, mapper.ErrTooWide, "100000"},
		{"2^39 records of nothing", hollow, mapper.ErrTooWide, "types"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := LayOut(parse(t, c.schema).All())
			if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %v, want %v that says %q", err, c.want, c.says)
			}
		})
	}
}

func all(*schema.Schema, int) bool { return true }

// What is counted beforehand is what is made.
func TestWidth(t *testing.T) {
	for _, text := range []string{
		`"int"`, `"null"`, `["null","long"]`, `{"type":"array","items":"string"}`,
		`{"type":"map","values":"long"}`, `{"type":"map","values":{"type":"array","items":"long"}}`,
		`["null",{"type":"array","items":["int","string"]},{"type":"map","values":["null","int"]}]`,
		`{"type":"record","name":"R","fields":[{"name":"a","type":{"type":"record","name":"S","fields":[{"name":"x","type":["null","int"]}]}},
			{"name":"b","type":{"type":"array","items":"S"}},{"name":"c","type":"S"},{"name":"d","type":{"type":"map","values":"S"}}]}`,
	} {
		l, s := newLayout(all), parse(t, text).Schema
		if _, err := l.value(shred.Top(s), -1); err != nil {
			t.Fatal(err)
		}
		if w := l.width(s, map[*schema.Schema]width{}); w.columns != int64(len(l.columns)) || w.types != int64(l.nodes) {
			t.Errorf("%s: %+v, made %d columns of %d types", text, w, len(l.columns), l.nodes)
		}
	}
}

// A schema that was not parsed may have a field twice.
func TestRefusesOneNameTwice(t *testing.T) {
	long := &schema.Schema{Kind: schema.Long}
	_, err := newLayout(all).rows(&schema.Schema{Kind: schema.Record, Name: "R", Fields: []schema.Field{{Name: "a", Type: long}, {Name: "a", Type: long}}})
	if !errors.Is(err, mapper.ErrDuplicate) || !strings.Contains(err.Error(), `"a"`) {
		t.Errorf("got %v", err)
	}
}
