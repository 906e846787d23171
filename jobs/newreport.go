package jobs

import (
	"fmt"
	"log/slog"
	"time"

	"avro2trevni/internal/ocf"
	"avro2trevni/internal/version"
	"avro2trevni/jobs/report"
)

// optionsReport returns the options that shape the outputs.
func optionsReport(o *Options) report.Options {
	return report.Options{
		Codec: o.Codec, Checksum: o.Checksum, FileSize: o.fileLimit(),
		BlockSize: o.BlockSize, SplitSize: o.SplitSize, OnCorrupt: o.OnCorrupt, Index: o.Index, SortBy: o.SortBy, PartBy: o.PartitionBy, Meta: o.metaMap(),
		Schema: o.Schema, Columns: o.Columns, Exclude: o.Exclude,
	}
}

// newReport begins the report of a plan: all that is known before the run. It has
// no rows yet, and run.go fills in the rest.
func newReport(p *Plan, o *Options, started time.Time) *report.Report {
	r := &report.Report{
		Version: version.Program(),
		Inputs:  make([]report.Input, len(p.Inputs)),
		Outputs: []report.Output{},
		Options: optionsReport(o),
		Counters: report.Counters{
			InputFiles: int64(len(p.Inputs)), InputBytes: p.Bytes,
			Duplicates: int64(p.Duplicates), Splits: int64(len(p.Splits)),
		},
		Run: report.Run{Started: started.UTC(), Workers: o.Workers, Memory: o.Memory},
	}
	r.Options.SplitSize = p.SplitSize
	carried, dropped := p.carried(o)
	r.Run.CarriedMeta, r.Run.DroppedMeta = keysOf(carried), dropped
	r.Skipped = p.skipped(o)
	r.Counters.SkippedCounters = report.SumSkipped(r.Skipped)
	for i := range p.Inputs {
		r.Inputs[i] = p.Inputs[i].report()
	}
	return r
}

// report returns what is known of an input before it is read.
func (in *Input) report() report.Input {
	return report.Input{Path: in.Path, File: in.other(), Size: in.Size, Modified: in.ModTime.UTC(), Header: in.digest()}
}

// other returns the name that all names of the input lead to, empty if it is Path.
func (in *Input) other() string {
	if in.Real == in.Path {
		return ""
	}
	return in.Real
}

// digest returns the digest of the input's header.
func (in *Input) digest() string { return fmt.Sprintf("%016x", in.Header.Digest) }

// skipped returns what the plan leaves out, in the order of the inputs; those that are
// left out whole come first.
func (p *Plan) skipped(o *Options) []report.Skipped {
	var all []report.Skipped
	for i := range p.Dropped {
		all = append(all, p.Dropped[i].skipped(true))
	}
	for i := range p.Inputs {
		if s := p.Inputs[i].Known; s != nil && len(s.Gaps) > 0 {
			all = append(all, p.Inputs[i].skipped(o.OnCorrupt == CorruptSkipFile))
		}
	}
	return all
}

// skipped returns what is left out of a damaged input: its gaps, or all of it.
func (in *Input) skipped(file bool) report.Skipped {
	s := in.Known
	r := report.Skipped{Path: in.Path, Real: in.other(), Size: in.Size, Modified: in.ModTime.UTC(), File: file, Cause: s.Err.Error()}
	for _, g := range s.Gaps {
		r.Ranges = append(r.Ranges, rangeOf(g))
		r.Blocks += g.Blocks
		r.Bytes += g.Bytes()
		if g.Rows < 0 {
			r.Unknown += g.Blocks
		} else {
			r.Rows += g.Rows
		}
	}
	if file {
		r.Blocks += s.Blocks
		r.Rows += s.Rows
		r.Bytes = in.Size
	}
	return r
}

func rangeOf(g ocf.Gap) report.Range {
	r := report.Range{Offset: g.Offset, Bytes: g.Bytes(), Blocks: g.Blocks}
	if g.Rows >= 0 {
		r.Rows = &g.Rows
	}
	return r
}

// maxLogged is the most damaged files that are logged one by one; the report has all.
const maxLogged = 20

// logSkipped logs what is left out.
func logSkipped(log *slog.Logger, all []report.Skipped) {
	for i, s := range all {
		if i == maxLogged {
			log.Warn("more files are damaged; the report lists them", "files", len(all)-i)
			return
		}
		log.Warn("damaged, skipped", "file", s.Path, "whole_file", s.File, "blocks", s.Blocks, "bytes", s.Bytes,
			"rows", s.Rows, "unknown_blocks", s.Unknown, "ranges", len(s.Ranges), "first", s.Ranges[0].Offset, "cause", s.Cause)
	}
}
