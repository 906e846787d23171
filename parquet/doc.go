// Package parquet makes Parquet files out of values: pages of one column from values and
// levels, and files from pages. It knows no Avro and reads nothing: a program that walks
// rows fills buffers, one a column, and hands them over.
//
//	                         +--------- Encoder ---------+        +-------- Writer --------+
//	values  def  rep  rows   |                           |  Meta  |                        |
//	 |...|  |.|  |.|  20,000 | dictionary? plain? delta? |------->| PAR1                   |
//	                 ------->| levels, codec, CRC        |  page  | row group              |--> io.Writer
//	        one column       |                           |------->|   column: dict, pages  |
//	                         +---------------------------+        | ...                    |
//	                                 one a worker                 | page indexes, footer   |
//	                                                              +------------------------+
//	                                                                      one a file
//
// The two meet at the page: finished bytes, header and all, and a [Meta] that describes them.
// A Meta can be written to bytes and parsed, so it may travel with its page through a sort,
// or before it. The writer copies pages and makes everything else of the file (statistics,
// column and offset indexes, size statistics, the footer) from their Metas. It writes front
// to back, knows no sizes beforehand and never seeks.
//
// # Values
//
// A page's values come in PLAIN form, only those that are present, one after the other:
//
//	BOOLEAN               a bit, the least significant of a byte first
//	INT32, FLOAT          4 bytes, little-endian
//	INT64, DOUBLE         8 bytes, little-endian
//	BYTE_ARRAY            length (4 bytes, little-endian), bytes
//	FIXED_LEN_BYTE_ARRAY  Node.Length bytes
//	with Node.Symbols     the symbol's number (4 bytes, little-endian)
//
// Levels are a byte an entry, definition levels where a column's MaxDef is not zero and
// repetition levels where its MaxRep is not. An entry whose definition level is MaxDef has a
// value, any other is a null. A page starts and ends at a row's.
//
// # Row groups
//
// The pages of a column chunk are made by one Encoder one after the other, and after the last
// the dictionary page, which stands first in the file. All pages of a row group that end at
// the same row, in all columns, are a place where the row group can be cut: a file may end
// with the pages before it, and the next begin with the same dictionary pages and the pages
// after it. Not a byte is encoded again, and all statistics are right, as they are folds over
// Metas.
//
// # What is not there
//
// Nothing is encrypted. INT96, and the logical types that have no use here, cannot be made:
// unsigned and short integers, FLOAT16, VARIANT, BSON, geometry. Pages have no statistics in
// their headers, as the column index has them.
//
// The specification is apache/parquet-format, of 2.12 with what came after: is_min_value_exact,
// is_max_value_exact, nan_count.
package parquet
