package run

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"avro2trevni/bench/internal/data"
	"avro2trevni/bench/internal/report"
)

// benchCase is one input and those who convert it.
type benchCase struct {
	name, what string
	input      string // a file or folder under the data folder
	outside    bool   // input is where it says, not under the data folder
	quick      string // what to take for input in quick mode; "" leaves the case out
	contenders []contender
	figures    []report.Figure
	columns    bool     // compare the raw bytes of each column
	sums       bool     // answers are told by pyarrow: see sumsOf
	bytes      bool     // answers are the outputs' bytes: see bytesOf
	brief      []string // the contenders in quick mode; all if empty
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
	// needs are the files without which it is missing.
	needs []string
	// ours tells that it is our program: that must not fail.
	ours bool
	// parquet tells that the output is Parquet's: what it cannot hold as Trevni does
	// is no mistake, but there is nothing to compare.
	parquet bool
}

// layout is where one run finds and puts its files.
type layout struct{ input, output, temp string }

// The tools to run; set by newHarness.
type Programs struct {
	Ours, Self, java, avroTools string
	peers                       data.PeerTools
}

// missing returns why contender c cannot run, or "".
func (p Programs) missing(c contender) string {
	program := c.command(layout{})[0]
	if program == "" || !data.Exists(program) {
		return "not built or not installed"
	}
	for _, need := range c.needs {
		if !data.Exists(need) {
			return "no " + filepath.Base(need) + ": run the data verb"
		}
	}
	return ""
}

func (p Programs) convert(name string, flags ...string) contender {
	return contender{name: name, output: "ours-" + name, ours: true, command: func(l layout) []string {
		args := append([]string{p.Ours}, flags...)
		return append(args, "--temp-dir", l.temp, l.input, l.output)
	}}
}

// choose leaves the contenders named, all if none are, and the figures that are of them.
func (c *benchCase) choose(names []string) {
	c.contenders = slices.DeleteFunc(slices.Clone(c.contenders), func(o contender) bool { return !data.Wanted(names, o.name) })
	there := func(name string) bool {
		return name == "" || slices.ContainsFunc(c.contenders, func(o contender) bool { return o.name == name })
	}
	c.figures = slices.DeleteFunc(slices.Clone(c.figures), func(f report.Figure) bool { return !there(f.Of) || !there(f.To) })
}

// beside adds another build of ours as "other", after it; none if path is "".
func (c *benchCase) beside(path string) {
	i := slices.IndexFunc(c.contenders, func(o contender) bool { return o.name == "ours" })
	if path == "" || i < 0 {
		return
	}
	ours := c.contenders[i]
	other := contender{name: "other", output: "ours-other", ours: true, command: func(l layout) []string {
		return append([]string{path}, ours.command(l)[1:]...)
	}}
	c.contenders = slices.Insert(slices.Clone(c.contenders), i+1, other)
	c.figures = append(slices.Clone(c.figures),
		report.Figure{Name: "times the other build's time", Measure: "wall", Of: "ours", To: "other"},
		report.Figure{Name: "times the other build's processor time", Measure: "cpu", Of: "ours", To: "other"})
}

func (p Programs) limit() contender {
	return contender{name: "limit", command: func(l layout) []string { return []string{p.Self, "limit", l.input} }}
}

// The bound that is measured, and the most that the process may then hold.
const (
	bound     = "128MiB"
	mostBytes = 160 << 20
)

func (p Programs) memoryCases() []benchCase {
	within := func(name, input, what string, flags ...string) benchCase {
		with := func(memory string) []string { return append([]string{"--memory", memory}, flags...) }
		return benchCase{
			name: name, what: what, input: input,
			contenders: []contender{p.convert("bounded", with(bound)...), p.convert("unbounded", with(report.Unbounded)...)},
			figures:    boundFigures(),
		}
	}
	cases := []benchCase{
		within("memory-lineitem", "lineitem-snappy.avro", "TPC-H lineitem"),
		within("memory-polars", "lineitem-polars.avro", "the same as polars writes it: blocks of 6 MB, every field a union with null"),
		within("memory-oneblock", "lineitem-oneblock.avro", "the same in a single block", "--max-block-bytes", "1GiB"),
		within("memory-lineitem10", "lineitem10", fmt.Sprintf("%d inputs that are hard links to lineitem", data.Copies)),
		within("memory-wide", "wide-snappy.avro", "300 columns of ten types"),
		within("memory-nested", "nested-snappy.avro", "events"),
		within("memory-events", "events-snappy.avro", "a log: hashes, nanoseconds, URLs, JSON, each field nullable"),
	}
	cases[0].quick = data.Tenth
	return append(cases, p.parquetMemoryCases()...)
}

// workerCounts are 1, 2, 4 and so on up to n, and n.
func workerCounts(n int) (counts []string) {
	for i := 1; i < n; i *= 2 {
		counts = append(counts, fmt.Sprint(i))
	}
	return append(counts, fmt.Sprint(n))
}

// ErrNoColumn is returned for a case that a table has no columns for.
var ErrNoColumn = errors.New("bench: the table has no such column")
