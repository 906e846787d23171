package record_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/twmb/avro"
	"pgregory.net/rapid"

	"avro2trevni/record"
)

// node is a schema as made at random: its JSON text, its data, and what another
// version of it could be are all made from it.
type node struct {
	kind     string
	name     string
	fields   []field
	items    *node
	branches []*node
	symbols  []string
	size     int
	alias    string // the name that it had before
}

type field struct {
	name string
	node *node
	def  any // default, where has
	has  bool

	alias string // the name that it had before
}

var simpleKinds = []string{"null", "boolean", "int", "long", "float", "double", "string", "bytes", "enum", "fixed"}

// maker makes schemas and data at random.
type maker struct {
	*rand.Rand
	names int
}

func (k *maker) name(prefix string) string {
	k.names++
	return fmt.Sprint(prefix, k.names)
}

func (k *maker) schema(depth int) *node {
	kinds := simpleKinds
	if depth > 0 {
		kinds = append([]string{"record", "record", "record", "array", "array", "map", "union", "union"}, kinds...)
	}
	n := &node{kind: kinds[k.IntN(len(kinds))]}
	switch n.kind {
	case "record":
		n.name = k.name("n.R")
		for range k.IntN(5) {
			n.fields = append(n.fields, field{name: k.name("f"), node: k.schema(depth - 1)})
		}
	case "array", "map":
		n.items = k.schema(depth - 1)
	case "enum":
		n.name = k.name("n.E")
		for range 1 + k.IntN(100) {
			n.symbols = append(n.symbols, k.name("S"))
		}
	case "fixed":
		n.name, n.size = k.name("F"), 1+k.IntN(40)
	case "union":
		seen := map[string]bool{"union": true}
		for len(n.branches) == 0 || k.IntN(3) > 0 {
			b := k.schema(depth - 1)
			if b.name == "" && seen[b.kind] {
				continue
			}
			seen[b.kind] = b.name == ""
			n.branches = append(n.branches, b)
		}
	}
	return n
}

// json returns the value that encodes to the schema's text.
func (n *node) json() any {
	switch n.kind {
	case "record":
		fields := []any{}
		for _, f := range n.fields {
			m := map[string]any{"name": f.name, "type": f.node.json()}
			if f.has {
				m["default"] = f.def
			}
			if f.alias != "" {
				m["aliases"] = []string{f.alias}
			}
			fields = append(fields, m)
		}
		return n.named(map[string]any{"type": "record", "fields": fields})
	case "array":
		return map[string]any{"type": "array", "items": n.items.json()}
	case "map":
		return map[string]any{"type": "map", "values": n.items.json()}
	case "enum":
		return n.named(map[string]any{"type": "enum", "symbols": n.symbols})
	case "fixed":
		return n.named(map[string]any{"type": "fixed", "size": n.size})
	case "union":
		list := []any{}
		for _, b := range n.branches {
			list = append(list, b.json())
		}
		return list
	}
	return n.kind
}

// named adds name and aliases to a type.
func (n *node) named(m map[string]any) map[string]any {
	m["name"] = n.name
	if n.alias != "" {
		m["aliases"] = []string{n.alias}
	}
	return m
}

func (n *node) text() string {
	b, err := json.Marshal(n.json())
	if err != nil {
		panic(err)
	}
	return string(b)
}

// value appends a value of n at random, as Avro's writers write it.
func (k *maker) value(dst []byte, n *node) []byte {
	switch n.kind {
	case "null":
		return dst
	case "boolean":
		return append(dst, byte(k.IntN(2)))
	case "int":
		return binary.AppendVarint(dst, int64(int32(k.Uint32())>>k.IntN(32)))
	case "long":
		return binary.AppendVarint(dst, int64(k.Uint64())>>k.IntN(64))
	case "float":
		return binary.LittleEndian.AppendUint32(dst, math.Float32bits(float32(k.NormFloat64())))
	case "double":
		return binary.LittleEndian.AppendUint64(dst, math.Float64bits(k.NormFloat64()))
	case "string", "bytes":
		return k.text(binary.AppendVarint, dst, k.IntN(1+k.IntN(100)))
	case "fixed":
		return k.text(nil, dst, n.size)
	case "enum":
		return binary.AppendVarint(dst, int64(k.IntN(len(n.symbols))))
	case "record":
		for _, f := range n.fields {
			dst = k.value(dst, f.node)
		}
		return dst
	case "union":
		i := k.IntN(len(n.branches))
		return k.value(binary.AppendVarint(dst, int64(i)), n.branches[i])
	}
	count := k.IntN(1 + k.IntN(10))
	if count > 0 {
		dst = binary.AppendVarint(dst, int64(count))
	}
	for i := range count {
		if n.kind == "map" {
			dst = append(append(dst, 2), byte('a'+i))
		}
		dst = k.value(dst, n.items)
	}
	return append(dst, 0)
}

// text appends n letters, with their number in front if length is given.
func (k *maker) text(length func([]byte, int64) []byte, dst []byte, n int) []byte {
	if length != nil {
		dst = length(dst, int64(n))
	}
	for range n {
		dst = append(dst, byte('a'+k.IntN(26)))
	}
	return dst
}

