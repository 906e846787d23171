// Package sorting sorts the rows of a job's inputs, by fields, by the folders of partitions, or
// both, and cuts them into splits that are mapped like those of the inputs.
//
// The rows are read twice: from the inputs, by cutters, which make a key of each row, and then
// in the order of the keys, by the mappers.
//
//	splits 0 1 2 ... --> worker: reader, cutter, rowsort.Writer --+   key: folder, columns, row number
//	                     worker: reader, cutter, rowsort.Writer --+
//	                                                              v
//	                            sorted runs, in memory or on disk: rowsort.Merger
//	                                                              |
//	                                              Rows.Cut        v
//	folder a=1: sorted splits 0 1 2      folder a=2: sorted splits 3 4 ...     each 4 MiB of rows,
//	              |    |                                                       or 16, as row groups
//	              v    v
//	           mapper mapper            Rows.Next, Rows.MapSplit: as if the inputs had been so
//
// While rows are sorted, the number of a row is that in the inputs: (split, row). It ends the
// key, so equal rows stay in their order. After that the number is (sorted split, row). A row
// is in the split of its first byte, counted over all rows of its folder; so the splits, and
// the files, do not depend on workers or memory.
//
// An Order is made of options and a plan, and does not change while rows are sorted. Of too many
// partitions the error names the bound, and a row whose key cannot be made is an
// inputs.RowError, with its place; which of several failures is returned depends on the
// inputs alone. A row that does not fit the memory as it is divided is a stages.LargeRow.
package sorting
