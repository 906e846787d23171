package listing

import (
	"path"
	"slices"
	"strings"

	"avro2trevni/internal/exit"
	"avro2trevni/internal/storage"
	"avro2trevni/internal/storage/s3"
	"avro2trevni/internal/units"
)

// Filter chooses files in folders and globs. A pattern is one of path.Match. A pattern
// without a slash applies to the last part of a name; one with a slash applies to the whole
// name below the folder that was given.
type Filter struct{ Include, Exclude []string }

// takes reports whether a file of a folder is an input, if nothing excludes it.
func (f Filter) takes(below string) bool {
	if len(f.Include) == 0 {
		return path.Ext(below) == ".avro"
	}
	return matchesAny(f.Include, below)
}

// takesGlobbed reports whether a file that a glob matched is an input.
func (f Filter) takesGlobbed(base string) bool {
	return !f.excludes(base) && (len(f.Include) == 0 || matchesAny(f.Include, base))
}

// excludes reports whether a file is left out, or a folder with all below it.
func (f Filter) excludes(below string) bool { return matchesAny(f.Exclude, below) }

func matchesAny(patterns []string, below string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		name := below
		if !strings.Contains(p, "/") {
			name = path.Base(below)
		}
		ok, _ := path.Match(p, name) // Validate has seen that it is well-formed
		return ok
	})
}

// ReadNames returns the names of a list, one per line, unchanged; it skips empty lines. All
// lines end in LF, or all in CR LF.
func ReadNames(text string) []string {
	names := []string{}
	end := "\n"
	if n := strings.Count(text, "\n"); n > 0 && n == strings.Count(text, "\r\n") {
		end = "\r\n"
	}
	for line := range strings.SplitSeq(text, end) {
		if line != "" {
			names = append(names, line)
		}
	}
	return names
}

// ReadList returns the names of a list in a file; see [ReadNames].
func ReadList(f storage.FS, name string) ([]string, error) {
	text, err := storage.ReadFile(f, name, maxList)
	if err != nil {
		return nil, exit.Usage("files from %s: %w", name, err)
	}
	return ReadNames(string(text)), nil
}

// maxList bounds a list of names.
const maxList = 256 * units.MiB

// ValidName refuses names that no storage has, and those of storage that is not served.
func ValidName(name string) error {
	switch {
	case name == "":
		return exit.Usage("an input or output name is empty")
	case strings.ContainsRune(name, 0):
		return exit.Usage("%q: a name must not hold a zero byte", name)
	}
	root, _ := storage.Split(name)
	scheme, bucket, _ := strings.Cut(root, "://")
	switch {
	case root == "" || scheme == "hdfs":
		return nil
	case s3.Serves(root):
		if bucket == "" {
			return exit.Usage("%s: names no bucket: write s3://bucket/key", name)
		}
		return nil
	}
	if instead := others[scheme]; instead != "" {
		return exit.Usage("%s: %s", name, instead)
	}
	return exit.Usage("%s: only local paths, hdfs:// and s3:// names can be read and written", name)
}

// others are schemes of storage that is not served, and what to use instead.
var others = map[string]string{
	"gs": google, "gcs": google,
	"abfs": azure, "abfss": azure, "wasb": azure, "wasbs": azure, "az": azure, "adl": azure,
	"s3n":  "write s3:// instead of s3n://",
	"http": web, "https": web,
}

const (
	google = "Google Cloud Storage is not supported: copy the files with gcloud storage cp, or mount the bucket with gcsfuse and give the path"
	azure  = "Azure storage is not supported: copy the files with azcopy, or mount the container with blobfuse2 and give the path"
	web    = "URLs cannot be read: download the file; an object of S3 is named s3://bucket/key"
)
