// Package jobs plans, runs and commits a conversion.
//
//	Options.Validate
//	   |
//	publish.Open ....... lock, if the folder is there        exit 75 if it is held
//	   |
//	newPlan ............ list inputs, read headers, one      exit 3: schemas differ, no
//	   |                 schema, splits: package inputs      such input; 4: not an Avro file
//	memory.Divide ...... divide --memory, choose workers     exit 3: too little
//	   |
//	Output.Begin ....... lock, repair and clean what a       exit 3: the output exists
//	   |                 killed job left, --if-exists
//	run: map -> shuffle -> pack -> reduce                    exit 4: reading or writing failed
//	   |     Plan.Rows     Output.Create, Write, Finish
//	   |     mend: damage, or what looks like it? Learn where, and run again around it
//	Plan.AsPlanned ..... inputs are as planned?              exit 75 if not
//	   |
//	Output.Commit ...... publish all, _SUCCESS last
//	   |
//	Output.Close ....... on every way out: temporary files and lock go
//
// [Convert] does all of it, [Describe] the plan alone. Both take [Options] whose zero
// fields are the defaults, return errors whose exit status is [exit.Code], and write
// nothing to the terminal: [Progress] counts, [Report] tells what was done, and the
// logger of the options gets what an operator may want to know, never a record's value.
//
// # Same bytes
//
// Splits, their order, and where rows are cut follow from the inputs' names, sizes
// and contents and from the options in [report.Options]. Workers and memory decide
// how many splits are mapped at a time and what is spilled, nothing else.
//
// # Appending, compacting
//
// The _SUCCESS of an output is the manifest of all runs that added to it, see package history. It
// is read under the lock, when what a killed job left is repaired.
//
// [Compact] takes groups of small part files for inputs: their rows are read back and go the
// way of all rows. A publication that replaces puts the new files in place of the old, under
// the first of their names; others stay.
//
// # Sorting
//
// Rows that are to be sorted, or parted by a field, are read twice: cutters give them
// with their keys to package rowsort, and what it merges is cut into splits anew, which
// go the way of all splits. A key ends with the row's number in the inputs, so equal rows
// stay in their order, and the outcome does not depend on workers or memory.
//
// # A block too large
//
// Memory is divided before any block is seen. A run that meets one which its share has no
// room for divides memory anew, among fewer workers if need be, and begins again; or it is
// refused with the least that would do.
//
// # On Hadoop
//
// With the engine hadoop the stages are tasks of a Streaming job, see package
// streaming, and what they make is taken over as if it had been made here:
//
//	divideSplits ....... partitions: ranges of splits; map tasks: ranges of those
//	taskPlan ........... goes along with the program, to every task
//	HadoopTask map ..... mapper -> records        HadoopTask reduce ... records -> packer,
//	     |                                             |                layout, files
//	collect ............ reports of all partitions: rows, spans, order; then rename
//
// A task that fails leaves a note in the run's folder; one that tells of the inputs, not
// of the cluster, ends the job.
//
// # Damage
//
// A run is made as if all inputs were whole. When a mapper comes upon damage, or the
// segments of a file don't meet, the job gives up what it has and surveys its inputs, see
// package damage. Then it runs again, around the gaps or without the files that have any. So
// nothing of a block that turns out bad halfway is ever in the shuffle.
//
// # All or nothing
//
// While a job runs, an output folder looks so:
//
//	OUT/.avro2trevni.lock               held by flock(2), which dies with its process
//	OUT/_temporary/run-<16 hex>/        files in work, synced when finished; spills
//	OUT/_temporary/journal              only while files are being published
//	OUT/part-00000.trv, ..., _SUCCESS   only from complete jobs
//	OUT/field=value/part-00000.trv      and those of partitions, likewise
//
// To publish, the new _SUCCESS is staged beside the files, all is synced, and a
// journal appears that names the new files and the old. From then on: folders of partitions
// are made, the old _SUCCESS goes, the new files take their names, old files without a
// successor go, the new _SUCCESS takes its name; with a sync of the folder between the
// steps. A reader that looks for _SUCCESS thus never sees a mixture.
//
// A publication that breaks off, or is interrupted, is undone as long as the old _SUCCESS
// stands, or the new one of an output that had none does not. After that it is done once
// more: each step may be taken twice. If it adds one file at most, the old _SUCCESS stays
// until the new one replaces it. The job does this itself when a step fails, or the next one
// that gets the lock, which then removes what dead runs left. Files that no job of ours
// makes are never touched.
//
// A job that lost its lock, and comes back to life while another has it, changes nothing:
// see own.go.
//
// An output that is one file, NAME.trv, is written in a hidden folder beside it and
// renamed: one step, so that there is neither journal nor _SUCCESS.
//
// # Not supported
//
// Storage but that of the machine and HDFS; outputs shared by several jobs at a time.
package jobs
