// Package publish makes the files of a job appear, all at once or not at all. It does not
// know the contents of a manifest, a plan, or partitions except by the names of their
// folders. The job decides what is published and when; this package decides how.
//
//	Open --> Begin ----> Create, Write, Finish, ... ----> Commit --> Close
//	lock     repair,      files in the run's own folder    sync, journal, rename,   lock,
//	         own folder   (or Adopt: made elsewhere)       the manifest last        left-overs
//
//	OUT/part-00000.trv, OUT/field=value/part-00000.trv     published
//	OUT/_SUCCESS                                           the manifest: last to come, first to go
//	OUT/_temporary/run-X/part-00000.trv                    of a run that has not published
//	OUT/_temporary/journal                                 the intent to publish; a crash leaves it,
//	OUT/.avro2trevni.lock                                  and the next run ends or undoes it
//
// There are two ways to publish, see way.go; the storage decides which, when the output is
// opened. On storage that renames, files are written in the run's own folder, as above. On
// object storage they are uploads that are not ended, and the journal has what ends them:
// see [staging]. A run that lost its lock to another run changes nothing of that run's files:
// see own.go and lease.go.
//
// After an error, Close undoes the publication, or completes it if old files were being
// replaced. An Output is for one goroutine, except Create and the files that it returns.
package publish
