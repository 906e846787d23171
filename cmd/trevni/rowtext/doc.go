// Package rowtext shows rows of Avro's binary encoding.
//
//	JSON        as Avro's JSON encoding has them, or with logical types as people write them
//	Canonical   in the one form that rows of equal values have in common, to compare them
//
// Rows come from files that were checked, or are checked as they are read: bytes that are no
// row of their schema are an error.
package rowtext
