package jobs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"golang.org/x/sync/errgroup"

	"avro2trevni/internal/exit"
	format "avro2trevni/internal/format/trevni"
	"avro2trevni/jobs/damage"
	"avro2trevni/jobs/history"
	"avro2trevni/jobs/inputs"
	"avro2trevni/jobs/memory"
	"avro2trevni/jobs/pack"
	"avro2trevni/jobs/publish"
	"avro2trevni/jobs/report"
	"avro2trevni/jobs/turns"
	"avro2trevni/jobs/watch"
	"avro2trevni/mapper"
	"avro2trevni/reducer"
	"avro2trevni/shuffle"
)

// Convert does one job, and returns its report; the report of a job that failed says
// as far as it is known what it was to do. Nothing is published unless all of it is;
// an error of [exit.StatusSome] says that all is, but for input that was skipped as damaged.
// The error stands for an exit status: see [exit.Code]. Several jobs may run in a
// process, each within its own Options.Memory, but the garbage collector's limits
// are the process's.
func Convert(ctx context.Context, opts *Options) (rep *report.Report, err error) {
	if err := opts.Validate(); err != nil {
		return nil, err
	}
	started := time.Now()
	o, storages := opts.connected(ctx)
	defer storages.Close() // what mattered has been answered
	defer memory.KeepTo(o.Memory)()
	if err := o.checkOutput(); err != nil {
		return nil, err
	}
	out, err := publish.Open(o.Publishing())
	if err != nil {
		return nil, err
	}
	defer func() {
		err = errors.Join(exit.Cause(ctx, err), finish(out, o))
		if rep == nil {
			return
		}
		if err != nil || rep.Run.Seconds == 0 { // or commit entered it, for _SUCCESS
			rep.Run.Seconds = time.Since(started).Seconds()
		}
		if err == nil {
			err = rep.SomeSkipped()
		}
	}()
	e, err := o.readEarlier(out)
	if err != nil {
		return nil, err
	}
	j, err := newJob(ctx, o, out, e)
	if err != nil {
		return nil, err
	}
	rep = newReport(j.plan, o, started)
	if len(j.plan.Inputs) == 0 && len(j.plan.Dropped) == 0 {
		return rep, j.nothing(rep)
	}
	return rep, j.run(ctx, rep)
}

// nothing ends a job that has no inputs, or none that is new.
func (j *job) nothing(rep *report.Report) error {
	j.o.Log.Info("nothing to do: no inputs", "inputs", j.o.Inputs)
	if j.o.IfExists == IfExistsAppend {
		rep.Follow(j.earlier.Reported(), j.plan.Append)
		return nil
	}
	return j.o.expected(0)
}

// Publishing says what the job publishes.
func (o *Options) Publishing() publish.Options {
	return publish.Options{
		FS: o.FS, Name: o.Output, Single: o.Single(), Prefix: o.folderPrefix(), Log: o.Log,
		Replace: o.IfExists == IfExistsReplace, Adds: o.IfExists == IfExistsAppend,
	}
}

// finish ends the output. What it could not clear away of a job that is published is
// no failure of the job: the next one does that.
func finish(out *publish.Output, o *Options) error {
	err := out.Close()
	if err != nil && out.Committed() {
		o.Log.Warn("temporary files are left", "output", o.Output, "error", err)
		return nil
	}
	return err
}

// job is one conversion: what its stages share.
type job struct {
	o       *Options
	out     *publish.Output
	earlier *history.Earlier // what the output has already, if it is added to; else nil
	plan    *inputs.Plan
	program *mapper.Program // of the first input; all have the same columns
	table   *table
	order   order // of the rows, if they are sorted
	memory  memory.Share
	large   largeBlock
	held    int64                    // by a reader of part files
	temp    *Temp                    // once the output has begun
	staged  func(name string) string // where a finished file is before it is published
	doing   *watch.Activities
}

// newJob makes the plan of a job, and refuses what cannot be done before anything
// is written.
func newJob(ctx context.Context, o *Options, out *publish.Output, e *history.Earlier) (*job, error) {
	j := &job{o: o, out: out, staged: out.Staged, earlier: e, doing: new(watch.Activities)}
	var err error
	if j.plan, err = newPlan(ctx, o, e); err != nil || len(j.plan.Inputs) == 0 {
		return j, err
	}
	o.warnOfNames(&j.plan.Schemas)
	if err := j.equip(); err != nil {
		return nil, err
	}
	if o.Engine == EngineHadoop {
		if err := o.inReach(j.plan); err != nil {
			return nil, err
		}
	}
	if e != nil {
		return j, e.SameOptions(optionsReport(o))
	}
	return j, nil
}

