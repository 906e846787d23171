// Package reducer makes the file of a row group from the runs of its columns. It knows
// rows; a [Format] interprets the bytes.
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
//	file, by column   | header | column 0     | column 1     | ...
//	or by split       | header | split 0: column 0, 1, ... | split 1: column 0, 1, ... | footer
//
// A run that lies wholly in the group and is not small is a block: its bytes go from the
// Source to the file unchanged. A [Joiner] of the format makes the blocks of runs that are
// cut or joined. They are kept in a stage: in memory up to a budget, then in a temporary
// file.
//
//	          plan: chain, planner         fill: Joiner           Write: pages
//	Source -------------------------> index -----------> stage ---------------> file
//	           rows, sizes, notes     24 bytes a block   made blocks   passing blocks' values
//
// # Which runs are joined
//
// A run of fewer than half [Shape].JoinBytes raw bytes is small. Adjacent small runs are
// joined to one block as long as their raw bytes add up to at most JoinBytes; a single
// small run passes unchanged. A run that is cut at the group's edge counts with the part
// that is kept. So the blocks depend only on the runs and the format, not on the number of
// workers, nor on how the range was found.
//
// # Cut runs
//
// [Format.Part] cuts a run, at marks. The part may be a piece of the run, or all of its
// bytes again: a dictionary that covers the rows of a split is in both files as a whole.
//
// # Notes
//
// If a column has a [Look], each block has a note: what a file needs of the block in
// addition to its sizes, such as first values or statistics. The format's joiner makes the
// note, the group keeps it in the memory of its layout, and the format's writer gets it in
// [Laid]. A column of [LookValue] also passes a value from block to block, and from group
// to group ([Group.Last], [Range].After), with which the format checks that rows ascend. A
// row that does not is [ErrOrder], with its number.
//
// # What is checked
//
// Each run must begin where the one before it ended, or at the start of a later split; the
// group's edges must be a run's ends or marks; every column must hold exactly the range's
// rows; the format checks what it decodes; and the file must have the announced size.
// Anything else is an [Error] that names column and row: a lost tuple is never silently
// accepted.
//
// # Memory
//
// The layout of a group takes [Shape.BlockMemory] for each block, including what the writer
// holds of it, and the notes of columns that have them. [Group.Memory] returns the sum, and
// Options.LayoutMemory bounds it. Each worker of Layout holds one run and what its joiner
// makes from it; Write holds one block, and the pages counted by [WriteMemory].
package reducer
