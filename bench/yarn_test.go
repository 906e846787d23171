package main

import (
	"encoding/json"
	"strings"
	"testing"
)

// counted is what a job of a gigabyte might have counted.
func counted() *yarnResult {
	return &yarnResult{
		Rows: 1e6, InputBytes: 1e9, OutputBytes: 8e8, OutputFiles: 1, FileSize: 1 << 30, Shuffled: 8.4e8, NameNodeCalls: 200,
		Map:    yarnTasks{Tasks: 8, Seconds: 80, CPU: 30, Java: 10, Written: 8e8},
		Reduce: yarnTasks{Tasks: 1, Seconds: 30, CPU: 15, Java: 5, Read: 8e8, Written: 8e8},
	}
}

// The costs grow with the input and are divided by the nodes, but for the NameNode's and
// for the path.
func TestYarnCost(t *testing.T) {
	r := counted()
	const terabyte = 1e12
	c := r.cost(terabyte, 10)
	for _, test := range []struct {
		what      string
		got, want float64
	}{
		{"processor", c.CPU, 1000 * 60 / nodeCPUs / 10.0},
		{"disk", c.Disk, (1e12 + 2.4e12 + 3*8e11) / (nodeDisks * nodeDiskRate) / 10},
		{"sent", c.Sent, 0.7e12 + 0.9*8.4e11 + 2*8e11},
		{"network", c.Network, c.Sent / modelNetwork / 10},
		{"NameNode", c.NameNode, 1000 * 200.0 / nameNodeCalls},
		{"path", c.Path, 10 + 30},
		{"maps", c.Maps, 8000},
		{"reduces", c.Reduces, 1000},
		{"processor of ten times the nodes", r.cost(terabyte, 100).CPU, c.CPU / 10},
		{"path of ten times the nodes", r.cost(terabyte, 100).Path, c.Path},
	} {
		if diff := test.got - test.want; diff > 1e-6*test.want || -diff > 1e-6*test.want {
			t.Errorf("%s: %v, want %v", test.what, test.got, test.want)
		}
	}
}

func TestYarnBinds(t *testing.T) {
	for _, test := range []struct {
		cost    yarnCost
		name    string
		seconds float64
	}{
		{yarnCost{CPU: 3, Disk: 2, Network: 1}, "processor", 3},
		{yarnCost{CPU: 3, Disk: 4, Network: 1}, "disk", 4},
		{yarnCost{CPU: 3, Network: 5, Path: 4}, "network", 5},
		{yarnCost{NameNode: 6, Path: 5}, "NameNode", 6},
		{yarnCost{CPU: 1, Path: 2}, "one task behind the other", 2},
	} {
		if name, seconds := test.cost.binds(); name != test.name || seconds != test.seconds {
			t.Errorf("%+v: %s, %v", test.cost, name, seconds)
		}
	}
}

// Counters are taken from where the history server has them: of map tasks, of reduce
// tasks, or of the job.
func TestYarnCounters(t *testing.T) {
	const text = `{"jobCounters":{"id":"job_1_0001","counterGroup":[
		{"counterGroupName":"JobCounter","counter":[
			{"name":"TOTAL_LAUNCHED_MAPS","mapCounterValue":0,"reduceCounterValue":0,"totalCounterValue":4},
			{"name":"MILLIS_REDUCES","mapCounterValue":0,"reduceCounterValue":0,"totalCounterValue":2500}]},
		{"counterGroupName":"TaskCounter","counter":[
			{"name":"FILE_BYTES_READ","mapCounterValue":15,"reduceCounterValue":5,"totalCounterValue":20},
			{"name":"REDUCE_SHUFFLE_BYTES","mapCounterValue":0,"reduceCounterValue":77,"totalCounterValue":77}]}]}}`
	var c yarnCounters
	if err := json.Unmarshal([]byte(text), &c); err != nil {
		t.Fatal(err)
	}
	r := new(yarnResult)
	r.enter(&c)
	if r.Map.Tasks != 4 || r.Reduce.Seconds != 2.5 || r.Map.Read != 15 || r.Reduce.Read != 5 || r.Shuffled != 77 {
		t.Errorf("%+v", r)
	}
}

func TestYarnPrint(t *testing.T) {
	var out strings.Builder
	counted().print(&out)
	for _, want := range []string{"**1.050** of the output", "| map | 8 | 10.0 | 30.0 | 10.0 |", "| 10 | 80000 | 10000 | 3750 |", "| 1000 |"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing in\n%s", want, &out)
		}
	}
}
