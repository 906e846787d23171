// Package reducer makes one row group's file out of the runs of its columns.
//
// A row group is a range of rows, from one mark to another. [Layout] does all the
// work that decides the file's bytes and its size, and [Group.Write] then streams
// the file front to back, so that a writer that can only append will do:
//
//	runs of a column  |..a..|....b....|.c.|.d.|....e....|..f..|   from the Source
//	row group            ^from                             ^to
//	                   cut    pass      join     pass     cut
//	                    |      |         |        |        |
//	blocks            | a' |   b     |  c+d   |   e     | f' |
//
//	file              | header, starts | column 0 | column 1 | ...
//
// A run that stands wholly in the group and is not small is a block as it is: its
// bytes go from the Source to the file and nobody looks into them. What Layout
// makes itself, the blocks of runs that were cut or joined, is kept in a stage: in
// memory up to a budget, then in a temporary file.
//
// # Which runs are joined
//
// A run of fewer than half BlockSize raw bytes is small. Neighbouring small runs
// are gathered while their raw bytes add up to BlockSize at most, and become one
// block; a small run alone passes as it is. A run cut at the group's edge counts
// with the part that is kept. So the blocks follow from the runs and the options
// alone: not from the number of workers, nor from how the range was arrived at.
//
// Joining concatenates, but for two kinds of column. In an array column the length
// run that ends one part and the one that begins the next become one where both
// repeat the same length, so the block is the one that a single [block.Lengths]
// would have written. In a bit-packed column, a boolean one without lengths of its
// own, the bits are appended.
//
// # First values
//
// Of a column with first values (trevni.values) all runs are decoded when the group is
// laid out: the first value of each block is kept for its descriptor, so that the
// file's size is known, and every value is compared with the one before it, from group
// to group too ([Range].After). One that is less is [ErrOrder], with its row.
//
// # What is checked
//
// Each run must begin where the one before it ended, or at the start of a later
// split; the group's edges must be a run's ends or cuts; every column must hold
// exactly the range's rows; a block must be decoded to the size its tuple tells,
// and lengths must add up to its bytes. Anything else is an [Error] that names
// column and row: a lost tuple never goes by in silence.
//
// # Memory
//
// The layout of a group takes [BlockMemory] a block, with the descriptors of a Write, and
// first values where a column has them. [Group.Memory] says how much that is, and
// Options.LayoutMemory bounds it. Each worker
// of Layout holds one run and one joined block, raw and encoded; Write holds one
// block, and the pages that [WriteMemory] tells.
//
// # Not supported
//
// Columns of nulls or booleans with first values, and columns whose codec or checksum
// is not the file's. [Options] with either are refused.
package reducer
