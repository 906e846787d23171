package main

import (
	"fmt"
	"io"
	"math"
)

// What the model of YARN assumes of each of its machines, and of the NameNode.
const (
	nodeCPUs      = 16
	nodeDisks     = 12     // each as fast as the one that was measured is taken to be, below
	nodeDiskRate  = 150e6  // bytes a second, of one disk, in sequence
	nameNodeCalls = 20_000 // a second
	yarnInputTB   = 10.0
)

// yarnNodes are how many machines the model is asked about.
var yarnNodes = []int{10, 100, 1000}

// yarnCost is what the model says of a job: seconds in which each part is busy from the
// job's start to its end, if it waits for nothing else.
type yarnCost struct {
	Nodes                              int
	CPU, Disk, Network, NameNode, Path float64
	Sent                               float64 // bytes over the network
	Maps, Reduces                      float64
}

// cost is the model. All that was counted grows with the input's bytes, and but for the
// NameNode's part is divided by the machines:
//
//	processor  CPU seconds of JVMs and our processes / processors
//	disk       (input + spills read + spills written + output × 3) / the disks' rate
//	network    (input that no copy is near of: Streaming hands out lines, not blocks, so
//	           (N-3)/N of it; shuffled × (N-1)/N; two copies of the output) / rate
//	NameNode   calls / its rate
//	path       a map task and, when all are done, a reduce task, one behind the other:
//	           no number of machines makes it less
//
// The first four go on side by side, the longest decides; the path is a bound of its own.
func (r *yarnResult) cost(input float64, nodes int) yarnCost {
	times, n := input/float64(max(r.InputBytes, 1)), float64(nodes)
	output, shuffled := times*float64(r.OutputBytes), times*float64(r.Shuffled)
	local := times * float64(r.Map.Read+r.Map.Written+r.Reduce.Read+r.Reduce.Written)
	copies := min(modelReplication, n)
	c := yarnCost{
		Nodes:    nodes,
		CPU:      times * (r.Map.CPU + r.Map.Java + r.Reduce.CPU + r.Reduce.Java) / nodeCPUs / n,
		Disk:     (input + local + output*copies) / (nodeDisks * nodeDiskRate) / n,
		Sent:     input*(n-copies)/n + shuffled*(n-1)/n + output*(copies-1),
		NameNode: times * float64(r.NameNodeCalls) / nameNodeCalls,
		Path:     r.Map.each() + r.Reduce.each(),
		Maps:     math.Ceil(times * float64(r.Map.Tasks)), Reduces: math.Ceil(times * float64(r.Reduce.Tasks)),
	}
	c.Network = c.Sent / n / modelNetwork
	return c
}

// each returns the seconds of one task.
func (t *yarnTasks) each() float64 { return t.Seconds / float64(max(t.Tasks, 1)) }

// binds names what takes longest, and returns its seconds.
func (c *yarnCost) binds() (name string, seconds float64) {
	for _, part := range []struct {
		name    string
		seconds float64
	}{{"processor", c.CPU}, {"disk", c.Disk}, {"network", c.Network}, {"NameNode", c.NameNode}, {"one task behind the other", c.Path}} {
		if part.seconds > seconds {
			name, seconds = part.name, part.seconds
		}
	}
	return name, seconds
}

// print writes what was measured, and what the model makes of it, as Markdown.
func (r *yarnResult) print(w io.Writer) {
	const mb, mib = 1e6, 1 << 20
	fmt.Fprintf(w, "%s, %d rows, %.0f MB, from HDFS to HDFS with `--engine hadoop`, once, on one node of %d CPUs that all daemons share: "+
		"**%.0f s**, %.0f s of them the job's. The output is %.0f MB in %d files of at most %.0f MiB, each one block; all values, in order, are those of the local engine.\n\n",
		r.Input, r.Rows, float64(r.InputBytes)/mb, r.CPUs, r.Wall, r.JobWall, float64(r.OutputBytes)/mb, r.OutputFiles, float64(r.FileSize)/mib)
	fmt.Fprintln(w, "| tasks | how many | seconds each | CPU s, ours | CPU s, JVMs | read from disk MB | written MB | peak MiB, ours | container |")
	fmt.Fprintln(w, "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
	for _, t := range []struct {
		name string
		*yarnTasks
	}{{"map", &r.Map}, {"reduce", &r.Reduce}} {
		fmt.Fprintf(w, "| %s | %d | %.1f | %.1f | %.1f | %.1f | %.1f | %.0f | %.0f |\n", t.name, t.Tasks, t.each(), t.CPU, t.Java,
			float64(t.Read)/mb, float64(t.Written)/mb, float64(t.Ours)/mib, float64(t.Container)/mib)
	}
	fmt.Fprintf(w, "\nThrough the shuffle went %.1f MB: **%.3f** of the output (asked: at most 1.1). The NameNode answered %d calls. `--memory` of a task was %.0f MiB.\n\n",
		float64(r.Shuffled)/mb, r.ratio(), r.NameNodeCalls, float64(r.TaskMemory)/mib)
	r.printModel(w)
}

// ratio returns the bytes through the shuffle by those of the output.
func (r *yarnResult) ratio() float64 { return float64(r.Shuffled) / float64(max(r.OutputBytes, 1)) }

func (r *yarnResult) printModel(w io.Writer) {
	fmt.Fprintf(w, "A model, not a measurement: what %.0f TB of Avro cost if all that was counted grows with the input. Assumed of each node: %d CPUs as here, "+
		"%d disks of %.0f MB/s, a network of %.0f MB/s in and out; of HDFS %d copies, and a NameNode that answers %d calls a second.\n\n",
		yarnInputTB, nodeCPUs, nodeDisks, nodeDiskRate/1e6, modelNetwork/1e6, modelReplication, nameNodeCalls)
	fmt.Fprintln(w, "| nodes | map tasks | reduce tasks | processor s | disk s | network s | NameNode s | task after task s | binds first | minutes | TB sent |")
	fmt.Fprintln(w, "| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- | ---: | ---: |")
	for _, n := range yarnNodes {
		c := r.cost(yarnInputTB*1e12, n)
		name, seconds := c.binds()
		fmt.Fprintf(w, "| %d | %.0f | %.0f | %.0f | %.0f | %.0f | %.1f | %.0f | %s | %s | %.1f |\n", n, c.Maps, c.Reduces, c.CPU, c.Disk, c.Network,
			c.NameNode, c.Path, name, threeDigits(seconds/60), c.Sent/1e12)
	}
	fmt.Fprintln(w)
}
