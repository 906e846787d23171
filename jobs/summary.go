package jobs

import (
	"context"
	"fmt"
	"io"

	"avro2trevni/internal/exit"
	"avro2trevni/internal/format"
	"avro2trevni/internal/storage"
	"avro2trevni/jobs/report"
)

// summarize makes the files that describe all files of a report, if the job wants them, and
// enters them. made are the files of the report that this run has made and not yet published.
func summarize(ctx context.Context, j *job, rep *report.Report, made []report.Output) error {
	if j.table == nil { // nothing was converted
		return nil
	}
	staged := make(map[string]bool, len(made))
	for _, out := range made {
		staged[out.Path] = true
	}
	parts := make([]format.Part, len(rep.Outputs))
	for i, out := range rep.Outputs {
		parts[i] = format.Part{Path: out.Path, Bytes: out.Bytes, Open: func() (format.OpenPart, error) {
			if ctx.Err() != nil {
				return nil, exit.Cause(ctx, ctx.Err())
			}
			if staged[out.Path] {
				return whole(j.out.ReadBack(out.Path))
			}
			return whole(j.o.FS.Open(storage.Join(j.o.Output, out.Path)))
		}}
	}
	rep.Summaries = nil // those of the runs before are replaced
	for _, s := range j.table.Summaries() {
		defer j.doing.Begin("writing %s", s.Name)()
		out, err := j.out.Attach(ctx, s.Name, func(w io.Writer) error { return s.Write(w, parts) })
		if err != nil {
			return fmt.Errorf("jobs: %s: %w", s.Name, err)
		}
		rep.Summaries = append(rep.Summaries, out)
	}
	return nil
}

// whole makes reads of a file whole.
func whole(f storage.File, err error) (format.OpenPart, error) {
	if err != nil {
		return nil, err
	}
	return wholeFile{storage.Whole(f), f}, nil
}

type wholeFile struct {
	io.ReaderAt
	io.Closer
}
