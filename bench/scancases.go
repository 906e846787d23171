package main

// scanCase is a question to a table, and who is asked.
type scanCase struct {
	name, what string
	input      string // an Avro file of the data folder
	columns    columnChoice
	rows       rowChoice
	contenders []string
	oneCore    bool
	cold       bool
	whole      bool
	figures    []figure
}

// rowChoice chooses rows of a table of n.
type rowChoice func(n int64) rowRange

func allRows(int64) rowRange      { return rowRange{} }
func firstRow(int64) rowRange     { return rowRange{0, 1, 1} }
func middleRow(n int64) rowRange  { return rowRange{n / 2, n/2 + 1, 1} }
func thousandth(n int64) rowRange { return rowRange{0, n, 1000} }

// The programs that take part, by what they read.
var (
	columnMajor = []string{"ours", "java-trevni", "parquet-go", "pyarrow", "duckdb"}
	rowMajor    = []string{"java-avro", "goavro"}
	everyone    = append(columnMajor[:len(columnMajor):len(columnMajor)], rowMajor...)
	ofRecords   = []string{"ours-records", "java-trevni-records", "java-avro-records", "goavro-records"}
)

// faster is the figure of being so many times as fast as another, if n isn't 0 at least.
func faster(than string, n float64) figure {
	return figure{Name: "times as fast as " + than, Measure: "wall", Of: than, To: "ours", AtLeast: n}
}

// kColumns are lineitem's, for k of them: those of a query of sales first.
var kColumns = "l_extendedprice l_shipdate l_discount l_quantity l_tax l_returnflag l_orderkey l_shipmode"

// aimCases are those that the aims are about: what is read of one column, warm, on one
// core; and all columns as records.
func aimCases() []scanCase {
	aim := func(name, what, input, column string, figures ...figure) scanCase {
		return scanCase{name: name, what: what, input: input, columns: these(column), rows: allRows, contenders: everyone,
			oneCore: true, figures: append(figures, faster("duckdb", 0), faster("goavro", 0))}
	}
	return []scanCase{
		aim("double", "one double column, l_extendedprice, summed", "lineitem-snappy.avro", "l_extendedprice",
			faster("java-trevni", 6), faster("parquet-go", 3)),
		aim("string", "one string column, l_comment, measured", "lineitem-snappy.avro", "l_comment",
			faster("java-trevni", 3), faster("parquet-go", 0)),
		aim("nested-double", "a double in an array of records, items.price, summed", "nested-snappy.avro", "items.price",
			faster("java-trevni", 3), faster("parquet-go", 0)),
		aim("nested-string", "an array of strings, tags, measured", "nested-snappy.avro", "tags",
			faster("java-trevni", 3), faster("parquet-go", 0)),
		records("records", "lineitem-snappy.avro"),
		records("nested-records", "nested-snappy.avro"),
	}
}

// records is the case of all columns put together to records, against reading the rows
// of the Avro file.
func records(name, input string) scanCase {
	return scanCase{name: name, what: "all columns read back as records", input: input, columns: spreadOut(0), rows: allRows,
		contenders: ofRecords, oneCore: true, figures: []figure{
			{Name: "times as fast as goavro", Measure: "wall", Of: "goavro-records", To: "ours-records", AtLeast: 1},
			{Name: "times as fast as java-trevni", Measure: "wall", Of: "java-trevni-records", To: "ours-records"},
		}}
}

// scanCases are all cases over the made tables.
func scanCases() []scanCase {
	return aimCases()
}
