package record_test

import (
	"encoding/json"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"avro2trevni/record"

	"github.com/linkedin/goavro/v2"
	"github.com/twmb/avro"
)

// lineitem has the shape of TPC-H's widest table.
const lineitem = `{"type":"record","name":"lineitem","fields":[
	{"name":"l_orderkey","type":"long"},{"name":"l_partkey","type":"long"},{"name":"l_suppkey","type":"long"},
	{"name":"l_linenumber","type":"int"},{"name":"l_quantity","type":"double"},{"name":"l_extendedprice","type":"double"},
	{"name":"l_discount","type":"double"},{"name":"l_tax","type":"double"},{"name":"l_returnflag","type":"string"},
	{"name":"l_linestatus","type":"string"},{"name":"l_shipdate","type":"int"},{"name":"l_commitdate","type":"int"},
	{"name":"l_receiptdate","type":"int"},{"name":"l_shipinstruct","type":"string"},{"name":"l_shipmode","type":"string"},
	{"name":"l_comment","type":"string"}]}`

const events = `{"type":"record","name":"event","fields":[{"name":"id","type":"long"},
	{"name":"items","type":{"type":"array","items":{"type":"record","name":"item","fields":[
		{"name":"sku","type":"string"},{"name":"price","type":"double"},{"name":"tags","type":{"type":"array","items":"string"}}]}}},
	{"name":"what","type":["null",{"type":"record","name":"click","fields":[{"name":"x","type":"int"},{"name":"y","type":"int"}]},
		{"type":"record","name":"view","fields":[{"name":"url","type":"string"}]}]}]}`

// nullable is lineitem with every field a union with null.
var nullable = strings.NewReplacer(`"type":"long"`, `"type":["null","long"]`, `"type":"int"`, `"type":["null","int"]`,
	`"type":"double"`, `"type":["null","double"]`, `"type":"string"`, `"type":["null","string"]`).Replace(lineitem)

// tables are the schemas measured.
var tables = []struct{ name, schema string }{{"lineitem", lineitem}, {"nullable", nullable}, {"events", events}}

// table makes rows of a schema, some MB.
func table(t testing.TB, text string) (rows []byte, n int64) {
	t.Helper()
	k := &maker{Rand: rand.New(rand.NewPCG(1, 1))}
	node := parseNode(t, text)
	for len(rows) < 4<<20 {
		rows = k.value(rows, node)
		n++
	}
	return rows, n
}

// parseNode makes the node of a schema without names used twice.
func parseNode(t testing.TB, text string) *node {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	return nodeOf(v)
}

func nodeOf(v any) *node {
	switch v := v.(type) {
	case []any:
		n := &node{kind: "union"}
		for _, b := range v {
			n.branches = append(n.branches, nodeOf(b))
		}
		return n
	case map[string]any:
		n := &node{kind: v["type"].(string)}
		n.name, _ = v["name"].(string)
		if items, ok := v["items"]; ok {
			n.items = nodeOf(items)
		}
		fields, _ := v["fields"].([]any)
		for _, f := range fields {
			f := f.(map[string]any)
			n.fields = append(n.fields, field{name: f["name"].(string), node: nodeOf(f["type"])})
		}
		return n
	}
	return &node{kind: v.(string)}
}

// BenchmarkAppend puts rows together: bytes a second of Avro.
func BenchmarkAppend(b *testing.B) {
	for _, c := range tables {
		for _, codec := range []string{"null", "snappy"} {
			b.Run("table="+c.name+"/codec="+codec, func(b *testing.B) {
				rows, n := table(b, c.schema)
				data := shred(b, c.schema, rows, n, 64<<10, codec)
				r := reader(b, data, "")
				buf := make([]byte, 0, 256<<10)
				b.SetBytes(int64(len(rows)))
				b.ReportAllocs()
				for b.Loop() {
					if err := r.SeekRow(0); err != nil {
						b.Fatal(err)
					}
					var err error
					for err == nil {
						buf, _, err = r.ReadRows(buf[:0], 1<<20)
					}
					if err != io.EOF {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// BenchmarkWriter writes rows: bytes a second of Avro.
func BenchmarkWriter(b *testing.B) {
	for _, c := range tables {
		b.Run("table="+c.name, func(b *testing.B) {
			rows, n := table(b, c.schema)
			b.SetBytes(int64(len(rows)))
			b.ReportAllocs()
			for b.Loop() {
				w, err := record.NewWriter(io.Discard, c.schema, &record.WriterOptions{Codec: "null"})
				if err == nil {
					err = w.WriteRows(rows, int(n))
				}
				if err == nil {
					err = w.Close()
				}
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkPeers decodes the same rows, in memory and not compressed.
func BenchmarkPeers(b *testing.B) {
	for _, c := range tables {
		b.Run("table="+c.name+"/goavro", func(b *testing.B) {
			codec, err := goavro.NewCodec(c.schema)
			if err != nil {
				b.Fatal(err)
			}
			peer(b, c.schema, func(rows []byte) (rest []byte, err error) {
				_, rest, err = codec.NativeFromBinary(rows)
				return rest, err
			})
		})
		b.Run("table="+c.name+"/twmb", func(b *testing.B) {
			s := avro.MustParse(c.schema)
			peer(b, c.schema, func(rows []byte) ([]byte, error) {
				var v any
				return s.Decode(rows, &v)
			})
		})
	}
}

func peer(b *testing.B, text string, decode func([]byte) ([]byte, error)) {
	rows, _ := table(b, text)
	b.SetBytes(int64(len(rows)))
	b.ReportAllocs()
	for b.Loop() {
		for rest := rows; len(rest) > 0; {
			var err error
			if rest, err = decode(rest); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// Once the buffers have grown, a row is put together without allocating.
func TestAppendDoesNotAllocate(t *testing.T) {
	for _, c := range tables {
		t.Run(c.name, func(t *testing.T) {
			rows, n := table(t, c.schema)
			r := reader(t, shred(t, c.schema, rows, n, 64<<10, "snappy"), "")
			buf := make([]byte, 0, 256<<10)
			var got int
			read := func() {
				if err := r.SeekRow(0); err != nil {
					t.Fatal(err)
				}
				for got = 0; ; {
					var k int
					var err error
					if buf, k, err = r.ReadRows(buf[:0], 1<<20); err == io.EOF {
						return
					}
					got += k
				}
			}
			read()
			if int64(got) != n {
				t.Fatalf("%d rows, want %d", got, n)
			}
			if a := testing.AllocsPerRun(3, read); a > float64(n)/100 {
				t.Errorf("%v allocations for %d rows", a, n)
			}
		})
	}
}
