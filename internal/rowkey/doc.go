// Package rowkey cuts whole rows out of Avro blocks, each with a key of bytes that compare
// as the rows do by some of their fields. It is what comes before a sort.
//
//	block:  | row 0 | row 1 | row 2 | ...         decompressed, in windows
//	            |
//	      [mapper.Rows]                           walks each row once, with all of its checks
//	       |         |
//	       |         +-- Has, Value -> [Key]      the values that the key is made of, as they
//	       |                            |         are resolved to the schema wanted
//	       v                            v
//	  the row's bytes, as written    the key      valid until row returns
//	       |                            |
//	       +--------> row(key, row) <---+         the caller's
//
// A [Key] is made once for a schema, and any number of cutters share it; a [Cutter] is for
// one goroutine. The layout of a key stands at [Key]. A key holds no row number: a caller
// who wants equal rows to keep their order appends one, which no key is the beginning of.
//
// # What ends a walk
//
// A walk here is of one row, so that a key can be made of what the columns hold:
//
//	window:  | row | row | row | ro            | w | row | ...   the next window
//	         ^     ^     ^     ^  ^
//	         walk  walk  walk  |  the window ends inside a row: the walk is forgotten,
//	                           |  and begun again here, in the next window
//	                           block's rows are done: bytes that are left are an error
//
// The columns of the key are emptied before each walk; all others when they hold a
// checkpoint interval of the mapper's, as nothing is cut from them. A walk ends the work
// where a mapper's would: at what is wrong with the data, with the place in the error; and
// at the caller's error, as it is.
//
// # Not supported
//
// Rows that take no bytes, since there is nothing to cut out. Keys of arrays, maps, and
// what is in them, since a row may have none or several.
package rowkey
