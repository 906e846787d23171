// Package scan measures questions to programs that live on: sums over columns of Trevni,
// Avro and Parquet files. What it asks of our own programs is in package scanner.
package scan
