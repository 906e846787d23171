// Package history knows what an output holds of the runs before, and what that means for the
// next: which inputs are converted already, what the rows and options were, which part files
// are small.
//
// The _SUCCESS of an output is the manifest of all runs that added to it, as a report has it:
//
//	_SUCCESS: inputs a b c       outputs part-0 part-1
//	inputs:          a b c d e   new: d e -> part-2; _SUCCESS: a b c d e, part-0 to 2
//
//	Read ---> Earlier -- Compare --> Comparison.Fresh     files, before they are opened
//	             |                   Comparison.Decide    inputs, when their headers are read
//	             |-- SameOptions, SameSchema              what is added is like what is there
//	             |-- There                                what may stand beside new files
//	             '-- Compaction                           which files are merged into full ones
//
// It is read under the output's lock. An input that it lists, with its size and time, is not
// opened. One that changed, or whose header, size and time are those of another, is an error
// unless it is said what to do. What is written is the job's to decide: see
// [report.Report.Follow].
package history
