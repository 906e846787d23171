// Package shuffle is the external sort between the mappers and the reducers: it takes
// tuples in any order from several writers at once, and returns each column's tuples in row
// order, within a fixed memory budget. It does not interpret a tuple's value.
//
//	Writer.Buffer/Add          Writer.Add          one writer a goroutine, no lock
//	    |                          |
//	[ chunk ]                  [ chunk ]           values from the front, entries from the back
//	    | full, or Seal: sorted    |
//	    v                          v
//	{ segment  segment  segment  segment ... }     in memory, immutable, seen by Scan
//	    |            memory is short: merged, written once, front to back
//	    v
//	{ run file  run file ... }                     in the temporary directories in turn;
//	    |            more than 64: the smallest are merged into one
//	    v
//	Scan(column, [from,to)): merge of the segments and run files that hold such rows
//
// # Order and exactness
//
// Tuples are ordered by column, then row. The tuples of a column must not overlap in rows:
// a [Scanner] that finds two overlapping tuples ends with [ErrOverlap]. A scanner begins
// with the tuple that holds its first row, even if the tuple starts before that row. The
// result depends only on the tuples that were added, never on the memory, the number of
// writers or spills, or on timing.
//
// A tuple is visible to Scan at the latest when its writer was sealed after it; a full
// chunk is handed over earlier. A scanner sees all tuples that were handed over when Scan
// was called, and may see later ones.
//
// # Memory
//
// Options.Memory bounds, together: chunks (values, notes, and 56 bytes for each tuple's
// entry), the 256 bytes each segment is charged, the cache of run file pages through which
// scanners and merges read (1/16), the write buffers (1/32), and what is kept of each run
// file. Entries of spilled tuples stay on disk. A writer holds one chunk. One writer at a
// time may hold a second chunk, or one that is larger than usual for a value that does not
// fit. So no writer waits for an idle one, with two exceptions: of two writers with large
// buffers, the second waits until the first's is added; and a new writer beyond
// Options.Writers may wait.
//
// The least that works is about 110 KiB and 8 KiB for each writer, and room for the largest
// value: [New] refuses less and says how much it needs, and so does Buffer. In addition to
// the budget a scanner takes 64 bytes for each segment and run file that may hold its rows,
// and the note of its current tuple.
//
// # Run file
//
// Numbers are little-endian; checksums are CRC-32C. Entries are sorted by column, row.
//
//	+--------------------+------------------+-------+
//	| values, in order   | notes, in order  | 0 pad |  to a multiple of 4096
//	+--------------------+------------------+-------+
//	| index block 4096 | index block 4096 | ...     |
//	+--------------------+--------------------------+
//	| fences, 12 each    | footer 72                |
//	+--------------------+--------------------------+
//
//	index block: | 73 entries of 56 | block number 4 | checksum 4 |
//	             unused entries of the last block are zero
//
//	entry:  | column 4 | row 8 | rows 4 | values 4 | raw 4 | size 4 |
//	        | value's offset 8 | note's offset 8 | note's bytes 4 |
//	        | value's checksum 4 | note's checksum 4 |
//
//	fence:  | column 4 | row 8 |   the first entry of every stride-th index block
//
//	footer: | entries 8 | value bytes 8 | note bytes 8 | first row 8 | end row 8 |
//	        | least column 4 | largest column 4 | stride 4 | fences 4 |
//	        | fences' checksum 4 | checksum of the 60 bytes before 4 | magic 8 |
//
// A run file is used only by the process that wrote it. A file that was cut or changed
// anywhere gives either the same data or an [Error] with its path and offset, for which
// errors.Is(err, ErrCorrupt) holds.
//
// # Temporary directories
//
// Nothing is on disk before the first spill. Then each directory of Options.TempDirs
// that is written to gets a private one, named .avro2trevni-shuffle- and a random
// part, with a lock file that the process holds locked. [New] removes those whose
// process is gone.
//
// # Not supported
//
// Single tuples cannot be removed. If a writer or the disk fails, the shuffle stays failed,
// and only Close is useful.
package shuffle
