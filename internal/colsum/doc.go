// Package colsum has the digest of a column: one that does not depend on where the column is
// cut into blocks, so that what mappers made can be compared with what stands in the files,
// whatever was joined and cut anew in between.
//
//	blocks of a column:  | 3 v v v | 1 v 1 v |  ...
//	structure:           3 1 1 ...                     -> CRC-32C, bytes
//	values:              v v v v v ...                 -> CRC-32C, bytes
//
// Digests of stretches that follow each other combine to that of the whole, in any
// grouping: splits may be mapped in any order. Which bytes stand for structure and values
// is a format's to say.
package colsum
