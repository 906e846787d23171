// Package tuple is the one thing the three stages have in common: the
// (row#, column#, value) tuple of the Trevni specification's third
// implementation note, vectorised.
//
// A tuple's value is a run: one or more consecutive rows of one column, already
// in the column's Trevni encoding and compressed as a block. Mappers cut runs of
// about a block; the shuffle orders them by column, then row, and knows nothing
// of what they hold; reducers pass full runs through as blocks, join small ones,
// and cut the few that straddle two files.
//
//	           Row          Rows
//	            |<----------------------------->|
//	column 7:   [ value value value ... value   ]   -> Value (compressed, checksummed)
//	                     ^cut         ^cut           -> Cuts  (where it may be split)
//
// A run may be split only at its cuts. The mapper sets cuts at the same rows in
// every column, so that a row group can begin and end at any of them, without
// anyone but the mapper walking values.
//
// # Row numbers
//
// A [Row] is the number of a split and of a row within it. Splits are numbered in
// input order, so rows sort as they stand in the input, and no pass over the input
// is needed to number them.
//
// The package imports nothing of ours.
package tuple
