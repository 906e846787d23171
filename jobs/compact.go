package jobs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"avro2trevni/internal/exit"
	"avro2trevni/internal/ocf"
	"avro2trevni/internal/storage"
	"avro2trevni/internal/version"
	"avro2trevni/jobs/history"
	"avro2trevni/jobs/inputs"
	"avro2trevni/jobs/memory"
	"avro2trevni/jobs/publish"
	"avro2trevni/jobs/report"
	"avro2trevni/jobs/stages"
)

// Compact merges adjacent part files of an output folder that are less than half full into
// full ones. The rows, their order and the list of inputs do not change. The options are
// those that the output was made with, from its _SUCCESS. Of opts it uses only the output,
// and options that do not affect the files' bytes: memory, workers, temporary folders,
// whether to verify, where to count and log.
//
// All new files take the place of the old at once, as in a run that replaces. A group
// of files is read back as rows, and converted like any input. Files between which a column
// of the index descends, as where a run began that appended, stay apart.
func Compact(ctx context.Context, opts *Options) (rep *report.Report, err error) {
	o := opts.forCompact()
	if o.Engine == EngineHadoop {
		return nil, exit.Usage("compact: part files are merged by the engine local")
	}
	if err := o.Validate(); err != nil {
		return nil, err
	}
	started := time.Now()
	connected, storages := o.connected(ctx)
	defer storages.Close() // what mattered has been answered
	defer memory.KeepTo(connected.Memory)()
	out, err := publish.Open(ctx, connected.Publishing())
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(exit.Cause(ctx, err), finish(out, connected)) }()
	c := &compaction{o: connected, out: out}
	if err := c.open(); err != nil {
		return nil, err
	}
	rep = c.earlier.Report
	rep.Version = version.Program()
	rep.Run = report.Run{Started: started.UTC(), Workers: connected.Workers, Memory: connected.Memory, Compacted: new(report.Compact)}
	if len(c.plan.Groups) == 0 {
		connected.Log.Info("nothing to do: no adjacent files are less than half full", "output", out.Name)
		return rep, nil
	}
	return rep, c.run(ctx, rep)
}

