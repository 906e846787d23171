// Package record assembles the rows of a Trevni file, as Avro records in Avro's binary
// encoding ([Reader]), and makes Trevni files from such records ([Writer]).
//
//	rows of Avro --> Writer --> columns of a Trevni file --> Reader --> rows of Avro
//
// # Reading
//
// The schema in the file's metadata and the schema that the caller wants are compiled once
// into a flat list of instructions. A [Reader] runs them for each row and copies every
// value's bytes from its column's block to the end of the caller's buffer; Trevni's
// encoding of a value is Avro's, so nothing is decoded, and no Go value is made for a row.
//
//	[id id id ...]   [name name ...]   [tags[] ...]   a block a column, decompressed
//	  |                 |                 |
//	  +--------+--------+-----------------+
//	           v  walk: one instruction a value
//	| row 0 | row 1 | row 2 | ...                      Avro, appended by ReadRows
//
// Rows have the encoding that Avro's writers use by default: an array or map is one block
// with a count and no size in bytes. If the original rows were written so, they come back
// byte for byte.
//
// # Projection
//
// Only the columns that the wanted schema needs are read; neither descriptors nor blocks of
// other columns are read. [Project] makes a schema from a list of dotted paths. A wanted
// schema may differ from the file's in these points:
//
//   - a record may lack fields, have them in another order, or have fields that the
//     file lacks if they have a default;
//   - an enum may have its symbols in another order; a symbol that it lacks becomes
//     its default, or is an error at the row that has it ([ErrNoMatch]);
//   - a union may lack branches, have more of them, or have them in another order; a
//     value of a branch that it lacks is null if the union has null, as in the Java
//     implementation, and else an error at the row that has it;
//   - a union may replace a type of the file that is one of its branches;
//   - numbers may have a wider type: int as long, float or double, long as float or
//     double, float as double; string may be bytes, and bytes string;
//   - fields and, in unions, named types may match by an alias of the wanted schema.
//
// Names of records, enums and fixed matter only in unions, where they distinguish branches.
// Logical types must mean the same where both schemas have one. Properties are not
// compared.
//
// # Writing
//
// A schema is compiled into what puts each of its values to its column. A [Writer] is for
// programs that have records; of Avro files the program convert makes Trevni files, faster, of
// any size, and within a bound of memory.
//
// # Memory
//
// A reader holds a block of each column that it reads, decompressed, and about a
// block more in the decoder. A writer holds all blocks until the end, or with
// [WriterOptions].Memory has them in a temporary file; and for each column a block that is not
// full yet.
//
// # Not supported
//
// A wanted type in place of a union of the file; files without a schema in their metadata;
// recursive schemas, which have no columns.
package record
