package jobs

import (
	"avro2trevni/internal/ocf"
	"avro2trevni/jobs/inputs"
	"avro2trevni/jobs/report"
)

// Skipped returns what the plan leaves out, in the order of the inputs; those that are
// left out whole come first.
func (d *Policy) Skipped(p *inputs.Plan) []report.Skipped {
	var all []report.Skipped
	for i := range p.Dropped {
		all = append(all, skipped(&p.Dropped[i], true))
	}
	for i := range p.Inputs {
		if s := p.Inputs[i].Known; s != nil && len(s.Gaps) > 0 {
			all = append(all, skipped(&p.Inputs[i], d.OnCorrupt == CorruptSkipFile))
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
