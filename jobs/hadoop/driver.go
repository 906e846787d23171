package hadoop

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"strconv"
	"strings"

	"avro2trevni/internal/exit"
	"avro2trevni/internal/storage"
	"avro2trevni/internal/streaming"
	"avro2trevni/internal/tuple"
	"avro2trevni/internal/units"
	"avro2trevni/jobs/inputs"
	"avro2trevni/jobs/pack"
	"avro2trevni/jobs/report"
	"avro2trevni/jobs/stages"
	"avro2trevni/reducer"
)

// Runner runs the tasks of a job, all of them, and returns when what they made is in
// the folder made of the run's, or one has failed for good.
type Runner func(ctx context.Context, s *Submission) (report.Hadoop, error)

// Engine is the engine whose stages are tasks of a Hadoop Streaming job.
//
//	run-<16 hex>/tasks                   a line a map task
//	run-<16 hex>/made/partition-...      files and a report of each partition, of the attempt that won
//	run-<16 hex>/failed/attempt_...      why others failed
//	run-<16 hex>/part-00000.trv, ...     the files, renamed, when all are counted: then as with engine local
type Engine struct {
	Options *Options
	Carried TaskOptions // what tasks heed of the job's options
	Keytab  string      // a file that tasks get a copy of
	Run     Runner      // nil: Hadoop does
}

// Submission is what is given to Hadoop.
type Submission struct {
	*Engine
	w    *stages.Work
	Plan *Plan
}

// Convert runs the three stages as tasks, and takes their files over.
func (e *Engine) Convert(ctx context.Context, w *stages.Work) (out stages.Outcome, err error) {
	if shape := w.Table.Files().Shape(); shape.BySplit && len(shape.Columns) > streaming.MaxColumns {
		return out, exit.Refused("engine hadoop: %d columns are too many: use the engine local", len(w.Table.Columns()))
	}
	parts := divideSplits(w.Plan, partitions(w.Plan, w.BlockSize, w.Limit, e.Options.Partitions))
	s := &Submission{Engine: e, w: w}
	s.Plan = s.forTasks(parts, mapTasks(w.Plan, parts))
	var lines strings.Builder
	for i := range s.Plan.Tasks {
		fmt.Fprintln(&lines, i)
	}
	for _, name := range []string{tasksName, MadeName, failedName} { // of a try before, which came upon damage
		if err := storage.RemoveAll(w.FS, storage.Join(w.Out.TempDir(), name)); err != nil {
			return out, err
		}
	}
	if err := storage.WriteFile(ctx, w.FS, storage.Join(w.Out.TempDir(), tasksName), []byte(lines.String())); err != nil {
		return out, err
	}
	run := e.Run
	if run == nil {
		run = runHadoop
	}
	stats, err := run(ctx, s)
	if err != nil {
		return out, taskError(ctx, w, err)
	}
	c, err := collect(w, parts)
	if err != nil {
		return out, err
	}
	stats.MapTasks, stats.Partitions, stats.StagedBytes = len(s.Plan.Tasks), len(parts), c.staged
	return stages.Outcome{Rows: c.rows, Temp: c.staged, Over: c.over, Parts: len(parts), Hadoop: &stats}, nil
}

// maxNote is the largest size of a task's report, which describes each of its segments.
const maxNote = 256 * units.MiB

// taskError returns the error of a job that failed: that of a task which left a note,
// if one did, of the gravest kind.
func taskError(ctx context.Context, w *stages.Work, err error) error {
	if errors.Is(context.Cause(ctx), exit.ErrInterrupted) {
		return err
	}
	note := worstFailure(w)
	if note == nil || note.Damaged != nil && *note.Damaged >= len(w.Plan.Inputs) {
		return err
	}
	return note.err(err)
}

// worstFailure returns the note of a failed attempt, one that is final if there is one; nil
// if there is none.
func worstFailure(w *stages.Work) (worst *failureNote) {
	return worstFailureIn(w.FS, storage.Join(w.Out.TempDir(), failedName), w.Log)
}

// worstFailureIn is worstFailure of the notes in a folder.
func worstFailureIn(f storage.FS, dir string, log *slog.Logger) (worst *failureNote) {
	entries, err := f.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		log.Warn("cannot read why tasks failed", "error", err)
	}
	for _, e := range entries {
		note := new(failureNote)
		data, err := storage.ReadFile(f, storage.Join(dir, e.Name()), units.MiB)
		if err != nil || json.Unmarshal(data, note) != nil {
			continue // it is being written
		}
		if worst == nil || note.moreTelling(worst) {
			worst = note
		}
	}
	return worst
}

// moreTelling reports whether a note explains the job's failure better than another one:
// the note of a final failure, or else of a later attempt, because a task fails with its
// last attempt.
func (n *failureNote) moreTelling(than *failureNote) bool {
	if n.Final != than.Final {
		return n.Final
	}
	return n.attempt() > than.attempt()
}

// attempt returns the number of the attempt, at the end of its name.
func (n *failureNote) attempt() int {
	try, err := strconv.Atoi(n.Task[strings.LastIndexByte(n.Task, '_')+1:])
	if err != nil {
		return 0 // a name of no attempt of Hadoop's
	}
	return try
}

// collection collects what the reduce tasks made.
type collection struct {
	w      *stages.Work
	tally  *inputs.Tally
	edges  []edge  // values of columns with first values, of the rows so far
	rows   []int64 // of each input
	all    stages.SegmentRows
	files  []report.Output
	over   int
	staged int64
}

// collect checks what the reduce tasks made, and enters it as the job's files, in order.
func collect(w *stages.Work, parts []pack.Range) (*collection, error) {
	c := &collection{w: w, tally: w.Plan.NewTally(), all: stages.SegmentRows{}}
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
	name := storage.Join(c.w.Out.TempDir(), MadeName, partReportName(n))
	data, err := storage.ReadFile(c.w.FS, name, maxNote)
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
		split := c.w.Plan.Splits[of.First+i]
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
			name := c.w.Table.Columns()[i].Name
			ascends, err := c.w.Table.Ascends(i, first, c.edges[i])
			if err != nil {
				return fmt.Errorf("jobs: first value of column %q: %w", name, err)
			}
			if !ascends {
				return c.all.Unsorted(c.w.Plan, &reducer.Error{Column: name, Row: c.firstRow(of), Err: reducer.ErrOrder})
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
		if err := c.w.Out.Adopt(n, storage.Join(c.w.Out.TempDir(), MadeName, f.Path), f); err != nil {
			return err
		}
		c.w.Progress.Files.Add(1)
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
