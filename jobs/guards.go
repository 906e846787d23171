package jobs

import (
	"context"
	"fmt"
	"log/slog"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"avro2trevni/internal/exit"
	"avro2trevni/jobs/listing"
	"avro2trevni/jobs/publish"
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
		return exit.Usage("max inputs %d: must be from 1", o.MaxInputs)
	case o.ExpectRecords < 0:
		return exit.Usage("expect records %d: must be from 1", o.ExpectRecords)
	}
	switch o.Changed {
	case "", ChangedFail:
	case ChangedConvert, ChangedIgnore:
		if o.IfExists != IfExistsAppend {
			return exit.Usage("changed %s: only --if-exists append knows what changed", o.Changed)
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
		return exit.Usage("output -: nothing is written to standard output: name a folder, or a file that ends in .trv")
	case err == nil && info.IsDir():
		return nil
	case err == nil:
		return exit.Usage("output %s: is a file that is there, and no .trv: name the output after the inputs", o.Output)
	}
	return exit.Usage("output %s: would be a folder of part-*.trv: name it without %s, end it in .trv for one file, or make the folder first",
		o.Output, filepath.Ext(o.Output))
}

// ready returns the files that may be read by now: those that are old enough, in
// folders that are complete. A run that appends leaves the others to a later one, any
// other run is to be tried again.
func (p *Plan) ready(o *Options, files []listing.File, now time.Time) ([]listing.File, error) {
	var keep []listing.File
	for i := range files {
		why := o.early(&files[i], now)
		switch {
		case why == "":
			keep = append(keep, files[i])
		case o.IfExists != IfExistsAppend:
			return nil, exit.Retry("%s: %s: try again later", files[i].Path, why)
		default:
			p.Append.Left++
			level := slog.LevelInfo
			if files[i].ModTime.Sub(now) > o.MinAge { // nobody would ever hear of it
				level = slog.LevelWarn
			}
			o.Log.Log(context.Background(), level, "left to a later run", "input", files[i].Path, "why", why)
		}
	}
	return keep, nil
}

// early says why a file is not to be read yet, "" if it may be.
func (o *Options) early(f *listing.File, now time.Time) string {
	switch age := now.Sub(f.ModTime); {
	case o.MinAge == 0 || age >= o.MinAge:
	case age < 0:
		return fmt.Sprintf("its time of modification is %v in the future, --min-age is %v", -age.Round(time.Second), o.MinAge)
	default:
		return fmt.Sprintf("was written %v ago, --min-age is %v", age.Round(time.Second), o.MinAge)
	}
	if o.RequireSuccess && !f.Done {
		return fmt.Sprintf("neither its folder nor one above it that was given has a %s", publish.SuccessName)
	}
	return ""
}

// few refuses more inputs than there should be.
func (o *Options) few(n int) error {
	if o.MaxInputs > 0 && n > o.MaxInputs {
		return exit.Refused("%d inputs are more than --max-inputs %d", n, o.MaxInputs)
	}
	return nil
}

// expected refuses rows that are not those that were expected. It is asked when all
// are mapped, and before any is published.
func (o *Options) expected(rows int64) error {
	if o.ExpectRecords > 0 && rows != o.ExpectRecords {
		return exit.Refused("the inputs have %d records, --expect-records is %d: nothing was published", rows, o.ExpectRecords)
	}
	return nil
}
