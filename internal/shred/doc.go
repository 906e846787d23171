// Package shred assigns the values of an Avro schema to columns: their names, types and
// parents. These are the same as in Avro's Java implementation, because other readers
// expect them.
//
//	value                                columns
//	of a simple type, at a               a              one value
//	record at a, with a field b          those of b's value at a#b
//	array at a, of a simple type         a[]            lengths, and the values
//	array at a, of others                a[]            lengths; the elements' columns have it as parent:
//	  of records with a field b            a[]#b
//	  of arrays                            a[][]
//	map at a                             a>             lengths; its parts' columns have it as parent:
//	                                       a>key, a>value
//	union at a                           a/branch       one for each branch but null: an array column
//	                                                    of length 0 or 1
//
// A branch is named by its type's full name, or its kind if it has none. At the top level
// there is no prefix: a record's field is b, rows of ints are in a column int.
//
// A [Place] is a type of a schema and its position. It has its own columns and the places
// of its parts, so a caller that wants only some parts visits only these. The callers
// number the columns: a writer counts them in order, a reader looks them up by name.
//
// Package colname does the reverse, from the name of a column to the path of an Avro field.
package shred
