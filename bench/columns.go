package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/linkedin/goavro/v2"
)

// seed makes every table of pseudo-random rows the same on every machine.
const seed = 20110621

// kind is a type of column: its Avro schema, the name goavro gives it as a union's
// branch, and a source of values.
type kind struct {
	name   string
	schema string
	branch string
	value  func(*rand.Rand) any
}

// epoch is the first instant of all dates and times in the made tables.
var epoch = time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)

// kinds are what wide and nullable tables are made of: small and large numbers,
// few and many distinct values, as columns of a warehouse have.
var kinds = []kind{
	{"id", `"long"`, "long", func(r *rand.Rand) any { return r.Int64N(1 << 40) }},
	{"count", `"int"`, "int", func(r *rand.Rand) any { return int32(r.IntN(200)) }},
	{"price", `"double"`, "double", func(r *rand.Rand) any { return float64(r.IntN(1e6)) / 100 }},
	{"ratio", `"float"`, "float", func(r *rand.Rand) any { return float32(r.IntN(1000)) / 1000 }},
	{"flag", `"boolean"`, "boolean", func(r *rand.Rand) any { return r.IntN(4) == 0 }},
	{"state", `"string"`, "string", func(r *rand.Rand) any { return words[r.IntN(12)] }},
	{"note", `"string"`, "string", func(r *rand.Rand) any { return sentence(r, 4) }},
	{"day", `{"type":"int","logicalType":"date"}`, "int.date", func(r *rand.Rand) any { return epoch.AddDate(0, 0, r.IntN(1500)) }},
	{"at", `{"type":"long","logicalType":"timestamp-millis"}`, "long.timestamp-millis", func(r *rand.Rand) any {
		return epoch.Add(time.Duration(r.Int64N(1e11)) * time.Millisecond)
	}},
	{"hash", `"bytes"`, "bytes", func(r *rand.Rand) any { return randomBytes(r, 8) }},
}

// words are TPC-H's nouns and verbs, near enough.
var words = strings.Fields(`packages requests accounts deposits foxes ideas theodolites pinto beans instructions
dependencies excuses platelets asymptotes courts dolphins multipliers sauternes warthogs frets dinos attainments
somas sheaves nag haggle sleep wake cajole detect integrate maintain boost affix engage use`)

func sentence(r *rand.Rand, n int) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(words[r.IntN(len(words))])
	}
	return b.String()
}

func randomBytes(r *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

// column is a field of a flat table: a kind, and in how many rows of a hundred it
// holds a value; a hundred means that it is not nullable.
type column struct {
	kind
	name      string
	percent   int
	nullFirst bool
}

func (c *column) schema() string {
	switch {
	case c.percent == 100:
		return c.kind.schema
	case c.nullFirst:
		return `["null",` + c.kind.schema + `]`
	default:
		return `[` + c.kind.schema + `,"null"]`
	}
}

func (c *column) next(r *rand.Rand) any {
	switch {
	case c.percent == 100:
		return c.value(r)
	case r.IntN(100) >= c.percent:
		return nil
	default:
		return goavro.Union(c.branch, c.value(r))
	}
}

// flat is a table of rows records made of columns.
func flat(name string, rows int, columns []column) table {
	fields := make([]string, len(columns))
	for i := range columns {
		fields[i] = fmt.Sprintf(`{"name":%q,"type":%s}`, columns[i].name, columns[i].schema())
	}
	return table{
		name:   name,
		schema: fmt.Sprintf(`{"type":"record","name":%q,"fields":[%s]}`, name, strings.Join(fields, ",")),
		rows: func(emit func(any) error) error {
			r := rand.New(rand.NewPCG(seed, uint64(len(columns))))
			return repeat(rows, emit, func(int) any { return flatRow(columns, r) })
		},
	}
}

func flatRow(columns []column, r *rand.Rand) any {
	row := make(map[string]any, len(columns))
	for i := range columns {
		row[columns[i].name] = columns[i].next(r)
	}
	return row
}

func repeat(rows int, emit func(any) error, row func(i int) any) error {
	for i := range rows {
		if err := emit(row(i)); err != nil {
			return err
		}
	}
	return nil
}

// wide has 300 columns, one in three of them nullable.
func wide() table {
	columns := make([]column, 300)
	for i := range columns {
		k := kinds[i%len(kinds)]
		columns[i] = column{kind: k, name: fmt.Sprintf("%s_%03d", k.name, i), percent: 100}
		if i%3 == 2 {
			columns[i].percent, columns[i].nullFirst = 90, true
		}
	}
	return flat("wide", 100_000, columns)
}

// nullable has each kind twice, null before and behind, present in 99 rows of 100.
func nullable() table {
	var columns []column
	for _, k := range kinds {
		for _, first := range []bool{true, false} {
			columns = append(columns, column{k, fmt.Sprintf("%s_%t", k.name, first), 99, first})
		}
	}
	return flat("nullable", 1_000_000, columns)
}

// sparse has longs and strings that are present always, mostly, seldom and never.
func sparse() table {
	var columns []column
	for _, percent := range []int{0, 1, 10, 50, 90, 99} {
		for _, k := range []kind{kinds[0], kinds[5]} {
			columns = append(columns, column{k, fmt.Sprintf("%s_%d", k.name, percent), percent, true})
		}
	}
	return flat("sparse", 2_000_000, columns)
}
