package scan

import (
	"fmt"
	"slices"
	"strings"

	"avro2trevni/bench/internal/data"
	"avro2trevni/bench/internal/report"
	"avro2trevni/bench/internal/scanner"
	"avro2trevni/internal/schema"
)

// scanCase is a question to a table, and who is asked.
type scanCase struct {
	name, what string
	input      string       // an Avro file of the data folder
	outside    bool         // of the user's instead, by its path
	columns    columnChoice // nil for records, which have all
	rows       rowChoice
	contenders []string
	oneCore    bool
	cold       bool
	whole      bool
	quick      bool // is asked in quick mode too, of a smaller table
	figures    []report.Figure
}

// rowChoice chooses rows of a table of n.
type rowChoice func(n int64) scanner.RowRange

func allRows(int64) scanner.RowRange      { return scanner.RowRange{} }
func firstRow(int64) scanner.RowRange     { return scanner.RowRange{From: 0, To: 1, Step: 1} }
func middleRow(n int64) scanner.RowRange  { return scanner.RowRange{From: n / 2, To: n/2 + 1, Step: 1} }
func thousandth(n int64) scanner.RowRange { return scanner.RowRange{From: 0, To: n, Step: 1000} }

// The programs that take part, by what they read.
var (
	ofRecords = []string{"ours-records", "java-trevni-records", "java-avro-records", "goavro-records"}
)

// without is programs but one.
func without(programs []string, one string) []string {
	return slices.DeleteFunc(slices.Clone(programs), func(p string) bool { return p == one })
}

// faster is the figure of being so many times as fast as another, if n isn't 0 at least.
func faster(than string, n float64) report.Figure {
	return report.Figure{Name: "times as fast as " + than, Measure: "wall", Of: than, To: "ours", AtLeast: n}
}

// salesColumns are lineitem's: those that queries of sales ask for first.
var salesColumns = strings.Fields("l_extendedprice l_shipdate l_discount l_quantity l_tax l_returnflag l_orderkey l_shipmode")

// scanCases are all cases over the made tables.
func scanCases() []scanCase {
	return slices.Concat(AimCases(), columnCases(), rowCases(), wideCases(), coreCases(), coldCases())
}

// AimCases are those that the aims are about: what is read of one column, warm, on one
// core; and all columns as records. goavro, which decodes whole rows whatever is asked, is
// asked once of each table.
func AimCases() []scanCase {
	aim := func(name, what, input, column string, figures ...report.Figure) scanCase {
		return scanCase{name: name, what: what, input: input, columns: these(column), rows: allRows, contenders: report.Everyone,
			oneCore: true, quick: name == "double", figures: append(figures, faster("duckdb", 0), faster("raw-walk", 0), faster("goavro", 0))}
	}
	again := func(c scanCase) scanCase { // of another column of the same table
		c.contenders = without(report.Everyone, "goavro")
		c.figures = slices.DeleteFunc(c.figures, func(f report.Figure) bool { return f.Of == "goavro" })
		return c
	}
	return []scanCase{
		aim("double", "one double column, l_extendedprice, summed", data.LineitemInput, "l_extendedprice",
			faster("java-trevni", 6), faster("parquet-go", 3)),
		again(aim("string", "one string column, l_comment, measured", data.LineitemInput, "l_comment",
			faster("java-trevni", 3), faster("parquet-go", 0))),
		aim("nested-double", "a double in an array of records, items.price, summed", "nested-snappy.avro", "items.price",
			faster("java-trevni", 3), faster("parquet-go", 0)),
		again(aim("nested-string", "an array of strings, tags, measured", "nested-snappy.avro", "tags",
			faster("java-trevni", 3), faster("parquet-go", 0))),
		records("records", data.LineitemInput),
		records("nested-records", "nested-snappy.avro"),
	}
}

// records is the case of all columns put together to records, against reading the rows
// of the Avro file.
func records(name, input string) scanCase {
	return scanCase{name: name, what: "all columns read back as records", input: input, rows: allRows,
		contenders: ofRecords, oneCore: true, figures: []report.Figure{
			{Name: "times as fast as goavro", Measure: "wall", Of: "goavro-records", To: "ours-records", AtLeast: 1},
			{Name: "times as fast as java-trevni", Measure: "wall", Of: "java-trevni-records", To: "ours-records"},
		}}
}

