package report

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"avro2trevni/internal/exit"
)

// Report describes what a job did. As JSON it is the `_SUCCESS` file of an output folder,
// and the output of --report. Everything except Run depends only on the inputs and the
// options, and is the same in each run on them.
type Report struct {
	Version   string    `json:"version"`             // of the program
	Error     string    `json:"error,omitempty"`     // of a job that failed; never in _SUCCESS
	Inputs    []Input   `json:"inputs"`              // in the order of their rows
	Outputs   []Output  `json:"outputs"`             // in the order of their rows
	Summaries []Output  `json:"summaries,omitempty"` // files that describe all outputs
	Skipped   []Skipped `json:"skipped,omitempty"`   // left out as damaged
	Options   Options   `json:"options"`             // those that affect the bytes of the outputs
	Counters  Counters  `json:"counters"`
	Run       Run       `json:"run"`

	before int // of Skipped, those of earlier runs
}

// Input is one input file.
type Input struct {
	Path     string    `json:"path"`              // as found: the input as given, and the path below it
	File     string    `json:"file,omitempty"`    // the name that all names of the file lead to, if it differs
	Size     int64     `json:"size"`              // bytes
	Modified time.Time `json:"modified"`          // UTC, as precise as the storage has it
	Version  string    `json:"version,omitempty"` // the object's ETag, with its quotes; none where the storage has none
	Header   string    `json:"header"`            // XXH64 of the file's header, 16 lower-case hex digits
	Rows     int64     `json:"rows"`
}

// Output is one output file.
type Output struct {
	Path  string `json:"path"` // name within the output folder; the output as given if it is one file
	Rows  int64  `json:"rows"`
	Bytes int64  `json:"bytes"`
	XXH64 string `json:"xxh64"` // of the whole file, 16 lower-case hex digits
}

// DefaultFormat is the format of files of which a report names none.
const DefaultFormat = "trevni"

// Options is the options that the bytes of the outputs depend on.
type Options struct {
	Format    string            `json:"format,omitempty"` // else [DefaultFormat]
	Codec     string            `json:"codec"`
	Checksum  string            `json:"checksum"`
	FileSize  int64             `json:"file_size"`            // bytes; 0 = no limit
	BlockSize int               `json:"block_size,omitempty"` // of Trevni alone
	SplitSize int64             `json:"split_size"`
	OnCorrupt string            `json:"on_corrupt"`
	Engine    string            `json:"engine,omitempty"`     // hadoop; else local
	Parts     int               `json:"partitions,omitempty"` // of engine hadoop: each ends with a file that may not be full
	Index     []string          `json:"index,omitempty"`      // columns with first values
	SortBy    []string          `json:"sort_by,omitempty"`
	PartBy    string            `json:"partition_by,omitempty"`
	Schema    string            `json:"schema,omitempty"` // as given; the files hold the schema itself
	Columns   []string          `json:"columns,omitempty"`
	Exclude   []string          `json:"exclude,omitempty"`
	Meta      map[string]string `json:"meta,omitempty"`

	// Of Parquet alone.
	RowGroup    int64    `json:"row_group_size,omitempty"` // bytes of input, if they were given
	PageSize    int      `json:"page_size,omitempty"`
	PageVersion int      `json:"page_version,omitempty"`
	Encodings   string   `json:"encodings,omitempty"`
	Logical     string   `json:"logical_types,omitempty"`
	Invalid     string   `json:"invalid_utf8,omitempty"`
	Bloom       []string `json:"bloom,omitempty"`
	Summary     bool     `json:"summary,omitempty"`
	FooterEvery int      `json:"footer_every,omitempty"`
}

// Counters are the sums of a job.
type Counters struct {
	InputFiles    int64 `json:"input_files"`
	InputBytes    int64 `json:"input_bytes"`
	Duplicates    int64 `json:"duplicate_inputs"` // files named more than once, converted once
	Splits        int64 `json:"splits"`
	Columns       int64 `json:"columns"`
	Rows          int64 `json:"rows"`
	OutputFiles   int64 `json:"output_files"`
	OutputBytes   int64 `json:"output_bytes"`
	OversizeFiles int64 `json:"oversize_files"` // files of a single row that is larger than the file size
	SkippedCounters
}

