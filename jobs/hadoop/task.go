package hadoop

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"avro2trevni/internal/exit"
	"avro2trevni/internal/storage"
	"avro2trevni/internal/storage/hdfs"
	"avro2trevni/internal/streaming"
	"avro2trevni/jobs/inputs"
	"avro2trevni/jobs/publish"
	"avro2trevni/jobs/stages"
	"avro2trevni/reducer"
)

// Kinds of tasks.
const (
	MapTask    = "map"
	ReduceTask = "reduce"
)

// Names of the files that a task finds in its folder, and of those in the run's.
const (
	programFile = "avro2trevni"
	PlanFile    = "avro2trevni.plan" // [Plan], encoded
	keytabFile  = "avro2trevni.keytab"
	ConfFolder  = "avro2trevni.conf" // Hadoop's configuration, as the driver has it

	tasksName  = "tasks"  // a line a map task
	MadeName   = "made"   // what the reduce tasks made, once Hadoop has committed them
	failedName = "failed" // notes of tasks that failed
)

// signOfLife is how often a task says what it is at: Hadoop kills those that say nothing
// for ten minutes.
const signOfLife = 10 * time.Second

// Task is one attempt of a task of a job on Hadoop.
//
//	map:     lines of tasks --> splits --> mapper --> records
//	reduce:  records --> partition --> packer, layout --> files, all at a time --> report
type Task struct {
	Plan   *Plan
	FS     storage.FS
	Log    *slog.Logger
	Env    func(name string) string // Hadoop's properties, with _ for dots
	In     io.Reader
	Out    io.Writer
	Report io.Writer // where Hadoop reads counters and the status

	w      *stages.Work // once it is at work
	report *streaming.Reporter
}

// OpenPlan reads the plan in the process's folder, and gives the process what the driver
// had. keytab is the file with the key of its user, if there is one.
func OpenPlan(kind string) (plan *Plan, keytab string, err error) {
	file, err := os.Open(PlanFile)
	if err != nil {
		return nil, "", exit.Usage("hadoop task %s: can be started only by Hadoop: %w", kind, err)
	}
	plan, err = ReadPlan(file)
	if err = errors.Join(err, file.Close()); err != nil {
		return nil, "", err
	}
	if err := plan.applyEnvironment(); err != nil {
		return nil, "", err
	}
	if _, err := os.Stat(keytabFile); err == nil {
		keytab = keytabFile
	}
	return plan, keytab, nil
}

// applyEnvironment gives the process the configuration and the user that the driver had.
func (t *Plan) applyEnvironment() error {
	if len(t.Conf) > 0 {
		if err := os.MkdirAll(ConfFolder, 0o700); err != nil {
			return err
		}
		for name, text := range t.Conf {
			if err := os.WriteFile(filepath.Join(ConfFolder, name), []byte(text), 0o600); err != nil {
				return err
			}
		}
		if err := os.Setenv("HADOOP_CONF_DIR", ConfFolder); err != nil {
			return err
		}
	}
	if t.User != "" {
		return os.Setenv("HADOOP_USER_NAME", t.User)
	}
	return nil
}

// readConf returns the files of Hadoop's configuration here.
func readConf() (map[string]string, error) {
	conf := map[string]string{}
	dir := hdfs.ConfDir()
	if dir == "" {
		return conf, nil
	}
	for _, name := range hdfs.ConfFiles() {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("jobs: Hadoop's configuration: %w", err)
		}
		conf[name] = string(data)
	}
	return conf, nil
}

// Attempt does the task, of the work that is made for it. Why it failed is left in the run's
// folder too, for the driver.
func (t *Task) Attempt(ctx context.Context, kind string, work func() (*stages.Work, error)) (err error) {
	t.report = streaming.NewReporter(t.Report)
	defer func() {
		if err != nil {
			t.reportFailure(ctx, err)
		}
	}()
	defer exit.Recover(&err, kind+" task")
	if t.w, err = work(); err != nil {
		return err
	}
	if err := t.Plan.sameColumns(t.w); err != nil {
		return err
	}
	defer t.signs()()
	switch kind {
	case MapTask:
		return t.mapAll(ctx)
	case ReduceTask:
		return t.reduce(ctx)
	}
	return exit.Usage("hadoop task %q: must be map or reduce", kind)
}

// signs gives signs of life until stop is called.
func (t *Task) signs() (stop func()) {
	done := make(chan struct{})
	go func() {
		tick := time.NewTicker(signOfLife)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
			}
			what := "at work"
			if all := t.w.Doing.List(); len(all) > 0 {
				what = all[0].What
			}
			t.report.Status("%s", what)
		}
	}()
	return func() { close(done) }
}

// failureNote is the note that a failed attempt leaves.
type failureNote struct {
	Task  string // the attempt
	Error string
	Exit  int
	Final bool // it would fail again

	Damaged *int `json:",omitempty"` // the input that is damaged, see [inputs.Damage]
	Doubt   bool `json:",omitempty"`
}

// newFailureNote returns the note of an error.
func newFailureNote(task string, err error) failureNote {
	f := failureNote{Task: task, Error: err.Error(), Exit: exit.Code(err), Final: final(err)}
	if d := (*inputs.Damage)(nil); errors.As(err, &d) {
		f.Damaged, f.Doubt = &d.Input, d.Doubt
	}
	return f
}

// err returns the error that the note is of; ended is how the job ended.
func (f *failureNote) err(ended error) error {
	err := fmt.Errorf("%s: %s (%w)", f.Task, f.Error, ended)
	if f.Damaged != nil {
		return &inputs.Damage{Input: *f.Damaged, Doubt: f.Doubt, Err: err}
	}
	return &exit.Error{Exit: f.Exit, Err: err}
}

// reportFailure reports why the attempt failed: in its status, and in a note for the driver. Its
// own log has it from the command.
func (t *Task) reportFailure(ctx context.Context, err error) {
	t.report.Status("failed: %v", err)
	name := t.Env("mapreduce_task_attempt_id")
	note, e := json.Marshal(newFailureNote(name, err))
	dir := storage.Join(string(t.Plan.Temp), failedName)
	if e == nil {
		e = t.below(dir)
	}
	if e == nil {
		e = storage.WriteFile(ctx, t.FS, storage.Join(dir, cmp.Or(name, publish.Random())+".json"), note)
	}
	if e != nil {
		t.Log.Warn("cannot report to the driver why the task failed", "error", e)
	}
}

// below makes a folder of the run's, unless the run is over: then its folder is gone,
// and no other run would remove it.
func (t *Task) below(dir string) error {
	if _, err := t.FS.Stat(string(t.Plan.Temp)); err != nil {
		return fmt.Errorf("jobs: the run's folder: %w", err)
	}
	return t.FS.MkdirAll(dir)
}

// final reports whether a failure is one of the inputs or the options: another attempt
// would fail too.
func final(err error) bool {
	code := exit.Code(err)
	value := (*stages.ValueError)(nil)
	return inputs.Damaged(err) || errors.As(err, &value) || code == exit.StatusRefused || code == exit.StatusUsage || errors.Is(err, exit.ErrChanged) ||
		errors.Is(err, reducer.ErrOrder) || errors.Is(err, reducer.ErrLong) || errors.Is(err, stages.ErrUnsorted)
}
