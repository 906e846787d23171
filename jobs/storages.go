package jobs

import (
	"context"
	"io"
	"os"

	"avro2trevni/internal/exit"
	"avro2trevni/internal/storage"
	"avro2trevni/internal/storage/hdfs"
	"avro2trevni/internal/storage/s3"
	"avro2trevni/jobs/inputs"
	"avro2trevni/jobs/memory"
	"avro2trevni/jobs/stages"
)

// connected returns the options with their defaults and, where the caller gave no
// file system, one that serves paths, hdfs:// and s3:// names. Close frees its connections.
func (o *Options) connected(ctx context.Context) (full *Options, free io.Closer) {
	full = o.withDefaults()
	r := &storage.Router{Local: storage.Local{}, Connect: func(root string) (storage.FS, error) {
		if s3.Serves(root) {
			how := o.S3
			how.Log = full.Log
			f, err := s3.New(ctx, root, &how)
			if err != nil {
				return nil, exit.Usage("%w", err)
			}
			return f, nil
		}
		f, err := hdfs.New(ctx, root, &hdfs.Options{Keytab: o.Keytab, Principal: o.Principal, Log: full.Log})
		if err != nil {
			return nil, err // a nil *hdfs.FS must not become an FS
		}
		return f, nil
	}}
	if o.FS == nil {
		full.FS = r
	}
	return full, r
}

// temporary returns where temporary data go: where the user said, or to the run's folder; or, of
// a task, which has none, and if the output is on another storage, to the system's.
func (o *Options) temporary(run string) *stages.Temp {
	dirs := o.TempDirs
	switch {
	case len(dirs) > 0:
	case run == "", storage.Remote(o.Output):
		dirs = []string{os.TempDir()}
	default:
		dirs = []string{run}
	}
	return &stages.Temp{
		Dirs: dirs, Space: &memory.TempSpace{Moved: &o.Progress.Moved, Limit: o.TempLimit}, Make: o.stage, Spills: o.spills, Log: o.Log,
	}
}

// pending estimates the bytes that are mapped and not yet written, at the most: all, or
// the files being made, the next one, and the splits being mapped. Rows are taken to need as
// much there as in the inputs. What of it memory does not hold is in temporary files.
func pending(p *inputs.Plan, o *Options, workers int) int64 {
	limit := o.fileLimit()
	if len(o.SortBy) > 0 || o.PartitionBy != "" {
		return 2 * p.Bytes // all rows, beside the files being made
	}
	if limit == 0 || limit > p.Bytes {
		return p.Bytes
	}
	return min(p.Bytes, limit*int64(min(workers, memory.MaxGroups)+1)+2*int64(workers)*p.SplitSize)
}
