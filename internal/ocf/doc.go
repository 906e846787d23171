// Package ocf reads and writes Avro object container files (Avro specification 1.12,
// "Object Container Files"): header and blocks, decompressed but not decoded. It knows of
// schemas only that a header has one.
//
//	+-------------+----------------------------+------------+
//	| "Obj" 1   4 | metadata: map of bytes     | sync    16 |  header
//	+-------------+----------------------------+------------+
//	| rows varint | size varint | data    size | sync    16 |  block
//	+-------------+-------------+--------------+------------+
//	| ...                                                   |
//	          start                   end
//	            |        segment       |        of the file
//	...[ block ][ block ][ block ][ block ][ block ]...
//	            '-First                    '-End
//
// A [Reader] reads a segment of a file: the blocks that begin in a range of offsets. Ranges
// that cover a file return each block once. The first block is found by its sync marker,
// but data may hold the marker too: [CheckSpans] reports whether the segments of a file fit
// together. If they do not, the file must be read as one segment.
//
// After damage, [Reader.Skip] finds the next sync marker, and returns the bytes before it
// as a [Gap]. So a pass over a whole file, from its start, finds its gaps, which depend
// only on its bytes; [Reader.OpenAt] then reads segments around them.
//
// File bytes are read about a MiB at a time, and a block of codec null is returned without
// a copy. Blocks of any size and codec pass through bounded memory as windows. Only a
// snappy block that copies from more than 64 KiB back, which no known encoder writes, is
// held as a whole.
//
// Codecs: null, deflate, snappy (its CRC-32 is checked), bzip2, xz, zstandard. Bytes after
// the end of a block's compressed data, within the block, are an error, except for deflate,
// where some writers leave them. A [Writer] writes null, deflate and snappy.
//
// Not supported: files of Avro before 1.3, xz filters other than LZMA2.
package ocf
