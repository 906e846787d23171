// Package trevni reads and writes Trevni files: a table held column by column, in
// compressed blocks (Trevni specification, version 0.1).
//
// It knows [io.ReaderAt] and [io.Writer], and nothing of Avro or of jobs. [OpenFile]
// is for files of the local file system.
//
//	          blocks, compressed and summed                 file, front to back
//	values -> block.Encoder.Append ->  sizes known  ->  BlockWriter.WriteBlock ...
//	values <- ColumnReader         <-  Reader.ReadBlock <-  Reader
//
// A [ColumnReader] reads in batches, or with [Values] and [Sequences] as iterators, and
// goes to any row. A [Writer] makes a file from values.
//
// A [BlockWriter] is for programs that have blocks: it gives all descriptors first and
// then the blocks, so that a file is written in one pass to storage that can only append,
// and its exact size is known before ([FileSize]). Package block makes blocks, and takes
// them apart.
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
// Neither size counts the checksum, which covers the bytes before compression. Rows
// counts rows of the table in every column, also where values are more or fewer.
//
// # Values in a block
//
// Values stand one behind the other (see [Type]); booleans are bits, the least
// significant first. In an array column each row's values have their number in
// front, a length; runs of equal lengths of zero or one are one negative number:
//
//	2 v v   0   1 v   -3     -6 v v v v
//	two     no  one   three  four lengths of one
//	values            zeros
//
// r lengths of zero are 3-2r and r of one 2-2r, r at least 2. A run ends with its
// block. Booleans in an array column start a fresh byte at each length, those in a
// run of ones too. A column with a parent has a value, or if it is an array a
// length, for each element of the parent, and doesn't repeat the parent's lengths.
//
// # Reads
//
// A byte is read only if it is the header's, or a descriptor's or block's of a column
// asked for, and by a scan none twice. Each call of ReadAt costs a round trip where a
// file is far away; there are:
//
//	header       4 to 8 as a rule, also where there are thousands of columns: 17 bytes,
//	             then what must follow by the counts and lengths known so far
//	descriptors  2 a column, 1 if it has one block; with first values of variable
//	             length a few more, about the logarithm of the blocks
//	blocks       1 each
//
// To go to a row reads one block. A column that has a parent needs, to go to a row,
// the parent's blocks that hold the same rows as its own; and one of type null or
// boolean that is no array needs them for a batch read too.
//
// # Compatibility
//
// Files written with checksum "crc32" or "null" and any codec written here are read
// by the Java implementation (Apache Avro's trevni-core). A checksum is read and
// written as its name says: see [Checksum]. Java's files under codec "null" with a
// checksum hold zeros for it: see [ReaderOptions].
//
// # Not supported
//
// Versions 0 and 1 of the format; writing bzip2; checking that strings are UTF-8;
// metadata of blocks, of which the format defines none.
package trevni
