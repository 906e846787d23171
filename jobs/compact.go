package jobs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"

	"golang.org/x/sync/errgroup"

	"avro2trevni/trevni"
)

// Compact merges part files of an output folder that are under half full, and neighbours,
// into full ones. The rows and their order stay, and the list of inputs; the options are
// those the output was made with, in its _SUCCESS. Of opts only the output, and what has
// no part in the files' bytes, is asked: memory, workers, temporary folders, whether to
// verify, where to count and log.
//
// All new files take the place of the old at once, as in a run that replaces. A group
// of files is read back as rows, and converted like any input. Files between which a column
// of the index descends, as where a run began that appended, stay apart.
func Compact(ctx context.Context, opts *Options) (report *Report, err error) {
	o := opts.forCompact()
	if o.Engine == EngineHadoop {
		return nil, usage("compact: part files are merged by the engine local")
	}
	if err := o.Validate(); err != nil {
		return nil, err
	}
	started := time.Now()
	connected, storages := o.connected(ctx)
	defer storages.Close() // what mattered has been answered
	defer keepTo(connected.Memory)()
	out, err := openOutput(connected)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(cause(ctx, err), finish(out, connected)) }()
	c := &compaction{o: connected, out: out}
	if err := c.open(); err != nil {
		return nil, err
	}
	report = c.earlier.report
	report.Version = Version()
	report.Run = RunReport{Started: started.UTC(), Workers: connected.Workers, Memory: connected.Memory, Compacted: new(CompactReport)}
	if len(c.groups) == 0 {
		connected.Log.Info("nothing to do: no neighbours are under half full", "output", out.name)
		return report, nil
	}
	return report, c.run(ctx, report)
}

// forCompact returns what a compaction heeds of the options; those that say how to convert
// are the output's own.
func (o *Options) forCompact() *Options {
	return &Options{
		Output: o.Output, Files: []string{}, IfExists: IfExistsAppend, Engine: o.Engine, SplitSize: o.SplitSize,
		Memory: o.Memory, Workers: o.Workers, TempDirs: o.TempDirs, TempLimit: o.TempLimit, Verify: o.Verify,
		Report: o.Report, Progress: o.Progress, Log: o.Log, FS: o.FS, Keytab: o.Keytab, Principal: o.Principal, hooks: o.hooks,
	}
}

// DescribeCompact writes what [Compact] would merge. It reads the output's _SUCCESS and
// its last part file, without the lock, and writes nothing but to w.
func DescribeCompact(ctx context.Context, opts *Options, w io.Writer) error {
	o := opts.forCompact()
	if err := o.Validate(); err != nil {
		return err
	}
	o, storages := o.connected(ctx)
	defer storages.Close() // nothing was written
	c := &compaction{o: o, out: newOutput(o)}
	if _, err := o.FS.Stat(c.out.name); errors.Is(err, fs.ErrNotExist) {
		return refused("%s: %w", c.out.name, ErrNoInput)
	}
	if err := c.read(); err != nil {
		return err
	}
	var text bytes.Buffer
	c.describe(&text)
	_, err := w.Write(text.Bytes())
	return err
}

// describe says which files become which.
func (c *compaction) describe(w io.Writer) {
	r := c.earlier.report
	fmt.Fprintf(w, "Output: %s, %s, %s, files of at most %s\n", c.out.name,
		count(int64(len(r.Outputs)), "part file"), size(r.Counters.OutputBytes), size(r.Options.FileSize))
	if len(c.groups) == 0 {
		fmt.Fprintln(w, "Nothing to do: no neighbours are under half full.")
		return
	}
	for _, group := range c.groups {
		var bytes, rows int64
		t := table(w)
		fmt.Fprintln(w)
		for _, part := range group {
			fmt.Fprintf(t, "  %s\t%s\t%s\n", part.Path, size(part.Bytes), count(part.Rows, "row"))
			bytes, rows = bytes+part.Bytes, rows+part.Rows
		}
		_ = t.Flush() // into memory
		fmt.Fprintf(w, "become about %s from %s on: %s, %s\n",
			count(1+bytes/r.Options.FileSize, "file"), group[0].Path, size(bytes), count(rows, "row"))
	}
}

// compaction is one run of Compact.
//
//	outputs   0 1 2 3 4 5 6 7 8      # full, . under half
//	          # . . . # . # . .
//	groups      |1 2 3|       |7 8|  5 has no neighbour
//	new       # 1     # . # 7
type compaction struct {
	o       *Options
	out     *output
	earlier *earlier
	groups  [][]OutputReport // in order
}

// open reads what is there, and takes the options of it.
func (c *compaction) open() error {
	if c.out.lock == nil {
		return refused("%s: %w", c.out.name, ErrNoInput)
	}
	if _, err := c.out.repair(); err != nil {
		return err
	}
	return c.read()
}

