// Package columns lays out the rows of a schema as columns with lengths, for the walk of
// package mapper: it visits the places of package shred, depth first, and numbers their
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
// Trevni files have this layout. Sort keys are taken from these columns too, in any format
// of files.
package columns
