// Package local is the engine whose stages run in this process.
//
//	splits 0 1 2 3 ... --> worker: reader, mapper, writer --> shuffle: memory, run files
//	                       worker: reader, mapper, writer -->    |
//	                          | results: rows, marks             | runs, by column and row
//	                          v                                  v
//	                       packer: a range of rows ---------> layout ---> writer: part-00000.trv
//	                                                                      writer: part-00001.trv
//	                                                                        | written: release
//	                                                                        v its rows in the shuffle
//
// A group of rows is laid out and written as soon as the splits that it holds are mapped, while
// later ones are still being mapped; then its tuples are given up. The first failure of the
// mappers, in the order of the splits, ends the job, or the first of laying out or writing.
//
// Rows that are to be sorted take the way through package sorting first, and are mapped from
// there.
//
// A file whose write is lost (storage.ErrLost) is written again, since its rows are kept until
// then. After an error no file is left.
package local
