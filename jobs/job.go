package jobs

import (
	"context"
	"slices"

	"avro2trevni/internal/format"
	"avro2trevni/internal/ocf"
	"avro2trevni/jobs/damage"
	"avro2trevni/jobs/hadoop"
	"avro2trevni/jobs/history"
	"avro2trevni/jobs/inputs"
	"avro2trevni/jobs/local"
	"avro2trevni/jobs/memory"
	"avro2trevni/jobs/publish"
	"avro2trevni/jobs/sorting"
	"avro2trevni/jobs/stages"
	"avro2trevni/jobs/watch"
)

// job is a conversion that is decided on, and is tried until nothing more is to be learned
// from how it fails.
type job struct {
	o       *Options
	out     *publish.Output  // nil of a task of engine hadoop
	earlier *history.Earlier // what the output has already, if it is added to; else nil
	plan    *inputs.Plan
	table   format.Table   // what the files hold
	order   *sorting.Order // of the rows; nil: the inputs'
	memory  memory.Share
	large   stages.Large
	held    int64 // by a reader of part files
	doing   *watch.Activities
}

// newJob returns the job of a plan. If that has inputs it decides on columns, order, codings and
// the division of memory, and refuses what cannot be. A reader of an input holds so many bytes
// beside what one of an Avro file does.
func newJob(o *Options, plan *inputs.Plan, out *publish.Output, e *history.Earlier, held int64) (_ *job, err error) {
	j := &job{o: o, out: out, earlier: e, plan: plan, held: held, doing: new(watch.Activities)}
	if len(plan.Inputs) == 0 {
		return j, nil
	}
	if j.order, err = sorting.New(plan, sorting.Options{By: o.SortBy, Part: o.PartitionBy, Most: o.MaxPartitions, Split: plan.SplitSize}); err != nil {
		return nil, err
	}
	if err := j.tabulate(); err != nil {
		return nil, err
	}
	o.Index = j.table.Index()
	if err := j.divide("this table"); err != nil {
		return nil, err
	}
	o.Progress.MapTotal.Add(plan.Bytes)
	return j, nil
}

// tabulate makes the table of what the plan is now.
func (j *job) tabulate() (err error) {
	w := j.o.words()
	if j.order != nil {
		w.Sorted = j.order.Plain
	}
	j.table, err = j.o.format().NewTable(j.plan.Schemas.Layout, w, j.plan.Schemas.Text, j.meta())
	if err == nil && j.table.Watches() {
		j.order.Watch()
	}
	return err
}

// divide divides the memory among the stages; of is what needs it.
func (j *job) divide(of string) (err error) {
	if j.memory, err = memory.Divide(j.o.Memory, j.o.Workers, j.needs, of); err != nil {
		return err
	}
	if j.order != nil {
		j.order.Share(&j.memory, j.needs(j.o.Memory))
	}
	if j.out != nil {
		j.out.Hold(j.memory.Parts)
	}
	if j.o.divide != nil {
		j.o.divide(&j.memory)
	}
	j.o.Log.Debug("memory", "division", j.memory)
	return nil
}

// needs is the least memory of the stages, of total bytes.
func (j *job) needs(total int64) memory.Needs {
	n := j.work(nil).Needs(j.o.limits(total), j.large)
	n.Add(memory.Needs{Fixed: j.earlier.Memory(), Mapper: j.held})
	if j.order != nil {
		n.Add(j.order.Needs())
	}
	if j.out != nil {
		size := 2 * j.plan.Bytes
		if limit := j.o.fileLimit(); limit > 0 {
			size = min(size, limit)
		}
		n.Parts, n.MostParts = j.out.Parts(size)
	}
	return n
}

