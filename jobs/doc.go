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
//	convert ............ an engine, package local or         exit 4: reading or writing failed
//	   |                 hadoop, makes the files of
//	   |                 a stages.Work
//	   |     mend ...... damage, or what looks like it? Learn where, and try again around it
//	   |     makeRoom .. a block too large? Divide the memory anew, and try again
//	Plan.AsPlanned ..... inputs are as planned?              exit 75 if not
//	   |
//	Output.Commit ...... publish all, _SUCCESS last
//	   |
//	Output.Close ....... on every way out: temporary files and lock go
//
// [Convert] runs the whole job, [Describe] only makes the plan. Both take [Options], whose
// zero fields are the defaults, and return errors whose exit status is [exit.Code]. They
// write nothing to the terminal: [watch.Progress] counts, [report.Report] describes what was done, and
// the logger of the options gets messages for operators, never the value of a record.
//
// # Same bytes
//
// Splits, their order, and the ends of files depend only on the inputs' names, sizes and
// contents and on the options in [report.Options]. Workers and memory decide only how many
// splits are mapped at a time, and what is spilled.
//
// # Appending, compacting
//
// The _SUCCESS of an output is the manifest of all runs that added to it, see package
// history. It is read under the lock, after the left-overs of a killed job are repaired.
//
// [Compact] uses groups of small part files as inputs: their rows are read back and
// converted like all rows. The publication replaces the old files of a group by the new
// ones, which take the first names of the group; all other files stay.
//
// # Sorting
//
// If rows are sorted, or partitioned by a field, they are read twice, and cut into new
// splits, which are converted like all splits: see package sorting.
//
// # A block too large
//
// Memory is divided before any block is read. If a block does not fit, the run divides its
// memory anew, among fewer workers if necessary, and begins again; or the job is refused,
// and the error says how much is needed.
//
// # On Hadoop
//
// With the engine hadoop the stages are tasks of a Streaming job, see package hadoop.
// Their files are published as if this process had made them. [HadoopTask] runs a task.
//
// # Damage
//
// A run begins as if all inputs were undamaged. When a mapper finds damage, or the segments
// of a file do not meet, the job discards what it has and surveys its inputs, see package
// damage. Then it runs again, around the gaps or without the files that have any. So the
// shuffle of the final run never holds a part of a damaged block.
//
// # All or nothing
//
// While a job runs, an output folder holds:
//
//	OUT/.avro2trevni.lock               held by flock(2), which dies with its process
//	OUT/_temporary/run-<16 hex>/        files in work, synced when finished; spills
//	OUT/_temporary/journal              only while files are being published
//	OUT/part-00000.trv, ..., _SUCCESS   only from complete jobs
//	OUT/field=value/part-00000.trv      and those of partitions
//
// To publish, the job stages the new _SUCCESS next to the files, syncs everything, and
// writes a journal that names the new files and the old ones. Then it makes the folders of
// partitions, removes the old _SUCCESS, gives the new files their names, removes old files
// that no new one replaced, and gives the new _SUCCESS its name; between the steps it syncs
// the folder. So a reader that checks for _SUCCESS never sees a mixture.
//
// A publication that fails, or is interrupted, is undone as long as the old _SUCCESS
// exists, or, in an output that had none, as long as the new one does not. After that it is
// completed: each step may be taken twice. If it adds at most one file, the old _SUCCESS
// stays until the new one replaces it. If a step fails, the job itself completes or undoes
// the publication; otherwise the next job that gets the lock does, and then removes the
// left-overs of dead runs. Files of other programs are never touched.
//
// A job that was stopped, and lost its lock to another job, changes nothing when it
// continues: see own.go of package publish.
//
// On S3, which does not rename, files are uploads that are not ended, and the lock is an
// object: see staging.go of package publish.
//
// An output that is one file, NAME.trv, is written in a hidden folder next to it and
// renamed. This is a single step, so there is neither a journal nor a _SUCCESS.
//
// # Not supported
//
// Storage other than that of the machine, HDFS and S3; outputs that several jobs write at the
// same time.
package jobs
