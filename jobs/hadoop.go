package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"avro2trevni/internal/exit"
	"avro2trevni/internal/storage"
	"avro2trevni/internal/tuple"
	"avro2trevni/internal/units"
	"avro2trevni/jobs/inputs"
	"avro2trevni/jobs/pack"
	"avro2trevni/jobs/report"
	"avro2trevni/reducer"
)

// taskRunner runs the tasks of a job, all of them, and returns when what they made is in
// the folder made of the run's, or one has failed for good.
type taskRunner func(ctx context.Context, s *submission) (report.Hadoop, error)

// submission is what is given to Hadoop.
type submission struct {
	job  *job
	plan *taskPlan
}

// maxNote is the most bytes of a task's report, which tells of each of its segments.
const maxNote = 256 * units.MiB

// onHadoop runs the three stages as tasks of a Hadoop Streaming job, and returns the
// rows of each input.
//
//	run-<16 hex>/tasks                   a line a map task
//	run-<16 hex>/made/partition-...      files and a report of each partition, of the attempt that won
//	run-<16 hex>/failed/attempt_...      why others failed
//	run-<16 hex>/part-00000.trv, ...     the files, renamed, when all are counted: then as with engine local
func (j *job) onHadoop(ctx context.Context, rep *report.Report) ([]int64, error) {
	parts := divideSplits(j.plan, j.o.partitions(j.plan, len(j.table.columns)))
	plan := j.forTasks(parts, mapTasks(j.plan, parts))
	var lines strings.Builder
	for i := range plan.Tasks {
		fmt.Fprintln(&lines, i)
	}
	for _, name := range []string{tasksName, madeName, failedName} { // of a job before, which came upon damage
		if err := storage.RemoveAll(j.o.FS, storage.Join(j.out.TempDir(), name)); err != nil {
			return nil, err
		}
	}
	if err := storage.WriteFile(ctx, j.o.FS, storage.Join(j.out.TempDir(), tasksName), []byte(lines.String())); err != nil {
		return nil, err
	}
	run := j.o.runTasks
	if run == nil {
		run = runHadoop
	}
	stats, err := run(ctx, &submission{job: j, plan: plan})
	if err != nil {
		return nil, j.taskError(ctx, err)
	}
	c, err := j.collect(parts)
	if err != nil {
		return nil, err
	}
	stats.MapTasks, stats.Partitions, stats.StagedBytes = len(plan.Tasks), len(parts), c.staged
	rep.Run.Hadoop = &stats
	rep.Run.TempBytes, rep.Run.Verified = c.staged, j.o.Verify
	rep.Options.Engine, rep.Options.Parts = EngineHadoop, len(parts)
	rep.Counters.Splits = int64(len(j.plan.Splits))
	rep.Counters.Columns = int64(len(j.table.columns))
	rep.Counters.OversizeFiles = int64(c.over)
	return c.rows, nil
}

// taskError returns the error of a job that failed: that of a task which left a note,
// if one did, of the gravest kind.
func (j *job) taskError(ctx context.Context, err error) error {
	if errors.Is(context.Cause(ctx), exit.ErrInterrupted) {
		return err
	}
	note := j.failure(j.out.TempDir())
	if note == nil || note.Damaged != nil && *note.Damaged >= len(j.plan.Inputs) {
		return err
	}
	return note.err(err)
}

// failure returns the note of a failed attempt, one that is final if there is one; nil
// if there is none.
func (j *job) failure(temp string) (worst *taskFailure) {
	dir := storage.Join(temp, failedName)
	entries, err := j.o.FS.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		j.o.Log.Warn("cannot read why tasks failed", "error", err)
	}
	for _, e := range entries {
		note := new(taskFailure)
		data, err := storage.ReadFile(j.o.FS, storage.Join(dir, e.Name()), units.MiB)
		if err != nil || json.Unmarshal(data, note) != nil {
			continue // it is being written
		}
		if worst == nil || note.worse(worst) {
			worst = note
		}
	}
	return worst
}

// worse reports whether a note tells more of why the job failed than another: that of a
// failure which is final, or else of a later try, for a task is given up at its last.
func (n *taskFailure) worse(than *taskFailure) bool {
	if n.Final != than.Final {
		return n.Final
	}
	return n.try() > than.try()
}

// try returns the number of the attempt that its name ends with.
func (n *taskFailure) try() int {
	try, err := strconv.Atoi(n.Task[strings.LastIndexByte(n.Task, '_')+1:])
	if err != nil {
		return 0 // a name of no attempt of Hadoop's
	}
	return try
}

