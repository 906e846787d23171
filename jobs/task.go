package jobs

import (
	"context"
	"io"
	"log/slog"
	"os"

	"avro2trevni/jobs/hadoop"
	"avro2trevni/jobs/memory"
	"avro2trevni/jobs/stages"
)

// HadoopTask runs an attempt of a task of the kind that Hadoop started the program for,
// map or reduce, between in and out. Its place is a container of YARN's: the plan is in
// the process's folder, properties of the job are in the environment.
func HadoopTask(ctx context.Context, kind string, in io.Reader, out, log io.Writer) error {
	plan, keytab, err := hadoop.OpenPlan(kind)
	if err != nil {
		return err
	}
	o := ofTask(plan)
	o.Keytab, o.Log = keytab, slog.New(slog.NewTextHandler(log, nil))
	o, storages := o.connected(ctx)
	defer storages.Close() // what mattered has been answered
	return o.attempt(ctx, kind, &hadoop.Task{Plan: plan, Env: os.Getenv, In: in, Out: out, Report: log})
}

// attempt runs a task with its options.
func (o *Options) attempt(ctx context.Context, kind string, t *hadoop.Task) error {
	defer memory.KeepTo(o.Memory)()
	t.FS, t.Log = o.FS, o.Log
	return t.Attempt(ctx, kind, func() (*stages.Work, error) {
		plan, err := t.Plan.Remake(o.reading())
		if err != nil {
			return nil, err
		}
		j, err := newJob(o, plan, nil, nil, 0)
		if err != nil {
			return nil, err
		}
		return j.work(o.temporary("")), nil
	})
}

// ofTask returns the options of a task's job.
func ofTask(t *hadoop.Plan) *Options {
	o := &Options{Meta: t.Meta, SplitSize: t.SplitSize, Engine: EngineHadoop}
	hadoop.Carry(o, &t.Options)
	return o
}
