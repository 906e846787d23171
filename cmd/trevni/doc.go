// Command trevni shows what is in files of columns, and whether they are whole:
// `trevni --help`.
//
// Arguments are files, and folders that a job wrote; several are one table, file after file.
//
//	arguments --inputs--> names --colfile.Formats--> file, of the format of its first bytes
//	                                                  |
//	     meta       header, metadata, sizes of columns
//	     verify     the whole file; and the job's manifest (inputs)
//	     scan       the values of the columns asked for (tally)
//	     cat, to-avro, verify --against
//	                rows as Avro: printed (rowtext), written (outfile), compared (avrorows)
//
// One file a verb; [command] is what they share. The rooms:
//
//	colfile    the interface to formats; which format a file is of
//	trvfile    what Trevni answers: the one room that knows Trevni's files
//	inputs     files of arguments, and what a job's _SUCCESS says of them
//	tally      count, sum, least and greatest of a column
//	rowtext    rows as text, and in the form in which equal rows are equal bytes
//	avrorows   rows of Avro files in that form
//	outfile    a file that appears when it is complete
//	show       tables and numbers for people
//
// Nothing here is imported by others.
package main
