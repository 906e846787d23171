package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/colinmarc/hdfs/v2"

	"avro2trevni/internal/hadooptest"
	"avro2trevni/jobs"
)

// yarnResult is one conversion with the engine hadoop, on daemons of this machine: what
// was measured, and what Hadoop counted of it. The model of larger jobs starts from it.
type yarnResult struct {
	effort
	Input       string  `json:"input"`
	Rows        int64   `json:"rows"`
	InputBytes  int64   `json:"input_bytes"`
	OutputBytes int64   `json:"output_bytes"`
	OutputFiles int64   `json:"output_files"`
	Blocks      int64   `json:"blocks"` // of those files, in HDFS
	FileSize    int64   `json:"file_size"`
	TaskMemory  int64   `json:"task_memory"` // the bound of each of our processes
	Wall        float64 `json:"wall"`        // seconds, of the whole command
	JobWall     float64 `json:"job_wall"`    // from the job's submission to its end

	Map           yarnTasks `json:"map"`
	Reduce        yarnTasks `json:"reduce"`
	Shuffled      int64     `json:"shuffled"`        // bytes that reducers fetched
	NameNodeCalls int64     `json:"name_node_calls"` // that the NameNode answered meanwhile
	CPUs          int       `json:"cpus"`
	Disk          diskRates `json:"disk"`
}

// yarnTasks are a job's tasks of one kind, with Hadoop's part in them.
type yarnTasks struct {
	Tasks     int64   `json:"tasks"`
	Seconds   float64 `json:"seconds"`   // of all tasks, one behind the other
	CPU       float64 `json:"cpu"`       // seconds of processor time of our processes
	Java      float64 `json:"java"`      // and of the JVMs beside them
	Read      int64   `json:"read"`      // bytes from local disks: what was spilled
	Written   int64   `json:"written"`   // and to them
	Ours      int64   `json:"ours"`      // peak bytes of memory of one of our processes
	Container int64   `json:"container"` // and of a container, as Hadoop saw it
}

// yarnBench is a cluster that a job is measured on.
type yarnBench struct {
	h      *harness
	c      *hadooptest.Cluster
	client *hdfs.Client
	input  string
	r      *yarnResult

	ours, java map[int]used // by process
}

// yarnVerb converts with the engine hadoop, once, and compares what is in the output with
// the local engine's.
func yarnVerb(ctx context.Context, args []string) (err error) {
	flags := flag.NewFlagSet("yarn", flag.ContinueOnError)
	p := cacheFlag(flags)
	out := flags.String("out", "", "the file of results (default: none)")
	input := flags.String("input", "lineitem10", "the input, a file or folder of the cache's data")
	memory := flags.Int("container", 4096, "MiB that the node gives to containers")
	if err := flags.Parse(args); err != nil {
		return err
	}
	unlock, err := lock(*p)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	h, err := newHarness(ctx, *p, 1)
	if err != nil {
		return err
	}
	c, stop, err := hadooptest.Run(hadooptest.Options{Yarn: true, Conf: map[string]string{
		"yarn.nodemanager.resource.memory-mb": strconv.Itoa(*memory),
	}})
	defer stop()
	if err != nil {
		return err
	}
	client, err := hdfs.NewClient(hdfs.ClientOptions{Addresses: []string{c.NameNodeAddress}, User: "bench"})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, client.Close()) }()
	b := &yarnBench{h: h, c: c, client: client, input: h.data(*input), r: &yarnResult{Input: *input, CPUs: runtime.NumCPU()},
		ours: map[int]used{}, java: map[int]used{}}
	all := &results{Yarn: b.r, Runs: []runInfo{{
		Machine: thisMachine(), Versions: versions(ctx), Pairs: 1,
		Command: told(flags),
	}}}
	start := time.Now()
	if err := b.run(ctx); err != nil {
		return err
	}
	b.r.Seconds = time.Since(start).Seconds()
	all.print(os.Stdout)
	if *out == "" {
		return nil
	}
	return all.save(*out)
}

// told is the command without the place that results go to.
func told(flags *flag.FlagSet) string {
	command := "go run ./bench yarn"
	flags.Visit(func(f *flag.Flag) {
		if f.Name != "out" && f.Name != "cache" {
			command += " -" + f.Name + " " + f.Value.String()
		}
	})
	return command
}

// run puts the input, converts it, and compares.
func (b *yarnBench) run(ctx context.Context) (err error) {
	if b.r.Disk, err = probeDisk(b.h.work, 1<<30); err != nil {
		return err
	}
	if err := b.put(); err != nil {
		return err
	}
	report, err := b.convert(ctx)
	if err != nil {
		return err
	}
	if err := b.count(report); err != nil {
		return err
	}
	if err := b.blocks(ctx); err != nil {
		return err
	}
	return b.compare(ctx)
}

