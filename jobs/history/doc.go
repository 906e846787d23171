// Package history reads what earlier runs left in an output, and derives what the next run
// needs: which inputs are already converted, the schema and options of the files, and which
// part files are small.
//
// The _SUCCESS of an output is the manifest of all runs that added to it, in the form of a
// report:
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
// It is read under the output's lock. An input that it lists, with its size and time, is
// not opened. An input that changed, or whose header, size and time are those of another,
// is an error unless the options say what to do. The job decides what is written: see
// [report.Report.Follow].
package history
