package damage

import (
	"log/slog"

	"avro2trevni/internal/ocf"
	"avro2trevni/jobs/inputs"
	"avro2trevni/jobs/report"
)

// Skipped returns what the plan leaves out, in the order of the inputs; those that are
// left out whole come first.
func (p *Policy) Skipped(plan *inputs.Plan) []report.Skipped {
	var all []report.Skipped
	for i := range plan.Dropped {
		all = append(all, skipped(&plan.Dropped[i], true))
	}
	for i := range plan.Inputs {
		if s := plan.Inputs[i].Known; s != nil && len(s.Gaps) > 0 {
			all = append(all, skipped(&plan.Inputs[i], p.OnCorrupt == SkipFile))
		}
	}
	return all
}

// skipped returns what is left out of a damaged input: its gaps, or all of it.
func skipped(in *inputs.Input, file bool) report.Skipped {
	s := in.Known
	r := report.Skipped{Path: in.Path, Real: in.Other(), Size: in.Size, Modified: in.ModTime.UTC(), File: file, Cause: s.Err.Error()}
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

// Log logs what is left out.
func Log(log *slog.Logger, all []report.Skipped) {
	for i, s := range all {
		if i == maxLogged {
			log.Warn("more files are damaged; the report lists them", "files", len(all)-i)
			return
		}
		log.Warn("damaged, skipped", "file", s.Path, "whole_file", s.File, "blocks", s.Blocks, "bytes", s.Bytes,
			"rows", s.Rows, "unknown_blocks", s.Unknown, "ranges", len(s.Ranges), "first", s.Ranges[0].Offset, "cause", s.Cause)
	}
}
