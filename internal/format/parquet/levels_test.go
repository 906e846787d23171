package parquet

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/linkedin/goavro/v2"

	"avro2trevni/internal/format/parquet/leveltest"
)

// document is the schema of the Dremel paper: what is repeated there is an array, what is
// optional a union with null.
const document = `{"type":"record","name":"Document","fields":[
	{"name":"DocId","type":"long"},
	{"name":"Links","type":["null",{"type":"record","name":"Links","fields":[
		{"name":"Backward","type":{"type":"array","items":"long"}},
		{"name":"Forward","type":{"type":"array","items":"long"}}]}]},
	{"name":"Name","type":{"type":"array","items":{"type":"record","name":"Name","fields":[
		{"name":"Language","type":{"type":"array","items":{"type":"record","name":"Language","fields":[
			{"name":"Code","type":"string"},
			{"name":"Country","type":["null","string"]}]}}},
		{"name":"Url","type":["null","string"]}]}}}]}`

// addressBook is that of "Dremel made simple with Parquet".
const addressBook = `{"type":"record","name":"AddressBook","fields":[
	{"name":"owner","type":"string"},
	{"name":"ownerPhoneNumbers","type":{"type":"array","items":"string"}},
	{"name":"contacts","type":{"type":"array","items":{"type":"record","name":"Contact","fields":[
		{"name":"name","type":"string"},
		{"name":"phoneNumber","type":["null","string"]}]}}}]}`

// options returns a schema of a.b.c, each optional, or all but b.
func options(b string) string {
	return fmt.Sprintf(`{"type":"record","name":"R","fields":[{"name":"a","type":["null",
		{"type":"record","name":"A","fields":[{"name":"b","type":%s}]}]}]}`,
		fmt.Sprintf(b, `{"type":"record","name":"B","fields":[{"name":"c","type":["null","int"]}]}`))
}

// vectors are rows in Avro's JSON, and the entries that they make, a line a leaf: its path, and
// in brackets the greatest levels of repetition and definition.
var vectors = []struct {
	name, schema string
	rows         []string
	want         string
}{
	{
		"the Dremel paper", document,
		[]string{
			`{"DocId":10,"Links":{"Links":{"Backward":[],"Forward":[20,40,60]}},"Name":[
				{"Language":[{"Code":"en-us","Country":{"string":"us"}},{"Code":"en","Country":null}],"Url":{"string":"http://A"}},
				{"Language":[],"Url":{"string":"http://B"}},
				{"Language":[{"Code":"en-gb","Country":{"string":"gb"}}],"Url":null}]}`,
			`{"DocId":20,"Links":{"Links":{"Backward":[10,30],"Forward":[80]}},"Name":[{"Language":[],"Url":{"string":"http://C"}}]}`,
		}, `
		DocId [0 0]: 10 r:0 d:0, 20 r:0 d:0
		Links.Backward.list.element [1 2]: NULL r:0 d:1, 10 r:0 d:2, 30 r:1 d:2
		Links.Forward.list.element [1 2]: 20 r:0 d:2, 40 r:1 d:2, 60 r:1 d:2, 80 r:0 d:2
		Name.list.element.Language.list.element.Code [2 2]: "en-us" r:0 d:2, "en" r:2 d:2, NULL r:1 d:1, "en-gb" r:1 d:2, NULL r:0 d:1
		Name.list.element.Language.list.element.Country [2 3]: "us" r:0 d:3, NULL r:2 d:2, NULL r:1 d:1, "gb" r:1 d:3, NULL r:0 d:1
		Name.list.element.Url [1 2]: "http://A" r:0 d:2, "http://B" r:1 d:2, NULL r:1 d:1, "http://C" r:0 d:2`,
	},
	{
		"an address book", addressBook,
		[]string{
			`{"owner":"Julien Le Dem","ownerPhoneNumbers":["555 123 4567","555 666 1337"],"contacts":[
				{"name":"Dmitriy Ryaboy","phoneNumber":{"string":"555 987 6543"}},{"name":"Chris Aniszczyk","phoneNumber":null}]}`,
			`{"owner":"A. Nonymous","ownerPhoneNumbers":[],"contacts":[]}`,
		}, `
		owner [0 0]: "Julien Le Dem" r:0 d:0, "A. Nonymous" r:0 d:0
		ownerPhoneNumbers.list.element [1 1]: "555 123 4567" r:0 d:1, "555 666 1337" r:1 d:1, NULL r:0 d:0
		contacts.list.element.name [1 1]: "Dmitriy Ryaboy" r:0 d:1, "Chris Aniszczyk" r:1 d:1, NULL r:0 d:0
		contacts.list.element.phoneNumber [1 2]: "555 987 6543" r:0 d:2, NULL r:1 d:1, NULL r:0 d:0`,
	},
	{
		"a.b.c, all optional", options(`["null",%s]`),
		[]string{`{"a":null}`, `{"a":{"A":{"b":null}}}`, `{"a":{"A":{"b":{"B":{"c":null}}}}}`, `{"a":{"A":{"b":{"B":{"c":{"int":7}}}}}}`},
		`a.b.c [0 3]: NULL r:0 d:0, NULL r:0 d:1, NULL r:0 d:2, 7 r:0 d:3`,
	},
	{
		"a.b.c, b required", options(`%s`),
		[]string{`{"a":null}`, `{"a":{"A":{"b":{"c":null}}}}`, `{"a":{"A":{"b":{"c":{"int":7}}}}}`},
		`a.b.c [0 2]: NULL r:0 d:0, NULL r:0 d:1, 7 r:0 d:2`,
	},
	{
		"lists of lists", `{"type":"record","name":"R","fields":[{"name":"l","type":{"type":"array","items":{"type":"array","items":"string"}}}]}`,
		[]string{`{"l":[["a","b","c"],["d","e","f","g"]]}`, `{"l":[["h"],["i","j"]]}`, `{"l":[]}`, `{"l":[[],["k"],[]]}`},
		`l.list.element.list.element [2 2]: "a" r:0 d:2, "b" r:2 d:2, "c" r:2 d:2, "d" r:1 d:2, "e" r:2 d:2, "f" r:2 d:2, "g" r:2 d:2,` +
			` "h" r:0 d:2, "i" r:1 d:2, "j" r:2 d:2, NULL r:0 d:0, NULL r:0 d:1, "k" r:1 d:2, NULL r:1 d:1`,
	},
	{
		"optional lists of optional lists", `{"type":"record","name":"R","fields":[{"name":"l","type":["null",{"type":"array","items":["null",{"type":"array","items":["null","int"]}]}]}]}`,
		[]string{`{"l":null}`, `{"l":{"array":[]}}`, `{"l":{"array":[null,{"array":[]},{"array":[null,{"int":1}]}]}}`},
		`l.list.element.list.element [2 5]: NULL r:0 d:0, NULL r:0 d:1, NULL r:0 d:2, NULL r:1 d:3, NULL r:1 d:4, 1 r:2 d:5`,
	},
	{
		"a union of several types", `{"type":"record","name":"R","fields":[{"name":"u","type":["null","int",{"type":"array","items":"string"}]}]}`,
		[]string{`{"u":null}`, `{"u":{"int":1}}`, `{"u":{"array":[]}}`, `{"u":{"array":["x","y"]}}`}, `
		u.member0 [0 2]: NULL r:0 d:0, 1 r:0 d:2, NULL r:0 d:1, NULL r:0 d:1
		u.member1.list.element [1 3]: NULL r:0 d:0, NULL r:0 d:1, NULL r:0 d:2, "x" r:0 d:3, "y" r:1 d:3`,
	},
	{
		"a union without null", `{"type":"record","name":"R","fields":[{"name":"u","type":["int","string"]}]}`,
		[]string{`{"u":{"int":1}}`, `{"u":{"string":"x"}}`}, `
		u.member0 [0 1]: 1 r:0 d:1, NULL r:0 d:0
		u.member1 [0 1]: NULL r:0 d:0, "x" r:0 d:1`,
	},
	{
		"maps", `{"type":"record","name":"R","fields":[{"name":"m","type":{"type":"map","values":{"type":"array","items":"int"}}}]}`,
		[]string{`{"m":{}}`, `{"m":{"k":[]}}`, `{"m":{"k":[1,2]}}`}, `
		m.key_value.key [1 1]: NULL r:0 d:0, "k" r:0 d:1, "k" r:0 d:1
		m.key_value.value.list.element [2 2]: NULL r:0 d:0, NULL r:0 d:1, 1 r:0 d:2, 2 r:2 d:2`,
	},
	{
		"nulls and empty records", `{"type":"record","name":"R","fields":[{"name":"n","type":{"type":"array","items":"null"}},
			{"name":"e","type":["null",{"type":"record","name":"E","fields":[]}]},{"name":"z","type":"null"}]}`,
		[]string{`{"n":[],"e":null,"z":null}`, `{"n":[null,null],"e":{"E":{}},"z":null}`}, `
		n.list.element [1 2]: NULL r:0 d:0, NULL r:0 d:1, NULL r:1 d:1
		e._ [0 2]: NULL r:0 d:0, NULL r:0 d:1`,
	},
}

