package jobs

import (
	"context"
	"errors"
	"fmt"
	"time"

	"avro2trevni/internal/exit"
	"avro2trevni/jobs/damage"
	"avro2trevni/jobs/history"
	"avro2trevni/jobs/memory"
	"avro2trevni/jobs/publish"
	"avro2trevni/jobs/report"
	"avro2trevni/jobs/sorting"
	"avro2trevni/jobs/stages"
)

// Convert runs one job, and returns its report; the report of a failed job has what is
// known. Either everything is published or nothing; an error of [exit.StatusSome] means
// that everything is published, except input that was skipped as damaged. The error has an
// exit status: see [exit.Code]. Several jobs may run in a process, each within its own
// Options.Memory, but the garbage collector's limits apply to the process.
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
	out, err := publish.Open(ctx, o.Publishing())
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
	j, err := planned(ctx, o, out, e)
	if err != nil {
		return nil, err
	}
	rep = newReport(j.plan, o, started)
	if len(j.plan.Inputs) == 0 && len(j.plan.Dropped) == 0 {
		return rep, nothing(j, rep)
	}
	return rep, run(ctx, j, rep)
}

// nothing ends a job that has no inputs, or none that is new.
func nothing(j *job, rep *report.Report) error {
	j.o.Log.Info("nothing to do: no inputs", "inputs", j.o.Inputs)
	if j.o.IfExists == IfExistsAppend {
		rep.Follow(j.earlier.Reported(), j.plan.Append)
		return nil
	}
	return j.o.expected(0)
}

// Publishing says what the job publishes.
func (o *Options) Publishing() publish.Options {
	p := publish.Options{
		FS: o.FS, Name: o.Output, Single: o.Single(), Ext: o.format().Ext(), Log: o.Log,
		Replace: o.IfExists == IfExistsReplace, Adds: o.IfExists == IfExistsAppend, Merges: o.merges,
		LockedElsewhere: o.S3Lock == S3LockExternal, Lease: o.S3Lease, Summary: o.Summary,
	}
	if o.PartitionBy != "" {
		p.Prefix = sorting.FolderPrefix(o.PartitionBy)
	}
	return p
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

// planned makes the plan of a job, and refuses what cannot be done before anything is
// written.
func planned(ctx context.Context, o *Options, out *publish.Output, e *history.Earlier) (*job, error) {
	plan, err := newPlan(ctx, o, e)
	if err != nil {
		return nil, err
	}
	o.warnOfNames(&plan.Schemas)
	j, err := newJob(o, plan, out, e, 0)
	if err != nil || len(plan.Inputs) == 0 {
		return j, err
	}
	for _, note := range j.table.Notes() {
		o.Log.Warn(note)
	}
	if o.Engine == EngineHadoop {
		if err := o.inReach(plan); err != nil {
			return nil, err
		}
	}
	if e != nil {
		return j, e.SameOptions(optionsReport(o))
	}
	return j, nil
}

// run converts and publishes.
func run(ctx context.Context, j *job, rep *report.Report) error {
	if err := j.out.Begin(ctx); err != nil {
		return err
	}
	out, err := j.convert(ctx)
	*rep = *newReport(j.plan, j.o, rep.Run.Started) // the plan may be another now
	if err = j.plan.AsPlanned(ctx, err); err != nil {
		return err
	}
	enter(j, rep, out)
	if err := finished(j, rep); err != nil {
		return err
	}
	if rep.Counters.Rows == 0 && len(rep.Skipped) > 0 && j.earlier == nil {
		return fmt.Errorf("jobs: damage left no row: %s", rep.Skipped[0].Cause)
	}
	if err := j.o.expected(rep.Counters.Rows); err != nil {
		return err
	}
	skipped, made := rep.Skipped, rep.Outputs
	if j.o.IfExists == IfExistsAppend {
		rep.Follow(j.earlier.Reported(), j.plan.Append)
	}
	if err := summarize(ctx, j, rep, made); err != nil {
		return err
	}
	if err := j.out.Commit(ctx, rep.Final); err != nil {
		return err
	}
	damage.Log(j.o.Log, skipped)
	return nil
}

// enter enters what the engine counted.
func enter(j *job, rep *report.Report, out stages.Outcome) {
	if len(j.plan.Inputs) == 0 { // all are left out
		rep.Options = j.earlier.Report.Options
		return
	}
	for i, rows := range out.Rows {
		rep.Inputs[i].Rows = rows
	}
	rep.Run.SpilledBytes, rep.Run.TempBytes, rep.Run.Hadoop = out.Spilled, out.Temp, out.Hadoop
	rep.Run.Workers, rep.Run.Verified = j.memory.Workers, j.o.Verify
	rep.Counters.Columns, rep.Counters.OversizeFiles = int64(len(j.table.Columns())), int64(out.Over)
	if j.o.Engine == EngineHadoop {
		rep.Options.Engine, rep.Options.Parts = EngineHadoop, out.Parts
	}
}

// finished enters the finished files. A file without rows, which a table needs that
// has none else, is not added to others.
func finished(j *job, rep *report.Report) error {
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
