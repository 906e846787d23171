// Package stages has the work that both engines do for a split, a row group and a finished
// file.
//
// An engine turns a Work, which holds all decisions and does not change, into an Outcome:
// the counts for the report. A job makes a new Work for each try, because a failed try may
// change the plan or the division of memory.
//
//	Work: plan, files' table, share of memory, output, temporary folders
//	  |
//	Mapping ---> Reader, one a goroutine ---> Result of each split     any order of splits
//	  | tally: rows, places of blocks            |
//	  v                                          v
//	rows of each input                       Layouts: packer <--> layout ---> groups, in order
//	                                             |
//	                                         engine: writes files
//	                                             |
//	                                         VerifyFiles: Made, by the mappers = read back?
//
// Work.Table is the files' format for all stages. Temp makes temporary files. Needs is the
// least memory of the stages, and Large the memory that a block, row or layout needs for
// which a try failed.
//
// FindValue finds the input and the row of a value that cannot be stored, where rows are sorted.
// SegmentRows finds the input and the row for a row number, for errors about rows that are
// not in the order that an index needs: ErrUnsorted.
//
// The package imports neither an engine nor package sorting. Several goroutines may use a
// Mapping and a Temp; a Reader, a Layouts and a Made are for one.
package stages
