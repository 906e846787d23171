package trvfile

import (
	"reflect"
	"testing"

	"avro2trevni/internal/schema"
)

// searched is a table with a column of each type that can be searched, sorted by key,
// at.name and at.score.
const searched = `{"type":"record","name":"searched","namespace":"n","fields":[
	{"name":"key","type":"long"},
	{"name":"at","type":{"type":"record","name":"At","fields":[{"name":"name","type":"string"},{"name":"score","type":"double"},{"name":"raw","type":"bytes"}]}},
	{"name":"ok","type":"boolean"},{"name":"small","type":"int"},{"name":"f","type":"float"},
	{"name":"suit","type":{"type":"enum","name":"Suit","symbols":["SPADES","HEARTS","CLUBS"]}},
	{"name":"id","type":{"type":"fixed","name":"Id","size":2}},
	{"name":"maybe","type":["null","int"]},{"name":"tags","type":{"type":"array","items":"string"}},
	{"name":"u","type":["int","string"]},{"name":"none","type":"null"},
	{"name":"list","type":{"type":"array","items":{"type":"record","name":"In","fields":[{"name":"x","type":"int"}]}}}]}`

func TestLeafOf(t *testing.T) {
	s, err := schema.Parse(searched)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, column := range []string{"key", "at#name", "suit", "id", "maybe/int", "tags[]", "u/string", "at", "at#nope", "list[]#x", "long", ""} {
		if leaf := leafOf(s, column); leaf != nil {
			got[column] = leaf.Kind.String()
		}
	}
	want := map[string]string{"key": "long", "at#name": "string", "suit": "enum", "id": "fixed", "maybe/int": "int", "tags[]": "string", "u/string": "string"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("leaves are %v, want %v", got, want)
	}
	if leaf := leafOf(&schema.Schema{Kind: schema.Int}, "int"); leaf == nil || leaf.Kind != schema.Int {
		t.Errorf("of rows that are ints: %v", leaf)
	}
}