// read reads what there is to merge.
func (c *compaction) read() error {
	e, err := readEarlier(c.out.fs, c.out.name, c.o.Memory)
	if err != nil {
		return err
	}
	if e == nil {
		return refused("%s: holds no part files", c.out.name)
	}
	if e.report.Options.PartBy != "" {
		return refused("%s: its files are in the folders of partitions, which can't be merged yet", e.output)
	}
	c.earlier, c.out.earlier = e, e
	made := &e.report.Options
	c.o.Codec, c.o.Checksum, c.o.Index, c.o.SortBy = made.Codec, made.Checksum, made.Index, made.SortBy
	c.o.FileSize, c.o.BlockSize = made.FileSize, made.BlockSize
	if err := c.o.Validate(); err != nil {
		return refused("%s: the options in its %s: %w", e.output, successName, err)
	}
	c.groups = smallNeighbours(e.report.Outputs, made.FileSize)
	if len(made.Index) > 0 && len(made.SortBy) == 0 {
		c.groups, err = c.ascending(c.groups)
	}
	return err
}

// smallNeighbours returns the groups of two or more files, one behind the other, that
// are under half full.
func smallNeighbours(outs []OutputReport, limit int64) (groups [][]OutputReport) {
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

// run merges all groups and publishes.
func (c *compaction) run(ctx context.Context, report *Report) error {
	if err := c.out.begin(); err != nil {
		return err
	}
	var old []string
	merged := map[string][]OutputReport{} // by the first file's name
	var done [][]OutputReport
	for _, group := range c.groups {
		outs, err := c.merge(ctx, group, report)
		if errors.Is(err, ErrUnsorted) && len(c.o.SortBy) > 0 { // another column of --index: it ascends in each run's rows
			c.o.Log.Warn("these files stay apart, for sorted together they have no index", "output", c.out.name,
				"from", group[0].Path, "to", group[len(group)-1].Path, "error", err)
			if err := c.out.discard(); err != nil {
				return err
			}
			continue
		}
		if err != nil {
			return err
		}
		done = append(done, group)
		merged[group[0].Path] = outs
		for _, was := range group {
			old = append(old, was.Path)
		}
	}
	if c.groups = done; len(done) == 0 {
		return nil
	}
	c.out.old = append(old, successName)
	c.enter(report, merged)
	return c.out.commit(ctx, report)
}

// enter enters the new files into the report in place of the old ones.
func (c *compaction) enter(report *Report, merged map[string][]OutputReport) {
	var outs []OutputReport
	left, counts := 0, report.Run.Compacted
	for _, was := range report.Outputs {
		if now, ok := merged[was.Path]; ok {
			for _, group := range c.groups {
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
	report.Outputs = outs
	report.Counters.OutputFiles += counts.Into - counts.Files
	report.Counters.OutputBytes += counts.IntoBytes - counts.Bytes
}

// merge makes new files of a group, under the numbers of the old ones.
func (c *compaction) merge(ctx context.Context, group []OutputReport, report *Report) ([]OutputReport, error) {
	j, err := c.job(ctx, group)
	if err != nil {
		return nil, err
	}
	defer j.doing.watch(ctx, c.o.Progress, c.o.Log, orDefault(c.o.stall, stallAfter))()
	j.checkSpace()
	c.out.first = partNumber(group[0].Path)
	done := &Report{}
	rows, err := j.convert(ctx, done)
	if err = j.plan.asPlanned(ctx, c.o.FS, err); err != nil {
		return nil, err
	}
	for i, was := range group {
		if rows[i] != was.Rows {
			return nil, fmt.Errorf("jobs: %s: %d rows, %s says %d", j.plan.Inputs[i].Path, rows[i], successName, was.Rows)
		}
	}
	report.Run.SpilledBytes += done.Run.SpilledBytes
	report.Run.TempBytes = max(report.Run.TempBytes, done.Run.TempBytes)
	report.Run.Workers, report.Run.Verified = done.Run.Workers, done.Run.Verified
	outs, err := c.out.keep()
	if err == nil && len(outs) > len(group) {
		err = fmt.Errorf("jobs: %d files from %s on became %d", len(group), group[0].Path, len(outs))
	}
	return outs, err
}

// job plans the merging of a group: its files are the inputs.
func (c *compaction) job(ctx context.Context, group []OutputReport) (*job, error) {
	j := &job{o: c.o, out: c.out, space: &tempSpace{moved: &c.o.Progress.moved, limit: c.o.TempLimit}, doing: new(activities), plan: &Plan{Inputs: make([]Input, len(group)), SplitSize: c.o.SplitSize}}
	metas := make([]trevni.Metadata, len(group))
	held := make([]int64, len(group))
	var g errgroup.Group
	g.SetLimit(headerReaders)
	for i := range group {
		g.Go(func() (err error) {
			if ctx.Err() != nil {
				return cause(ctx, ctx.Err())
			}
			j.plan.Inputs[i], metas[i], held[i], err = c.input(group[i])
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	for i := range group {
		j.plan.Bytes += group[i].Bytes
		j.held = max(j.held, held[i])
	}
	j.plan.wholeSplits()
	c.o.Meta = agreed(metas)
	if err := j.plan.resolve(c.o); err != nil {
		return nil, err
	}
	return j, j.equip()
}

// agreed returns the metadata of users' own that all files have alike.
func agreed(metas []trevni.Metadata) (own []trevni.Property) {
	for _, p := range metas[0] {
		same := !reserved(p.Key)
		for _, m := range metas {
			v, ok := m.Get(p.Key)
			same = same && ok && string(v) == string(p.Value)
		}
		if same {
			own = append(own, p)
		}
	}
	return own
}
