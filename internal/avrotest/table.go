// Package avrotest makes tables at random, for tests: a schema of any shape that can be
// shredded into columns, and rows of it, which follow from a seed.
//
//	NewTable(seed) -> Schema, Rows(n) -> File -> an Avro data file
package avrotest

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"

	"avro2trevni/internal/ocf"
)

// Table is a schema and what makes rows of it. One goroutine at a time.
type Table struct {
	Schema string
	*rand.Rand

	row func(dst []byte) []byte
}

// NewTable returns the table of a seed.
func NewTable(seed uint64) *Table {
	m := &maker{Rand: rand.New(rand.NewPCG(seed, 11))}
	var t kind
	switch m.IntN(8) {
	case 0:
		t = m.any(m.IntN(4)) // of any type; most are records
	default:
		t = m.record(1 + m.IntN(4))
	}
	text, err := json.Marshal(t.schema)
	if err != nil {
		panic(err) // of strings and maps
	}
	return &Table{Schema: string(text), Rand: m.Rand, row: t.write}
}

// Rows returns n rows, each as Avro's writers write it.
func (t *Table) Rows(n int) [][]byte {
	rows := make([][]byte, n)
	for i := range rows {
		rows[i] = t.row(nil)
	}
	return rows
}

// File returns an Avro data file of rows, in blocks of random sizes.
func (t *Table) File(codec string, rows [][]byte) ([]byte, error) {
	var file bytes.Buffer
	w, err := ocf.NewWriter(&file, &ocf.WriterOptions{Schema: t.Schema, Codec: codec, BlockBytes: 1})
	if err != nil {
		return nil, err
	}
	for len(rows) > 0 {
		n := 1 + t.IntN(min(len(rows), 1+t.IntN(200)))
		if err := w.Append(bytes.Join(rows[:n], nil), n); err != nil {
			return nil, err
		}
		rows = rows[n:]
	}
	err = w.Close() // which may write a block
	return file.Bytes(), err
}

// kind is a type: its schema, and what appends a value of it.
type kind struct {
	schema any
	write  func(dst []byte) []byte
	key    string // what tells it from the other branches of a union
}

// maker makes types. Named ones are numbered.
type maker struct {
	*rand.Rand
	names int
}

func (m *maker) name(prefix string) string {
	m.names++
	return fmt.Sprint(prefix, m.names)
}

// any returns a type that is nested at most so deep.
func (m *maker) any(depth int) kind {
	if depth > 0 {
		switch m.IntN(9) {
		case 0, 1:
			return m.record(depth - 1)
		case 2, 3:
			return m.array(depth - 1)
		case 4:
			return m.mapOf(depth - 1)
		case 5:
			return m.option(m.any(depth - 1))
		case 6:
			return m.union(depth - 1)
		}
	}
	return m.simple()
}

func (m *maker) record(depth int) kind {
	var fields []any
	var writes []func([]byte) []byte
	for range m.IntN(7) {
		k := m.any(depth)
		fields = append(fields, map[string]any{"name": m.name("f"), "type": k.schema})
		writes = append(writes, k.write)
	}
	if len(fields) == 0 {
		fields = []any{}
	}
	name := m.name("R")
	return kind{map[string]any{"type": "record", "name": name, "fields": fields}, func(dst []byte) []byte {
		for _, write := range writes {
			dst = write(dst)
		}
		return dst
	}, name}
}

// count is how many elements a collection has: few, none, or now and then many.
func (m *maker) count() int {
	switch m.IntN(20) {
	case 0:
		return m.IntN(100)
	case 1, 2, 3, 4, 5, 6:
		return 0
	}
	return m.IntN(5)
}

func (m *maker) array(depth int) kind {
	item := m.any(depth)
	return kind{map[string]any{"type": "array", "items": item.schema}, func(dst []byte) []byte {
		return m.block(dst, func(dst []byte, _ int) []byte { return item.write(dst) })
	}, "array"}
}

func (m *maker) mapOf(depth int) kind {
	value := m.any(depth)
	return kind{map[string]any{"type": "map", "values": value.schema}, func(dst []byte) []byte {
		return m.block(dst, func(dst []byte, i int) []byte {
			return value.write(appendText(dst, fmt.Sprint("key", i)))
		})
	}, "map"}
}

