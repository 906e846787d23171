// Package block encodes and decodes the blocks of Trevni columns, for programs that make
// blocks themselves or read their bytes, as package trevni does. To read or write values,
// use package trevni.
//
//	values --AppendLong, Lengths--> raw block --Encoder--> compressed | checksum
//	values <--ReadLong, LengthReader-- raw block <--Decoder-- compressed | checksum
//
// A raw block holds the values of one column, one after another, encoded according to their
// [Type]. In an array column the values of each row are preceded by their number, a length;
// a sequence of equal lengths of zero or one is written as one negative number:
//
//	2 v v   0   1 v   -3     -6 v v v v
//	two     no  one   three  four lengths of one
//	values            zeros
//
// r lengths of zero are written as 3-2r, and r lengths of one as 2-2r, with r at least 2. A
// sequence ends with its block. Booleans are bits, the least significant first; in an array
// column they start a new byte at each length, also within a sequence of ones.
package block

// MaxRaw is the largest size of a block before its codec is applied, in bytes: the Java
// implementation reads sizes as signed 32-bit numbers.
const MaxRaw = 1<<31 - 1

// MaxRows is the largest number of rows in a block, for the same reason.
const MaxRows = 1<<31 - 1