// Where input and output are in HDFS.
const (
	yarnInput  = "/in"
	yarnOutput = "/out"
)

// put copies the input's files to HDFS.
func (b *yarnBench) put() error {
	files := []string{b.input}
	if info, err := os.Stat(b.input); err != nil {
		return err
	} else if info.IsDir() {
		if files, err = filepath.Glob(filepath.Join(b.input, "*.avro")); err != nil {
			return err
		}
	}
	err := b.client.MkdirAll(yarnInput, 0o755)
	for _, f := range files {
		if err == nil {
			err = b.client.CopyToRemote(f, yarnInput+"/"+filepath.Base(f))
		}
		if hdfs.IsErrReplicating(err) { // not reported yet, and there
			err = nil
		}
	}
	return err
}

// convert runs the command, and watches its tasks.
func (b *yarnBench) convert(ctx context.Context) (*jobs.Report, error) {
	name := filepath.Join(b.h.work, "yarn-report.json")
	cmd := exec.CommandContext(ctx, b.h.ours, "--engine", "hadoop", "--report", name, b.c.URI()+yarnInput, b.c.URI()+yarnOutput)
	cmd.Env = append(os.Environ(), "HADOOP_HOME="+b.c.Home(), "HADOOP_CONF_DIR="+b.c.ConfDir())
	cmd.Stderr = os.Stderr
	calls, err := b.nameNodeCalls()
	if err != nil {
		return nil, err
	}
	start := time.Now()
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	done := make(chan error)
	go func() { done <- cmd.Wait() }()
	for ended := false; !ended; {
		select {
		case err = <-done:
			ended = true
		case <-time.After(200 * time.Millisecond):
			b.watch()
		}
	}
	b.r.Wall = time.Since(start).Seconds()
	if err != nil {
		return nil, fmt.Errorf("bench: convert --engine hadoop: %w", err)
	}
	after, err := b.nameNodeCalls()
	b.r.NameNodeCalls = after - calls
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(name)
	report := new(jobs.Report)
	if err == nil {
		err = json.Unmarshal(text, report)
	}
	return report, err
}

// watch takes note of the processor time that the processes in containers have had so far,
// and of the most memory of ours. Hadoop's own counter misses what has ended when it looks.
func (b *yarnBench) watch() {
	for kind, tasks := range map[string]*yarnTasks{"map": &b.r.Map, "reduce": &b.r.Reduce} {
		for _, pid := range b.c.Processes(0, "--hadoop-task="+kind) {
			kib, _ := strconv.ParseInt(strings.TrimSuffix(procField(fmt.Sprintf("/proc/%d/status", pid), "VmHWM"), " kB"), 10, 64)
			tasks.Ours = max(tasks.Ours, kib<<10) // 0 if it has ended
			b.ours[pid] = used{tasks, max(b.ours[pid].seconds, processTime(pid))}
		}
		for _, pid := range b.c.Processes(0, "org.apache.hadoop.mapred.YarnChild") {
			line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid)) // as above
			if strings.Contains(string(line), "_"+kind[:1]+"_0") {
				b.java[pid] = used{tasks, max(b.java[pid].seconds, processTime(pid))}
			}
		}
	}
}

// used is the processor time of a process of a kind of tasks.
type used struct {
	tasks   *yarnTasks
	seconds float64
}

// processTime returns the processor time that a process has had, in seconds; 0 if it has
// ended.
func processTime(pid int) float64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	_, behind, _ := strings.Cut(string(text), ") ") // the command's name may hold anything but that
	fields := strings.Fields(behind)
	if len(fields) < 13 {
		return 0
	}
	user, _ := strconv.ParseFloat(fields[11], 64)
	system, _ := strconv.ParseFloat(fields[12], 64)
	return (user + system) / ticks
}

// nameNodeCalls returns how many calls the NameNode has answered, without those that come
// with time alone.
func (b *yarnBench) nameNodeCalls() (calls int64, err error) {
	var all struct{ Beans []map[string]any }
	err = b.c.AskNameNode("/jmx?qry=Hadoop:service=NameNode,name=RpcDetailedActivityForPort*", &all)
	for _, bean := range all.Beans {
		for name, n := range bean {
			if n, ok := n.(float64); ok && strings.HasSuffix(name, "NumOps") && !slices.Contains([]string{"SendHeartbeatNumOps", "RenewLeaseNumOps"}, name) {
				calls += int64(n)
			}
		}
	}
	return calls, err
}

// yarnCounters are what the history server knows of a job.
type yarnCounters struct {
	JobCounters struct {
		CounterGroup []struct {
			Counter []struct {
				Name                                                   string
				TotalCounterValue, MapCounterValue, ReduceCounterValue int64
			}
		}
	}
}

