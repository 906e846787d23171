// Package block makes and takes apart the blocks of Trevni columns: for programs that
// make blocks themselves or read their bytes, as package trevni does. Who wants values
// uses that.
//
//	values --AppendLong, Lengths--> raw block --Encoder--> compressed | checksum
//	values <--ReadLong, LengthReader-- raw block <--Decoder-- compressed | checksum
//
// A raw block holds the values of one column one after the other, as their [Type] says.
// In an array column each row's values stand after their number, a length; runs of equal
// lengths of zero or one are one negative number:
//
//	2 v v   0   1 v   -3     -6 v v v v
//	two     no  one   three  four lengths of one
//	values            zeros
//
// r lengths of zero are 3-2r and r of one 2-2r, r at least 2. A run ends with its block.
// Booleans are bits, the least significant first; in an array column they start a fresh
// byte at each length, those in a run of ones too.
package block

// MaxRaw is the most bytes a block may have before its codec is applied: the Java
// implementation takes sizes as signed 32-bit numbers.
const MaxRaw = 1<<31 - 1

// MaxRows is the most rows in a block, for the same reason.
const MaxRows = 1<<31 - 1