// Run is the part of a report that differs from run to run.
type Run struct {
	Started      time.Time `json:"started"` // UTC
	Seconds      float64   `json:"seconds"`
	Workers      int       `json:"workers"`
	Memory       int64     `json:"memory"`        // bytes, the bound that was kept
	SpilledBytes int64     `json:"spilled_bytes"` // written to temporary files
	TempBytes    int64     `json:"temp_bytes"`    // largest amount in temporary files at one time
	Verified     bool      `json:"verified"`      // the files were read back, and hold what was read

	Hadoop *Hadoop `json:"hadoop,omitempty"` // of engine hadoop

	CarriedMeta []string `json:"carried_meta,omitempty"` // keys of the inputs' metadata that are in the files
	DroppedMeta []string `json:"dropped_meta,omitempty"` // keys that are not, because the inputs differ

	Appended  *Append  `json:"appended,omitempty"`  // of a run that appends
	Compacted *Compact `json:"compacted,omitempty"` // of one that compacts
}

// Final sets the duration of the run, up to now, and returns the report as JSON.
func (r *Report) Final() ([]byte, error) {
	r.Run.Seconds = time.Since(r.Run.Started).Seconds()
	return r.JSON()
}

// JSON returns the report as indented JSON that ends in a newline.
//
// There may be hundreds of thousands of inputs. Each is encoded separately, because the
// encoder would hold the text of all of them three times.
func (r *Report) JSON() ([]byte, error) {
	frame := *r
	if len(r.Inputs) > 0 {
		frame.Inputs = []Input{}
	}
	text, err := json.MarshalIndent(&frame, "", "  ")
	if err != nil {
		return nil, err
	}
	text = append(text, '\n')
	before, after, found := bytes.Cut(text, []byte("\n  \"inputs\": []")) // a name's line feeds are escaped
	if !found || len(r.Inputs) == 0 {
		return text, nil
	}
	size := len(text) // a growing buffer is held twice
	for i := range r.Inputs {
		size += inputText + len(r.Inputs[i].Path) + len(r.Inputs[i].File)
	}
	out := bytes.NewBuffer(make([]byte, 0, size))
	out.Write(before)
	out.WriteString("\n  \"inputs\": [")
	for i := range r.Inputs {
		if i > 0 {
			out.WriteByte(',')
		}
		one, err := json.MarshalIndent(&r.Inputs[i], "    ", "  ")
		if err != nil {
			return nil, err
		}
		out.WriteString("\n    ")
		out.Write(one)
	}
	out.WriteString("\n  ]")
	out.Write(after)
	return out.Bytes(), nil
}

// inputText is the approximate number of bytes of an input's text without its names.
const inputText = 256

// Name returns the name that all names of the input lead to.
func (r *Input) Name() string { return cmp.Or(r.File, r.Path) }

// AddOutputs enters the finished files, in order, and their sums.
func (r *Report) AddOutputs(outs []Output) {
	r.Outputs = append(r.Outputs, outs...)
	for _, o := range outs {
		r.Counters.OutputFiles++
		r.Counters.OutputBytes += o.Bytes
		r.Counters.Rows += o.Rows
	}
}

// Append describes what a run added to an output.
type Append struct {
	Inputs    int64 `json:"inputs"`     // converted
	Bytes     int64 `json:"bytes"`      // of those
	Rows      int64 `json:"rows"`       // of those
	Files     int64 `json:"files"`      // added
	FileBytes int64 `json:"file_bytes"` // of those
	Unchanged int64 `json:"unchanged"`  // inputs that earlier runs converted
	Ignored   int64 `json:"ignored"`    // inputs that changed since then, and were ignored as requested
	Again     int64 `json:"again"`      // of Inputs, those that an earlier run converted too: their old rows stay
	Left      int64 `json:"left"`       // not converted yet: too young, or in a folder that is not complete
}

// add adds the sums of earlier runs. The columns are the same.
func (c *Counters) add(was *Counters) {
	c.Columns = was.Columns
	for _, n := range []struct{ to, from *int64 }{
		{&c.InputFiles, &was.InputFiles}, {&c.InputBytes, &was.InputBytes}, {&c.Duplicates, &was.Duplicates},
		{&c.Splits, &was.Splits}, {&c.Rows, &was.Rows}, {&c.OutputFiles, &was.OutputFiles},
		{&c.OutputBytes, &was.OutputBytes}, {&c.OversizeFiles, &was.OversizeFiles},
		{&c.SkippedFiles, &was.SkippedFiles}, {&c.SkippedBlocks, &was.SkippedBlocks},
		{&c.SkippedBytes, &was.SkippedBytes}, {&c.SkippedRows, &was.SkippedRows}, {&c.SkippedUnknown, &was.SkippedUnknown},
	} {
		*n.to += *n.from
	}
}

// Compact describes what a compaction merged.
type Compact struct {
	Files     int64 `json:"files"` // merged
	Bytes     int64 `json:"bytes"` // of those
	Rows      int64 `json:"rows"`
	Into      int64 `json:"into"`       // files that they became
	IntoBytes int64 `json:"into_bytes"` // of those
}

