package jobs

import (
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"avro2trevni/internal/exit"
	"avro2trevni/internal/storage/s3"
	"avro2trevni/jobs/sorting"
)

// validateGuards checks the options that say which files are inputs.
func (o *Options) validateGuards() error {
	for _, p := range slices.Concat(o.IncludeFiles, o.ExcludeFiles) {
		if _, err := path.Match(p, ""); err != nil || p == "" {
			return exit.Usage("%q: a malformed pattern of file names", p)
		}
	}
	switch {
	case o.MinAge < 0:
		return exit.Usage("min age %v: must not be negative", o.MinAge)
	case o.MaxInputs < 0:
		return exit.Usage("max inputs %d: must be at least 1", o.MaxInputs)
	case o.ExpectRecords < 0:
		return exit.Usage("expect records %d: must be at least 1", o.ExpectRecords)
	}
	switch o.Changed {
	case "", ChangedFail:
	case ChangedConvert, ChangedIgnore:
		if o.IfExists != IfExistsAppend {
			return exit.Usage("changed %s: works only with --if-exists append", o.Changed)
		}
	default:
		return exit.Usage("changed %q: must be fail, convert or ignore", o.Changed)
	}
	if o.IfExists == IfExistsAppend && o.Single() {
		return exit.Usage("if-exists append: %s is one file; only a folder can be appended to", o.Output)
	}
	return nil
}

// checkOutput refuses an output that would be a folder by a name that is a file's, unless
// the folder is there.
func (o *Options) checkOutput() error {
	ext := strings.ToLower(filepath.Ext(o.Output))
	if o.Single() || o.Output != "-" && ext != ".trv" && ext != ".avro" && ext != ".parquet" {
		return nil
	}
	switch info, err := o.FS.Stat(o.Output); {
	case o.Output == "-":
		return exit.Usage("output -: nothing is written to standard output: name a folder, or a file that ends in .trv or .parquet")
	case err == nil && info.IsDir():
		return nil
	case err == nil:
		return exit.Usage("output %s: is an existing file that ends in neither .trv nor .parquet: name the output last, after the inputs", o.Output)
	}
	return exit.Usage("output %s: would be a folder of part files: name it without %s, end it in .trv or .parquet for one file, or make the folder first",
		o.Output, filepath.Ext(o.Output))
}

// expected refuses an unexpected number of rows. It is called when all rows are mapped, and
// before any is published.
func (o *Options) expected(rows int64) error {
	if o.ExpectRecords > 0 && rows != o.ExpectRecords {
		return exit.Refused("the inputs have %d records, --expect-records is %d: nothing was published", rows, o.ExpectRecords)
	}
	return nil
}

// Who keeps two runs from writing one output on S3 at the same time.
const (
	S3LockLease    = "lease"    // the runs themselves, by an object that is their lock
	S3LockExternal = "external" // what starts them
)

// validateS3 checks the options about S3.
func (o *Options) validateS3() error {
	if err := o.S3.Validate(); err != nil {
		return exit.Usage("%w", err)
	}
	switch o.S3Lock {
	case "", S3LockLease, S3LockExternal:
	default:
		return exit.Usage("s3 lock %q: must be lease or external", o.S3Lock)
	}
	if o.S3Lease != 0 && (o.S3Lease < time.Second || o.S3Lease > time.Hour) {
		return exit.Usage("s3 lease %v: must be from 1s to 1h", o.S3Lease)
	}
	if o.Engine == EngineHadoop && s3.Serves(o.Output) {
		return exit.Usage("engine hadoop: %s: output on S3 is written by the engine local", o.Output)
	}
	return nil
}

// validateSchema checks the options about schemas.
func (o *Options) validateSchema() error {
	for _, list := range [][]string{o.Columns, o.Exclude} {
		for _, path := range list {
			if path == "" {
				return exit.Usage("columns: a path is empty")
			}
		}
	}
	return nil
}

// validateSort checks the options about the order of the rows.
func (o *Options) validateSort() error {
	if o.PartitionBy != "" && o.Single() {
		return exit.Usage("partition by %s: the output is one file; name a folder", o.PartitionBy)
	}
	_, err := sorting.Columns(o.SortBy)
	return err
}
