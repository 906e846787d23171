// Package mapper is the first stage of the job: it turns the raw blocks of an Avro
// data file into tuples (row#, column#, run of values).
//
// A schema is compiled once, for a [Layout] of columns, into a [Program]: a flat list of
// instructions. A [Mapper] runs the program over the bytes of each row and copies every
// value's bytes to the end of its column's buffer; they stay as Avro has them, so nothing
// is decoded, and no Go value is made for a row.
//
//	block:  | row 0 | row 1 | row 2 | ...        decompressed, not copied
//	           |  walk: one instruction a value
//	  +--------+--------+-----------------+
//	  v                 v                 v
//	[id id id ...]   [name name ...]   [tags[] ...]   a buffer a column
//	                    | 64 KiB reached
//	                    v
//	          Encoder: compress, checksum -> Sink: tuple (first row, column, rows, block)
//
// What files are made of the package does not know: a format gives it the [Layout], and an
// [Encoder] for each mapper, which is asked where a run ends.
//
// [Compile] compiles the walk over rows of one schema into the columns of another, or of a
// part of it, by Avro's rules of schema resolution. Programs for one layout may follow each
// other in a split ([Mapper.Use]). [Rows] runs the same walk and returns the rows
// themselves, and single values, from which package rowkey makes sort keys.
//
// # How values are recorded
//
//	int, long, enum, float, double, string, bytes    their bytes, as they are
//	fixed      its size as a length, and its bytes
//	boolean    a bit, eight to a byte
//	null       nothing
//	record     its fields, each in its own columns
//	array      its length, in a column of lengths; then its elements: in the same column if
//	           they are simple, else in columns below it
//	map        as an array, with a column of keys below it
//	union      a column of lengths for each branch but null: 1 in that of the row's branch,
//	           then the value, as an array of one; 0 in the others
//
// [block.Lengths] interleaves lengths and values in one buffer, and writes equal lengths of
// 0 or 1 as one number. An Avro array may consist of several blocks: then its length grows
// during the walk, and the values of its first blocks are moved.
//
// Values that the rows do not hold come from defaults, in two ways. A value that every row
// gets, such as a field that the writer's record lacks, is a fill: not an instruction, but
// bytes that are appended for many rows at a time, after their walk. A value that only some
// elements get, such as a missing field in an array's records, is a constant: an
// instruction that the walk executes.
//
// # What ends a walk
//
// One walk shreds whole rows of one window, the available bytes of a block, until something
// ends it. (|: end of a row. ^: end of the walk.)
//
//	rows       the block has no more       |---|-----|--|              bytes that are left
//	                                                    ^              are an error
//
//	bytes      a checkpoint interval       |---|-----|--|------|       after the row that
//	           or more since the last      |<-- interval -->|  ^       reaches it: checkpoint
//
//	constants  fills and constants         |---|+|-----|+|--|+|        as above, with fewer
//	           count like bytes            |<-- interval -->| ^        rows
//
//	window     it ends between rows        |---|-----|--|              the next window begins
//	                                                    ^              there
//
//	           it ends inside a row        |---|-----|--|----          all is taken back; the
//	                                                    ^              whole rows are walked
//	                                                                   again, the next window
//	                                                                   begins with the rest
//
//	giant      a row of MarkBytes, and     |---|-----|=============|   all is taken back; the
//	           of an interval, or more,                                rows before it are
//	           is not the first since      |---|-----|                 walked again, and get a
//	           the last mark                         ^ mark            mark; the next walk is
//	                                                                   of the giant row, alone
//
//	hollow     rows take no bytes: 2^29    ||||||||||||||              no window is looked at;
//	           of them, or an interval of               ^              then a checkpoint
//	           what resolution adds
//
//	error      of a row's data, or of      |---|-----|-x               a split that fails
//	           memory                                  ^               is not emitted further
//
// Checkpoints and marks must be the same wherever windows end. Therefore the columns' state
// is saved before a walk that may end inside a row, or find a giant row.
//
// # Where runs end
//
// Runs are cut, and marks set, at checkpoints: after the first row that ends a
// checkpoint interval or more (a sixteenth of the block size, or more for wide
// tables) after the last checkpoint; before a giant row; and at the end of a split. At a
// checkpoint
//
//   - a column whose buffer holds a block or more is cut;
//   - a column of 2^29 rows or values is cut, however few bytes they take;
//   - all columns are cut if the buffers together hold 16 MiB;
//   - a mark is set if [Options].MarkBytes of input lie after the last one: the same
//     row in every column, where the encoder notes how its run can be cut. Row groups
//     begin and end at marks only, or between splits. A row as large as that is alone
//     between two marks.
//
// A format whose files can be parted between runs alone has all columns cut at marks
// ([Options].CutAtMarks), and may ask for a mark after so many rows (MarkRows): a checkpoint
// then comes after the last of them.
//
// All of this depends only on the split's bytes and the options, not on the number of
// workers or the memory.
//
// # Memory
//
// A mapper holds its columns' buffers: at most 16 MiB and one checkpoint interval, or one
// row if that is larger, and as much again while a buffer grows. Defaults that resolution
// adds count like bytes of input: see [Program.Memory] for those that each row gets. If
// resolution makes a row much larger than its own bytes, such as an array of ints that
// become doubles, the mapper requests the memory: see [Mapper.SetRoom].
//
// # Where to begin
//
//	program.go   the instructions
//	layout.go    a format's columns
//	compile.go   from two schemas to a program; union.go, promote.go (numbers, symbols),
//	             constant.go (defaults) and skip.go (what is not wanted) have the parts
//	walk.go      the inner loop: the common values, in words
//	long.go      the same for common values that are longer than a word
//	careful.go   the same for all others: the last bytes of a window, errors
//	block.go     windows, giant rows, checkpoints and marks around a walk
//	column.go    a column's buffer; room.go asks for a large one
//	mapper.go    splits and segments
//	encoder.go   where runs end, and marks are: the tuples that come out
//	rows.go      the walk without tuples
//
// # Not supported
//
// A recursive schema has no finite list of columns, and so no layout ([ErrRecursive]);
// values that are skipped may be recursive, 10,000 values deep.
package mapper
