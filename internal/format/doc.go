// Package format says what a job asks of the format of its files. A format is a folder below
// this one, and a line in package jobs' table of formats.
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
// Nobody is asked for a value: which instructions walk over rows follows from the layout,
// and an encoder, or a reducer's format, is asked where a run begins, is cut, or ends.
//
// [Choice] is what formats share: words of options that may differ from column to column.
package format
