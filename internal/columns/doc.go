// Package columns lays the rows of a schema out in columns with lengths, for the walk of
// package mapper: it walks the places of package shred, depth first, and numbers their
// columns.
//
//	R {id: long, tags: array<string>, at: null | P {x: float}}
//
//	R -+- id -------------------- column 0   id
//	   +- tags ------------------ column 1   tags[]     lengths, and the strings
//	   +- at -+- null
//	          +- P -------------- column 2   at/P       lengths of 0 or 1
//	             +- x ----------- column 3   at/P#x     as many as column 2 says
//
// It is how files of Trevni have rows. Sort keys are taken from these columns too, whatever
// the files are.
package columns
