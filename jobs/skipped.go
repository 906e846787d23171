package jobs

import (
	"fmt"
	"log/slog"
	"strings"
	"time"

	"avro2trevni/internal/ocf"
)

// SkippedReport is what was left out of an input because it is damaged.
type SkippedReport struct {
	Path     string        `json:"path"`
	Real     string        `json:"real,omitempty"` // the name that all names of the file lead to, if it is another
	Size     int64         `json:"size"`           // bytes of the file
	Modified time.Time     `json:"modified"`       // UTC
	File     bool          `json:"file"`           // no row of it is in the outputs, and it is not among the inputs
	Cause    string        `json:"cause"`          // what is wrong with the first range, and where
	Blocks   int64         `json:"blocks"`         // left out, as far as markers tell
	Bytes    int64         `json:"bytes"`          // left out
	Rows     int64         `json:"rows"`           // left out, as far as is known
	Unknown  int64         `json:"unknown_blocks"` // of Blocks, those whose rows are not known
	Ranges   []RangeReport `json:"ranges"`         // damaged, in order
}

// RangeReport is a damaged range of a file.
type RangeReport struct {
	Offset int64  `json:"offset"`
	Bytes  int64  `json:"bytes"`
	Blocks int64  `json:"blocks"`
	Rows   *int64 `json:"rows"` // as the blocks' headers claim; null if not known
}

// skipped returns what the plan leaves out, in the order of the inputs; those that are
// left out whole come first.
func (p *Plan) skipped(o *Options) []SkippedReport {
	var all []SkippedReport
	for i := range p.Dropped {
		all = append(all, p.Dropped[i].skipped(true))
	}
	for i := range p.Inputs {
		if s := p.Inputs[i].survey; s != nil && len(s.gaps) > 0 {
			all = append(all, p.Inputs[i].skipped(o.OnCorrupt == CorruptSkipFile))
		}
	}
	return all
}

// skipped returns what is left out of a damaged input: its gaps, or all of it.
func (in *Input) skipped(file bool) SkippedReport {
	s := in.survey
	r := SkippedReport{Path: in.Path, Real: in.other(), Size: in.Size, Modified: in.ModTime.UTC(), File: file, Cause: s.err.Error()}
	for _, g := range s.gaps {
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
		r.Blocks += s.blocks
		r.Rows += s.rows
		r.Bytes = in.Size
	}
	return r
}

func rangeOf(g ocf.Gap) RangeReport {
	r := RangeReport{Offset: g.Offset, Bytes: g.Bytes(), Blocks: g.Blocks}
	if g.Rows >= 0 {
		r.Rows = &g.Rows
	}
	return r
}

// SkippedCounters are the sums over what was left out as damaged.
type SkippedCounters struct {
	SkippedFiles   int64 `json:"skipped_files"`          // left out whole
	SkippedBlocks  int64 `json:"skipped_blocks"`         // as far as markers tell
	SkippedBytes   int64 `json:"skipped_bytes"`          // of the inputs
	SkippedRows    int64 `json:"skipped_rows"`           // as far as is known
	SkippedUnknown int64 `json:"skipped_unknown_blocks"` // of SkippedBlocks, those whose rows are not known

	files, ranges int
}

func sumSkipped(all []SkippedReport) SkippedCounters {
	c := SkippedCounters{files: len(all)}
	for _, s := range all {
		if s.File {
			c.SkippedFiles++
		}
		c.SkippedBlocks += s.Blocks
		c.SkippedBytes += s.Bytes
		c.SkippedRows += s.Rows
		c.SkippedUnknown += s.Unknown
		c.ranges += len(s.Ranges)
	}
	return c
}

// lost says in words what was left out.
func (c SkippedCounters) lost() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s in %s, %d bytes, %s", count(c.SkippedBlocks, "block"), count(int64(c.files), "file"), c.SkippedBytes, count(c.SkippedRows, "row"))
	if c.SkippedUnknown > 0 {
		fmt.Fprintf(&b, " and those of %s, which nobody knows", count(c.SkippedUnknown, "block"))
	}
	if c.SkippedFiles > 0 {
		fmt.Fprintf(&b, "; left out whole: %s", count(c.SkippedFiles, "file"))
	}
	return b.String()
}

func count(n int64, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// maxLogged is the most damaged files that are logged one by one; the report has all.
const maxLogged = 20

// logSkipped logs what is left out.
func logSkipped(log *slog.Logger, all []SkippedReport) {
	for i, s := range all {
		if i == maxLogged {
			log.Warn("more files are damaged; the report lists them", "files", len(all)-i)
			return
		}
		log.Warn("damaged, skipped", "file", s.Path, "whole_file", s.File, "blocks", s.Blocks, "bytes", s.Bytes,
			"rows", s.Rows, "unknown_blocks", s.Unknown, "ranges", len(s.Ranges), "first", s.Ranges[0].Offset, "cause", s.Cause)
	}
}

// someSkipped returns the error of a job that is done but for what was damaged, nil if
// nothing was.
func (r *Report) someSkipped() error {
	now := r.Skipped[r.before:]
	if len(now) == 0 {
		return nil
	}
	return &Error{Exit: ExitSome, Err: fmt.Errorf("done, but damaged input was skipped: %s", sumSkipped(now).lost())}
}
