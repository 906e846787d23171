package history

import (
	"errors"
	"fmt"
	"io"
	"text/tabwriter"

	"avro2trevni/internal/exit"
	"avro2trevni/internal/storage"
	"avro2trevni/internal/units"
	"avro2trevni/jobs/inputs"
	"avro2trevni/jobs/report"
)

// Compaction is which part files of an output are merged into full ones.
//
//	outputs   0 1 2 3 4 5 6 7 8      # full, . under half
//	          # . . . # . # . .
//	groups      |1 2 3|       |7 8|  5 has no neighbour
//	new       # 1     # . # 7
type Compaction struct {
	Groups [][]report.Output // in order

	fs   storage.FS
	what *Earlier
}

// Compaction plans the merging of an output's files. Files between which a column with first
// values descends stay apart, unless the rows are sorted.
func (e *Earlier) Compaction(f storage.FS) (c *Compaction, err error) {
	made := &e.Report.Options
	if made.PartBy != "" {
		return nil, exit.Refused("%s: its files are in the folders of partitions, which cannot be merged yet", e.output)
	}
	c = &Compaction{Groups: smallNeighbours(e.Report.Outputs, made.FileSize), fs: f, what: e}
	if len(made.Index) > 0 && len(made.SortBy) == 0 {
		c.Groups, err = c.ascending(c.Groups)
	}
	return c, err
}

// smallNeighbours returns the groups of two or more files, one after another, that
// are under half full.
func smallNeighbours(outs []report.Output, limit int64) (groups [][]report.Output) {
	for from := 0; from < len(outs); {
		to := from
		for to < len(outs) && outs[to].Bytes < (limit+1)/2 {
			to++
		}
		if to-from > 1 {
			groups = append(groups, outs[from:to])
		}
		from = max(to, from+1)
	}
	return groups
}

// ascending divides groups of files where a column with first values descends from one
// file to the next: in a file it must ascend, and each run that appends begins anew. A
// file that is alone then is left out.
func (c *Compaction) ascending(groups [][]report.Output) (all [][]report.Output, err error) {
	for _, group := range groups {
		last, from := map[int][]byte{}, 0
		for i, part := range group {
			goesOn, err := c.goesOn(part, last)
			if err != nil {
				return nil, err
			}
			if !goesOn {
				all, from = appendSeveral(all, group[from:i]), i
			}
		}
		all = appendSeveral(all, group[from:])
	}
	return all, nil
}

func appendSeveral(all [][]report.Output, group []report.Output) [][]report.Output {
	if len(group) < 2 {
		return all
	}
	return append(all, group)
}

// goesOn reports whether no first value of a file is less than the last one before it of
// its column, and puts the file's last values in the place of those.
func (c *Compaction) goesOn(part report.Output, last map[int][]byte) (ascends bool, err error) {
	f, err := inputs.OpenFinished(c.fs, c.what.format, storage.Join(c.what.output, part.Path))
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return f.GoesOn(last)
}

// Describe says which files become which.
func (c *Compaction) Describe(w io.Writer) {
	r := c.what.Report
	fmt.Fprintf(w, "Output: %s, %s, %s, files of at most %s\n", c.what.output,
		report.Count(int64(len(r.Outputs)), "part file"), units.Size(r.Counters.OutputBytes), units.Size(r.Options.FileSize))
	if len(c.Groups) == 0 {
		fmt.Fprintln(w, "Nothing to do: no adjacent files are less than half full.")
		return
	}
	for _, group := range c.Groups {
		var bytes, rows int64
		t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		fmt.Fprintln(w)
		for _, part := range group {
			fmt.Fprintf(t, "  %s\t%s\t%s\n", part.Path, units.Size(part.Bytes), report.Count(part.Rows, "row"))
			bytes, rows = bytes+part.Bytes, rows+part.Rows
		}
		_ = t.Flush() // into memory
		fmt.Fprintf(w, "become about %s from %s on: %s, %s\n",
			report.Count(1+bytes/r.Options.FileSize, "file"), group[0].Path, units.Size(bytes), report.Count(rows, "row"))
	}
}

// Enter enters the new files into the report in place of the old ones; merged has those of each
// group that was merged, by the name of its first file.
func (c *Compaction) Enter(rep *report.Report, merged map[string][]report.Output) {
	var outs []report.Output
	left, counts := 0, rep.Run.Compacted
	for _, was := range rep.Outputs {
		if now, ok := merged[was.Path]; ok {
			for _, group := range c.Groups {
				if group[0].Path == was.Path {
					left = len(group)
				}
			}
			for _, o := range now {
				counts.Into++
				counts.IntoBytes += o.Bytes
			}
			outs = append(outs, now...)
		}
		if left == 0 {
			outs = append(outs, was)
			continue
		}
		left--
		counts.Files++
		counts.Bytes += was.Bytes
		counts.Rows += was.Rows
	}
	rep.Outputs = outs
	rep.Counters.OutputFiles += counts.Into - counts.Files
	rep.Counters.OutputBytes += counts.IntoBytes - counts.Bytes
}