// TestLevels compares the entries of known rows, as the plain shredder has them and as a walk
// by the levels of the nodes does.
func TestLevels(t *testing.T) {
	for _, c := range vectors {
		t.Run(c.name, func(t *testing.T) {
			rows := selection(t, c.schema)
			l := lay(t, c.schema, Options{})
			codec, err := goavro.NewCodec(c.schema)
			if err != nil {
				t.Fatal(err)
			}
			plain, walked := make([][]leveltest.Entry, len(l.Schema.Leaves)), make([][]leveltest.Entry, len(l.Schema.Leaves))
			for _, text := range c.rows {
				v, _, err := codec.NativeFromTextual([]byte(text))
				if err != nil {
					t.Fatal(err)
				}
				row, err := codec.BinaryFromNative(nil, v)
				if err != nil {
					t.Fatal(err)
				}
				appendEach(plain, leveltest.Shred(l.Schema, rows, row))
				appendEach(walked, walk(l, row))
			}
			want := lines(c.want)
			if got := describe(l, plain); !slices.Equal(got, want) {
				t.Errorf("shredded:\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
			if got := describe(l, walked); !slices.Equal(got, want) {
				t.Errorf("walked:\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		})
	}
}

func appendEach(to, entries [][]leveltest.Entry) {
	for i := range to {
		to[i] = append(to[i], entries[i]...)
	}
}

// describe returns a line a leaf.
func describe(l *Layout, leaves [][]leveltest.Entry) (out []string) {
	for i, leaf := range l.Schema.Leaves {
		var entries []string
		for _, e := range leaves[i] {
			entries = append(entries, e.String())
		}
		out = append(out, fmt.Sprintf("%s [%d %d]: %s", leaf, leaf.MaxRep, leaf.MaxDef, strings.Join(entries, ", ")))
	}
	return out
}

func lines(text string) (out []string) {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			out = append(out, line)
		}
	}
	return out
}