// of returns a counter of the map tasks, the reduce tasks, and the job.
func (y *yarnCounters) of(name string) (mapped, reduced, total int64) {
	for _, g := range y.JobCounters.CounterGroup {
		for _, c := range g.Counter {
			if c.Name == name {
				return c.MapCounterValue, c.ReduceCounterValue, c.TotalCounterValue
			}
		}
	}
	return 0, 0, 0
}

// count enters what the report and the history server say.
func (b *yarnBench) count(report *jobs.Report) error {
	r, n := b.r, &report.Counters
	r.Rows, r.InputBytes, r.OutputBytes, r.OutputFiles = n.Rows, n.InputBytes, n.OutputBytes, n.OutputFiles
	r.FileSize, r.TaskMemory = report.Options.FileSize, report.Run.Memory
	path := "/ws/v1/history/mapreduce/jobs/" + report.Run.Hadoop.Job
	var counters yarnCounters
	var times struct {
		Job struct{ SubmitTime, FinishTime int64 }
	}
	const tries = 60 // the server looks for new jobs now and then
	err := b.c.AskHistory(path+"/counters", &counters)
	for n := 0; n < tries && (err != nil || len(counters.JobCounters.CounterGroup) == 0); n++ {
		time.Sleep(time.Second)
		err = b.c.AskHistory(path+"/counters", &counters)
	}
	if err = errors.Join(err, b.c.AskHistory(path, &times)); err != nil {
		return fmt.Errorf("bench: the history of %s: %w", report.Run.Hadoop.Job, err)
	}
	for _, u := range b.ours {
		u.tasks.CPU += u.seconds
	}
	for _, u := range b.java {
		u.tasks.Java += u.seconds
	}
	r.JobWall = float64(times.Job.FinishTime-times.Job.SubmitTime) / 1e3
	r.enter(&counters)
	return nil
}

// enter enters a job's counters.
func (r *yarnResult) enter(c *yarnCounters) {
	_, _, r.Shuffled = c.of("REDUCE_SHUFFLE_BYTES")
	_, _, r.Map.Tasks = c.of("TOTAL_LAUNCHED_MAPS")
	_, _, r.Reduce.Tasks = c.of("TOTAL_LAUNCHED_REDUCES")
	_, _, mapMillis := c.of("MILLIS_MAPS")
	_, _, reduceMillis := c.of("MILLIS_REDUCES")
	r.Map.Seconds, r.Reduce.Seconds = float64(mapMillis)/1e3, float64(reduceMillis)/1e3
	r.Map.Read, r.Reduce.Read, _ = c.of("FILE_BYTES_READ")
	r.Map.Written, r.Reduce.Written, _ = c.of("FILE_BYTES_WRITTEN")
	r.Map.Container, _, _ = c.of("MAP_PHYSICAL_MEMORY_BYTES_MAX")
	_, r.Reduce.Container, _ = c.of("REDUCE_PHYSICAL_MEMORY_BYTES_MAX")
}

// blocks has fsck count the output's blocks; there must be one a file, and _SUCCESS's.
func (b *yarnBench) blocks(ctx context.Context) error {
	out, err := exec.CommandContext(ctx, filepath.Join(b.c.Home(), "bin", "hdfs"), "fsck", yarnOutput, "-files", "-blocks").Output()
	if err != nil {
		return fmt.Errorf("bench: hdfs fsck: %w", err)
	}
	m := regexp.MustCompile(`Total blocks \(validated\):\s+(\d+)`).FindSubmatch(out)
	if m == nil {
		return fmt.Errorf("bench: hdfs fsck says %s", out)
	}
	b.r.Blocks, err = strconv.ParseInt(string(m[1]), 10, 64)
	b.r.Blocks-- // _SUCCESS
	if err == nil && b.r.Blocks != b.r.OutputFiles {
		err = fmt.Errorf("bench: %d files in %d blocks", b.r.OutputFiles, b.r.Blocks)
	}
	return err
}

// compare compares all values, in order, with those that the local engine makes.
func (b *yarnBench) compare(ctx context.Context) (err error) {
	got, want := filepath.Join(b.h.work, "yarn"), filepath.Join(b.h.work, "local")
	defer func() { err = errors.Join(err, os.RemoveAll(got), os.RemoveAll(want)) }()
	if err := errors.Join(os.RemoveAll(got), os.RemoveAll(want)); err != nil {
		return err
	}
	for _, cmd := range [][]string{
		{filepath.Join(b.c.Home(), "bin", "hdfs"), "dfs", "-get", yarnOutput, got},
		{b.h.ours, b.input, want},
	} {
		if err := run(ctx, cmd[0], cmd[1:]...); err != nil {
			return err
		}
	}
	ours, err := b.h.answerOf(ctx, got)
	if err != nil {
		return err
	}
	local, err := b.h.answerOf(ctx, want)
	if err != nil {
		return err
	}
	return local.same(ours)
}
