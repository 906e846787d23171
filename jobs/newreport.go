package jobs

import (
	"time"

	"avro2trevni/internal/version"
	"avro2trevni/jobs/inputs"
	"avro2trevni/jobs/report"
)

// optionsReport returns the options that shape the outputs.
func optionsReport(o *Options) report.Options {
	r := report.Options{
		Format: o.reportedFormat(), RowGroup: o.RowGroupSize, PageVersion: o.PageVersion, Encodings: o.Encodings, Logical: o.LogicalTypes, Invalid: o.InvalidUTF8,
		Bloom: o.Bloom, Summary: o.Summary, FooterEvery: o.FooterEvery,
		Codec: o.Codec, Checksum: o.Checksum, FileSize: o.fileLimit(),
		BlockSize: o.BlockSize, SplitSize: o.SplitSize, OnCorrupt: o.OnCorrupt, Index: o.Index, SortBy: o.SortBy, PartBy: o.PartitionBy, Meta: o.metaMap(),
		Schema: o.Schema, Columns: o.Columns, Exclude: o.Exclude,
	}
	if r.Format == FormatParquet {
		r.BlockSize, r.PageSize = 0, o.BlockSize
	}
	return r
}

// newReport begins the report of a plan: all that is known before the run. It has
// no rows yet, and run.go fills in the rest.
func newReport(p *inputs.Plan, o *Options, started time.Time) *report.Report {
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
	carried, dropped := p.Carried(keysOf(o.Meta))
	for _, m := range carried {
		r.Run.CarriedMeta = append(r.Run.CarriedMeta, m.Key)
	}
	r.Run.DroppedMeta = dropped
	r.Skipped = o.damage().Skipped(p)
	r.Counters.SkippedCounters = report.SumSkipped(r.Skipped)
	for i := range p.Inputs {
		r.Inputs[i] = inputReport(&p.Inputs[i])
	}
	return r
}

// inputReport is what is known of an input before it is read.
func inputReport(in *inputs.Input) report.Input {
	return report.Input{Path: in.Path, File: in.Other(), Size: in.Size, Modified: in.ModTime.UTC(), Version: string(in.Version), Header: in.Digest()}
}
