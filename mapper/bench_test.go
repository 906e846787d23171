package mapper_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"avro2trevni/internal/schema"
	"avro2trevni/mapper"
	"avro2trevni/trevni"
	"avro2trevni/trevni/block"
)

// lineitem has the shape of TPC-H's widest table.
const lineitem = `{"type":"record","name":"lineitem","fields":[
	{"name":"l_orderkey","type":"long"},{"name":"l_partkey","type":"long"},{"name":"l_suppkey","type":"long"},
	{"name":"l_linenumber","type":"int"},{"name":"l_quantity","type":"double"},{"name":"l_extendedprice","type":"double"},
	{"name":"l_discount","type":"double"},{"name":"l_tax","type":"double"},{"name":"l_returnflag","type":"string"},
	{"name":"l_linestatus","type":"string"},{"name":"l_shipdate","type":"int"},{"name":"l_commitdate","type":"int"},
	{"name":"l_receiptdate","type":"int"},{"name":"l_shipinstruct","type":"string"},{"name":"l_shipmode","type":"string"},
	{"name":"l_comment","type":"string"}]}`

// nullable is lineitem with every field a union with null.
func nullable(s *schema.Schema) *schema.Schema {
	out := &schema.Schema{Kind: schema.Record, Name: s.Name}
	for _, f := range s.Fields {
		u := &schema.Schema{Kind: schema.Union, Branches: []*schema.Schema{{Kind: schema.Null}, f.Type}}
		out.Fields = append(out.Fields, schema.Field{Name: f.Name, Type: u})
	}
	return out
}

const events = `{"type":"record","name":"event","fields":[{"name":"id","type":"long"},
	{"name":"items","type":{"type":"array","items":{"type":"record","name":"item","fields":[
		{"name":"sku","type":"string"},{"name":"price","type":"double"},{"name":"tags","type":{"type":"array","items":"string"}}]}}},
	{"name":"what","type":["null",{"type":"record","name":"click","fields":[{"name":"x","type":"int"},{"name":"y","type":"int"}]},
		{"type":"record","name":"view","fields":[{"name":"url","type":"string"}]}]}]}`

// benchBlocks makes blocks of about 64 KB of random rows.
func benchBlocks(b *testing.B, s *schema.Schema) (*program, []testBlock, int64) {
	b.Helper()
	text := textOf(b, s)
	p, err := compile(text.Schema, text.All())
	if err != nil {
		b.Fatal(err)
	}
	k := maker{r: rand.New(rand.NewPCG(1, 1)), m: newModel(p), long: 60}
	var blocks []testBlock
	var size int64
	for range 64 {
		var tb testBlock
		for len(tb.data) < 64000 {
			tb.data = k.value(tb.data, s, "", nil)
			tb.rows++
		}
		blocks = append(blocks, tb)
		size += int64(len(tb.data))
	}
	return p, blocks, size
}

// wholeBlocks gives blocks without copying them.
type wholeBlocks struct{ fakeBlocks }

func (w *wholeBlocks) Window(int) ([]byte, bool, error) { return w.rest, true, nil }

func BenchmarkMap(b *testing.B) {
	flat := parse(b, lineitem)
	for _, c := range []struct {
		name   string
		schema *schema.Schema
	}{{"lineitem", flat}, {"nullable", nullable(flat)}, {"events", parse(b, events)}} {
		for _, codec := range []string{"null", "snappy"} {
			b.Run(fmt.Sprintf("table=%s/codec=%s", c.name, codec), func(b *testing.B) {
				p, blocks, size := benchBlocks(b, c.schema)
				m := newCoded(p, block.Coding{Codec: block.Codec{Name: codec}, Checksum: trevni.ChecksumCRC32}, mapper.Options{MarkBytes: 1 << 20}, &dropSink{})
				b.SetBytes(size)
				b.ReportAllocs()
				for b.Loop() {
					m.Begin(0)
					if _, err := m.Segment(b.Context(), &wholeBlocks{fakeBlocks{blocks: blocks}}); err != nil {
						b.Fatal(err)
					}
					if _, err := m.End(); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// BenchmarkWalk is the inner loop alone: bytes a second, and allocations, of rows.
func BenchmarkWalk(b *testing.B) {
	flat := parse(b, lineitem)
	for _, c := range []struct {
		name   string
		schema *schema.Schema
	}{{"lineitem", flat}, {"nullable", nullable(flat)}, {"events", parse(b, events)}} {
		b.Run("table="+c.name, func(b *testing.B) {
			p, blocks, size := benchBlocks(b, c.schema)
			m := newMapper(p, mapper.Options{}, &dropSink{})
			b.SetBytes(size)
			b.ReportAllocs()
			for b.Loop() {
				for _, tb := range blocks {
					m.Begin(0)
					if _, _, _, err := m.Walk(tb.data, 0, len(tb.data), tb.rows); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}

// Walking rows allocates nothing, once the buffers have grown.
func TestWalkDoesNotAllocate(t *testing.T) {
	for _, text := range []string{lineitem, events} {
		s := parse(t, text)
		p := compileText(t, text)
		k := maker{r: rand.New(rand.NewPCG(1, 1)), m: newModel(p), long: 60}
		var data []byte
		const rows = 500
		for range rows {
			data = k.value(data, s, "", nil)
		}
		m := newMapper(p, mapper.Options{}, &dropSink{})
		walk := func() {
			m.Begin(0)
			if _, _, done, err := m.Walk(data, 0, len(data), rows); err != nil || done != rows {
				t.Fatal(done, err)
			}
		}
		walk()
		if n := testing.AllocsPerRun(20, walk); n > float64(rows)/50 {
			t.Errorf("%v allocations for %d rows", n, rows)
		}
	}
}
