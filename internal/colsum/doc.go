// Package colsum has the digest of a column. It does not depend on where the column is cut
// into blocks, so the values that mappers made can be compared with those in the files,
// however they were joined and cut in between.
//
//	blocks of a column:  | 3 v v v | 1 v 1 v |  ...
//	structure:           3 1 1 ...                     -> CRC-32C, bytes
//	values:              v v v v v ...                 -> CRC-32C, bytes
//
// Digests of consecutive parts combine to that of the whole, in any grouping: splits may be
// mapped in any order. A format decides which bytes are structure and which are values.
package colsum
