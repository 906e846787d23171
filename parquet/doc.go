// Package parquet makes Parquet files from values: pages of one column from values and
// levels, and files from pages. It does not depend on Avro and reads nothing: a program
// that walks rows fills one buffer for each column, and passes them on.
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
// The two meet at the page: finished bytes, header and all, and a [Meta] that describes
// them. A Meta can be encoded and parsed, so it may travel through a sort together with its
// page, or before it. The writer copies pages, and makes everything else of the file
// (statistics, column and offset indexes, size statistics, the footer) from their Metas. It
// writes front to back, needs no sizes in advance and never seeks.
//
// # Values
//
// The values of a page are in PLAIN encoding, only those that are present, one after
// another:
//
//	BOOLEAN               a bit, the least significant of a byte first
//	INT32, FLOAT          4 bytes, little-endian
//	INT64, DOUBLE         8 bytes, little-endian
//	BYTE_ARRAY            length (4 bytes, little-endian), bytes
//	FIXED_LEN_BYTE_ARRAY  Node.Length bytes
//	with Node.Symbols     the symbol's number (4 bytes, little-endian)
//
// Levels take a byte for each entry. A column has definition levels if its MaxDef is not
// zero, and repetition levels if its MaxRep is not zero. An entry whose definition level is
// MaxDef has a value; any other is a null. A page starts and ends between rows.
//
// Where a column may have a dictionary, the first page with values decides for the chunk:
// the dictionary is kept if the page is smaller with it, before compression and after. When
// it would exceed its limit, no more values are added, and the following pages are PLAIN,
// or in the encoding that was best for the first page if other encodings are allowed. Pages
// without a dictionary never precede pages with one.
//
// # Row groups
//
// One Encoder makes the pages of a column chunk in order, and then the dictionary page,
// which comes first in the file. If the pages of all columns of a row group end at the same
// row, the row group can be cut there: a file may end with the pages before that row, and
// the next file may begin with the same dictionary pages and the pages after it. Nothing is
// encoded again, and all statistics stay right, because they are computed from the Metas.
//
// # What is not there
//
// There is no encryption. INT96 and unused logical types cannot be written: unsigned and
// short integers, FLOAT16, VARIANT, BSON, geometry. Page headers have no statistics,
// because the column index has them.
//
// The specification is apache/parquet-format 2.12, with later additions:
// is_min_value_exact, is_max_value_exact, nan_count.
package parquet
