package data

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/linkedin/goavro/v2"
)

// seed makes every table of pseudo-random rows the same on every machine.
const seed = 20110621

// Kind is a type of column: its Avro schema, the name goavro gives it as a union's
// branch, and a source of values.
type Kind struct {
	name   string
	schema string
	branch string
	value  func(*rand.Rand) any
}

// epoch is the first instant of all dates and times in the made tables.
var epoch = time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)

// Kinds are what wide and nullable tables are made of: small and large numbers,
// few and many distinct values, as columns of a warehouse have.
var Kinds = []Kind{
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

// Column is a field of a flat table: a kind, and in how many rows of a hundred it
// holds a value; a hundred means that it is not nullable.
type Column struct {
	Kind
	Name      string
	Percent   int
	NullFirst bool
}

func (c *Column) schema() string {
	switch {
	case c.Percent == 100:
		return c.Kind.schema
	case c.NullFirst:
		return `["null",` + c.Kind.schema + `]`
	default:
		return `[` + c.Kind.schema + `,"null"]`
	}
}

func (c *Column) next(r *rand.Rand) any {
	switch {
	case c.Percent == 100:
		return c.value(r)
	case r.IntN(100) >= c.Percent:
		return nil
	default:
		return goavro.Union(c.branch, c.value(r))
	}
}

// Flat is a table of rows records made of columns.
func Flat(name string, rows int, columns []Column) Table {
	fields := make([]string, len(columns))
	for i := range columns {
		fields[i] = fmt.Sprintf(`{"name":%q,"type":%s}`, columns[i].Name, columns[i].schema())
	}
	return Table{
		Name:   name,
		Schema: fmt.Sprintf(`{"type":"record","name":%q,"fields":[%s]}`, name, strings.Join(fields, ",")),
		rows: func(emit func(any) error) error {
			r := rand.New(rand.NewPCG(seed, uint64(len(columns))))
			return repeat(rows, emit, func(int) any { return flatRow(columns, r) })
		},
	}
}

func flatRow(columns []Column, r *rand.Rand) any {
	row := make(map[string]any, len(columns))
	for i := range columns {
		row[columns[i].Name] = columns[i].next(r)
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

// Wide has 300 columns, one in three of them nullable.
func Wide() Table {
	columns := make([]Column, 300)
	for i := range columns {
		k := Kinds[i%len(Kinds)]
		columns[i] = Column{Kind: k, Name: fmt.Sprintf("%s_%03d", k.name, i), Percent: 100}
		if i%3 == 2 {
			columns[i].Percent, columns[i].NullFirst = 90, true
		}
	}
	return Flat("wide", 100_000, columns)
}

// Nullable has each kind twice, null first and last, present in 99 rows of 100.
func Nullable() Table {
	var columns []Column
	for _, k := range Kinds {
		for _, first := range []bool{true, false} {
			columns = append(columns, Column{k, fmt.Sprintf("%s_%t", k.name, first), 99, first})
		}
	}
	return Flat("nullable", 1_000_000, columns)
}

// Sparse has longs and strings that are present always, mostly, seldom and never.
func Sparse() Table {
	var columns []Column
	for _, percent := range []int{0, 1, 10, 50, 90, 99} {
		for _, k := range []Kind{Kinds[0], Kinds[5]} {
			columns = append(columns, Column{k, fmt.Sprintf("%s_%d", k.name, percent), percent, true})
		}
	}
	return Flat("sparse", 2_000_000, columns)
}
