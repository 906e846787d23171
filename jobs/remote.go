package jobs

import (
	"context"
	"io"
	"os"

	"avro2trevni/internal/storage"
	"avro2trevni/internal/storage/hdfs"
	"avro2trevni/internal/units"
	"avro2trevni/jobs/memory"
)

// What HDFS holds beside the stages, in bytes.
const (
	remoteRead  = 256 * units.KiB // of a reader: its connection's buffer
	remoteWrite = 4 * units.MiB   // of a writer: a page on its way, and packets not acknowledged
)

// remote reports whether a name is of another storage than this machine's.
func remote(name string) bool {
	root, _ := storage.Split(name)
	return root != ""
}

// connected returns the options with their defaults and, where the caller gave no
// file system, one that serves paths and hdfs:// names. Close frees its connections.
func (o *Options) connected(ctx context.Context) (full *Options, free io.Closer) {
	full = o.withDefaults()
	r := &storage.Router{Local: storage.Local{}, Connect: func(root string) (storage.FS, error) {
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
func (o *Options) temporary(run string) *Temp {
	dirs := o.TempDirs
	switch {
	case len(dirs) > 0:
	case run == "", remote(o.Output):
		dirs = []string{os.TempDir()}
	default:
		dirs = []string{run}
	}
	return &Temp{
		Dirs: dirs, Space: &memory.TempSpace{Moved: &o.Progress.Moved, Limit: o.TempLimit}, Make: o.stage, Spills: o.spills, Log: o.Log,
	}
}

// remoteNeeds adds what other storage takes to what the stages hold.
func (j *job) remoteNeeds(n *memory.Needs, total int64) {
	for i := range j.plan.Inputs {
		if remote(j.plan.Inputs[i].Path) {
			n.Mapper += remoteRead + int64(j.o.limits(total).ReadBytes) // read ahead
			break
		}
	}
	if remote(j.o.Output) {
		n.Reducer += remoteWrite
	}
}