// equip gives a job whose plan is made what its stages need.
func (j *job) equip() (err error) {
	o := j.o
	j.program = j.plan.Program(0)
	columns, names, err := index(format.Columns(j.plan.Schemas.Layout), o.Index)
	if err != nil {
		return err
	}
	o.Index = names
	if j.order, err = o.order(j.plan); err != nil {
		return err
	}
	to, err := o.tabular()
	if err != nil {
		return err
	}
	if j.table, err = newTable(j.order.indexed(columns), j.meta(), to); err != nil {
		return err
	}
	if err := j.divide("this table"); err != nil {
		return err
	}
	o.Progress.MapTotal.Add(j.plan.Bytes)
	return nil
}

// divide divides the memory among the stages of a job that is about something.
func (j *job) divide(of string) (err error) {
	if j.memory, err = memory.Divide(j.o.Memory, j.o.Workers, j.needs, of); err != nil {
		return err
	}
	if j.order.key != nil {
		shareForSort(&j.memory, j.needs(j.o.Memory), j.splitBytes())
	}
	if j.o.divide != nil {
		j.o.divide(&j.memory)
	}
	j.o.Log.Debug("memory", "division", j.memory)
	return nil
}

// run converts and publishes.
func (j *job) run(ctx context.Context, rep *report.Report) error {
	if err := j.out.Begin(); err != nil {
		return err
	}
	j.temp = j.o.temporary(j.out.TempDir())
	if j.o.Engine == EngineLocal && len(j.plan.Inputs) > 0 {
		j.temp.Check(j.tempNeed())
	}
	defer j.doing.Watch(ctx, j.o.Progress, j.o.Log, orDefault(j.o.stall, watch.StallAfter))()
	rows, err := j.attempts(ctx, rep, func() report.Report { return *newReport(j.plan, j.o, rep.Run.Started) })
	if err = j.plan.AsPlanned(ctx, err); err != nil {
		return err
	}
	for i := range rows {
		rep.Inputs[i].Rows = rows[i]
	}
	if err := j.finished(rep); err != nil {
		return err
	}
	if rep.Counters.Rows == 0 && len(rep.Skipped) > 0 && j.earlier == nil {
		return fmt.Errorf("jobs: damage left no row: %s", rep.Skipped[0].Cause)
	}
	if err := j.o.expected(rep.Counters.Rows); err != nil {
		return err
	}
	skipped := rep.Skipped
	if j.o.IfExists == IfExistsAppend {
		rep.Follow(j.earlier.Reported(), j.plan.Append)
	}
	if err := j.out.Commit(ctx, rep.Final); err != nil {
		return err
	}
	damage.Log(j.o.Log, skipped)
	return nil
}

// finished enters the finished files. A file without rows, which a table needs that
// has none else, is not added to others.
func (j *job) finished(rep *report.Report) error {
	outs, err := j.out.Outputs()
	if err != nil {
		return err
	}
	rep.AddOutputs(outs)
	if rep.Counters.Rows > 0 || j.earlier == nil {
		return nil
	}
	rep.Outputs, rep.Counters.OutputFiles, rep.Counters.OutputBytes = nil, 0, 0
	return j.out.Discard()
}

// attempts converts again while there is something to be learned from how it failed: where
// inputs are damaged, or how large their blocks are. The report is then renewed: it is of the
// plan as that is now, and of no attempt before.
func (j *job) attempts(ctx context.Context, rep *report.Report, renewed func() report.Report) (rows []int64, err error) {
	rows, err = j.convert(ctx, rep)
	for err != nil {
		err = j.makeRoom(j.mend(ctx, err))
		*rep = renewed()
		if err != nil {
			break
		}
		rows, err = j.convert(ctx, rep)
	}
	return rows, err
}