// Hadoop describes a job on Hadoop.
type Hadoop struct {
	Job           string `json:"job"`            // its ID
	MapTasks      int    `json:"map_tasks"`      // planned
	Partitions    int    `json:"partitions"`     // reduce tasks
	ShuffledBytes int64  `json:"shuffled_bytes"` // that reduce tasks fetched, as Hadoop counts them
	StagedBytes   int64  `json:"staged_bytes"`   // of small runs, on reducers' local disks
}

// Skipped describes what was left out of an input because it is damaged.
type Skipped struct {
	Path     string    `json:"path"`
	Real     string    `json:"real,omitempty"` // the name that all names of the file lead to, if it differs
	Size     int64     `json:"size"`           // bytes of the file
	Modified time.Time `json:"modified"`       // UTC
	File     bool      `json:"file"`           // none of its rows is in the outputs, and it is not among the inputs
	Cause    string    `json:"cause"`          // what is wrong with the first range, and where
	Blocks   int64     `json:"blocks"`         // left out, as far as markers tell
	Bytes    int64     `json:"bytes"`          // left out
	Rows     int64     `json:"rows"`           // left out, as far as is known
	Unknown  int64     `json:"unknown_blocks"` // of Blocks, those whose rows are not known
	Ranges   []Range   `json:"ranges"`         // damaged, in order
}

// Range is a damaged range of a file.
type Range struct {
	Offset int64  `json:"offset"`
	Bytes  int64  `json:"bytes"`
	Blocks int64  `json:"blocks"`
	Rows   *int64 `json:"rows"` // according to the blocks' headers; null if not known
}

// SkippedCounters are the totals of what was left out as damaged.
type SkippedCounters struct {
	SkippedFiles   int64 `json:"skipped_files"`          // left out whole
	SkippedBlocks  int64 `json:"skipped_blocks"`         // as far as markers tell
	SkippedBytes   int64 `json:"skipped_bytes"`          // of the inputs
	SkippedRows    int64 `json:"skipped_rows"`           // as far as is known
	SkippedUnknown int64 `json:"skipped_unknown_blocks"` // of SkippedBlocks, those whose rows are not known

	files  int
	Ranges int `json:"-"`
}

func SumSkipped(all []Skipped) SkippedCounters {
	c := SkippedCounters{files: len(all)}
	for _, s := range all {
		if s.File {
			c.SkippedFiles++
		}
		c.SkippedBlocks += s.Blocks
		c.SkippedBytes += s.Bytes
		c.SkippedRows += s.Rows
		c.SkippedUnknown += s.Unknown
		c.Ranges += len(s.Ranges)
	}
	return c
}

// Lost describes in words what was left out.
func (c SkippedCounters) Lost() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s in %s, %d bytes, %s", Count(c.SkippedBlocks, "block"), Count(int64(c.files), "file"), c.SkippedBytes, Count(c.SkippedRows, "row"))
	if c.SkippedUnknown > 0 {
		fmt.Fprintf(&b, " and an unknown number in %s", Count(c.SkippedUnknown, "block"))
	}
	if c.SkippedFiles > 0 {
		fmt.Fprintf(&b, "; left out whole: %s", Count(c.SkippedFiles, "file"))
	}
	return b.String()
}

func Count(n int64, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// SomeSkipped returns the error of a job that is done except for damaged input, or nil if
// nothing was skipped.
func (r *Report) SomeSkipped() error {
	now := r.Skipped[r.before:]
	if len(now) == 0 {
		return nil
	}
	return &exit.Error{Exit: exit.StatusSome, Err: fmt.Errorf("done, but damaged input was skipped: %s", SumSkipped(now).Lost())}
}

// Follow turns a complete report of one run into that of all runs: the earlier inputs and
// outputs come first.
func (r *Report) Follow(was *Report, a Append) {
	c := &r.Counters
	a.Inputs, a.Bytes, a.Rows = c.InputFiles, c.InputBytes, c.Rows
	a.Files, a.FileBytes = c.OutputFiles, c.OutputBytes
	r.Run.Appended = &a
	if was == nil {
		return
	}
	r.Inputs = append(was.Inputs[:len(was.Inputs):len(was.Inputs)], r.Inputs...)
	r.Outputs = append(was.Outputs[:len(was.Outputs):len(was.Outputs)], r.Outputs...)
	r.Skipped = append(was.Skipped[:len(was.Skipped):len(was.Skipped)], r.Skipped...)
	r.Summaries = was.Summaries
	r.before = len(was.Skipped)
	r.Counters.add(&was.Counters)
}
