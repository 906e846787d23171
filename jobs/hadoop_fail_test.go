package jobs

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"avro2trevni/internal/exit"
	"avro2trevni/internal/storage"
	"avro2trevni/internal/units"
)

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
		"damage":   {o: Options{Inputs: []string{dir}}, exit: exit.StatusFailed, want: []string{"bad.avro", "attempt_m_", "at "}},
		"order":    {o: Options{Inputs: []string{unsorted}, Index: []string{"id"}, SplitSize: 4 * units.KiB, Hadoop: HadoopOptions{Partitions: 2}}, exit: exit.StatusFailed, want: []string{"b.avro: row 0", "not sorted", `"id"`}},
		"order in": {o: Options{Inputs: []string{unsorted}, Index: []string{"id"}, SplitSize: 4 * units.KiB, Hadoop: HadoopOptions{Partitions: 1}}, exit: exit.StatusFailed, want: []string{"b.avro: row 0 of bytes 0 to", "not sorted", `"id"`}},
		"a run":    {o: Options{Inputs: []string{whole}}, s: simulated{tamper: gone}, exit: exit.StatusFailed, want: []string{"partition-00000-00000.trv", "is missing"}},
		"index": {o: Options{Inputs: []string{whole}}, s: simulated{tamper: func(_ int, all []rawRecord) []rawRecord { return all[1:] }},
			exit: exit.StatusFailed, want: []string{"partition 0", "the index of split 0, expected", "expected"}, unsame: true},
		"size": {o: Options{Inputs: []string{whole}, FileSize: 8 * units.KiB, SplitSize: 64 * units.KiB}, exit: exit.StatusRefused,
			want: []string{"larger than --file-size", "00.avro", "the engine local"}},
		"memory": {o: Options{Inputs: []string{whole}, FileSize: 16 * units.KiB, BlockSize: units.KiB, SplitSize: units.KiB, Memory: 48 * units.MiB, Hadoop: HadoopOptions{Partitions: 1}},
			exit: exit.StatusRefused, want: []string{"partition 0 has", "--partitions"}},
	} {
		t.Run(name, func(t *testing.T) {
			c.o.Output = filepath.Join(t.TempDir(), "out")
			_, err := onSimulated(t, c.o, c.s)
			if err == nil || exit.Code(err) != c.exit {
				t.Fatalf("exit %d: %v", exit.Code(err), err)
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
		o := Options{Inputs: []string{dir}, Output: local, OnCorrupt: how, SplitSize: 4 * units.KiB}
		want, err := Convert(t.Context(), &o)
		if exit.Code(err) != exit.StatusSome {
			t.Fatal(err)
		}
		o.Output, o.Hadoop.Partitions = out, 2
		r, err := onSimulated(t, o, simulated{})
		if exit.Code(err) != exit.StatusSome {
			t.Fatalf("%s: exit %d: %v", how, exit.Code(err), err)
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
		{Options{Engine: EngineHadoop, TempLimit: units.MiB}, "temp limit"},
		{Options{Engine: EngineHadoop, Hadoop: HadoopOptions{Partitions: -1}}, "partitions -1"},
		{Options{Engine: EngineHadoop, Output: "hdfs://h/x.trv", Hadoop: HadoopOptions{Partitions: 2}}, "made by one reducer"},
		{Options{Engine: EngineHadoop, Hadoop: HadoopOptions{Conf: []string{"x"}}}, "not KEY=VALUE"},
		{Options{Engine: EngineHadoop, Output: "local"}, "must be an hdfs:// name"},
		{Options{Engine: EngineHadoop, Output: "hdfs://h/a{b}"}, "as a pattern"},
	} {
		c.o.Inputs = []string{"hdfs://h/in"}
		c.o.Output = orDefault(c.o.Output, "hdfs://h/out")
		if err := c.o.Validate(); err == nil || !strings.Contains(err.Error(), c.want) || exit.Code(err) != exit.StatusUsage {
			t.Errorf("%v, expected %q", err, c.want)
		}
	}
}

// The plan tells of the job on Hadoop; inputs that only this machine has are refused.
func TestHadoopIsDescribed(t *testing.T) {
	var text bytes.Buffer
	o := Options{Inputs: []string{writeShape(t, "flat", 3)}, Output: filepath.Join(t.TempDir(), "out"), Engine: EngineHadoop,
		FS: storage.Local{}, SplitSize: 4 * units.KiB, hooks: hooks{runTasks: simulated{}.run, reach: everywhere}}
	o.Hadoop.Partitions = 2
	if err := Describe(t.Context(), &o, &text); err != nil || !strings.Contains(text.String(), "On Hadoop: 2 map tasks, 2 partitions") {
		t.Errorf("%v: %s", err, text.String())
	}
	o.hooks = hooks{}
	if err := Describe(t.Context(), &o, &text); exit.Code(err) != exit.StatusRefused || !strings.Contains(err.Error(), "00.avro: engine hadoop reads inputs on all nodes") {
		t.Errorf("%v", err)
	}
	if _, err := Convert(t.Context(), &o); exit.Code(err) != exit.StatusRefused || !strings.Contains(err.Error(), "00.avro: engine hadoop reads inputs on all nodes") {
		t.Errorf("%v", err)
	}
	if _, err := Compact(t.Context(), &Options{Output: "out", Engine: EngineHadoop}); exit.Code(err) != exit.StatusUsage || !strings.Contains(err.Error(), "compact") {
		t.Errorf("%v", err)
	}
}
