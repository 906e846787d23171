package hadoop

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"

	"golang.org/x/sync/errgroup"

	"avro2trevni/internal/exit"
	"avro2trevni/internal/storage"
	"avro2trevni/internal/streaming"
	"avro2trevni/internal/tuple"
	"avro2trevni/internal/units"
	"avro2trevni/jobs/pack"
	"avro2trevni/jobs/report"
	"avro2trevni/jobs/stages"
	"avro2trevni/reducer"
)

// partReport is what a reduce task made, beside its files: it is published with them,
// by Hadoop's committer, if the attempt wins.
type partReport struct {
	Partition int
	Files     []report.Output // by their names in the task's folder
	Splits    []splitNote
	Over      int    // files larger than the limit
	Staged    int64  // bytes of early runs
	First     []edge // first values of columns with such, by column, of the first rows
	Last      []edge // and the last
}

// edge is a value at a partition's edge; nil if there is none.
type edge []byte

// partReportName returns the name of a partition's report.
func partReportName(n int) string { return fmt.Sprintf("partition-%05d.json", n) }

// partFileName returns the name of file i of a partition, of a format whose files end in ext.
func partFileName(n, i int, ext string) string {
	return fmt.Sprintf("partition-%05d-%05d%s", n, i, ext)
}

// arriving is a partition as the reducer wants it.
type arriving struct{ *streaming.Partition }

func (a arriving) Scan(col uint32, from, to tuple.Row) reducer.Scanner {
	return a.Partition.Scan(col, from, to)
}

// fileMemory is what writing a file holds, and runMemory what is kept of a run: its
// index, its block, its descriptor.
const (
	fileMemory = stages.RemoteWrite + units.MiB
	runMemory  = 32 // and what the block takes in a layout
)

// reduce makes the files of a partition.
func (t *Task) reduce(ctx context.Context) (err error) {
	n, err := strconv.Atoi(t.Env("mapreduce_task_partition"))
	if err != nil || n < 0 || n >= len(t.Plan.Partitions) {
		return fmt.Errorf("jobs: no partition %q of %d", t.Env("mapreduce_task_partition"), len(t.Plan.Partitions))
	}
	keys, err := streaming.Partitions(len(t.Plan.Partitions))
	if err != nil {
		return err
	}
	of, shape := t.Plan.Partitions[n], t.w.Table.Files().Shape()
	part, err := streaming.ReadPartition(streaming.NewReader(t.In), streaming.Options{
		Key: keys[n], Order: streaming.Order(shape.BySplit), Columns: len(shape.Columns), First: of.First, End: of.End,
		Temp: func() (streaming.File, error) { return t.w.Temp.Stage() },
	})
	if err != nil {
		return fmt.Errorf("jobs: partition %d: %w", n, err)
	}
	defer func() { err = errors.Join(err, part.Close()) }()
	p := &partition{Task: t, number: n, of: of, part: part, report: partReport{Partition: n, Staged: part.Staged()}}
	defer func() { err = errors.Join(err, p.close()) }()
	return p.make(ctx)
}

// partition is what a reduce task makes.
type partition struct {
	*Task
	number int
	of     pack.Range
	part   *streaming.Partition
	groups []*reducer.Group
	made   stages.Made // what the mappers made, if it is to be verified
	report partReport
}

