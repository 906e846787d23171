package hadoopcmd

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// install lays out an installation whose hadoop is a script.
func install(t *testing.T, script string) string {
	t.Helper()
	home := t.TempDir()
	for name, text := range map[string]string{
		"bin/hadoop": "#!/bin/sh\n" + script,
		"share/hadoop/tools/lib/hadoop-streaming-9.9.jar": "",
	} {
		path := filepath.Join(home, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return home
}

func TestFind(t *testing.T) {
	home := install(t, "exit 0\n")
	program, jar := filepath.Join(home, "bin/hadoop"), filepath.Join(home, "share/hadoop/tools/lib/hadoop-streaming-9.9.jar")
	for name, c := range map[string]struct {
		home, path, program, jar string
		want                     string // of an error
	}{
		"home":        {home: home, path: "/none"},
		"path":        {path: filepath.Join(home, "bin")},
		"given":       {path: "/none", program: program, jar: jar},
		"no program":  {path: "/none", want: "set HADOOP_HOME, or give --hadoop"},
		"no such":     {path: "/none", program: "/none/hadoop", want: "/none/hadoop"},
		"no such jar": {home: home, path: "/none", jar: "/none.jar", want: "/none.jar"},
		"no jar":      {path: "/none", program: "/bin/sh", want: "give --streaming-jar"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("HADOOP_HOME", c.home)
			t.Setenv("PATH", c.path)
			got, err := Find(c.program, c.jar)
			switch {
			case c.want == "" && (err != nil || got.Program != program || got.Jar != jar):
				t.Errorf("%+v: %v", got, err)
			case c.want != "" && (!errors.Is(err, ErrNotFound) || !strings.Contains(err.Error(), c.want)):
				t.Errorf("%v, expected %q", err, c.want)
			}
		})
	}
}

// A property of the user's counts more than a default, and less than a need: of one that
// is given twice Hadoop takes the last.
func TestArguments(t *testing.T) {
	j := &Job{Name: "n", Conf: []string{"mapreduce.map.memory.mb=7", "mapreduce.job.reduces=9"}, Reducers: 3,
		MapMemory: 1 << 30, ReduceMemory: 1 << 30, Heap: 400 << 20, Tasks: "hdfs://h/t", Output: "hdfs://h/o",
		Files: []File{{"/a b/convert", "avro2trevni"}, {"plan", "p"}}, Mapper: "m", Reducer: "r"}
	if err := j.absolute(); err != nil {
		t.Fatal(err)
	}
	args := j.args("s.jar")
	last := map[string]string{}
	for i, a := range args {
		if i > 0 && args[i-1] == "-D" {
			key, value, _ := strings.Cut(a, "=")
			last[key] = value
		}
	}
	for key, want := range map[string]string{
		"mapreduce.map.memory.mb": "7", "mapreduce.reduce.memory.mb": "1024", "mapreduce.job.reduces": "3",
		"mapreduce.map.java.opts": "-Xmx400m", "mapreduce.fileoutputcommitter.algorithm.version": "1",
	} {
		if last[key] != want {
			t.Errorf("%s is %q, expected %q", key, last[key], want)
		}
	}
	files := args[slices.Index(args, "-files")+1]
	if !strings.HasPrefix(files, "file:///a%20b/convert#avro2trevni,file:///") || !strings.HasSuffix(files, "/plan#p") {
		t.Errorf("files %s", files)
	}
	j.Files = []File{{"/a,b", "x"}}
	if err := j.absolute(); err == nil || !strings.Contains(err.Error(), "/a,b") {
		t.Errorf("a comma: %v", err)
	}
}

const story = `echo "INFO mapreduce.Job: Running job: job_12_0003" >&2
echo "INFO mapreduce.Job:  map 0% reduce 0%" >&2
echo "INFO mapreduce.Job:  map 50% reduce 0%" >&2
echo "INFO mapreduce.Job: Task Id : attempt_12_0003_m_000000_0, Status : FAILED" >&2
echo "INFO mapreduce.Job:  map 100% reduce 100%" >&2
printf '\t\tReduce shuffle bytes=4711\n\t\trows=5\n' >&2
`

// run runs a job on a hadoop that is a script.
func run(t *testing.T, ctx context.Context, script string, told func(Event)) (Result, error) {
	t.Helper()
	home := install(t, script)
	t.Setenv("HADOOP_HOME", home)
	c, err := Find("", "")
	if err != nil {
		t.Fatal(err)
	}
	return c.Run(ctx, &Job{Name: "n", Reducers: 1}, told)
}

func TestRunFollows(t *testing.T) {
	var events []Event
	var mu sync.Mutex
	res, err := run(t, t.Context(), story, func(e Event) {
		mu.Lock()
		defer mu.Unlock()
		events = append(events, e)
	})
	if err != nil || res.Job != "job_12_0003" || res.Counters["Reduce shuffle bytes"] != 4711 || res.Counters["rows"] != 5 {
		t.Errorf("%+v: %v", res, err)
	}
	want := []Event{
		{Job: "job_12_0003"}, {Job: "job_12_0003", Map: 50},
		{Job: "job_12_0003", Map: 50, Failed: "attempt_12_0003_m_000000_0"}, {Job: "job_12_0003", Map: 100, Reduce: 100},
	}
	if !slices.Equal(events, want) {
		t.Errorf("%+v, expected %+v", events, want)
	}
}

func TestRunFails(t *testing.T) {
	_, err := run(t, t.Context(), story+"echo 'ERROR streaming.StreamJob: Job not successful!' >&2\nexit 1\n", func(Event) {})
	if err == nil || !strings.Contains(err.Error(), "job_12_0003") || !strings.Contains(err.Error(), "Job not successful!") {
		t.Errorf("%v", err)
	}
	_, err = run(t, t.Context(), "echo only this\nexit 3\n", func(Event) {})
	if err == nil || !strings.Contains(err.Error(), "only this") || !strings.Contains(err.Error(), "exit status 3") {
		t.Errorf("%v", err)
	}
}

// When the context ends the job is killed by its ID, and the client goes.
func TestRunIsInterrupted(t *testing.T) {
	note := filepath.Join(t.TempDir(), "killed")
	script := `case $1 in
org.apache.hadoop.mapred.JobClient) echo "$@" >` + note + `; exit 0 ;;
esac
` + story + `
while [ ! -e ` + note + ` ]; do sleep 0.05; done
exit 1
`
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("enough")
	_, err := run(t, ctx, script, func(e Event) {
		if e.Map == 50 {
			cancel(why)
		}
	})
	if !errors.Is(err, why) {
		t.Errorf("%v", err)
	}
	if text, err := os.ReadFile(note); err != nil || !strings.Contains(string(text), "-kill job_12_0003") {
		t.Errorf("%q: %v", text, err)
	}
}

// A client that has no job yet, and does not end, is killed.
func TestRunIsInterruptedEarly(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("enough")
	started := filepath.Join(t.TempDir(), "started")
	go func() {
		for {
			if _, err := os.Stat(started); err == nil || t.Context().Err() != nil {
				cancel(why)
				return
			}
			time.Sleep(time.Millisecond)
		}
	}()
	if _, err := run(t, ctx, "touch "+started+"\nsleep 600\n", func(Event) {}); !errors.Is(err, why) {
		t.Errorf("%v", err)
	}
}