// collection is what the reduce tasks made, as it is entered.
type collection struct {
	j      *job
	tally  *inputs.Tally
	edges  []edge  // values of columns with first values, of the rows so far
	rows   []int64 // of each input
	all    segmentRows
	files  []report.Output
	over   int
	staged int64
}

// collect checks what the reduce tasks made, and enters it as the job's files, in order.
func (j *job) collect(parts []pack.Range) (*collection, error) {
	c := &collection{j: j, tally: j.plan.NewTally(), all: segmentRows{}}
	for n, of := range parts {
		if err := c.partition(n, of); err != nil {
			return nil, err
		}
	}
	var err error
	if c.rows, err = c.tally.Rows(); err != nil {
		return nil, err
	}
	return c, c.adopt()
}

// partition reads and checks the report of a partition.
func (c *collection) partition(n int, of pack.Range) error {
	name := storage.Join(c.j.out.TempDir(), madeName, partReportName(n))
	data, err := storage.ReadFile(c.j.o.FS, name, maxNote)
	if err != nil {
		return fmt.Errorf("jobs: report of partition %d: %w", n, err)
	}
	r := new(partReport)
	if err := json.Unmarshal(data, r); err != nil {
		return fmt.Errorf("jobs: %s: %w", name, err)
	}
	if r.Partition != n || len(r.Splits) != of.End-of.First {
		return fmt.Errorf("jobs: %s: is of partition %d with %d splits, not %d", name, r.Partition, len(r.Splits), of.End-of.First)
	}
	mapped, err := c.splits(of, r.Splits)
	if err != nil {
		return fmt.Errorf("jobs: %s: %w", name, err)
	}
	for _, f := range r.Files {
		mapped -= f.Rows
		c.files = append(c.files, f)
	}
	if mapped != 0 {
		return fmt.Errorf("jobs: %s: files and splits differ by %d rows", name, mapped)
	}
	c.over += r.Over
	c.staged += r.Staged
	return c.order(of, r)
}

// splits enters what is known of a partition's splits, and returns their rows.
func (c *collection) splits(of pack.Range, notes []splitNote) (rows int64, err error) {
	for i, note := range notes {
		split := c.j.plan.Splits[of.First+i]
		if len(note.Rows) != len(split) || len(note.Spans) != len(split) {
			return 0, fmt.Errorf("split %d has %d segments, not %d", of.First+i, len(split), len(note.Rows))
		}
		c.all[of.First+i] = note.Rows
		for k, seg := range split {
			rows += note.Rows[k]
			c.tally.Enter(seg, note.Rows[k], note.Spans[k])
		}
	}
	return rows, nil
}

// order checks that the columns with first values ascend from the partition before.
func (c *collection) order(of pack.Range, r *partReport) error {
	for i, first := range r.First {
		if i < len(c.edges) && len(c.edges[i]) > 0 && len(first) > 0 {
			name := c.j.table.names()[i]
			ascends, err := c.j.table.ascends(i, first, c.edges[i])
			if err != nil {
				return fmt.Errorf("jobs: first value of column %q: %w", name, err)
			}
			if !ascends {
				return c.all.unsorted(c.j.plan, &reducer.Error{Column: name, Row: c.firstRow(of), Err: reducer.ErrOrder})
			}
		}
	}
	for i, last := range r.Last {
		if c.edges == nil {
			c.edges = make([]edge, len(r.Last))
		}
		if len(last) > 0 {
			c.edges[i] = last
		}
	}
	return nil
}

// firstRow returns the first row of a partition that has some.
func (c *collection) firstRow(of pack.Range) tuple.Row {
	for n := of.First; n < of.End; n++ {
		for _, rows := range c.all[n] {
			if rows > 0 {
				return tuple.RowOf(n, 0)
			}
		}
	}
	return tuple.RowOf(of.First, 0)
}

// adopt makes the files the job's, under the names they are published by. Those without
// rows stay behind, unless there is nothing else.
func (c *collection) adopt() error {
	n := 0
	for i, f := range c.files {
		if f.Rows == 0 && (i > 0 || c.total() > 0) {
			continue
		}
		if err := c.j.out.Adopt(n, storage.Join(c.j.out.TempDir(), madeName, f.Path), f); err != nil {
			return err
		}
		c.j.o.Progress.Files.Add(1)
		n++
	}
	return nil
}

func (c *collection) total() (rows int64) {
	for _, n := range c.rows {
		rows += n
	}
	return rows
}
