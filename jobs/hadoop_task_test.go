package jobs

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"avro2trevni/internal/exit"
	"avro2trevni/internal/storage"
	"avro2trevni/jobs/hadoop"
	"avro2trevni/jobs/report"
)

// containers runs each task as the program does in a container: by the files in its
// folder and its environment.
func containers(t *testing.T, change func(*hadoop.Plan)) hadoop.Runner {
	return func(ctx context.Context, s *hadoop.Submission) (report.Hadoop, error) {
		s.Plan.Conf = map[string]string{"core-site.xml": "<configuration/>"}
		change(s.Plan)
		text, err := s.Plan.Encode()
		if err == nil {
			err = os.WriteFile(hadoop.PlanFile, text, 0o600)
		}
		if err != nil {
			return report.Hadoop{}, err
		}
		var out, log bytes.Buffer
		defer func() { t.Log(log.String()) }()
		var lines strings.Builder
		for i := range s.Plan.Tasks {
			fmt.Fprintln(&lines, i)
		}
		t.Setenv("mapreduce_task_attempt_id", "attempt_m_0")
		if err := HadoopTask(ctx, hadoop.MapTask, strings.NewReader(lines.String()), &out, &log); err != nil {
			return report.Hadoop{}, errTask
		}
		records := rawRecords(out.Bytes())
		in := sorted(records)
		made := storage.Join(string(s.Plan.Temp), hadoop.MadeName)
		t.Setenv("mapreduce_task_partition", "0")
		t.Setenv("mapreduce_task_output_dir", made)
		if err := HadoopTask(ctx, hadoop.ReduceTask, bytes.NewReader(in), io.Discard, &log); err != nil {
			return report.Hadoop{}, errTask
		}
		for _, want := range []string{"reporter:counter:avro2trevni,rows,", "reporter:counter:avro2trevni,rows_written,", "blocks,"} {
			if !strings.Contains(log.String(), want) {
				t.Errorf("nothing said %q", want)
			}
		}
		if got := os.Getenv("HADOOP_CONF_DIR"); got != hadoop.ConfFolder {
			t.Errorf("the configuration is looked for in %q", got)
		}
		return report.Hadoop{}, nil
	}
}

// The tasks as they are started find what they need in their folder.
func TestHadoopTask(t *testing.T) {
	in, local, out := writeShape(t, "flat", 3), filepath.Join(t.TempDir(), "out"), filepath.Join(t.TempDir(), "out")
	t.Chdir(t.TempDir())
	t.Setenv("HADOOP_CONF_DIR", "")
	t.Setenv("HADOOP_USER_NAME", "")
	o := Options{Inputs: []string{in}, Output: local}
	if _, err := Convert(t.Context(), &o); err != nil {
		t.Fatal(err)
	}
	o = Options{Inputs: []string{in}, Output: out, Engine: EngineHadoop, FS: storage.Local{}, Hadoop: HadoopOptions{Partitions: 1}}
	o.reach, o.runTasks = everywhere, containers(t, func(p *hadoop.Plan) { p.User = "somebody" })
	if _, err := Convert(t.Context(), &o); err != nil {
		t.Fatal(err)
	}
	if !maps.Equal(contents(t, out), contents(t, local)) {
		t.Error("the bytes differ")
	}
	if got := os.Getenv("HADOOP_USER_NAME"); got != "somebody" {
		t.Errorf("HDFS is asked as %q", got)
	}
}

// A plan that is not the driver's is an error, and so is what is no task.
func TestHadoopTaskRefuses(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("HADOOP_CONF_DIR", "")
	task := func(kind string) error {
		return HadoopTask(t.Context(), kind, strings.NewReader("0\n"), io.Discard, io.Discard)
	}
	if err := task(hadoop.MapTask); exit.Code(err) != exit.StatusUsage || !strings.Contains(err.Error(), "can be started only by Hadoop") {
		t.Errorf("without a plan: %v", err)
	}
	if err := os.WriteFile(hadoop.PlanFile, []byte("no plan"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := task(hadoop.MapTask); err == nil || !strings.Contains(err.Error(), "read the plan") {
		t.Errorf("garbage: %v", err)
	}
	in := writeShape(t, "flat", 2)
	for name, c := range map[string]struct {
		change func(*hadoop.Plan)
		want   string
	}{
		"version": {func(p *hadoop.Plan) { p.Version = "another" }, "is of version another"},
		"columns": {func(p *hadoop.Plan) { p.Columns[0] = "x" }, "are not those of the plan"},
		"splits":  {func(p *hadoop.Plan) { p.Partitions[0].End++ }, "are not those of the plan"},
		"tasks":   {func(p *hadoop.Plan) { p.Tasks = nil }, ""},
	} {
		o := Options{Inputs: []string{in}, Output: filepath.Join(t.TempDir(), "out"), Engine: EngineHadoop, FS: storage.Local{}}
		var failed error
		o.reach, o.runTasks = everywhere, func(ctx context.Context, s *hadoop.Submission) (report.Hadoop, error) {
			c.change(s.Plan)
			text, err := s.Plan.Encode()
			if err == nil {
				err = os.WriteFile(hadoop.PlanFile, text, 0o600)
			}
			if err != nil {
				return report.Hadoop{}, err
			}
			failed = task(hadoop.MapTask)
			return report.Hadoop{}, errTask
		}
		if _, err := Convert(t.Context(), &o); err == nil || failed == nil || !strings.Contains(failed.Error(), c.want) {
			t.Errorf("%s: %v, %v, expected %q", name, err, failed, c.want)
		}
	}
}

// A task whose run is over leaves nothing behind.
func TestHadoopTaskOfARunThatIsOver(t *testing.T) {
	in, out := writeShape(t, "flat", 2), filepath.Join(t.TempDir(), "out")
	o := Options{Inputs: []string{in}, Output: out}
	_, err := onSimulated(t, o, simulated{tamper: func(_ int, all []rawRecord) []rawRecord {
		if err := os.RemoveAll(out); err != nil {
			t.Error(err)
		}
		return all
	}})
	if err == nil {
		t.Error("a run without its folder succeeded")
	}
	if _, err := os.Stat(out); !os.IsNotExist(err) {
		t.Errorf("something is left: %v", err)
	}
}