// make packs, lays out, writes and reports.
func (p *partition) make(ctx context.Context) error {
	for i := range p.part.Splits {
		s := &p.part.Splits[i]
		var note splitNote
		if err := json.Unmarshal(s.Note, &note); err != nil {
			return fmt.Errorf("jobs: partition %d: a split's note: %w", p.number, err)
		}
		s.Note = nil // the digests of a wide table are many
		p.made.Done(len(p.report.Splits), note.Sums)
		note.Sums = nil
		p.report.Splits = append(p.report.Splits, note)
	}
	if err := p.checkMemory(1); err != nil { // before the runs are laid out
		return err
	}
	if err := p.pack(ctx); err != nil {
		return p.explain(err)
	}
	if err := p.checkMemory(len(p.groups)); err != nil {
		return err
	}
	dir := p.Env("mapreduce_task_output_dir")
	if dir == "" {
		return errors.New("jobs: Hadoop gave the task no mapreduce_task_output_dir")
	}
	if err := p.below(dir); err != nil {
		return err
	}
	if err := p.write(ctx, dir); err != nil {
		return err
	}
	if p.w.Verify {
		open := func(name string) (storage.File, error) { return p.w.FS.Open(storage.Join(dir, name)) }
		if err := p.w.VerifyFiles(ctx, p.report.Files, open, &p.made); err != nil {
			return err
		}
	}
	data, err := json.Marshal(&p.report)
	if err != nil {
		return err
	}
	return storage.WriteFile(ctx, p.w.FS, storage.Join(dir, partReportName(p.number)), data)
}

// write writes all files at the same time, as the data come.
func (p *partition) write(ctx context.Context, dir string) error {
	p.report.Files = make([]report.Output, len(p.groups))
	defer context.AfterFunc(ctx, func() { p.part.Fail(exit.Cause(ctx, ctx.Err())) })()
	eg, ctx := errgroup.WithContext(ctx) // which ends with Wait, failure or not
	for i := range p.groups {
		eg.Go(func() (err error) {
			defer func() {
				if err != nil {
					p.part.Fail(err) // others may wait for data after this file's
				}
			}()
			name := partFileName(p.number, i, p.w.Format.Ext())
			defer exit.Recover(&err, name)
			defer p.w.Doing.Begin("writing %s", name)()
			p.report.Files[i], err = p.writeFile(ctx, dir, name, p.groups[i])
			if err != nil {
				return fmt.Errorf("jobs: %s: %w", name, err)
			}
			return nil
		})
	}
	if err := eg.Wait(); err != nil {
		return err
	}
	if err := p.part.End(); err != nil {
		return fmt.Errorf("jobs: partition %d: %w", p.number, err)
	}
	for i, f := range p.report.Files {
		blocks, _ := p.groups[i].Blocks()
		p.Task.report.Count("files_written", 1)
		p.Task.report.Count("rows_written", f.Rows)
		p.Task.report.Count("bytes_written", f.Bytes)
		p.Task.report.Count("blocks_written", blocks)
	}
	return nil
}

// writeFile writes one file. If that fails the attempt does, and its folder goes.
func (p *partition) writeFile(ctx context.Context, dir, name string, g *reducer.Group) (r report.Output, err error) {
	w, err := p.w.FS.Create(storage.Join(dir, name), g.Size())
	if err != nil {
		return r, err
	}
	sum := report.NewFileDigest()
	if err = g.Write(ctx, io.MultiWriter(w, sum)); err == nil {
		err = w.Sync()
	}
	if err = errors.Join(err, w.Close()); err != nil {
		return r, err
	}
	return report.Output{Path: name, Rows: g.Rows(), Bytes: sum.Bytes(), XXH64: sum.Hex()}, nil
}

// explain names the input of rows that are not sorted.
func (p *partition) explain(err error) error {
	at := stages.Disorder(err)
	if at == nil {
		return err
	}
	n, row := at.Row.Split(), at.Row.InSplit()
	for i, seg := range p.w.Plan.Splits[n] {
		if rows := p.report.Splits[n-p.of.First].Rows[i]; row >= rows {
			row -= rows
			continue
		}
		return stages.UnsortedAt(fmt.Sprintf("%s: row %d of bytes %d to %d", p.w.Plan.Inputs[seg.Input].Path, row, seg.Start, seg.End), at)
	}
	return err
}

// close gives the groups up.
func (p *partition) close() error {
	var errs []error
	for _, g := range p.groups {
		errs = append(errs, g.Close())
	}
	return errors.Join(errs...)
}
