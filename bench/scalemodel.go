package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"
)

// modelInputs are what the model of a larger job starts from: all counted or measured in
// a run with bounded memory.
type modelInputs struct {
	Run          int       `json:"run"` // that has counted them: index of results.Runs
	Rows         int64     `json:"rows"`
	InputBytes   int64     `json:"input_bytes"`
	OutputBytes  int64     `json:"output_bytes"`
	FileSize     int64     `json:"file_size"`     // the most bytes of an output file
	SpilledBytes int64     `json:"spilled_bytes"` // written to temporary files, and read from them once
	CPU          float64   `json:"cpu"`           // seconds of processor time
	Wall         float64   `json:"wall"`          // seconds
	Memory       int64     `json:"memory"`        // peak bytes of the process
	CPUs         int       `json:"cpus"`          // of the machine
	Disk         diskRates `json:"disk"`
}

func (c *conversion) modelInputs(disk diskRates, cpus int) *modelInputs {
	return &modelInputs{
		Rows: c.Counters.Rows, InputBytes: c.Counters.InputBytes, OutputBytes: c.Counters.OutputBytes,
		FileSize: c.Options.FileSize, SpilledBytes: c.Run.SpilledBytes,
		CPU: c.cpu(), Wall: c.Wall, Memory: c.Memory, CPUs: cpus, Disk: disk,
	}
}

// cluster is what the model assumes of machines that share a job, none of it measured.
type cluster struct {
	Machines    int
	Network     float64 // bytes a second, in and out at the same time, of a machine
	Replication int     // copies that the storage keeps of an output
}

// cost is what the model says of a job, for all machines together but for the seconds,
// which all of them spend side by side.
type cost struct {
	Machines            int
	CPU, Disk, Network  float64 // seconds in which a machine is busy with each
	Hours               float64 // of the longest of the three
	Read, Written, Sent float64 // bytes
	Files               float64
}

// cost is the model. Every cost of the run that was counted grows with the input's
// bytes, and is divided by the machines:
//
//	processor  CPU seconds / CPUs of a machine
//	disk       (input + temporary) / read rate + (temporary + output × replication) / write rate
//	network    (what is not where it is needed: shuffled output × (N-1)/N, and the copies
//	           of the output but the first) / network rate
//
// The three go on side by side, so that the job takes as long as the longest. It has no
// term for starting processes, stragglers or failures, and memory does not grow.
func (m *modelInputs) cost(input float64, c cluster) cost {
	times, n := input/float64(max(m.InputBytes, 1)), float64(c.Machines)
	output, spilled := times*float64(m.OutputBytes), times*float64(m.SpilledBytes)
	copies := float64(c.Replication)
	r := cost{
		Machines: c.Machines,
		Read:     input + spilled, Written: spilled + output*copies,
		Sent:  output*(n-1)/n + output*min(copies-1, n-1),
		Files: math.Ceil(output / float64(max(m.FileSize, 1))),
		CPU:   times * m.CPU / float64(max(m.CPUs, 1)) / n,
	}
	r.Disk = (r.Read/m.Disk.Read + r.Written/m.Disk.Write) / n
	r.Network = r.Sent / n / c.Network
	r.Hours = max(r.CPU, r.Disk, r.Network) / 3600
	return r
}

// modelVerb prints what the model says, from results of the scale verb.
func modelVerb(_ context.Context, args []string) error {
	flags := flag.NewFlagSet("model", flag.ContinueOnError)
	input := flags.Float64("terabytes", 1, "the input's size, in 10^12 bytes of Avro")
	machines := flags.String("machines", "", "how many machines, separated by commas (default 1,4,16,64)")
	network := flags.Float64("network", modelNetwork, "bytes a second that each machine can send")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() != 1 {
		return errors.New("usage: model [flags] SCALE.json")
	}
	r, err := loadResults(flags.Arg(0))
	if err != nil {
		return err
	}
	if r.Model == nil {
		return fmt.Errorf("bench: %s has no inputs of the model", flags.Arg(0))
	}
	counts := defaultMachines
	if *machines != "" {
		if counts, err = parseCounts(*machines); err != nil {
			return err
		}
	}
	r.Model.print(os.Stdout, *input*1e12, counts, *network)
	return nil
}

// What the model assumes where nothing else is said: 10 Gbit/s, and three copies as
// HDFS has them. One machine alone keeps one.
const (
	modelNetwork     = 1.25e9
	modelReplication = 3
)

// defaultMachines are how many machines the model is asked about.
var defaultMachines = []int{1, 4, 16, 64}

func parseCounts(list string) (counts []int, err error) {
	for part := range strings.SplitSeq(list, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(part))
		if err != nil || n < 1 {
			return nil, fmt.Errorf("bench: machines %q: want whole numbers from 1", list)
		}
		counts = append(counts, n)
	}
	return counts, nil
}

// print writes the model's inputs and what it says as Markdown.
func (m *modelInputs) print(w io.Writer, input float64, machines []int, network float64) {
	rows := float64(max(m.Rows, 1))
	fmt.Fprintf(w, "A model, not a measurement: what %s TB of Avro cost, if every cost counted in a run of %.1f GB grows with the input.\n\n",
		threeDigits(input/1e12), float64(m.InputBytes)/1e9)
	fmt.Fprintf(w, "Counted: %d rows of %.1f bytes in, %.1f out, %.1f to temporary files and back; %.0f ns of processor time a row, %d CPUs; "+
		"%.0f MiB of memory; a disk that reads %.0f MB/s and writes %.0f MB/s. Assumed: a network of %.0f MB/s a machine, and on more than one machine %d copies of the output.\n\n",
		m.Rows, float64(m.InputBytes)/rows, float64(m.OutputBytes)/rows, float64(m.SpilledBytes)/rows, m.CPU/rows*1e9, m.CPUs,
		float64(m.Memory)/(1<<20), m.Disk.Read/1e6, m.Disk.Write/1e6, network/1e6, modelReplication)
	itself := m.cost(float64(m.InputBytes), cluster{Machines: 1, Network: network, Replication: 1})
	fmt.Fprintf(w, "Of the run itself the model says %s s of processor and %s s of disk side by side; it took %s s, with its input in the page cache.\n\n",
		threeDigits(itself.CPU), threeDigits(itself.Disk), threeDigits(m.Wall))
	fmt.Fprintln(w, "| machines | processor s | disk s | network s | hours | longest | TB read | TB written | TB sent | files |")
	fmt.Fprintln(w, "| ---: | ---: | ---: | ---: | ---: | --- | ---: | ---: | ---: | ---: |")
	for _, n := range machines {
		c := m.cost(input, cluster{Machines: n, Network: network, Replication: replication(n)})
		fmt.Fprintf(w, "| %d | %.0f | %.0f | %.0f | %s | %s | %.2f | %.2f | %.2f | %.0f |\n", n, c.CPU, c.Disk, c.Network,
			threeDigits(c.Hours), c.longest(), c.Read/1e12, c.Written/1e12, c.Sent/1e12, c.Files)
	}
	fmt.Fprintln(w)
}

func replication(machines int) int {
	if machines == 1 {
		return 1
	}
	return modelReplication
}

// longest names what a machine is busy with until the end.
func (c cost) longest() string {
	switch max(c.CPU, c.Disk, c.Network) {
	case c.CPU:
		return "processor"
	case c.Disk:
		return "disk"
	default:
		return "network"
	}
}
