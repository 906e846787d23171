package stages

import (
	"log/slog"

	"avro2trevni/internal/format"
	"avro2trevni/internal/ocf"
	"avro2trevni/internal/storage"
	"avro2trevni/jobs/inputs"
	"avro2trevni/jobs/memory"
	"avro2trevni/jobs/publish"
	"avro2trevni/jobs/report"
	"avro2trevni/jobs/watch"
	"avro2trevni/mapper"
)

// Work is what an engine is given: everything is decided, and it does not change while the engine
// runs. It is made anew for each try.
type Work struct {
	FS        storage.FS
	Plan      *inputs.Plan
	Program   *mapper.Program // of the first input; all have the same columns
	Format    format.Format   // of the files
	Table     format.Table    // what they hold
	Meta      []ocf.Meta      // their metadata, beside the schema
	BlockSize int             // bytes of a run before compression
	Limit     int64           // most bytes of a file; 0: no limit
	Verify    bool            // whether they are read back, and compared
	Share     memory.Share
	Limits    ocf.Limits      // of what reads the inputs
	Out       *publish.Output // where the files are made; nil of a part of a job
	Output    string          // its name, for people
	Temp      *Temp
	Doing     *watch.Activities
	Progress  *watch.Progress
	Log       *slog.Logger
}

// Outcome is what an engine counted, of a try that succeeded.
type Outcome struct {
	Rows    []int64 // of each input
	Spilled int64   // bytes written to temporary files
	Temp    int64   // bytes in them, the most at a time
	Over    int     // files that are larger than one may be, for one row
	Parts   int     // of engine hadoop: each ends with a file that may not be full
	Hadoop  *report.Hadoop
}
