// Package tuple has the one type that the three stages share: the (row#, column#, value)
// tuple of the Trevni specification's third implementation note, for many rows at a time.
//
// A tuple's value is a run: one or more consecutive rows of one column, already
// encoded and compressed as the files' format has it. Mappers cut runs of about a
// block; the shuffle orders them by column, then row, and knows nothing of what they
// hold; reducers pass full runs through as blocks, join small ones, and cut the few
// that straddle two files.
//
//	           Row          Rows
//	            |<----------------------------->|
//	column 7:   [ value value value ... value   ]   -> Value (compressed, checksummed)
//	                     ^mark        ^mark          -> Note  (where it may be split, or what is in it)
//
// A run may be split only at the mapper's marks, which are at the same rows in every
// column. A row group can begin and end at any of them, and only the mapper walks
// values.
//
// The note is what the format has to say of the run beside its sizes: Trevni's tells where
// the marks are in it, another format's may describe the values. The stages carry it as
// bytes.
//
// # Row numbers
//
// A [Row] is the number of a split and of a row within it. Splits are numbered in
// input order, so rows sort as they stand in the input, and no pass over the input
// is needed to number them.
//
// The package imports nothing of ours.
package tuple
