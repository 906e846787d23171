package data

import (
	_ "embed"
)

// Versions of the other converters.
const (
	SparkVersion     = "4.0.1"
	sparkAvroVersion = "2.13-" + SparkVersion // Scala's version, and Spark's
)

// Versions of what makes the data and of what is measured against.
const (
	tpchgenVersion   = "4.0.0"
	PolarsVersion    = "2.1.0"
	AvroToolsVersion = "1.12.1"
)

// LineitemInput is the table of most cases.
const LineitemInput = "lineitem-snappy.avro"

// Versions of the Parquet readers that scans are measured against, and of what writes
// their files. parquet-go's is in go.mod.
const (
	PyarrowVersion  = "26.0.1"
	DuckdbVersion   = "2.0.0"
	fastavroVersion = "1.13.1"
	cramjamVersion  = "2.14.0" // snappy, for fastavro
	numpyVersion    = "2.4.6"  // adds up what pyarrow and polars have hashed
)
