package jobs

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"avro2trevni/internal/colsum"
	"avro2trevni/internal/storage"
	"avro2trevni/internal/streaming"
	"avro2trevni/trevni"
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

func (s simulated) run(ctx context.Context, sub *submission) (HadoopReport, error) {
	text, err := sub.plan.encode()
	if err != nil {
		return HadoopReport{}, err
	}
	n := len(sub.plan.Partitions)
	parts := make([][]rawRecord, n)
	for i := range sub.plan.Tasks {
		var out bytes.Buffer
		env := map[string]string{"mapreduce_task_attempt_id": fmt.Sprintf("attempt_m_%d", i)}
		if err := s.attempt(ctx, text, mapTask, env, strings.NewReader(fmt.Sprintf("%d\n", i)), &out); err != nil {
			return HadoopReport{}, fmt.Errorf("map task %d failed: %w", i, errTask)
		}
		for _, r := range rawRecords(out.Bytes()) {
			p := hadoopHash(r.key[:4]) % n
			parts[p] = append(parts[p], r)
		}
	}
	var shuffled int64
	for p := range parts {
		slices.SortStableFunc(parts[p], func(a, b rawRecord) int { return bytes.Compare(a.key, b.key) })
		if s.tamper != nil {
			parts[p] = s.tamper(p, parts[p])
		}
		var in bytes.Buffer
		for _, r := range parts[p] {
			for _, b := range [][]byte{r.key, r.value} {
				in.Write(binary.BigEndian.AppendUint32(nil, uint32(len(b))))
				in.Write(b)
			}
		}
		shuffled += int64(in.Len())
		if err := s.reduce(ctx, sub, text, p, in.Bytes()); err != nil {
			return HadoopReport{}, err
		}
	}
	return HadoopReport{Job: "job_1_0001", ShuffledBytes: shuffled}, nil
}

var errTask = errors.New("a task failed")

