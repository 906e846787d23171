package jobs

import (
	"errors"
	"io/fs"
	"os"

	"avro2trevni/internal/exit"
	"avro2trevni/internal/storage"
	"avro2trevni/jobs/inputs"
	"avro2trevni/jobs/listing"
)

// ErrReport is returned if [Options].Report is a file that the job reads or makes: the
// report must not be written.
var ErrReport = errors.New("cannot be the report")

// CheckReport returns [ErrReport] if [Options].Report is, by what the options name, a
// file that the job reads or makes. Inputs in folders and of globs are compared when the
// job lists them.
func (o *Options) CheckReport() error {
	info := o.reportInfo()
	files := []struct{ what, name string }{{"the output", o.Output}, {"the list of inputs", o.FilesFrom}, {"the keytab", o.Keytab}}
	if o.Schema != inputs.SchemaLatest && o.Schema != inputs.SchemaMerge {
		files = append(files, struct{ what, name string }{"the schema", o.Schema})
	}
	for _, names := range [][]string{o.Files, o.Inputs} {
		for _, name := range names {
			files = append(files, struct{ what, name string }{"an input", name})
		}
	}
	for _, f := range files {
		if other, err := os.Stat(f.name); info != nil && err == nil && os.SameFile(info, other) {
			return o.reportIs(f.what, f.name)
		}
	}
	local := storage.Local{}
	if !storage.Remote(o.Output) && storage.Within(listing.Resolve(local, o.Report), listing.Resolve(local, o.Output)) {
		return exit.Usage("report %s: %w: it is the output %s, or in it", o.Report, ErrReport, o.Output)
	}
	return nil
}

// reportInfo describes the file that the report replaces, nil if there is none.
func (o *Options) reportInfo() fs.FileInfo {
	if o.Report == "" {
		return nil
	}
	info, err := os.Stat(o.Report)
	if err != nil {
		return nil
	}
	return info
}

func (o *Options) reportIs(what, name string) error {
	return exit.Usage("report %s: %w: it is %s, %s", o.Report, ErrReport, what, name)
}
