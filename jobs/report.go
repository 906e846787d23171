package jobs

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"
)

// Report says what a job did. As JSON it is the `_SUCCESS` file of an output folder
// and what --report writes. All but Run follows from the inputs and the options, and
// is the same in each run over them.
type Report struct {
	Version  string          `json:"version"`           // of the program
	Error    string          `json:"error,omitempty"`   // of a job that failed; never in _SUCCESS
	Inputs   []InputReport   `json:"inputs"`            // in the order of their rows
	Outputs  []OutputReport  `json:"outputs"`           // in the order of their rows
	Skipped  []SkippedReport `json:"skipped,omitempty"` // left out as damaged
	Options  OptionsReport   `json:"options"`           // those that shape the outputs
	Counters Counters        `json:"counters"`
	Run      RunReport       `json:"run"`

	before int // of Skipped, those of earlier runs
}

// InputReport is one input file.
type InputReport struct {
	Path     string    `json:"path"`           // as found: the input as given, and the path below it
	File     string    `json:"file,omitempty"` // the name that all names of the file lead to, if it is another
	Size     int64     `json:"size"`           // bytes
	Modified time.Time `json:"modified"`       // UTC, as precise as the storage tells
	Header   string    `json:"header"`         // XXH64 of the file's header, 16 lower-case hex digits
	Rows     int64     `json:"rows"`
}

// OutputReport is one output file.
type OutputReport struct {
	Path  string `json:"path"` // name within the output folder; the output as given if it is one file
	Rows  int64  `json:"rows"`
	Bytes int64  `json:"bytes"`
	XXH64 string `json:"xxh64"` // of the whole file, 16 lower-case hex digits
}

// OptionsReport is the options that the bytes of the outputs depend on.
type OptionsReport struct {
	Codec     string            `json:"codec"`
	Checksum  string            `json:"checksum"`
	FileSize  int64             `json:"file_size"` // bytes; 0 = no limit
	BlockSize int               `json:"block_size"`
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
	OversizeFiles int64 `json:"oversize_files"` // files of one row that is larger than the file size
	SkippedCounters
}

// RunReport is what differs from run to run.
type RunReport struct {
	Started      time.Time `json:"started"` // UTC
	Seconds      float64   `json:"seconds"`
	Workers      int       `json:"workers"`
	Memory       int64     `json:"memory"`        // bytes, the bound that was kept
	SpilledBytes int64     `json:"spilled_bytes"` // written to temporary files
	TempBytes    int64     `json:"temp_bytes"`    // in temporary files, the most at a time
	Verified     bool      `json:"verified"`      // the files were read back, and hold what was read

	Hadoop *HadoopReport `json:"hadoop,omitempty"` // of engine hadoop

	CarriedMeta []string `json:"carried_meta,omitempty"` // keys of the inputs' metadata that are in the files
	DroppedMeta []string `json:"dropped_meta,omitempty"` // and that are not, since the inputs differ

	Appended  *AppendReport  `json:"appended,omitempty"`  // of a run that appends
	Compacted *CompactReport `json:"compacted,omitempty"` // of one that compacts
}

// JSON returns the report as indented JSON that ends in a newline.
//
// Inputs may be hundreds of thousands, and each is encoded alone: the encoder would hold
// the text of all of them three times over.
func (r *Report) JSON() ([]byte, error) {
	frame := *r
	if len(r.Inputs) > 0 {
		frame.Inputs = []InputReport{}
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
	size := len(text) // a buffer that grows is there twice
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

// inputText is about the bytes of an input's text, but for its names.
const inputText = 256

// optionsReport returns the options that shape the outputs.
func optionsReport(o *Options) OptionsReport {
	return OptionsReport{
		Codec: o.Codec, Checksum: o.Checksum, FileSize: o.fileLimit(),
		BlockSize: o.BlockSize, SplitSize: o.SplitSize, OnCorrupt: o.OnCorrupt, Index: o.Index, SortBy: o.SortBy, PartBy: o.PartitionBy, Meta: o.metaMap(),
		Schema: o.Schema, Columns: o.Columns, Exclude: o.Exclude,
	}
}

// newReport begins the report of a plan: all that is known before the run. It has
// no rows yet, and run.go fills in the rest.
func newReport(p *Plan, o *Options, started time.Time) *Report {
	r := &Report{
		Version: Version(),
		Inputs:  make([]InputReport, len(p.Inputs)),
		Outputs: []OutputReport{},
		Options: optionsReport(o),
		Counters: Counters{
			InputFiles: int64(len(p.Inputs)), InputBytes: p.Bytes,
			Duplicates: int64(p.Duplicates), Splits: int64(len(p.Splits)),
		},
		Run: RunReport{Started: started.UTC(), Workers: o.Workers, Memory: o.Memory},
	}
	r.Options.SplitSize = p.SplitSize
	carried, dropped := p.carried(o)
	r.Run.CarriedMeta, r.Run.DroppedMeta = keysOf(carried), dropped
	r.Skipped = p.skipped(o)
	r.Counters.SkippedCounters = sumSkipped(r.Skipped)
	for i := range p.Inputs {
		r.Inputs[i] = p.Inputs[i].report()
	}
	return r
}

// report returns what is known of an input before it is read.
func (in *Input) report() InputReport {
	return InputReport{Path: in.Path, File: in.other(), Size: in.Size, Modified: in.ModTime.UTC(), Header: in.digest()}
}

// other returns the name that all names of the input lead to, empty if it is Path.
func (in *Input) other() string {
	if in.real == in.Path {
		return ""
	}
	return in.real
}

// name returns the name that all names of the input lead to.
func (r *InputReport) name() string { return orDefault(r.File, r.Path) }

// digest returns the digest of the input's header.
func (in *Input) digest() string { return fmt.Sprintf("%016x", in.Header.Digest) }

// addOutputs enters the finished files, in order, and their sums.
func (r *Report) addOutputs(outs []OutputReport) {
	r.Outputs = append(r.Outputs, outs...)
	for _, o := range outs {
		r.Counters.OutputFiles++
		r.Counters.OutputBytes += o.Bytes
		r.Counters.Rows += o.Rows
	}
}
