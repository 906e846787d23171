package hadoop

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"avro2trevni/internal/exit"
	"avro2trevni/internal/hadoopcmd"
	"avro2trevni/internal/storage"
	"avro2trevni/internal/storage/hdfs"
	"avro2trevni/internal/units"
	"avro2trevni/jobs/report"
)

// What a task's container holds beside our process, in bytes.
const (
	taskHeap    = 400 * units.MiB // of the JVM that sorts, or merges
	jvmOverhead = 256 * units.MiB // past its heap
)

// runHadoop is the [Runner] that gives the job to Hadoop and follows it.
func runHadoop(ctx context.Context, s *Submission) (r report.Hadoop, err error) {
	command, err := hadoopcmd.Find(s.Options.Command, s.Options.Jar)
	if err != nil {
		return r, exit.Refused("engine hadoop: %w", err)
	}
	dir, err := os.MkdirTemp("", "avro2trevni-")
	if err != nil {
		return r, err
	}
	defer func() {
		if left := os.RemoveAll(dir); left != nil { // the job is no worse for it
			s.w.Log.Warn("a temporary folder is left", "error", left)
		}
	}()
	job, err := s.prepare(dir)
	if err != nil {
		return r, err
	}
	s.w.Log.Info("submitting a job to Hadoop", "tasks", len(s.Plan.Tasks), "partitions", job.Reducers, "hadoop", command.Program, "jar", command.Jar)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var looking sync.WaitGroup
	res, err := command.Run(ctx, job, func(e hadoopcmd.Event) {
		s.follow(e)
		if e.Failed != "" {
			looking.Go(func() { s.giveUp(cancel) })
		}
	})
	looking.Wait() // the storages may be closed after this
	s.w.Log.Debug("the job on Hadoop has ended", "job", res.Job, "counters", res.Counters)
	r.Job, r.ShuffledBytes = res.Job, res.Counters["Reduce shuffle bytes"]
	return r, err
}

// errFinal is the cause when a job is killed because a task failed for a permanent reason.
var errFinal = errors.New("jobs: a task failed for good")

// giveUp ends the job if a task has failed that would fail again.
func (s *Submission) giveUp(cancel context.CancelCauseFunc) {
	if note := worstFailure(s.w); note != nil && note.Final {
		cancel(errFinal)
	}
}

// prepare writes what goes along into a folder, and returns the job.
func (s *Submission) prepare(dir string) (*hadoopcmd.Job, error) {
	var err error
	if s.Plan.Conf, err = readConf(); err != nil {
		return nil, err
	}
	secure, err := hdfs.Secure()
	switch {
	case err != nil:
		return nil, err
	case secure && s.Keytab == "":
		return nil, exit.Refused("engine hadoop: the cluster requires Kerberos, and the delegation tokens of tasks are not supported: give --keytab and --principal")
	case !secure:
		if s.Plan.User, err = hdfs.UserName(); err != nil {
			return nil, err
		}
	}
	text, err := s.Plan.Encode()
	if err != nil {
		return nil, err
	}
	plan := filepath.Join(dir, PlanFile)
	if err := os.WriteFile(plan, text, 0o600); err != nil {
		return nil, err
	}
	binary := s.Options.Binary
	if binary == "" {
		if binary, err = os.Executable(); err != nil {
			return nil, fmt.Errorf("jobs: which program to give to Hadoop: %w", err)
		}
	}
	container := s.Carried.Memory + taskHeap + jvmOverhead
	job := &hadoopcmd.Job{
		Name: "convert " + s.w.Output, Conf: s.Options.Conf,
		Files:  []hadoopcmd.File{{Path: binary, As: programFile}, {Path: plan, As: PlanFile}},
		Mapper: programFile + " --hadoop-task=" + MapTask, Reducer: programFile + " --hadoop-task=" + ReduceTask,
		Tasks: storage.Join(string(s.Plan.Temp), tasksName), Output: storage.Join(string(s.Plan.Temp), MadeName),
		Reducers: len(s.Plan.Partitions), MapMemory: container, ReduceMemory: container, Heap: taskHeap,
	}
	if s.Keytab != "" {
		job.Files = append(job.Files, hadoopcmd.File{Path: s.Keytab, As: keytabFile})
	}
	return job, nil
}

// follow shows how far the job is.
func (s *Submission) follow(e hadoopcmd.Event) {
	p := s.w.Progress
	if e.Failed != "" {
		s.w.Log.Warn("an attempt of a task failed", "attempt", e.Failed)
		return
	}
	s.w.Log.Info("on Hadoop", "job", e.Job, "map%", e.Map, "reduce%", e.Reduce)
	total := p.MapTotal.Load()
	p.WriteTotal.Store(total)
	p.Mapped.Store(total / 100 * int64(e.Map))
	p.Written.Store(total / 100 * int64(e.Reduce))
}
