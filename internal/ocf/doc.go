// Package ocf reads and writes Avro object container files (Avro specification 1.12,
// "Object Container Files"): header and blocks, decompressed but not decoded. It
// knows nothing of schemas but that a header has one.
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
// A [Reader] reads a segment of a file: the blocks that begin in a range of offsets,
// so that ranges that cover a file give each block once. The first is found by its
// sync marker, and data may hold the marker too: [CheckSpans] tells whether the
// segments of a file fit together, and if they do not the file must be read as one.
//
// Behind damage, [Reader.Skip] finds the next sync marker, and tells what lies before it
// as a [Gap]. A pass over a whole file, from its start, thus gives its gaps, which follow
// from its bytes alone; [Reader.OpenAt] then reads segments of it around them.
//
// File bytes are read about a MiB at a time, and a block of codec null is handed out
// where it was read. Blocks of any size and codec pass through bounded memory as
// windows; only a snappy block that copies from more than 64 KiB back, which no known
// encoder writes, is held whole.
//
// Codecs: null, deflate, snappy (its CRC-32 is checked), bzip2, xz, zstandard. Bytes
// that follow the end of a block's compressed data, within the block, are an error but
// for deflate, where some writers leave them. A [Writer] writes null, deflate and
// snappy.
//
// Not supported: files of Avro before 1.3, xz filters other than LZMA2.
package ocf
