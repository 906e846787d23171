// Package rowkey cuts whole rows out of Avro blocks, and makes a key for each: bytes that
// compare as some of the row's fields do. It is the first step of a sort.
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
// one goroutine. [Key] has the layout of a key. A key holds no row number: to keep equal
// rows in order, the caller appends one; no key is a prefix of another.
//
// # What ends a walk
//
// Each walk here covers one row, so that a key can be made from the contents of the
// columns:
//
//	window:  | row | row | row | ro            | w | row | ...   the next window
//	         ^     ^     ^     ^  ^
//	         walk  walk  walk  |  the window ends inside a row: the walk is forgotten,
//	                           |  and begun again here, in the next window
//	                           block's rows are done: bytes that are left are an error
//
// The columns of the key are emptied before each walk; all others when they hold a
// checkpoint interval of the mapper's, because nothing is cut from them. A walk fails where
// a mapper's would: at invalid data, with the place in the error, and at the caller's
// error, which is returned unchanged.
//
// # Not supported
//
// Rows that take no bytes, because there is nothing to cut out. Keys of arrays, maps, and
// values in them, because a row may have none or several.
package rowkey
