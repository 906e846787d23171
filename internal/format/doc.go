// Package format has the interfaces between a job and the format of its files. A format is
// a folder below this one, and a line in package jobs' table of formats.
//
//	Format   LayOut     rows' schema -> columns, for the mapper's walk
//	   |
//	   +---> Table      columns and words of options -> all that one job asks:
//	   |        |         mapper.Options, mapper.Encoder    where runs end
//	   |        +-------> reducer.Format                    how runs become files
//	   |                  names, memory, what has to ascend
//	   |
//	   +---> File       a finished file read back: schema, metadata, rows, digests
//
// A format is not called for single values: the layout determines the instructions that
// walk over rows, and an encoder, or a reducer's format, is called where a run begins, is
// cut, or ends.
//
// [Choice] is shared by formats: values of options that may differ from column to column.
package format
