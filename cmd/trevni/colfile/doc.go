// Package colfile has the interface between the verbs of trevni and the formats of the files
// that they show: files that keep rows column by column.
//
//	first bytes   format     room
//	Trv           Trevni     cmd/trevni/trvfile
//	PAR1          Parquet    cmd/trevni/parquetfile
//
//	bytes --Formats.Open--> File --> Header    rows, schema of the rows, metadata
//	                          |  --> Columns   names and types; Size: blocks and bytes of one
//	                          |  --> Rows      rows in Avro's encoding, projected, from any row on
//	                          |  --> Scan      values of one column, to a tally
//	                          '  --> Verify    what is wrong with the file
//
// A format is a room that makes a [Format], and a line in the table of formats in package
// main. A room takes an io.ReaderAt and knows no file system. What only some formats can do is
// an interface of its own, which a verb asks for: [Narrower].
package colfile
