package report

import (
	"slices"
)

const Unbounded = "16GiB"

// ScaleBound is the --memory under which peak memory is to be flat.
const ScaleBound = "128MiB"

var columnMajor = []string{"ours", "java-trevni", "parquet-go", "pyarrow", "duckdb"}

var rowMajor = []string{"raw-walk", "twmb", "java-avro", "goavro"}

var Everyone = slices.Concat(columnMajor, rowMajor)
