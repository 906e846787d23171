package main

import (
	"fmt"
	"path/filepath"
)

// benchCase is one input and those who convert it.
type benchCase struct {
	name, what string
	input      string // a file or folder under the data folder
	contenders []contender
	figures    []figure
	columns    bool // compare the raw bytes of each column
}

// contender is a program to be measured.
type contender struct {
	name string
	// command is what to run to convert input to output, with temp for its
	// temporary files.
	command func(l layout) []string
	// output is the file or folder that it makes in the work folder, or "" if it
	// makes none and so has no answer to compare.
	output string
}

// layout is where one run finds and puts its files.
type layout struct{ input, output, temp string }

// The tools to run; set by newHarness.
type programs struct{ ours, self, java, avroTools string }

// missing returns why contender c cannot run, or "".
func (p programs) missing(c contender) string {
	program := c.command(layout{})[0]
	if program == "" || !exists(program) {
		return "not built or not installed"
	}
	if program == p.java && !exists(p.avroTools) {
		return "no " + filepath.Base(p.avroTools) + ": run the data verb"
	}
	return ""
}

func (p programs) convert(name string, flags ...string) contender {
	return contender{name: name, output: "ours-" + name, command: func(l layout) []string {
		args := append([]string{p.ours}, flags...)
		return append(args, "--temp-dir", l.temp, l.input, l.output)
	}}
}

func (p programs) totrevni(codec string) contender {
	return contender{name: "totrevni", output: "totrevni.trv", command: func(l layout) []string {
		return []string{p.java, "-jar", p.avroTools, "totrevni", "--codec", codec, l.input, l.output}
	}}
}

func (p programs) limit() contender {
	return contender{name: "limit", command: func(l layout) []string { return []string{p.self, "limit", l.input} }}
}

// times are the figures about speed: ours against totrevni, and against the limit.
func times(atLeast float64) []figure {
	return []figure{
		{Name: "times as fast as totrevni", Measure: "wall", Of: "totrevni", To: "ours", AtLeast: atLeast},
		{Name: "times less processor time", Measure: "cpu", Of: "totrevni", To: "ours"},
		{Name: "times the limit's time", Measure: "wall", Of: "ours", To: "limit"},
	}
}

// size is the figure about our output against totrevni's.
func size(atMost float64) figure {
	return figure{Name: "output, to totrevni's", Measure: "output", Of: "ours", To: "totrevni", AtMost: atMost}
}

func (p programs) convertCases() []benchCase {
	against := func(name, what, codec string, figures []figure) benchCase {
		return benchCase{
			name: name, what: what, input: name + ".avro", figures: figures,
			contenders: []contender{p.convert("ours", "--codec", codec), p.totrevni(codec), p.limit()},
		}
	}
	cases := []benchCase{
		against("lineitem-snappy", "TPC-H lineitem, snappy to snappy", "snappy", append(times(5), size(0))),
		against("lineitem-deflate", "TPC-H lineitem, deflate to deflate", "deflate", append(times(5), size(1.10))),
		against("wide-snappy", "300 columns of ten types", "snappy", append(times(3), size(0))),
		against("nested-snappy", "events: arrays of records with arrays, unions of records", "snappy", append(times(3), size(0))),
		against("nullable-snappy", "20 nullable columns, 99% present", "snappy", append(times(0), size(1))),
		against("sparse-snappy", "12 nullable columns, 0% to 99% present", "snappy", append(times(0), size(1))),
	}
	cases[4].columns, cases[5].columns = true, true
	return cases
}

// The bound that is measured, and the most that the process may then hold.
const (
	bound     = "128MiB"
	mostBytes = 160 << 20
	unbounded = "16GiB"
)

func (p programs) memoryCases() []benchCase {
	within := func(name, input, what string, flags ...string) benchCase {
		with := func(memory string) []string { return append([]string{"--memory", memory}, flags...) }
		return benchCase{
			name: name, what: what, input: input,
			contenders: []contender{p.convert("bounded", with(bound)...), p.convert("unbounded", with(unbounded)...)},
			figures: []figure{
				{Name: "peak memory with --memory " + bound, Measure: "memory", Of: "bounded", AtMost: mostBytes},
				{Name: "times an unbounded run's time", Measure: "wall", Of: "bounded", To: "unbounded", AtMost: 2},
			},
		}
	}
	return []benchCase{
		within("memory-lineitem", "lineitem-snappy.avro", "TPC-H lineitem"),
		within("memory-polars", "lineitem-polars.avro", "the same as polars writes it: blocks of 6 MB, every field a union with null"),
		within("memory-oneblock", "lineitem-oneblock.avro", "the same in a single block", "--max-block-bytes", "1GiB"),
		within("memory-lineitem10", "lineitem10", fmt.Sprintf("%d inputs that are hard links to lineitem", copies)),
		within("memory-wide", "wide-snappy.avro", "300 columns of ten types"),
		within("memory-nested", "nested-snappy.avro", "events"),
	}
}