// mend learns where inputs are damaged, when the stages came upon what looks like it,
// and changes the plan so that they can be run again, around the damage. It returns
// what the stages failed with if nothing more is to be learned, or to be skipped.
func (j *job) mend(ctx context.Context, failed error) error {
	policy := j.o.damage()
	at := policy.Learns(j.plan, failed)
	if at == nil {
		return failed
	}
	if err := j.plan.Unchanged(ctx); err != nil {
		return err // a file that is being written over reads as damaged
	}
	j.o.Log.Info("an input is damaged, or looks so: reading from its start", "error", at.Err, "all", policy.Skips())
	if err := j.out.Discard(); err != nil {
		return err
	}
	j.o.Progress.Restart()
	s := &damage.Survey{
		Plan: j.plan, Limits: j.o.limits(j.o.Memory), BlockSize: j.o.BlockSize, Memory: j.memory,
		Doing: j.doing, Progress: j.o.Progress,
	}
	return policy.Mend(ctx, s, at, j.earlier != nil)
}

// makeRoom divides the memory anew if it was a large block, row or layout that a conversion
// failed for, so that it can be tried again. Else it returns the failure; or what would do
// ([exit.StatusRefused]).
func (j *job) makeRoom(failed error) error {
	need, what := j.large.With(failed)
	if need == j.large {
		return failed
	}
	if err := j.divideFor(need, what); err != nil {
		return err
	}
	j.o.Log.Info("too large for the memory as it is divided: beginning again", "what", what, "division", j.memory)
	if err := j.out.Discard(); err != nil {
		return err
	}
	j.o.Progress.Restart()
	return nil
}

// divideFor divides the memory with room for a large block; if it is not the first, with room
// to spare where there is any: where each is a little larger than the one before, the job
// must not begin again for each.
func (j *job) divideFor(need stages.Large, what string) error {
	first := j.large == stages.Large{}
	j.large = need.Half()
	if !first && j.divide(what) == nil {
		return nil
	}
	j.large = need
	return j.divide(what)
}

// convert makes the files, which are not yet published. It tries again while there is
// something to be learned from how it failed: where inputs are damaged, or how large their
// blocks are.
func (j *job) convert(ctx context.Context) (stages.Outcome, error) {
	temp := j.o.temporary(j.out.TempDir())
	if j.o.Verify {
		j.out.KeepCopies(func() (publish.Copy, error) { return temp.Stage() })
	}
	if j.o.Engine == EngineLocal && len(j.plan.Inputs) > 0 {
		temp.Check(max(0, pending(j.plan, j.o, j.memory.Workers)-j.memory.Shuffle))
	}
	defer j.doing.Watch(ctx, j.o.Progress, j.o.Log, orDefault(j.o.stall, watch.StallAfter))()
	for len(j.plan.Inputs) > 0 {
		out, err := j.try(ctx, temp)
		if err == nil {
			return out, nil
		}
		if err = j.makeRoom(j.mend(ctx, err)); err != nil {
			return out, err
		}
	}
	return stages.Outcome{}, nil // all are left out
}

// try converts once.
func (j *job) try(ctx context.Context, temp *stages.Temp) (out stages.Outcome, err error) {
	if err := j.tabulate(); err != nil {
		return out, err
	}
	w := j.work(temp)
	if j.o.Engine == EngineHadoop {
		e := &hadoop.Engine{Options: &j.o.Hadoop, Keytab: j.o.Keytab, Run: j.o.runTasks}
		hadoop.Carry(&e.Carried, j.o)
		return e.Convert(ctx, w)
	}
	return (&local.Engine{Order: j.order}).Convert(ctx, w)
}

// work returns the Work of an engine, from the current plan.
func (j *job) work(temp *stages.Temp) *stages.Work {
	o := j.o
	return &stages.Work{
		FS: o.FS, Plan: j.plan, Program: j.plan.Program(0), Format: o.format(), Table: j.table, Meta: j.meta(),
		BlockSize: o.BlockSize, Limit: o.fileLimit(), Verify: o.Verify, Share: j.memory, Limits: o.limits(o.Memory), Out: j.out, Output: o.Output, Temp: temp, Doing: j.doing, Progress: o.Progress, Log: o.Log,
	}
}

// meta returns the files' metadata beside the schema: what the inputs have alike, and what
// the user gave.
func (j *job) meta() []ocf.Meta {
	carried, _ := j.plan.Carried(keysOf(j.o.Meta))
	return slices.Concat(carried, j.o.Meta)
}
