package publish

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"

	"avro2trevni/internal/exit"
	"avro2trevni/internal/storage"
	"avro2trevni/jobs/report"
)

// summaryNames are the files of an output that describe all its part files. They have the names
// that Parquet's readers expect, which other programs use too: so such a file is this output's
// only if the manifest lists it, or part files of Parquet are beside it.
var summaryNames = []string{"_metadata", "_common_metadata"}

// IsSummary reports whether a name is that of a file that describes all part files.
func IsSummary(name string) bool { return slices.Contains(summaryNames, name) }

// Attach writes a file that describes all part files. It is published after them, and before
// the manifest, in the same commit; the one that is there goes before them.
func (out *Output) Attach(ctx context.Context, name string, write func(io.Writer) error) (r report.Output, err error) {
	err = storage.Rewrite(ctx, func() error {
		r, err = out.attach(name, write)
		return err
	})
	if err == nil {
		out.attached = append(out.attached, name)
	}
	return r, err
}

func (out *Output) attach(name string, write func(io.Writer) error) (r report.Output, err error) {
	w, discard, err := out.way.create(name, 0)
	if err != nil {
		return r, err
	}
	sum := report.NewFileDigest()
	if err = write(io.MultiWriter(w, sum)); err == nil {
		err = w.Sync()
	}
	if err = errors.Join(err, w.Close()); err != nil {
		return r, errors.Join(err, ignoreMissing(discard()))
	}
	return report.Output{Path: name, Bytes: sum.Bytes(), XXH64: sum.Hex()}, nil
}

// checkSummaries refuses files in the place of summaries that are to be written, and notes those
// that are replaced; entries are the published files.
func (out *Output) checkSummaries(entries []Entry) error {
	stale := slices.ContainsFunc(entries, func(e Entry) bool { return path.Ext(e.Name) == ".parquet" })
	for _, name := range summaryNames {
		info, err := out.fs.Stat(storage.Join(out.Name, name))
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return fmt.Errorf("jobs: output: %w", err)
		case info.IsDir() && out.summary:
			return exit.Refused("%s: is a folder where a file of the output would go", storage.Join(out.Name, name))
		case info.IsDir():
		case out.adds && out.there.Lists != nil && out.there.Lists(name): // commit replaces it
		case out.summary && !out.replace:
			return exit.Refused("%s: %w, and is not listed as a file of this output: remove it, or leave out --summary", storage.Join(out.Name, name), exit.ErrExists)
		case out.replace && (stale || out.summary):
			out.old = append(out.old, name)
			out.versions[name] = storage.VersionOf(info)
		}
	}
	return nil
}

// enterAttached enters the summaries in a journal, and those that they replace.
func (out *renaming) enterAttached(j *journal) error {
	for _, name := range out.attached {
		j.Publish = append(j.Publish, name)
		there, err := out.exists(storage.Join(out.Name, name))
		if err != nil {
			return err
		}
		if there && !slices.Contains(j.Old, name) {
			j.Old = append(j.Old, name)
		}
	}
	return nil
}

// withoutSummaries returns the names of part files.
func withoutSummaries(names []string) []string {
	return slices.DeleteFunc(slices.Clone(names), IsSummary)
}

// retireSummaries removes the old summaries, unless the new ones are in their place.
func (out *renaming) retireSummaries(j *journal, run string) error {
	for _, name := range j.Old {
		if !IsSummary(name) {
			continue
		}
		if slices.Contains(j.Publish, name) {
			if staged, err := out.exists(storage.Join(run, name)); err != nil || !staged {
				if err != nil {
					return err
				}
				continue
			}
		}
		if err := out.retire(name); err != nil {
			return err
		}
	}
	return nil
}

// moveSummaries gives the new summaries their names, and syncs these.
func (out *renaming) moveSummaries(j *journal, run string) error {
	moved := false
	for _, name := range j.Publish {
		if IsSummary(name) {
			if err := out.move(run, name); err != nil {
				return err
			}
			moved = true
		}
	}
	if !moved {
		return nil
	}
	return out.fs.SyncDir(out.Name)
}
