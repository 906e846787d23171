// Package trevni is the format of Trevni files for a job: it implements what a job needs of
// a format with the blocks, headers and files of [avro2trevni/trevni].
//
//	format.go    the format
//	table.go     a job's columns and how they are coded (words.go, columns.go): how often marks
//	             are set, what encoders and layouts hold
//	encoder.go   a run of a column becomes a block: compressed, with a checksum
//	digest.go    digests of columns, of blocks before compression
//	cuts.go      a tuple's note: where its run can be cut
//	files.go     how runs become files: what is joined, sizes, header and descriptors
//	joiner.go    blocks of runs that are cut (piece.go) and joined (lengths.go, bits.go)
//	firsts.go    the first values of blocks, and that rows ascend
//	read.go      a finished file read back: schema, metadata, rows, digests
//
// # Joining
//
// Joining concatenates, with two exceptions. In an array column, the sequence of equal
// lengths at the end of one part and the one at the start of the next become one if both
// repeat the same length. So the block is the one that a single [block.Lengths] would have
// written. In a bit-packed column, a boolean one without lengths of its own, the bits are
// appended.
//
// # First values
//
// The runs of a column with first values (trevni.values) are all decoded when a file is
// laid out. The first value of each block is kept for its descriptor, so that the file's
// size is known. Every value is compared with its predecessor, also from file to file.
//
// # Not supported
//
// Columns of nulls or booleans with first values, and columns whose codec or checksum
// is not the one that their blocks are in.
package trevni
