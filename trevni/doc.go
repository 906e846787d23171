// Package trevni reads and writes Trevni files: a table held column by column, in
// compressed blocks (Trevni specification, version 0.1).
//
// It uses [io.ReaderAt] and [io.Writer], and does not depend on Avro or on jobs. [OpenFile]
// opens files of the local file system.
//
//	          blocks, compressed and summed                 file, front to back
//	values -> block.Encoder.Append ->  sizes known  ->  BlockWriter.WriteBlock ...
//	values <- ColumnReader         <-  Reader.ReadBlock <-  Reader
//
// A [ColumnReader] reads in batches, or with [Values] and [Sequences] as iterators, and
// goes to any row. A [Writer] makes a file from values.
//
// A [BlockWriter] is for programs that have finished blocks: it takes all descriptors first
// and then the blocks. So it writes a file in one pass, to storage that can only append,
// and the exact size is known in advance ([FileSize]). Package block encodes and decodes
// blocks.
//
// # Layout
//
// Fixed-width numbers are little-endian; a varint is a zigzag varint of up to 64
// bits; a string is a varint length and that many bytes. A file is a header and
// then its columns:
//
//	+---------+-------+----------+----------+----------------+-------------+----------+-----
//	| "Trv" 2 | rows  | columns  | file     | metadata of    | offset of   | column 0 | 1 ...
//	|         |       |          | metadata | each column    | each column |          |
//	+---------+-------+----------+----------+----------------+-------------+----------+-----
//	     4        8        4      varies      varies           8 each
//
// Metadata is a count and that many pairs, with no closing zero:
//
//	+--------+------------+--------------+-----
//	| count  | key string | value string | ...
//	+--------+------------+--------------+-----
//	 varint
//
// A column is its descriptors and then its blocks:
//
//	+--------+--------------+---------+--------------+-----
//	| blocks | descriptor 0 | 1 ...   | block 0      | 1 ...
//	+--------+--------------+---------+--------------+-----
//	    4       12 or more
//
//	descriptor:                                       block:
//	+------+-----------+------------+-------------+   +------------------+----------+
//	| rows | raw bytes | compressed | first value |   | compressed bytes | checksum |
//	|      |           | bytes      |(FirstValues)|   |                  |          |
//	+------+-----------+------------+-------------+   +------------------+----------+
//	   4        4            4                                              0 or 4
//
// Neither size includes the checksum, which covers the bytes before compression. In every
// column rows is the number of rows of the table, even if there are more or fewer values.
//
// # Values in a block
//
// Values follow one after another (see [Type]); booleans are bits, the least significant
// first. In an array column the values of each row are preceded by their number, a length;
// a sequence of equal lengths of zero or one is written as one negative number:
//
//	2 v v   0   1 v   -3     -6 v v v v
//	two     no  one   three  four lengths of one
//	values            zeros
//
// r lengths of zero are written as 3-2r, and r lengths of one as 2-2r, with r at least 2. A
// sequence ends with its block. Booleans in an array column start a new byte at each
// length, also within a sequence of ones. A column with a parent has a value, or if it is
// an array a length, for each element of the parent, and does not repeat the parent's
// lengths.
//
// # Reads
//
// Only the bytes of the header, and of the descriptors and blocks of the columns in use,
// are read, and a scan reads none of them twice. For a remote file each call of ReadAt is a
// round trip; there are:
//
//	header       4 to 8 as a rule, also where there are thousands of columns: 17 bytes,
//	             then what must follow by the counts and lengths known so far
//	descriptors  2 a column, 1 if it has one block; with first values of variable
//	             length a few more, about the logarithm of the blocks
//	blocks       1 each
//
// Seeking to a row reads one block. In a column with a parent it also reads the parent's
// blocks that hold the same rows. A column with a parent that is of type null or boolean,
// and not an array, needs these for a batch read too.
//
// # Compatibility
//
// Files written with checksum "crc32" or "null" and any codec written here are read by the
// Java implementation (Apache Avro's trevni-core). A checksum is read and written according
// to its name: see [Checksum]. Java's files with codec "null" and a checksum hold zeros in
// its place: see [ReaderOptions].
//
// # Not supported
//
// Versions 0 and 1 of the format; writing bzip2; checking that strings are UTF-8; metadata
// of blocks, because the format defines none.
package trevni