// block appends a collection.
func (m *maker) block(dst []byte, item func([]byte, int) []byte) []byte {
	n := m.count()
	if n > 0 {
		dst = binary.AppendVarint(dst, int64(n))
	}
	for i := range n {
		dst = item(dst, i)
	}
	return append(dst, 0)
}

// option is a type or null, in either order, and null in few or in most values.
func (m *maker) option(k kind) kind {
	if k.key == "null" || k.key == "union" {
		return k
	}
	null, value := byte(0), byte(2)
	schema := []any{"null", k.schema}
	if m.IntN(2) == 0 {
		null, value, schema = 2, 0, []any{k.schema, "null"}
	}
	often := []int{1, 2, 50}[m.IntN(3)]
	return kind{schema, func(dst []byte) []byte {
		if m.IntN(often+1) == 0 {
			return k.write(append(dst, value))
		}
		return append(dst, null)
	}, "union"}
}

func (m *maker) union(depth int) kind {
	seen := map[string]bool{"union": true}
	var schemas []any
	var writes []func([]byte) []byte
	for len(writes) == 0 || m.IntN(3) > 0 {
		k := m.any(depth)
		if seen[k.key] {
			continue
		}
		seen[k.key] = true
		schemas, writes = append(schemas, k.schema), append(writes, k.write)
	}
	return kind{schemas, func(dst []byte) []byte {
		i := m.IntN(len(writes))
		return writes[i](binary.AppendVarint(dst, int64(i)))
	}, "union"}
}

// simple returns a type that holds no other.
func (m *maker) simple() kind {
	of := func(name string, write func([]byte) []byte) kind { return kind{name, write, name} }
	switch m.IntN(10) {
	case 0:
		return of("null", func(dst []byte) []byte { return dst })
	case 1:
		return of("boolean", func(dst []byte) []byte { return append(dst, byte(m.IntN(2))) })
	case 2:
		return of("int", func(dst []byte) []byte { return binary.AppendVarint(dst, int64(int32(m.Uint32())>>m.IntN(32))) })
	case 3:
		return of("long", func(dst []byte) []byte { return binary.AppendVarint(dst, int64(m.Uint64())>>m.IntN(64)) })
	case 4:
		return of("float", func(dst []byte) []byte {
			return binary.LittleEndian.AppendUint32(dst, math.Float32bits(float32(m.NormFloat64())))
		})
	case 5:
		return of("double", func(dst []byte) []byte {
			return binary.LittleEndian.AppendUint64(dst, math.Float64bits(m.NormFloat64()))
		})
	case 6:
		return of("string", m.text)
	case 7:
		return of("bytes", m.text)
	case 8:
		return m.enum()
	}
	return m.fixed()
}

func (m *maker) enum() kind {
	symbols := make([]string, 1+m.IntN(1+m.IntN(100)))
	for i := range symbols {
		symbols[i] = m.name("S")
	}
	name := m.name("E")
	return kind{map[string]any{"type": "enum", "name": name, "symbols": symbols}, func(dst []byte) []byte {
		return binary.AppendVarint(dst, int64(m.IntN(len(symbols))))
	}, name}
}

func (m *maker) fixed() kind {
	name, size := m.name("F"), 1+m.IntN(40)
	return kind{map[string]any{"type": "fixed", "name": name, "size": size}, func(dst []byte) []byte {
		for range size {
			dst = append(dst, byte(m.Uint32()))
		}
		return dst
	}, name}
}

// text appends a string: mostly short, some of a few thousand bytes.
func (m *maker) text(dst []byte) []byte {
	n := m.IntN(1 + m.IntN(60))
	if m.IntN(100) == 0 {
		n = m.IntN(6000)
	}
	dst = binary.AppendVarint(dst, int64(n))
	for range n {
		dst = append(dst, byte('a'+m.IntN(26)))
	}
	return dst
}

func appendText(dst []byte, text string) []byte {
	return append(binary.AppendVarint(dst, int64(len(text))), text...)
}