// convert runs the three stages once, and returns the rows of each input.
func (j *job) convert(ctx context.Context, rep *report.Report) (rows []int64, err error) {
	if len(j.plan.Inputs) == 0 { // all are left out
		rep.Options = j.earlier.Report.Options
		return nil, nil
	}
	j.table.meta = j.meta() // of the inputs that are left
	if j.o.Engine == EngineHadoop {
		return j.onHadoop(ctx, rep)
	}
	if j.order.key == nil {
		return j.stages(ctx, rep, nil)
	}
	sorted, rows, err := j.sort(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, sorted.close()) }()
	_, err = j.stages(ctx, rep, sorted)
	return rows, err
}

// stages runs the stages over the inputs, or over their rows sorted, and returns the rows
// of each input, if they are not sorted.
func (j *job) stages(ctx context.Context, rep *report.Report, sorted *sortedRows) (rows []int64, err error) {
	sh, err := shuffle.New(j.temp.Shuffle(j.memory.Shuffle, j.memory.Workers))
	if err != nil {
		return nil, fmt.Errorf("jobs: %w", err)
	}
	defer func() { err = errors.Join(err, sh.Close()) }()
	ro, err := j.reduceOptions(sorted)
	if err != nil {
		return nil, err
	}
	ro.StageMemory = max(ro.StageMemory/int64(j.groups()), 1) // each group has a stage
	ro.Readers, ro.LayoutMemory = min(j.memory.Workers, memory.MaxReaders), j.memory.Group
	parts := []pack.Range{{First: 0, End: len(j.plan.Splits)}}
	if sorted != nil {
		parts = sorted.ranges
	}
	fixed, err := ro.HeaderSize()
	if err != nil {
		return nil, err
	}
	packer, err := pack.New(parts, j.o.fileLimit(), fixed)
	if err != nil {
		return nil, exit.Refused("%w", err)
	}
	results := make(chan splitResult, 4*j.memory.Workers)
	m := newMapStage(j, sh, results)
	m.sorted = sorted
	r := &reduceStage{o: j.o, doing: j.doing, plan: j.plan, shuffle: sh, results: results, out: j.out, writers: j.groups(), rows: segmentRows{}}
	r.layouts = layouts{source: source{sh}, pack: packer, options: &ro, more: r.wait}
	eg, staged := errgroup.WithContext(ctx)
	work := m.work
	if sorted != nil {
		r.sorted = sorted
		work = m.workSorted
		eg.Go(func() error { return sorted.cut(staged) })
	}
	eg.Go(func() error { return turns.Take(staged, j.memory.Workers, work) })
	eg.Go(func() error { return r.work(staged) })
	if err := eg.Wait(); err != nil {
		return nil, err
	}
	if sorted == nil {
		rows, err = m.tally.Rows()
	}
	if err != nil || r.unsorted != nil {
		return nil, cmp.Or(err, r.unsorted)
	}
	j.count(rep, sh.Counters(), packer)
	if sorted != nil {
		rep.Run.SpilledBytes += sorted.sorter.Counters().Disk
	}
	if j.o.Verify {
		err = j.verify(ctx, &r.made)
	}
	return rows, err
}

// count enters what the stages counted.
func (j *job) count(rep *report.Report, c shuffle.Counters, packer *pack.Packer) {
	groups, layouts, over := packer.Counts()
	rep.Run.SpilledBytes = c.Disk
	rep.Run.TempBytes = j.temp.Space.Peak()
	rep.Run.Workers = j.memory.Workers
	rep.Run.Verified = j.o.Verify
	rep.Counters.Splits = int64(len(j.plan.Splits))
	rep.Counters.Columns = int64(len(j.table.columns))
	rep.Counters.OversizeFiles = int64(over)
	j.o.Progress.Spilled.Store(c.Disk)
	j.o.Log.Debug("stages done", slog.Int64("tuples", c.Tuples), slog.Int64("bytes", c.Bytes),
		slog.Int64("spills", c.Spills), slog.Int64("merges", c.Merges), slog.Int("groups", groups), slog.Int("layouts", layouts))
}

// groups is how many row groups are laid out and written at a time.
func (j *job) groups() int { return min(j.memory.Workers, memory.MaxGroups) }

func (j *job) reduceOptions(sorted *sortedRows) (reducer.Options, error) {
	t := j.table
	if sorted != nil && sorted.longest > format.MaxFirst {
		t = j.order.unindexed(t, j.o.Log)
	}
	ro, err := t.reducing()
	ro.Workers, ro.StageMemory, ro.Temp = j.memory.Workers, j.memory.Stage, j.temp.Stage
	return ro, err
}
