package parquet

import (
	"testing"

	"avro2trevni/internal/avrotest"
	"avro2trevni/internal/schema"
)

// TestAvro has what is otherwise in the schema that parquet-avro reads by, as the type of a
// field "f".
func TestAvro(t *testing.T) {
	for _, c := range []struct{ name, avro, want string }{
		{"primitive", `"string"`, `"string"`},
		{"date", `{"type":"int","logicalType":"date"}`, `{"type":"int","logicalType":"date"}`},
		{"enum", `{"type":"enum","name":"E","symbols":["A","B"]}`, `{"type":"enum","name":"E","namespace":"n","symbols":["A","B"]}`},
		{"fixed", `{"type":"fixed","name":"m.F","size":5}`, `{"type":"fixed","name":"F","namespace":"m","size":5}`},
		{"fixed of no bytes", `{"type":"fixed","name":"F","size":0}`, `"bytes"`},
		{"array of nulls", `{"type":"array","items":"null"}`, `{"type":"array","items":["null","boolean"]}`},
		{"map of unions of null", `{"type":"map","values":["null"]}`, `{"type":"map","values":["null","boolean"]}`},
		{
			"record", `{"type":"record","name":"S","doc":"x","fields":[{"name":"a","type":"int"},{"name":"b","type":"null"}]}`,
			`{"type":"record","name":"S","namespace":"n","fields":[{"name":"a","type":"int"}]}`,
		},
		{
			"record of no fields", `{"type":"record","name":"S","fields":[]}`,
			`{"type":"record","name":"S","namespace":"n","fields":[{"name":"_","type":["null","boolean"]}]}`,
		},
		{"union of one", `["int"]`, `"int"`},
		{"option, null last", `["int","null"]`, `["int","null"]`},
		{"union", `["int","null",{"type":"array","items":"int"}]`, `["int","null",{"type":"array","items":"int"}]`},
		{"decimal of 9 digits", `{"type":"bytes","logicalType":"decimal","precision":9,"scale":2}`, `{"type":"int","logicalType":"decimal","precision":9,"scale":2}`},
		{"decimal of 18 digits", `{"type":"fixed","name":"F","size":9,"logicalType":"decimal","precision":18}`, `{"type":"long","logicalType":"decimal","precision":18,"scale":0}`},
		{"decimal of 20 digits", `{"type":"bytes","logicalType":"decimal","precision":20}`, `{"type":"bytes","logicalType":"decimal","precision":20,"scale":0}`},
		{
			"fixed decimal of 20 digits", `{"type":"fixed","name":"F","size":30,"logicalType":"decimal","precision":20}`,
			`{"type":"fixed","name":"F","namespace":"n","size":9,"logicalType":"decimal","precision":20,"scale":0}`,
		},
		{
			"union of types that become one", `["null","int",{"type":"bytes","logicalType":"decimal","precision":5}]`,
			`["null",{"type":"record","name":"union","fields":[{"name":"member0","type":["null","int"]},` +
				`{"name":"member1","type":["null",{"type":"int","logicalType":"decimal","precision":5,"scale":0}]}]}]`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := lay(t, field(c.avro), Options{}).Avro()
			want := `{"type":"record","name":"Top","namespace":"n","fields":[{"name":"f","type":` + c.want + `}]}`
			if got != want {
				t.Errorf("\n got %s\nwant %s", got, want)
			}
			if _, err := schema.Parse(got); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestAvroTop(t *testing.T) {
	for avro, want := range map[string]string{
		`"int"`: `{"type":"record","name":"row","fields":[{"name":"value","type":"int"}]}`,
		`["null",{"type":"record","name":"row","fields":[]}]`: `{"type":"record","name":"row1","fields":[{"name":"value","type":["null",` +
			`{"type":"record","name":"row","namespace":"","fields":[{"name":"_","type":["null","boolean"]}]}]}]}`,
		record(`{"name":"a","type":{"type":"record","name":"o.S","fields":[{"name":"x","type":"int"}]}},{"name":"b","type":"o.S"}`): `{"type":"record","name":"R","namespace":"n",` +
			`"fields":[{"name":"a","type":{"type":"record","name":"S","namespace":"o","fields":[{"name":"x","type":"int"}]}},{"name":"b","type":"o.S"}]}`,
	} {
		if got := lay(t, avro, Options{}).Avro(); got != want {
			t.Errorf("%s:\n got %s\nwant %s", avro, got, want)
		}
	}
}

// TestAvroIsASchema parses the schemas of random tables. Mapped again they are the same columns,
// but for a top level that has become a record.
func TestAvroIsASchema(t *testing.T) {
	for seed := range uint64(300) {
		table := avrotest.NewTable(seed)
		l := lay(t, table.Schema, Options{})
		again := lay(t, l.Avro(), Options{})
		if got, want := flat(again.Schema.String()), flat(l.Schema.String()); got != want {
			t.Fatalf("seed %d: %s:\n got %s\nwant %s", seed, l.Avro(), got, want)
		}
	}
}
