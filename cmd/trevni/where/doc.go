// Package where finds rows by the values in them: what --where asks for.
//
//	"latitude >= 60" --Parse--> Clause --+
//	                                     |-- New --> Filter: rows in Avro's encoding, yes or no
//	schema of the rows ------------------+      '--> Bounds: what an index can say
//
// A column is a field's path, with dots between names. It leads through arrays, maps and
// unions: a clause holds for a row if it holds for one of the values there. A null is not
// equal to any value, not different from one, less or greater; "is null" finds it.
//
//	numbers         by value; NaN equals NaN and is greater than all others; -0 equals 0
//	strings, bytes  byte by byte
//	enums           in the order of the symbols
//	booleans        false is less than true
package where
