// Package streaming is what the tasks of a Hadoop Streaming job say to each other, and
// to Hadoop: records of raw bytes, which Hadoop sorts and moves without a look at them.
//
//	map task: runs of a split ---> records ---> Hadoop: partition, sort by key, merge
//	                                                          |
//	reduce task, partition p:   | index, small runs | column 0 | column 1 | ... |
//	                             \__ early region __/ \____ data region _______/
//
// # Records
//
// A record is a key and a value, each behind its length: 4 bytes, big-endian, as
// stream.map.output=rawbytes has it. Keys sort as bytes:
//
//	early  | partition 4 | 0        4 | row 8 | item 4 |     item 0: the split's index
//	data   | partition 4 | column+1 4 | row 8 |                  c+1: a run of column c
//
// The first four bytes are not the partition's number, but the number that Hadoop's
// BinaryPartitioner sends to its reducer ([Partitions]).
//
// # What a reducer knows before the data come
//
// The early region sorts before all data. It holds, of each split, the index: rows,
// values, sizes and notes of all runs of all columns, and whatever the job adds ([Index]);
// and behind it those runs whose bytes are needed to lay a file out: small ones, which
// may be joined, and all of columns with first values. Each run is sent once, so what
// goes through the shuffle is the output's bytes and a few a run.
//
// A [Partition] reads that region, keeps of each run 32 bytes and the note in memory, the early
// runs' values in a temporary file, and then is a source of runs for package reducer:
// the files are packed and laid out, to the byte, before the first record of the data
// region is read. The data then stream through it:
//
//	file 0: Write --Value--> [turn] <--- record by record, straight into the
//	file 1: Write --Value--> [turn]      page that is being filled
//
// Data come column after column, and in each column in the order of rows, so file
// after file; each file's writer waits for its turn, and takes its runs as they come.
// None is kept. The runs that are joined were staged, and wait for nobody.
//
// # What is checked
//
// Every split has its index, once; every run of it comes once, in its place, with its
// size; nothing else comes. Anything else is [ErrRecords], with column and row. Values
// that were staged carry a CRC-32C; that of the blocks themselves goes along.
//
// # Not supported
//
// Writing a file again while the data stream: the runs are gone. The task fails, and
// Hadoop tries it again.
package streaming
