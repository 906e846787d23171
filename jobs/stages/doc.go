// Package stages is what both engines do to a split, to a row group and to a finished file.
//
// An engine is a function of a Work, which holds all decisions and is only read, to an Outcome:
// what was counted, for the report. A job makes a new Work for each try, since a failed try may
// have changed the plan or the division of memory.
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
// What a stage asks of the files' format it asks Work.Table. Temp is where temporary files are
// made. Needs says what the stages hold at the least, and Large what a block, row or layout
// needs for which a try failed.
//
// SegmentRows finds the input and the row of a row's number, for rows that are not in the order
// which an index needs: ErrUnsorted.
//
// It imports no engine, and nothing of sorting. A Mapping and a Temp are for several
// goroutines, a Reader, a Layouts and a Made for one.
package stages