// forCompact returns what a compaction heeds of the options; those that say how to convert
// are the output's own.
func (o *Options) forCompact() *Options {
	return &Options{
		Output: o.Output, Files: []string{}, IfExists: IfExistsAppend, Engine: o.Engine, SplitSize: o.SplitSize,
		Memory: o.Memory, Workers: o.Workers, TempDirs: o.TempDirs, TempLimit: o.TempLimit, Verify: o.Verify,
		Report: o.Report, Progress: o.Progress, Log: o.Log, FS: o.FS, Keytab: o.Keytab, Principal: o.Principal, merges: true, S3: o.S3, S3Lock: o.S3Lock, S3Lease: o.S3Lease, hooks: o.hooks,
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
	out, err := publish.New(o.Publishing())
	if err != nil {
		return err
	}
	c := &compaction{o: o, out: out}
	if _, err := o.FS.Stat(c.out.Name); errors.Is(err, fs.ErrNotExist) {
		return exit.Refused("%s: %w", c.out.Name, exit.ErrNoInput)
	}
	if err := c.read(); err != nil {
		return err
	}
	var text bytes.Buffer
	c.plan.Describe(&text)
	_, err = w.Write(text.Bytes())
	return err
}

// compaction is one run of Compact.
type compaction struct {
	o       *Options
	out     *publish.Output
	earlier *history.Earlier
	plan    *history.Compaction
	last    *job // the last that merged a group
}

// open reads what is there, and takes the options of it.
func (c *compaction) open() error {
	if !c.out.Locked() {
		return exit.Refused("%s: %w", c.out.Name, exit.ErrNoInput)
	}
	if _, err := c.out.Repair(); err != nil {
		return err
	}
	return c.read()
}

// read reads what there is to merge.
func (c *compaction) read() error {
	e, err := history.Read(c.o.FS, knownFormat, c.out.Name, c.o.Memory)
	if err != nil {
		return err
	}
	if e == nil {
		return exit.Refused("%s: holds no part files", c.out.Name)
	}
	c.earlier = e
	c.out.Follows(e.There(), e.Next)
	made := &e.Report.Options
	c.o.Codec, c.o.Checksum, c.o.Index, c.o.SortBy = made.Codec, made.Checksum, made.Index, made.SortBy
	c.o.FileSize = made.FileSize
	c.o.formatAsIn(made)
	if err := c.o.Validate(); err != nil {
		return exit.Refused("%s: the options in its %s: %w", c.out.Name, publish.SuccessName, err)
	}
	if c.o.Format == FormatParquet {
		c.o.BlockSize = orDefault(made.PageSize, DefaultPageSize)
		c.o.SplitSize = orDefault(made.RowGroup, rowGroupSize(e.Report.Counters.OutputBytes, int(e.Report.Counters.Columns)))
	}
	c.plan, err = e.Compaction(c.o.FS)
	return err
}

// run merges all groups and publishes.
func (c *compaction) run(ctx context.Context, rep *report.Report) error {
	if err := c.out.Begin(ctx); err != nil {
		return err
	}
	var old []string
	merged := map[string][]report.Output{} // by the first file's name
	for _, group := range c.plan.Groups {
		outs, err := c.merge(ctx, group, rep)
		if errors.Is(err, stages.ErrUnsorted) && len(c.o.SortBy) > 0 { // another column of --index: it ascends in each run's rows
			c.o.Log.Warn("these files are not merged, because sorted together they would have no index", "output", c.out.Name,
				"from", group[0].Path, "to", group[len(group)-1].Path, "error", err)
			if err := c.out.Discard(); err != nil {
				return err
			}
			continue
		}
		if err != nil {
			return err
		}
		merged[group[0].Path] = outs
		for _, was := range group {
			old = append(old, was.Path)
		}
	}
	if len(merged) == 0 {
		return nil
	}
	c.out.Replaces(old)
	c.plan.Enter(rep, merged)
	if err := summarize(ctx, c.last, rep, slices.Concat(slices.Collect(maps.Values(merged))...)); err != nil {
		return err
	}
	return c.out.Commit(ctx, rep.Final)
}

// merge makes new files of a group, under the numbers of the old ones.
func (c *compaction) merge(ctx context.Context, group []report.Output, rep *report.Report) ([]report.Output, error) {
	j, err := c.job(ctx, group)
	if err != nil {
		return nil, err
	}
	c.out.StartAt(publish.PartNumber(group[0].Path))
	done, err := j.convert(ctx)
	if err = j.plan.AsPlanned(ctx, err); err != nil {
		return nil, err
	}
	for i, was := range group {
		if done.Rows[i] != was.Rows {
			return nil, fmt.Errorf("jobs: %s: %d rows, %s says %d", j.plan.Inputs[i].Path, done.Rows[i], publish.SuccessName, was.Rows)
		}
	}
	rep.Run.SpilledBytes += done.Spilled
	rep.Run.TempBytes = max(rep.Run.TempBytes, done.Temp)
	rep.Run.Workers, rep.Run.Verified = j.memory.Workers, c.o.Verify
	outs, err := c.out.Keep()
	if err == nil && len(outs) > len(group) {
		err = fmt.Errorf("jobs: %d files from %s on became %d", len(group), group[0].Path, len(outs))
	}
	return outs, err
}

// job plans the merging of a group: its files are the inputs.
func (c *compaction) job(ctx context.Context, group []report.Output) (_ *job, err error) {
	list := make([]inputs.Input, len(group))
	metas := make([][]ocf.Meta, len(group))
	held := make([]int64, len(group))
	var g errgroup.Group
	g.SetLimit(inputs.Readers)
	for i := range group {
		g.Go(func() (err error) {
			if ctx.Err() != nil {
				return exit.Cause(ctx, ctx.Err())
			}
			list[i], metas[i], held[i], err = inputs.PartFile(c.o.FS, c.o.format(), storage.Join(c.out.Name, group[i].Path))
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	plan := inputs.New(c.o.reading())
	plan.SplitSize = c.o.SplitSize
	for i := range group {
		plan.Add(list[i])
	}
	plan.CutPieces()
	c.o.Meta = c.agreed(metas)
	if err := plan.Resolve(); err != nil {
		return nil, err
	}
	c.last, err = newJob(c.o, plan, c.out, c.earlier, slices.Max(held))
	return c.last, err
}

// agreed returns the metadata of users' own that all files have alike.
func (c *compaction) agreed(metas [][]ocf.Meta) (own []ocf.Meta) {
	for _, p := range metas[0] {
		same := !c.o.reserved(p.Key)
		for _, m := range metas {
			same = same && slices.ContainsFunc(m, func(q ocf.Meta) bool { return q.Key == p.Key && string(q.Value) == string(p.Value) })
		}
		if same {
			own = append(own, p)
		}
	}
	return own
}
