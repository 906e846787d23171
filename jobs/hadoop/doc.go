// Package hadoop is the engine whose stages are tasks of a Hadoop Streaming job, on YARN.
//
//	driver                                 Engine.Convert
//	  divide: partitions, map tasks        ranges of splits
//	  Plan ---------------+                goes along with the program, to every task
//	  submit, follow      |
//	     |                v
//	     |     map task:    splits --> mapper --> records: runs, and an index of each split
//	     |                                           |
//	     |                                   Hadoop's shuffle, sorted by key
//	     |                                           v
//	     |     reduce task: index --> packer, layouts --> all files of a partition, side by side
//	     |                                           |
//	     v                                           v
//	  collect <------- reports of all partitions: rows, places of blocks, edges of columns
//	     |
//	  Output.Adopt: files are published as if this process had made them
//
// The records, their keys and the order of a partition's stream are those of package
// streaming; the program hadoop is run by package hadoopcmd.
//
// A file ends where a split ends, because only a mapper can cut a run; so splits are small
// compared with files. A partition is a range of splits that makes a few full files and one
// that is not full.
//
// A task makes the plan of the inputs again, from the data in Plan, compares columns and
// splits with the driver's, and fails if they differ. It uses those of the job's options
// that are fields of TaskOptions, which Carry copies by their names.
//
// Attempts may be repeated, and run at the same time. Each writes side files, and Hadoop's
// committer moves those of the successful attempt. An attempt that fails leaves a note in
// the run's folder. If the note says that another attempt would fail too, the driver ends
// the job; its error, and its exit status, are the note's.
package hadoop
