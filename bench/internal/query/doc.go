// Package query measures how fast engines read Parquet files: those that convert makes, and
// those that each peer makes of the same Avro file.
//
//	lineitem.avro --> ours, arrow-rs, datafusion, ... --> a file of each, kept in .cache
//	engine: one process, all files in turn, round by round --> seconds, processor time, answer
//
// The files are proven equal when they are made, and each round's answers are.
package query
