// Package records reads the rows of Parquet files of any writer as Avro: the schema that they
// have, and the rows in Avro's binary encoding.
//
//	reader.File --> Open --> Table --> Schema   Avro's, as text
//	                           |
//	                           '-----> Rows     chunks --> levels, values --> internal/assembly --> Avro
//
// # The schema
//
// It is the first of these that fits the file's columns:
//
//	avro.schema           of the rows that a file of this project was made of
//	parquet.avro.schema   by which parquet-avro wrote the file, or would read it
//	made                  from the columns
//
// A schema fits if each column has a place in it, and the other way around, with types whose
// values are the same: a file whose columns were changed, with its metadata as they were, has
// the made one. What one becomes as columns is in the page of package
// internal/format/parquet; match.go has the other direction. The made one follows parquet-avro:
//
//	Parquet                                     Avro
//	group                                       record, named as its field
//	optional T                                  union of null and T, with null as the default
//	repeated T, not in a list                   array of T
//	LIST, of three levels and of two            array
//	MAP with a required string as key           map
//	other MAP                                   array of records of key and value
//	BOOLEAN, INT32, INT64, FLOAT, DOUBLE        boolean, int, long, float, double
//	unsigned INT32, INT64                       long, decimal(20,0) on bytes
//	BYTE_ARRAY                                  bytes; STRING, ENUM and JSON: string
//	FIXED_LEN_BYTE_ARRAY                        fixed; UUID: string; FLOAT16: float; INTERVAL: duration
//	INT96                                       fixed of 12 bytes, "INT96"
//	DECIMAL                                     decimal, on bytes or, of FIXED_LEN_BYTE_ARRAY, on a fixed
//	DATE, TIME, TIMESTAMP                       date, time-, timestamp- or local-timestamp-, by the unit;
//	                                            TIME(NANOS): long
//	optional UNKNOWN                            null
//
// parquet-avro takes unsigned numbers as signed ones, decimals in INT32 and INT64 as their
// digits, and fails at maps with other keys. All values stay what they are here.
//
// A schema that differs from the file's in having fewer fields, or fewer branches of a union that
// has null, is a projection: only the columns that it needs are read.
package records
