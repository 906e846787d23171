// Package colsum makes a digest of a column's values that does not depend on where the
// column is cut into blocks, so that what mappers made can be compared with what stands in
// the files, whatever was joined and cut anew in between.
//
//	blocks of a column:  | 3 v v v | -4 v v |  ...     lengths and values, as Trevni has them
//	lengths:             3 1 1 ...                     each as 4 bytes    -> CRC-32C, bytes
//	values:              v v v v v ...                 their bytes        -> CRC-32C, bytes
//
// Packed booleans are taken as a byte each; but those of a column with a parent, whose
// number a block does not tell, only as how many are true.
//
// Digests of stretches that follow each other combine to that of the whole, in any
// grouping: splits may be mapped in any order.
package colsum