// columnCases are k of lineitem's columns; the first of them is the aim's, for k = 1.
func columnCases() []scanCase {
	var all []scanCase
	for _, k := range []int{2, 4, 8, 16} {
		c := scanCase{name: fmt.Sprintf("columns-%d", k), what: fmt.Sprintf("the first %d of %s", k, strings.Join(salesColumns, ", ")),
			input: data.LineitemInput, columns: these(salesColumns[:min(k, len(salesColumns))]...), rows: allRows, oneCore: true,
			contenders: without(report.Everyone, "goavro"), quick: k == 4}
		if k == 16 {
			c.what, c.columns, c.contenders, c.quick = "all columns", spreadOut(0), report.Everyone, true
		}
		all = append(all, c)
	}
	return all
}

// rowCases are whole rows of lineitem, few of them.
func rowCases() []scanCase {
	one := func(name, what string, rows rowChoice) scanCase {
		return scanCase{name: name, what: what, input: data.LineitemInput, columns: spreadOut(0), rows: rows,
			contenders: without(report.Everyone, "raw-walk"), oneCore: true, quick: name == "row-middle"}
	}
	return []scanCase{
		one("row-first", "all columns of the first row", firstRow),
		one("row-middle", "all columns of the row in the middle", middleRow),
		one("rows-thousandth", "all columns of each 1,000th row", thousandth),
	}
}

func wideCases() []scanCase {
	wide := func(k int, contenders []string) scanCase {
		return scanCase{name: fmt.Sprintf("wide-%d", k), what: fmt.Sprintf("%d of 300 columns", k), input: "wide-snappy.avro",
			columns: spreadOut(k), rows: allRows, contenders: contenders, oneCore: true}
	}
	return []scanCase{wide(1, report.Everyone), wide(8, without(report.Everyone, "goavro"))}
}

// coreCases let programs use all cores that can.
func coreCases() []scanCase {
	all := func(name, what string, columns columnChoice) scanCase {
		return scanCase{name: name, what: what + ", on all cores", input: data.LineitemInput, columns: columns, rows: allRows,
			contenders: without(report.Everyone, "goavro")}
	}
	return []scanCase{
		all("double-cores", "l_extendedprice", these(salesColumns[0])),
		all("all-cores", "all columns", spreadOut(0)),
	}
}

// coldCases begin without page cache, or without a process.
func coldCases() []scanCase {
	c := AimCases()[0]
	c.figures, c.quick = nil, false
	cold, whole := c, c
	cold.name, cold.what, cold.cold = "double-cold", "l_extendedprice, the file not in the page cache", true
	whole.name, whole.what, whole.whole = "double-process", "l_extendedprice, whole processes", true
	cold.contenders = without(report.Everyone, "goavro")
	whole.contenders = cold.contenders
	return []scanCase{cold, whole}
}

// inputCases are those for a file of the user's: a column of each sort that it has, k of
// its columns, all as records.
func inputCases(path string) []scanCase {
	c := scanCase{input: path, outside: true, rows: allRows, contenders: report.Everyone, oneCore: true}
	var all []scanCase
	add := func(name, what string, columns columnChoice) {
		c := c
		c.name, c.what, c.columns = name, what, columns
		all = append(all, c)
	}
	add("number", "the first column of numbers", firstOf(func(c scanner.Column) bool { return !c.Nested && c.Number() }))
	add("string", "the first column of strings", firstOf(func(c scanner.Column) bool { return !c.Nested && c.Kind == schema.String }))
	add("nested", "the first column in an array", firstOf(func(c scanner.Column) bool { return c.Nested }))
	for _, k := range []int{1, 2, 4, 8} {
		add(fmt.Sprintf("columns-%d", k), fmt.Sprintf("columns at equal distances, %d", k), fewer(k))
	}
	add("columns-all", "all columns that can be summed up", spreadOut(0))
	r := records("records", path)
	r.outside = true
	for i := range r.figures {
		r.figures[i].AtLeast = 0
	}
	return append(all, r)
}