// version returns another version of a schema, which data of n can be read as.
func (k *maker) version(n *node) *node {
	v := *n
	switch n.kind {
	case "record":
		v.fields = nil
		for _, i := range k.Perm(len(n.fields)) {
			if k.IntN(3) > 0 {
				f := field{name: n.fields[i].name, node: k.version(n.fields[i].node)}
				if k.IntN(4) == 0 {
					f.alias, f.name = f.name, k.name("h")
				}
				v.fields = append(v.fields, f)
			}
			if k.IntN(4) == 0 {
				v.fields = append(v.fields, k.added())
			}
		}
	case "array", "map":
		v.items = k.version(n.items)
	case "enum":
		v.symbols = nil
		for _, i := range k.Perm(len(n.symbols)) {
			v.symbols = append(v.symbols, n.symbols[i])
		}
	case "int", "long", "float", "string", "bytes":
		if wider := promotions[n.kind]; k.IntN(2) == 0 {
			v.kind = wider[k.IntN(len(wider))]
		}
	case "union":
		v.branches = nil
		for _, i := range k.Perm(len(n.branches)) {
			b := n.branches[i]
			if promotions[b.kind] == nil { // or it could be another branch's kind
				b = k.version(b)
			}
			v.branches = append(v.branches, b)
		}
	}
	if n.name != "" && k.IntN(4) == 0 {
		v.alias, v.name = n.name, k.name(n.name[:len(n.name)-len(strings.TrimPrefix(n.name, "n."))]+"T")
	}
	return &v
}

// promotions are what values of a kind can be read as beside.
var promotions = map[string][]string{
	"int": {"long", "float", "double"}, "long": {"float", "double"}, "float": {"double"}, "string": {"bytes"}, "bytes": {"string"},
}

// added is a field with a default.
func (k *maker) added() field {
	f := field{name: k.name("g"), has: true}
	switch k.IntN(6) {
	case 0:
		f.node, f.def = &node{kind: "string"}, "héllo"
	case 1:
		f.node, f.def = &node{kind: "bytes"}, "\u00ff\u0000a"
	case 2:
		f.node, f.def = &node{kind: "array", items: &node{kind: "long"}}, []any{1, -70, 1 << 40}
	case 3:
		f.node, f.def = &node{kind: "union", branches: []*node{{kind: "null"}, {kind: "double"}}}, nil
	case 4:
		f.node, f.def = &node{kind: "map", items: &node{kind: "double"}}, map[string]any{"x": 1.5}
	default:
		f.node = &node{kind: "record", name: k.name("n.R"), fields: []field{
			{name: "a", node: &node{kind: "int"}}, {name: "b", node: &node{kind: "boolean"}, has: true, def: true},
		}}
		f.def = map[string]any{"a": -5}
	}
	return f
}

// draw makes a schema and rows of it.
func draw(t *rapid.T) (k *maker, n *node, rows [][]byte) {
	seed := rapid.Uint64().Draw(t, "seed")
	k = &maker{Rand: rand.New(rand.NewPCG(seed, 1))}
	n = k.schema(k.IntN(5))
	for range k.IntN(1 + k.IntN(120)) {
		rows = append(rows, k.value(nil, n))
	}
	return k, n, rows
}

// size is of blocks: rapid would draw the first of a list most of the time.
func (k *maker) size() int { return []int{16, 64, 500, 64 << 10}[k.IntN(4)] }

// Rows of any schema come back byte for byte, whatever the blocks and however many
// are asked for at a time, from any row on.
func TestRandomSchemas(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k, n, rows := draw(t)
		codec := []string{"null", "snappy"}[k.IntN(2)]
		data := shred(t, n.text(), bytes.Join(rows, nil), int64(len(rows)), k.size(), codec)
		r := random(t, data, "", []int{0, 1, 50}[k.IntN(3)])
		for i := range 6 {
			from := 0
			if i > 0 {
				from = k.IntN(len(rows) + 1)
				if err := r.SeekRow(int64(from)); err != nil {
					t.Fatal(err)
				}
			}
			var got []byte
			for at := from; at < len(rows) && (i == 0 || at < from+10); {
				out, m, err := r.ReadRows(got, 1+k.IntN(20))
				if err != nil {
					t.Fatalf("row %d: %v", at, err)
				}
				at += m
				got = out
				if want := bytes.Join(rows[from:at], nil); !bytes.Equal(got, want) {
					t.Fatalf("schema %s: rows %d to %d:\ngot  %x\nwant %x", n.text(), from, at, got, want)
				}
			}
		}
	})
}

func random(t *rapid.T, data []byte, want string, batch int) *record.Reader {
	f := openRapid(t, data)
	r, err := record.NewReader(f, &record.Options{Schema: want, BatchBytes: batch})
	if err != nil {
		t.Fatalf("schema %s: %v", want, err)
	}
	return r
}

// Rows read as another version of their schema are what Avro's resolution of the two
// makes of them.
func TestRandomVersions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k, n, rows := draw(t)
		v := k.version(n)
		joined := bytes.Join(rows, nil)
		r := random(t, shred(t, n.text(), joined, int64(len(rows)), k.size(), "null"), v.text(), 0)
		writer, reader := avro.MustParse(n.text()), avro.MustParse(v.text())
		resolved, err := avro.Resolve(writer, reader)
		if err != nil {
			t.Fatal(err)
		}
		for i := range rows {
			var got, want any
			row, _, err := r.ReadRows(nil, 1)
			if err != nil {
				t.Fatal(err)
			}
			if rest, err := reader.Decode(row, &got, avro.TaggedUnions()); err != nil || len(rest) > 0 {
				t.Fatalf("row %d: %d bytes left of %x, %v", i, len(rest), row, err)
			}
			if _, err := resolved.Decode(rows[i], &want, avro.TaggedUnions()); err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(want, got, cmpopts.EquateNaNs()); d != "" {
				t.Fatalf("row %d of %s as %s (-want +got):\n%s", i, n.text(), v.text(), d)
			}
		}
	})
}
