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
// A row group is laid out and written as soon as its splits are mapped, while later ones
// are still being mapped; then its tuples are released. The job ends with the first failure
// of the mappers, in the order of the splits, or else the first failure of laying out or
// writing.
//
// If rows are sorted, they go through package sorting first, and are mapped from there.
//
// A file whose write is lost (storage.ErrLost) is written again, because its rows are kept
// until then. After an error no file is left.
package local
