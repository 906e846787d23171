package history

import (
	"fmt"
	"log/slog"
	"time"

	"avro2trevni/internal/exit"
	"avro2trevni/internal/storage"
	"avro2trevni/jobs/inputs"
	"avro2trevni/jobs/listing"
	"avro2trevni/jobs/report"
)

// What a run that adds to an output may do about inputs that changed since they were converted.
const (
	Fail    = "fail"
	Convert = "convert" // their rows of now are added
	Ignore  = "ignore"  // their rows stay as they are
)

// Comparison compares files with what earlier runs have converted.
type Comparison struct {
	Changed map[string]*report.Input // what was converted of those that are not as they were, by path

	earlier *Earlier // nil: nothing
	how     string
	log     *slog.Logger
	counts  *report.Append
}

// Compare begins a comparison; how says what is done about inputs that changed, and
// counts is where they are counted. e may be nil.
func (e *Earlier) Compare(how string, log *slog.Logger, counts *report.Append) *Comparison {
	return &Comparison{earlier: e, how: how, log: log, Changed: map[string]*report.Input{}, counts: counts}
}

// Fresh returns the files that no earlier run has converted in their present state, and
// counts the others. Changed files that are to be ignored are left out before they are
// read.
func (c *Comparison) Fresh(files []listing.File) (keep []listing.File) {
	if c.earlier == nil {
		return files
	}
	for _, f := range files {
		switch in, sure := c.earlier.listed(f); {
		case sure && unchanged(in, f), c.earlier.isLost(f):
			c.counts.Unchanged++
			continue
		case sure && c.how == Ignore:
			c.counts.Ignored++
			c.log.Info("ignored", "input", f.Path, "why", sinceThen(in, f.Size, f.ModTime, f.Version))
			continue
		case in != nil:
			c.Changed[f.Path] = in
		}
		keep = append(keep, f)
	}
	return keep
}

// unchanged reports whether a file is as it was when it was converted. Where both versions are
// known they decide: the same content may have been written again.
func unchanged(was *report.Input, f listing.File) bool {
	if was.Version != "" && f.Version != storage.None {
		return was.Size == f.Size && storage.Version(was.Version) == f.Version
	}
	return was.Size == f.Size && was.Modified.Equal(f.ModTime)
}

// listed returns what the manifest says of a file, nil if it lists none of its name. One
// whose name an older version could not keep may be another file: see [Earlier.kept].
func (e *Earlier) listed(f listing.File) (in *report.Input, sure bool) {
	i, sure := e.byName[f.Real]
	if sure {
		return &e.Report.Inputs[i], true
	}
	if i, ok := e.byName[report.Lossy(f.Real)]; ok {
		return &e.Report.Inputs[i], false
	}
	return nil, false
}

// kept reports whether a manifest of an older version lists an input under what was left
// of its name, which is not UTF-8. Its header, size and time say that it is the same file.
func (e *Earlier) kept(in *inputs.Input) bool {
	i, ok := e.byHead[headOf(in)]
	return ok && e.Report.Inputs[i].Name() != in.Real && e.Report.Inputs[i].Name() == report.Lossy(in.Real)
}

// isLost reports whether a file was left out as damaged, and is still the same.
func (e *Earlier) isLost(f listing.File) bool {
	i, ok := e.lost[f.Real]
	if !ok {
		i, ok = e.lost[f.Path] // in a manifest of an older version
	}
	if !ok {
		return false
	}
	s := &e.Report.Skipped[i]
	return s.Size == f.Size && s.Modified.Equal(f.ModTime)
}

// Decide does with the inputs that changed since earlier runs, or only have another
// name now, as was said. Headers are read.
func (c *Comparison) Decide(p *inputs.Plan) error {
	if c.earlier == nil {
		return nil
	}
	var first error
	others := 0
	done := map[string]bool{}
	for i := range p.Inputs {
		in := &p.Inputs[i]
		if c.earlier.kept(in) {
			c.counts.Unchanged++
			done[in.Path] = true
			continue
		}
		why := c.earlier.differs(in, c.Changed[in.Path])
		switch {
		case why == "":
			continue
		case c.how == Convert:
			c.counts.Again++
			c.log.Warn("converted again; the rows of the earlier conversion stay", "input", in.Path, "why", why)
		case c.how == Ignore:
			c.counts.Ignored++
			done[in.Path] = true
			c.log.Info("ignored", "input", in.Path, "why", why)
		case first == nil:
			first = fmt.Errorf("%s: %s", report.Printable(in.Path), why)
		default:
			others++
		}
	}
	if first != nil {
		more := ""
		if others > 0 {
			more = fmt.Sprintf(" (and %s more)", report.Count(int64(others), "input"))
		}
		return exit.Refused("%w%s; --changed ignore leaves the rows in %s as they are, --changed convert adds its current rows to them", first, more, c.earlier.output)
	}
	p.Remove(func(in *inputs.Input) bool { return done[in.Path] })
	return nil
}

// differs says how an input is not what an earlier run converted, "" if it is new.
func (e *Earlier) differs(in *inputs.Input, was *report.Input) string {
	if was == nil {
		i, ok := e.byHead[headOf(in)]
		if !ok {
			return ""
		}
		return fmt.Sprintf("has the header, size and time of %s, which was converted: moved or copied", report.Printable(e.Report.Inputs[i].Path))
	}
	why := sinceThen(was, in.Size, in.ModTime, in.Version)
	if was.Size == in.Size && was.Header == in.Digest() {
		why += ", its size and header are the same"
	}
	return why
}

// sinceThen says how a file that was converted changed.
func sinceThen(was *report.Input, size int64, modified time.Time, version storage.Version) string {
	switch {
	case was.Size != size:
		return fmt.Sprintf("changed since it was converted: %d bytes, then %d", was.Size, size)
	case was.Version != "" && version != storage.None && storage.Version(was.Version) != version:
		return fmt.Sprintf("changed since it was converted: its ETag was %s, and is %s", was.Version, version)
	}
	return fmt.Sprintf("changed since it was converted: written at %s, then at %s", was.Modified.UTC().Format(time.RFC3339Nano), modified.UTC().Format(time.RFC3339Nano))
}
