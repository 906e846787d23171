// Package rowsort sorts rows by keys, both of them bytes, within a fixed memory budget. It
// uses the external sort of package shuffle a second time: in the job the shuffle brings
// runs of columns in the order of rows; here it keeps sorted runs of rows until they are
// merged.
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
// All keys must differ, and none may be a prefix of another. To keep rows with equal keys
// in order, the caller ends the keys with the row's number. So the result depends only on
// the rows that were added, not on the writers or the memory.
//
// If there are too many runs for one merge, groups of them are merged into longer ones
// first, and the short ones are released: the tuples of pass n have row numbers of split n,
// so that one Release covers them all.
//
// # Large rows
//
// A row of more than 64 KiB goes to the shuffle at once, in pieces, as column 0, and is
// sorted as a reference: neither a writer nor a merger ever holds such a row; only the
// caller that reads it from the merger does. A key has at most 64 KiB.
//
// # Block
//
// Entries in order; numbers are varints. It is compressed with S2 if that makes it smaller.
//
//	| bytes shared with the key before | bytes of its own | those |
//	| kind * 2 | bytes of the row | the row |
//	| kind * 2 + 1 | bytes of the row | number of its first piece |      a large row
//
// The shuffle checks data from disk; a malformed block is [ErrCorrupt].
//
// # Memory
//
// Options.Memory bounds what the writers hold together: slabs, and 48 bytes for each row.
// Options.Shuffle has a memory of its own. A merger holds a block of each run that it
// merges; a parameter of [Sorter.Merge] bounds that.
package rowsort
