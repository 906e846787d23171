// Package rowsort sorts rows by keys, within a fixed budget of memory: bytes by bytes. It
// is the external sort of package shuffle, used a second time: there it brings runs of
// columns in the order of rows, here it keeps sorted runs of rows until they are merged.
//
//	Writer.Add(key, kind, row)      one writer a goroutine
//	    |
//	[ slab | slab | slab ... ]      keys and rows as they come, and an entry for each
//	    | full: entries sorted by key
//	    v
//	run 7: | block | block | ...    a column of a shuffle; a block is a tuple, its rows
//	    |                           are ranks in the run
//	    v
//	Merger: run 1 --\
//	        run 2 ---> tree of losers --> key, kind, row
//	        run n --/
//
// All keys must differ, and none be the beginning of another. Who wants equal keys to keep
// their order ends them with the row's number: so what comes out follows from what was
// added alone, not from who added it, nor from the memory.
//
// If the runs are more than can be merged at a time, groups of them are merged into longer
// ones first, and the short ones are given up: the tuples of pass n have row numbers of
// split n, so that one release takes them all.
//
// # Large rows
//
// A row of more than 64 KiB goes to the shuffle at once, in pieces, as column 0, and is
// sorted as a reference: neither a writer nor a merger ever holds one. Only who takes it
// from the merger does. A key is at most 64 KiB.
//
// # Block
//
// Entries in order; numbers are varints. It is compressed with S2 if that makes it smaller.
//
//	| bytes shared with the key before | bytes of its own | those |
//	| kind * 2 | bytes of the row | the row |
//	| kind * 2 + 1 | bytes of the row | number of its first piece |      a large row
//
// What was on disk is checked by the shuffle; a block that is malformed is [ErrCorrupt].
//
// # Memory
//
// Options.Memory is what the writers hold together: slabs, and 48 bytes for each row.
// Options.Shuffle has its own. A merger holds a block of each run that it merges, and
// [Sorter.Merge] is told how much that may come to.
package rowsort