// reduce runs a reduce task, and moves what it made as FileOutputCommitter does.
func (s simulated) reduce(ctx context.Context, sub *submission, text []byte, p int, in []byte) error {
	made := storage.Join(sub.plan.Temp, madeName)
	for try := 0; ; try++ {
		work := storage.Join(made, "_temporary", fmt.Sprintf("attempt_r_%d_%d", p, try))
		env := map[string]string{"mapreduce_task_partition": fmt.Sprint(p), "mapreduce_task_output_dir": work,
			"mapreduce_task_attempt_id": fmt.Sprintf("attempt_r_%d_%d", p, try)}
		fail := s.retry && try == 0
		data := in
		if fail {
			data = in[:len(in)-1]
		}
		err := s.attempt(ctx, text, reduceTask, env, bytes.NewReader(data), io.Discard)
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
	plan, err := readTaskPlan(bytes.NewReader(text))
	if err != nil {
		return err
	}
	o := plan.options()
	o.FS = s.fs
	t := &task{plan: plan, env: func(name string) string { return env[name] }, in: in, out: out, report: streaming.NewReporter(io.Discard)}
	return t.attempt(ctx, kind, o.withDefaults())
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

// hadoopHash is WritableComparator.hashBytes, as BinaryPartitioner uses it.
func hadoopHash(b []byte) int {
	hash := int32(1)
	for _, c := range b {
		hash = 31*hash + int32(int8(c))
	}
	return int(hash & 0x7fffffff)
}

// onSimulated converts with engine hadoop, simulated.
func onSimulated(t testing.TB, o Options, s simulated) (*Report, error) {
	t.Helper()
	s.fs = cmp.Or[storage.FS](o.FS, storage.Local{})
	o.Engine, o.FS, o.runTasks, o.Workers = EngineHadoop, s.fs, s.run, 0
	return Convert(t.Context(), &o)
}

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

// One partition and one file: the bytes are the local engine's, for all fixtures.
func TestHadoopMakesTheSameBytes(t *testing.T) {
	fixtures, err := filepath.Glob("../testdata/avro/*.avro")
	if err != nil || len(fixtures) < 30 {
		t.Fatalf("%d fixtures: %v", len(fixtures), err)
	}
	for _, name := range fixtures {
		t.Run(filepath.Base(name), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			o := Options{Inputs: []string{name}, Output: filepath.Join(dir, "local"), SplitSize: 1 * kib}
			r, err := Convert(t.Context(), &o)
			if err != nil {
				t.Fatal(err)
			}
			o.Output = filepath.Join(dir, "hadoop")
			o.Hadoop.Partitions = 1
			h, err := onSimulated(t, o, simulated{retry: true})
			if err != nil {
				t.Fatal(err)
			}
			if h.Counters.Rows != r.Counters.Rows || len(h.Outputs) != 1 {
				t.Errorf("%d rows in %d files, locally %d", h.Counters.Rows, len(h.Outputs), r.Counters.Rows)
			}
			if !maps.Equal(contents(t, o.Output), contents(t, filepath.Join(dir, "local"))) {
				t.Error("the bytes differ")
			}
		})
	}
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
func digestsOf(t testing.TB, dir string, r *Report) string {
	t.Helper()
	j := job{o: &Options{FS: storage.Local{}}, out: &output{temp: dir}}
	var all []colsum.Column
	for _, o := range r.Outputs {
		f, err := os.Open(filepath.Join(dir, o.Path))
		if err != nil {
			t.Fatal(err)
		}
		tr, err := trevni.NewReader(f, o.Bytes, nil)
		if err != nil {
			t.Fatal(err)
		}
		j.columns = tr.Header().Columns
		sums, err := j.readBack(t.Context(), o) // which checks the digest too
		if err = errors.Join(err, f.Close()); err != nil {
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

// The rows are the local engine's, in its order, however they are divided; files are
// full but for a partition's last; the shuffle moves little more than the output.
func TestHadoopRowsAndFiles(t *testing.T) {
	for shape := range shapes {
		t.Run(shape, func(t *testing.T) {
			t.Parallel()
			in := writeShape(t, shape, 7)
			local := filepath.Join(t.TempDir(), "out")
			want, err := Convert(t.Context(), &Options{Inputs: []string{in}, Output: local, BlockSize: 2 * kib})
			if err != nil {
				t.Fatal(err)
			}
			for _, partitions := range []int{0, 1, 2, 5} {
				limit, least := int64(96*kib), int64(80*kib) // a split is some kilobytes
				if shape == "wide" {
					limit, least = 256*kib, 128*kib // and here an Avro block is
				}
				out := filepath.Join(t.TempDir(), "out")
				o := Options{Inputs: []string{in}, Output: out, BlockSize: 2 * kib, FileSize: limit, SplitSize: 2 * kib}
				o.Hadoop.Partitions = partitions
				r, err := onSimulated(t, o, simulated{retry: partitions == 2})
				if err != nil {
					t.Fatal(err)
				}
				if digestsOf(t, out, r) != digestsOf(t, local, want) || r.Counters.Rows != want.Counters.Rows {
					t.Errorf("%d partitions: other rows", partitions)
				}
				for i := range r.Inputs {
					if r.Inputs[i].Rows != want.Inputs[i].Rows {
						t.Errorf("%s: %d rows, not %d", r.Inputs[i].Path, r.Inputs[i].Rows, want.Inputs[i].Rows)
					}
				}
				notFull := 0
				for _, f := range r.Outputs {
					if f.Bytes > limit {
						t.Errorf("%d partitions: %s has %d bytes", partitions, f.Path, f.Bytes)
					}
					if f.Bytes < least {
						notFull++
					}
				}
				h := r.Run.Hadoop
				if notFull > h.Partitions || partitions > 0 && h.Partitions != partitions {
					t.Errorf("%d partitions, of %d: %d files are not full", h.Partitions, partitions, notFull)
				}
				if most := r.Counters.OutputBytes * 11 / 10; shape == "flat" && h.ShuffledBytes > most {
					t.Errorf("%d bytes through the shuffle for %d of output", h.ShuffledBytes, r.Counters.OutputBytes)
				}
			}
		})
	}
}

// Where a file's rows are those of whole inputs, its bytes are those that the local
// engine makes of them: packing and layout are the same.
func TestHadoopSamePackingSameBytes(t *testing.T) {
	in := writeShape(t, "flat", 9)
	out := filepath.Join(t.TempDir(), "out")
	o := Options{Inputs: []string{in}, Output: out, BlockSize: 2 * kib, FileSize: 64 * kib, SplitSize: 60 * kib}
	o.Hadoop.Partitions = 2
	r, err := onSimulated(t, o, simulated{})
	if err != nil || len(r.Outputs) < 4 {
		t.Fatalf("%d files: %v", len(r.Outputs), err)
	}
	compared, at := 0, 0
	for _, f := range r.Outputs {
		var names []string
		for rows := f.Rows; rows > 0 && at < len(r.Inputs); at++ {
			rows -= r.Inputs[at].Rows
			names = append(names, r.Inputs[at].Path)
			if rows < 0 {
				t.Skip("a file ends within an input") // the sizes of inputs and splits are to prevent that
			}
		}
		one := filepath.Join(t.TempDir(), "one.trv")
		if _, err := Convert(t.Context(), &Options{Inputs: names, Output: one, BlockSize: o.BlockSize, SplitSize: o.SplitSize}); err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile(one)
		if err != nil {
			t.Fatal(err)
		}
		if contents(t, out)[f.Path] != string(want) {
			t.Errorf("%s: other bytes than of %q alone", f.Path, names)
		}
		compared++
	}
	if compared != len(r.Outputs) {
		t.Errorf("%d of %d files were compared", compared, len(r.Outputs))
	}
}

// Options go the same way as with the local engine.
func TestHadoopOptions(t *testing.T) {
	in := writeShape(t, "flat", 3)
	for name, o := range map[string]Options{
		"one file":  {Output: "out.trv"},
		"columns":   {Columns: []string{"id", "name"}},
		"codecs":    {Codec: "deflate,name=null", Checksum: "null,id=crc32"},
		"index":     {Index: []string{"id"}},
		"meta":      {Meta: []trevni.Property{{Key: "k", Value: []byte("v")}}},
		"verify":    {Verify: true},
		"merge":     {Schema: SchemaMerge},
		"latest":    {Schema: SchemaLatest, Exclude: []string{"price"}},
		"no memory": {Memory: 40 * mib},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o.Inputs, o.SplitSize, o.FileSize = []string{in}, 16*kib, 64*mib
			suffix := orDefault(o.Output, "out")
			var files [2]string
			for i, dir := range []string{t.TempDir(), t.TempDir()} {
				o.Output = filepath.Join(dir, suffix)
				var err error
				if i == 0 {
					_, err = Convert(t.Context(), &o)
				} else {
					o.Hadoop.Partitions = 1
					_, err = onSimulated(t, o, simulated{})
				}
				if err != nil {
					t.Fatal(err)
				}
				name := o.Output
				if suffix == "out" {
					name = filepath.Join(name, "part-00000.trv")
				}
				data, err := os.ReadFile(name)
				if err != nil {
					t.Fatal(err)
				}
				files[i] = string(data)
			}
			if files[0] != files[1] {
				t.Error("the bytes differ")
			}
		})
	}
}

// An output is replaced and appended to as by the local engine; with either one.
func TestHadoopIfExists(t *testing.T) {
	in, out := writeShape(t, "flat", 4), filepath.Join(t.TempDir(), "out")
	o := Options{Inputs: []string{filepath.Join(in, "00.avro")}, Output: out}
	if _, err := onSimulated(t, o, simulated{}); err != nil {
		t.Fatal(err)
	}
	_, err := onSimulated(t, o, simulated{})
	if !errors.Is(err, ErrExists) || ExitCode(err) != ExitRefused {
		t.Errorf("the second time: %v", err)
	}
	o.IfExists = IfExistsAppend
	o.Inputs = []string{filepath.Join(in, "00.avro"), filepath.Join(in, "01.avro")}
	if _, err := onSimulated(t, o, simulated{}); err != nil {
		t.Fatal(err)
	}
	o.Inputs = []string{in}
	r, err := Convert(t.Context(), &o)
	if err != nil || len(r.Outputs) != 3 || len(r.Inputs) != 4 {
		t.Fatalf("%d inputs, %d outputs: %v", len(r.Inputs), len(r.Outputs), err)
	}
	local := filepath.Join(t.TempDir(), "local")
	want, err := Convert(t.Context(), &Options{Inputs: []string{in}, Output: local})
	if err != nil || digestsOf(t, out, r) != digestsOf(t, local, want) {
		t.Errorf("other rows: %v", err)
	}
	o.IfExists = IfExistsReplace
	if r, err = onSimulated(t, o, simulated{}); err != nil || len(contents(t, out)) != len(r.Outputs) {
		t.Errorf("replaced: %v: %v", r.Outputs, err)
	}
}

// Inputs without rows make one file, as everywhere; and rows none that is empty.
func TestHadoopWithoutRows(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	o := Options{Inputs: []string{"../testdata/avro/fastavro-1.13.1-zero-rows.avro"}, Output: out}
	r, err := onSimulated(t, o, simulated{})
	if err != nil || len(r.Outputs) != 1 || r.Counters.Rows != 0 {
		t.Fatalf("%+v: %v", r, err)
	}
	dir := t.TempDir()
	makeInput(t, filepath.Join(dir, "a.avro"), "flat", 0, 0)
	makeInput(t, filepath.Join(dir, "b.avro"), "flat", 0, 1000)
	makeInput(t, filepath.Join(dir, "c.avro"), "flat", 0, 0)
	o = Options{Inputs: []string{dir}, Output: filepath.Join(dir, "out"), SplitSize: kib}
	o.Hadoop.Partitions = 8
	if r, err = onSimulated(t, o, simulated{}); err != nil || r.Counters.Rows != 1000 {
		t.Fatalf("%+v: %v", r, err)
	}
	for _, f := range r.Outputs {
		if f.Rows == 0 {
			t.Errorf("%s has no rows", f.Path)
		}
	}
}

// What goes wrong in a task is told with the file, and has the local engine's status.
func TestHadoopFails(t *testing.T) {
	dir := t.TempDir()
	bad := filepath.Join(dir, "bad.avro")
	makeInput(t, bad, "flat", 0, 5000)
	data, err := os.ReadFile(bad)
	if err != nil {
		t.Fatal(err)
	}
	data[len(data)/2] ^= 0xff
	if err := os.WriteFile(bad, data, 0o644); err != nil {
		t.Fatal(err)
	}
	unsorted := t.TempDir()
	makeInput(t, filepath.Join(unsorted, "a.avro"), "flat", 500, 1000)
	makeInput(t, filepath.Join(unsorted, "b.avro"), "flat", 0, 500)
	within := t.TempDir()
	makeInput(t, filepath.Join(within, "a.avro"), "nullable", 0, 4000)
	whole := writeShape(t, "flat", 2)
	gone := func(_ int, all []rawRecord) []rawRecord { return all[:len(all)-1] }
	for name, c := range map[string]struct {
		o      Options
		s      simulated
		exit   int
		want   []string
		unsame bool
	}{
		"damage":   {o: Options{Inputs: []string{dir}}, exit: ExitFailed, want: []string{"bad.avro", "attempt_m_", "at "}},
		"order":    {o: Options{Inputs: []string{unsorted}, Index: []string{"id"}, SplitSize: 4 * kib, Hadoop: HadoopOptions{Partitions: 2}}, exit: ExitFailed, want: []string{"b.avro: row 0", "not sorted", `"id"`}},
		"order in": {o: Options{Inputs: []string{unsorted}, Index: []string{"id"}, SplitSize: 4 * kib, Hadoop: HadoopOptions{Partitions: 1}}, exit: ExitFailed, want: []string{"b.avro: row 0 of bytes 0 to", "not sorted", `"id"`}},
		"a run":    {o: Options{Inputs: []string{whole}}, s: simulated{tamper: gone}, exit: ExitFailed, want: []string{"partition-00000-00000.trv", "is missing"}},
		"index": {o: Options{Inputs: []string{whole}}, s: simulated{tamper: func(_ int, all []rawRecord) []rawRecord { return all[1:] }},
			exit: ExitFailed, want: []string{"partition 0", "the index of split 0, expected", "expected"}, unsame: true},
		"size": {o: Options{Inputs: []string{whole}, FileSize: 8 * kib, SplitSize: 64 * kib}, exit: ExitRefused,
			want: []string{"larger than --file-size", "00.avro", "the engine local"}},
		"memory": {o: Options{Inputs: []string{whole}, FileSize: 16 * kib, BlockSize: kib, SplitSize: kib, Memory: 48 * mib, Hadoop: HadoopOptions{Partitions: 1}},
			exit: ExitRefused, want: []string{"partition 0 has", "--partitions"}},
	} {
		t.Run(name, func(t *testing.T) {
			c.o.Output = filepath.Join(t.TempDir(), "out")
			_, err := onSimulated(t, c.o, c.s)
			if err == nil || ExitCode(err) != c.exit {
				t.Fatalf("exit %d: %v", ExitCode(err), err)
			}
			for _, want := range c.want {
				if !c.unsame && !strings.Contains(err.Error(), want) {
					t.Errorf("%v\nexpected %q", err, want)
				}
			}
			if _, err := os.Stat(c.o.Output); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("something is left: %v", err)
			}
		})
	}
}

// Damage is skipped as by the local engine: the same rows, the same report of it.
func TestHadoopSkipsDamage(t *testing.T) {
	dir := writeShape(t, "flat", 4)
	for i, name := range []string{"01.avro", "03.avro"} {
		path := filepath.Join(dir, name)
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		data[len(data)*(i+1)/3] ^= 0xff
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, how := range []string{CorruptSkipBlock, CorruptSkipFile} {
		local, out := filepath.Join(t.TempDir(), "out"), filepath.Join(t.TempDir(), "out")
		o := Options{Inputs: []string{dir}, Output: local, OnCorrupt: how, SplitSize: 4 * kib}
		want, err := Convert(t.Context(), &o)
		if ExitCode(err) != ExitSome {
			t.Fatal(err)
		}
		o.Output, o.Hadoop.Partitions = out, 2
		r, err := onSimulated(t, o, simulated{})
		if ExitCode(err) != ExitSome {
			t.Fatalf("%s: exit %d: %v", how, ExitCode(err), err)
		}
		have, e1 := json.Marshal(r.Skipped)
		skipped, e2 := json.Marshal(want.Skipped)
		if digestsOf(t, out, r) != digestsOf(t, local, want) || string(have) != string(skipped) || errors.Join(e1, e2) != nil ||
			r.Counters.SkippedCounters != want.Counters.SkippedCounters || r.Counters.SkippedBlocks+r.Counters.SkippedFiles == 0 {
			t.Errorf("%s: other rows, or another report: %s, %s", how, have, skipped)
		}
	}
}

// What has no sense with an engine is refused, as a mistake of the command line.
func TestEngineIsRefused(t *testing.T) {
	for _, c := range []struct {
		o    Options
		want string
	}{
		{Options{Engine: "spark"}, "must be local or hadoop"},
		{Options{Hadoop: HadoopOptions{Partitions: 2}}, "options of the engine hadoop"},
		{Options{Engine: EngineHadoop, SortBy: []string{"a"}}, "sort by"},
		{Options{Engine: EngineHadoop, PartitionBy: "a"}, "partition by"},
		{Options{Engine: EngineHadoop, Workers: 2}, "workers"},
		{Options{Engine: EngineHadoop, TempDirs: []string{"/x"}}, "temp dir"},
		{Options{Engine: EngineHadoop, TempLimit: mib}, "temp limit"},
		{Options{Engine: EngineHadoop, Hadoop: HadoopOptions{Partitions: -1}}, "partitions -1"},
		{Options{Engine: EngineHadoop, Output: "hdfs://h/x.trv", Hadoop: HadoopOptions{Partitions: 2}}, "made by one reducer"},
		{Options{Engine: EngineHadoop, Hadoop: HadoopOptions{Conf: []string{"x"}}}, "not KEY=VALUE"},
		{Options{Engine: EngineHadoop, Output: "local"}, "must be an hdfs:// name"},
		{Options{Engine: EngineHadoop, Output: "hdfs://h/a{b}"}, "for patterns"},
	} {
		c.o.Inputs = []string{"hdfs://h/in"}
		c.o.Output = orDefault(c.o.Output, "hdfs://h/out")
		if err := c.o.Validate(); err == nil || !strings.Contains(err.Error(), c.want) || ExitCode(err) != ExitUsage {
			t.Errorf("%v, expected %q", err, c.want)
		}
	}
}

// The plan tells of the job on Hadoop; inputs that only this machine has are refused.
func TestHadoopIsDescribed(t *testing.T) {
	var text bytes.Buffer
	o := Options{Inputs: []string{writeShape(t, "flat", 3)}, Output: filepath.Join(t.TempDir(), "out"), Engine: EngineHadoop,
		FS: storage.Local{}, SplitSize: 4 * kib, runTasks: simulated{}.run}
	o.Hadoop.Partitions = 2
	if err := Describe(t.Context(), &o, &text); err != nil || !strings.Contains(text.String(), "On Hadoop: 2 map tasks, 2 partitions") {
		t.Errorf("%v: %s", err, text.String())
	}
	o.runTasks = nil
	if err := Describe(t.Context(), &o, &text); ExitCode(err) != ExitRefused || !strings.Contains(err.Error(), "00.avro: engine hadoop reads inputs on all nodes") {
		t.Errorf("%v", err)
	}
	if _, err := Convert(t.Context(), &o); ExitCode(err) != ExitRefused || !strings.Contains(err.Error(), "00.avro: engine hadoop reads inputs on all nodes") {
		t.Errorf("%v", err)
	}
	if _, err := Compact(t.Context(), &Options{Output: "out", Engine: EngineHadoop}); ExitCode(err) != ExitUsage || !strings.Contains(err.Error(), "compact") {
		t.Errorf("%v", err)
	}
}

// Partitions and tasks hold all splits, in order, none of them empty.
func TestHadoopDivides(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 500 {
		p := &Plan{}
		for i := range 1 + r.IntN(60) {
			n := int64(r.IntN(1 << r.IntN(30)))
			p.Splits = append(p.Splits, Split{{Input: i, End: n}})
			p.Bytes += n
		}
		n := 1 + r.IntN(len(p.Splits))
		parts := p.divide(n)
		if len(parts) != n {
			t.Fatalf("%d partitions of %d", len(parts), n)
		}
		for name, spans := range map[string][]span{"partitions": parts, "tasks": p.mapTasks(parts)} {
			at := 0
			for _, s := range spans {
				if s.First != at || s.End <= s.First {
					t.Fatalf("%s %v", name, spans)
				}
				at = s.End
			}
			if at != len(p.Splits) {
				t.Fatalf("%s %v of %d splits", name, spans, len(p.Splits))
			}
		}
	}
}
