// Package reducer makes the file of a row group from the runs of its columns. It knows
// rows, and leaves what stands in the bytes to a [Format].
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
// A run that stands wholly in the group and is not small is a block as it is: its
// bytes go from the Source to the file, and nobody looks into them. The blocks of runs
// that are cut or joined a [Joiner] of the format makes; they are kept in a stage: in
// memory up to a budget, then in a temporary file.
//
//	          plan: chain, planner         fill: Joiner           Write: pages
//	Source -------------------------> index -----------> stage ---------------> file
//	           rows, sizes, notes     24 bytes a block   made blocks   passing blocks' values
//
// # Which runs are joined
//
// A run of fewer than half [Shape].JoinBytes raw bytes is small. Neighbouring small runs
// are gathered while their raw bytes add up to JoinBytes at most, and become one
// block; a small run alone passes as it is. A run cut at the group's edge counts
// with the part that is kept. So the blocks follow from the runs and the format
// alone: not from the number of workers, nor from how the range was arrived at.
//
// # Cut runs
//
// A run may be cut where the format's [Format.Part] knows how: at marks. The part may be
// less of the run, or the run's bytes again: of a dictionary that covers a split's rows both
// files have all.
//
// # Notes
//
// What a file must remember of a block beside its sizes is the block's note, if the column
// has a [Look]: first values, statistics. The format's joiner makes it, the group keeps it
// in the memory of its layout, and the format's writer finds it again in [Laid]. A column
// of [LookValue] also hands on something from block to block, and from group to group
// ([Group.Last], [Range].After): by it the format sees that rows ascend. One that does
// not is [ErrOrder], with its row.
//
// # What is checked
//
// Each run must begin where the one before it ended, or at the start of a later
// split; the group's edges must be a run's ends or marks; every column must hold
// exactly the range's rows; the format checks what it decodes; and the file must have
// the size that was told. Anything else is an [Error] that names column and row: a lost
// tuple never goes by in silence.
//
// # Memory
//
// The layout of a group takes [Shape.BlockMemory] a block, what the writer holds of it
// included, and notes where a column has them. [Group.Memory] says how much that is, and
// Options.LayoutMemory bounds it. Each worker of Layout holds one run and what its joiner
// makes of it; Write holds one block, and the pages that [WriteMemory] tells.
package reducer
