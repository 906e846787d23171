// Command trevni shows what is in Trevni files, and whether they are whole:
// `trevni --help`.
//
// Arguments are files, and folders that a job wrote; several are one table, file
// after file.
//
//	arguments --list--> names --open--> file { trevni.Reader, bytes read }
//	                                      |
//	     meta     header and descriptors only
//	     verify   every block, lengths against parents, the job's manifest
//	     scan     the blocks of the columns asked for
//	     cat, to-avro, verify --against
//	              record.Reader: rows as Avro, printed, written, compared
//
// One file a verb; [command] is what they share. Package rowtext shows rows. Nothing here is
// imported by others.
package main
