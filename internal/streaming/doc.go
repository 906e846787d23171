// Package streaming has the records that the tasks of a Hadoop Streaming job send to each
// other through Hadoop: raw bytes, which Hadoop sorts and moves without interpreting them.
//
//	map task: runs of a split ---> records ---> Hadoop: partition, sort by key, merge
//	                                                          |
//	reduce task, partition p:   | index, small runs | column 0 | column 1 | ... |     or
//	                            | index, small runs | split 0  | split 1  | ... |
//	                             \__ early region __/ \____ data region _______/
//
// # Records
//
// A record is a key and a value, each after its length: 4 bytes, big-endian, as
// stream.map.output=rawbytes requires. Keys sort as bytes:
//
//	early  | partition 4 | 0        4 | row 8 | item 4 |     item 0: the split's index
//	                                                          c+1: a run of column c
//	data   | partition 4 | column+1 4 | row 8 |                           by column
//	       | partition 4 | split+1  4 | column 3 | row in the split 5 |   by split
//
// The first four bytes are not the partition's number, but a number that Hadoop's
// BinaryPartitioner maps to the partition's reducer ([Partitions]).
//
// # What a reducer knows before the data come
//
// The early region sorts before all data. For each split it holds the index: rows, values,
// sizes and notes of all runs of all columns, and whatever the job adds ([Index]); and
// after it the runs whose bytes are needed to lay out a file: small runs, which may be
// joined, and all runs of columns with first values. Each run is sent once, so the shuffle
// moves the output's bytes and a few more for each run.
//
// A [Partition] reads that region, keeps of each run 32 bytes and the note in memory, the
// early runs' values in a temporary file, and then is a source of runs for package reducer:
// the files are packed and laid out, to the byte, before the first record of the data
// region is read. The data then stream through the Partition:
//
//	file 0: Write --Value--> [turn] <--- record by record, straight into the
//	file 1: Write --Value--> [turn]      page that is being filled
//
// Data come in the order of the files' bytes: column after column, and within each column in the
// order of rows, so file after file; or, for files whose parts are splits, split after split, and
// within each column after column ([Order]). Each file's writer waits for its turn, and takes its runs as they come. No run is
// kept. Runs that are joined were staged, and are available at any time.
//
// # What is checked
//
// Every split has exactly one index; every run of the index comes once, in its place, with
// its size; there are no other records. Anything else is [ErrRecords], with column and row.
// Staged values have a CRC-32C; the blocks' own checksums are unchanged.
//
// # Not supported
//
// Writing a file again while the data stream: the runs are gone. The task fails, and
// Hadoop tries it again.
package streaming
