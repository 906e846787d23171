// Package mapper is the first stage of the job: it turns the raw blocks of an Avro
// data file into tuples (row#, column#, run of values).
//
// A schema is compiled once into a [Program]: the columns it shreds into, and a flat
// list of instructions. A [Mapper] runs the program over the bytes of each row and
// copies every value's bytes to the end of its column's buffer; Avro's encoding of a
// value is Trevni's, so nothing is decoded, and no Go value is made for a row.
//
//	block:  | row 0 | row 1 | row 2 | ...        decompressed, not copied
//	           |  walk: one instruction a value
//	  +--------+--------+-----------------+
//	  v                 v                 v
//	[id id id ...]   [name name ...]   [tags[] ...]   a buffer a column
//	                    | 64 KiB reached
//	                    v
//	          compress, checksum -> Sink: tuple (first row, column, rows, block)
//
// [CompileTo] compiles the walk over rows of one schema into the columns of another,
// or of a part of it, by Avro's rules of schema resolution: there are instructions that
// step over what is not wanted, that promote numbers, and that add what the bytes do
// not hold. What every row has alike is no instruction: it is appended for many rows
// at a time. Programs for one set of columns may follow each other in a split
// ([Mapper.Use]).
//
// # Where runs end
//
// Runs are cut, and marks set, at checkpoints: after the first row that ends a
// checkpoint interval or more (a sixteenth of the block size, or more for wide
// tables) behind the last checkpoint, and at the end of a split. At a checkpoint
//
//   - a column whose buffer holds a block or more is cut;
//   - all columns are cut if the buffers together hold 16 MiB;
//   - a mark is set if [Options].MarkBytes of input lie behind the last one: the same
//     row in every column, recorded as a [tuple.Cut] in its run. Row groups begin and
//     end at marks only, or between splits. A row as large as that is alone between
//     two marks.
//
// All of this follows from the split's bytes and the options; neither the number of
// workers nor the memory changes it.
//
// # Memory
//
// A mapper holds its columns' buffers: at most 16 MiB and one checkpoint interval, or
// one row if that is larger, and as much again while a buffer grows. Defaults that
// resolution adds count like bytes of input: see [Program.Memory] for those that each
// row gets. What resolution makes of one row beyond its own bytes, as of an array of
// ints that become doubles, is asked for where it is much: see [Mapper.SetRoom].
//
// # Not supported
//
// A recursive schema has no finite list of columns and is refused by [Compile]; what
// is stepped over may be recursive, 10,000 values deep.
package mapper
