package sorting

import (
	"encoding/binary"
	"math"
	"testing"

	"avro2trevni/internal/hive"
	"avro2trevni/internal/jobtest"
	"avro2trevni/internal/schema"
	"avro2trevni/jobs/publish"
)

// What folders are called: as Hive and Spark do, and safe.
func TestPartitionNames(t *testing.T) {
	textBytes := func(s string) []byte { return append(binary.AppendVarint(nil, int64(len(s))), s...) }
	number := func(n int64) []byte { return binary.AppendVarint(nil, n) }
	for _, c := range []struct {
		typ   string
		value []byte
		want  string
	}{
		{`"string"`, nil, "__HIVE_DEFAULT_PARTITION__"},
		{`"string"`, textBytes(""), "__HIVE_DEFAULT_PARTITION__"},
		{`"string"`, textBytes("__HIVE_DEFAULT_PARTITION__"), "%5F_HIVE_DEFAULT_PARTITION__"},
		{`"string"`, textBytes("plain Text-1.5_ü€😀"), "plain Text-1.5_ü€😀"},
		{`"string"`, textBytes(`a/b=c:d%e`), "a%2Fb%3Dc%3Ad%25e"},
		{`"string"`, textBytes(`"#'*?\{}[]^<>|`), "%22%23%27%2A%3F%5C%7B%7D%5B%5D%5E%3C%3E%7C"},
		{`"string"`, textBytes("\x00\n\x1f\x7f"), "%00%0A%1F%7F"},
		{`"string"`, textBytes("."), "%2E"},
		{`"string"`, textBytes(".."), "%2E."},
		{`"string"`, textBytes("\xff\xc3"), "%FF%C3"},
		{`"bytes"`, []byte("\x0aa \x80\xc3\xbc"), "a%20%80%C3%BC"},
		{`{"type":"fixed","name":"f","size":2}`, []byte("\x04\x01/"), "%01%2F"},
		{`"int"`, number(-7), "-7"},
		{`"long"`, number(math.MinInt64), "-9223372036854775808"},
		{`"boolean"`, []byte{1}, "true"},
		{`"boolean"`, []byte{0}, "false"},
		{`{"type":"enum","name":"e","symbols":["A","B"]}`, number(1), "B"},
		{`{"type":"int","logicalType":"date"}`, number(0), "1970-01-01"},
		{`{"type":"int","logicalType":"date"}`, number(19782), "2024-02-29"},
		{`{"type":"int","logicalType":"date"}`, number(-719162), "0001-01-01"},
		{`{"type":"int","logicalType":"date"}`, number(-719163), "-719163"},
		{`{"type":"int","logicalType":"date"}`, number(2932896), "9999-12-31"},
		{`{"type":"int","logicalType":"date"}`, number(2932897), "2932897"},
		{`{"type":"long","logicalType":"timestamp-millis"}`, number(1), "1"},
	} {
		s, err := schema.Parse(c.typ)
		jobtest.Must(t, err)
		p := parting{field: "f", typ: s}
		got, err := p.key().Text(nil, c.value)
		if want := "f=" + c.want; err != nil || string(partitionOf(got)) != want {
			t.Errorf("%s %x: %q, %v, want %q", c.typ, c.value, partitionOf(got), err, want)
		}
		if name := string(partitionOf(got)); !hive.IsPartition(name) || !publish.IsPublishedName(name+"/part-00000.trv") {
			t.Errorf("%q is not known for a folder of ours", name)
		}
	}
}
