package jobs

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"avro2trevni/internal/colsum"
	"avro2trevni/internal/format/trevni"
	"avro2trevni/internal/storage"
	"avro2trevni/jobs/hadoop"
	"avro2trevni/jobs/report"
	"avro2trevni/jobs/stages"
	"avro2trevni/jobs/watch"
)

// simulated is Hadoop in this process: it runs map tasks, sends their records to the
// reducers by BinaryPartitioner's hash, sorted by their keys as bytes, and commits.
type simulated struct {
	fs     storage.FS
	tamper func(partition int, records []rawRecord) []rawRecord // between the stages
	retry  bool                                                 // each reduce task fails once, halfway through its data
}

// rawRecord is a record as Hadoop sees it.
type rawRecord struct{ key, value []byte }

func (s simulated) run(ctx context.Context, sub *hadoop.Submission) (report.Hadoop, error) {
	text, err := sub.Plan.Encode()
	if err != nil {
		return report.Hadoop{}, err
	}
	n := len(sub.Plan.Partitions)
	parts := make([][]rawRecord, n)
	for i := range sub.Plan.Tasks {
		var out bytes.Buffer
		env := map[string]string{"mapreduce_task_attempt_id": fmt.Sprintf("attempt_m_%d", i)}
		if err := s.attempt(ctx, text, hadoop.MapTask, env, strings.NewReader(fmt.Sprintf("%d\n", i)), &out); err != nil {
			return report.Hadoop{}, fmt.Errorf("map task %d failed: %w", i, errTask)
		}
		for _, r := range rawRecords(out.Bytes()) {
			p := hadoopHash(r.key[:4]) % n
			parts[p] = append(parts[p], r)
		}
	}
	var shuffled int64
	for p := range parts {
		in := sorted(parts[p])
		if s.tamper != nil {
			in = rawBytes(s.tamper(p, parts[p]))
		}
		shuffled += int64(len(in))
		if err := s.reduce(ctx, sub, text, p, in); err != nil {
			return report.Hadoop{}, err
		}
	}
	return report.Hadoop{Job: "job_1_0001", ShuffledBytes: shuffled}, nil
}

var errTask = errors.New("a task failed")

// reduce runs a reduce task, and moves what it made as FileOutputCommitter does.
func (s simulated) reduce(ctx context.Context, sub *hadoop.Submission, text []byte, p int, in []byte) error {
	made := storage.Join(string(sub.Plan.Temp), hadoop.MadeName)
	for try := 0; ; try++ {
		work := storage.Join(made, "_temporary", fmt.Sprintf("attempt_r_%d_%d", p, try))
		env := map[string]string{"mapreduce_task_partition": fmt.Sprint(p), "mapreduce_task_output_dir": work,
			"mapreduce_task_attempt_id": fmt.Sprintf("attempt_r_%d_%d", p, try)}
		fail := s.retry && try == 0
		data := in
		if fail {
			data = in[:len(in)-1]
		}
		err := s.attempt(ctx, text, hadoop.ReduceTask, env, bytes.NewReader(data), io.Discard)
		if fail && err == nil {
			return errors.New("an attempt without its last byte did not fail")
		}
		if fail {
			continue
		}
		if err != nil {
			return fmt.Errorf("reduce task %d failed: %w", p, errTask)
		}
		entries, err := s.fs.ReadDir(work)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if err := s.fs.Rename(storage.Join(work, e.Name()), storage.Join(made, e.Name())); err != nil {
				return err
			}
		}
		return nil
	}
}

// attempt runs a task as the command would.
func (s simulated) attempt(ctx context.Context, text []byte, kind string, env map[string]string, in io.Reader, out io.Writer) error {
	plan, err := hadoop.ReadPlan(bytes.NewReader(text))
	if err != nil {
		return err
	}
	o := ofTask(plan)
	o.FS = s.fs
	t := &hadoop.Task{Plan: plan, Env: func(name string) string { return env[name] }, In: in, Out: out, Report: io.Discard}
	return o.withDefaults().attempt(ctx, kind, t)
}

// rawRecords parses what a map task wrote.
func rawRecords(b []byte) (all []rawRecord) {
	next := func() []byte {
		n := binary.BigEndian.Uint32(b)
		part := b[4 : 4+n]
		b = b[4+n:]
		return part
	}
	for len(b) > 0 {
		all = append(all, rawRecord{next(), next()})
	}
	return all
}

// sorted sorts records, and returns them as a reducer gets them.
func sorted(all []rawRecord) []byte {
	slices.SortStableFunc(all, func(a, b rawRecord) int { return bytes.Compare(a.key, b.key) })
	return rawBytes(all)
}

// rawBytes is the inverse of [rawRecords].
func rawBytes(all []rawRecord) (b []byte) {
	for _, r := range all {
		b = append(binary.BigEndian.AppendUint32(b, uint32(len(r.key))), r.key...)
		b = append(binary.BigEndian.AppendUint32(b, uint32(len(r.value))), r.value...)
	}
	return b
}

// hadoopHash is WritableComparator.hashBytes, as BinaryPartitioner uses it.
func hadoopHash(b []byte) int {
	hash := int32(1)
	for _, c := range b {
		hash = 31*hash + int32(int8(c))
	}
	return int(hash & 0x7fffffff)
}

// onSimulated converts with engine hadoop, simulated.
func onSimulated(t testing.TB, o Options, s simulated) (*report.Report, error) {
	t.Helper()
	s.fs = cmp.Or[storage.FS](o.FS, storage.Local{})
	o.Engine, o.FS, o.runTasks, o.reach, o.Workers = EngineHadoop, s.fs, s.run, everywhere, 0
	return Convert(t.Context(), &o)
}

// everywhere is the reach of tasks that run in this process.
func everywhere(string) bool { return true }

// contents returns the part files of a folder by their names.
func contents(t testing.TB, dir string) map[string]string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "part-*"))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all[filepath.Base(name)] = string(data)
	}
	return all
}

// writeShape writes a shape's rows into n files of different sizes, and returns the folder.
func writeShape(t testing.TB, shape string, n int) string {
	t.Helper()
	dir := t.TempDir()
	rows := shapes[shape].rows / 4
	for i, from := 0, 0; i < n; i++ {
		to := from + rows*(i+1)*2/(n*(n+1))
		makeInput(t, filepath.Join(dir, fmt.Sprintf("%02d.avro", i)), shape, from, to)
		from = to
	}
	return dir
}

// digestsOf returns what a job's files hold, column by column, whatever the files and blocks.
func digestsOf(t testing.TB, dir string, r *report.Report) string {
	t.Helper()
	w := &stages.Work{Progress: new(watch.Progress)}
	var all []colsum.Column
	for _, o := range r.Outputs {
		path := filepath.Join(dir, o.Path)
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		made, err := trevni.Format{}.Open(f, path, o.Bytes)
		if err != nil {
			t.Fatal(err)
		}
		sums, err := made.Sums(func(int64) {})
		if err = errors.Join(w.SameBytes(f, path, o), err, f.Close()); err != nil {
			t.Fatal(err)
		}
		for c := range sums {
			if len(all) == c {
				all = append(all, colsum.Column{})
			}
			all[c] = all[c].Then(sums[c])
		}
	}
	return fmt.Sprint(all)
}
