package run

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"avro2trevni/bench/internal/data"
	"avro2trevni/bench/internal/report"
)

// The contenders that convert to Parquet, by the names that tables have for them.
const (
	OursParquet = "ours"
	oursModern  = "ours-modern"
	oursZstd    = "ours-zstd"
	arrowRS     = "arrow-rs"
	parquetAvro = "parquet-avro"
	duckdbAvro  = "duckdb"
)

// ParquetPeers are the others' programs, in the order of tables.
var ParquetPeers = []string{arrowRS, "datafusion", "clickhouse", "polars", duckdbAvro, parquetAvro, "spark"}

// parquetConverters are all programs that convert to snappy Parquet.
func (p Programs) parquetConverters() []contender {
	snappy := func(name string, flags ...string) contender {
		return p.toParquet(name, append([]string{"--codec", "snappy"}, flags...)...)
	}
	return []contender{
		snappy(OursParquet), p.arrowRS(), snappy(oursModern, "--encodings", "modern"),
		p.toParquet(oursZstd, "--codec", "zstd", "--encodings", "modern"),
		p.pythonParquet("datafusion"), p.pythonParquet("clickhouse"), p.pythonParquet("polars"), p.pythonParquet(duckdbAvro),
		p.parquetAvro(), p.sparkParquet("snappy"),
	}
}

// toParquet is ours with flags; it makes one file.
func (p Programs) toParquet(name string, flags ...string) contender {
	c := p.convert(name, flags...)
	c.output += ".parquet"
	c.parquet = true
	return c
}

// arrowRS has as many threads as there are processors; each encodes a row group.
func (p Programs) arrowRS() contender {
	return contender{name: arrowRS, output: "arrow-rs.parquet", parquet: true, command: func(l layout) []string {
		return []string{p.peers.ArrowRS, l.input, l.output, strconv.Itoa(runtime.NumCPU())}
	}}
}

// pythonParquet is an engine that parquet_convert.py drives.
func (p Programs) pythonParquet(engine string) contender {
	script := filepath.Join(p.peers.Scripts, "parquet_convert.py")
	python := p.peers.ParquetPython
	if engine == "polars" {
		python = p.peers.Python
	}
	return contender{name: engine, output: engine + ".parquet", parquet: true, needs: []string{script}, command: func(l layout) []string {
		return []string{python, script, engine, l.input, l.output, "snappy"}
	}}
}

func (p Programs) parquetAvro() contender {
	class := filepath.Join(p.peers.Scripts, "ParquetAvro.class")
	return contender{name: parquetAvro, output: "parquet-avro.parquet", parquet: true, needs: []string{class}, command: func(l layout) []string {
		return []string{p.java, "-Xmx" + javaHeap, noPerfData, "-cp", p.peers.Scripts + string(os.PathListSeparator) + p.peers.ParquetJars + "/*",
			"ParquetAvro", l.input, l.output, "snappy"}
	}}
}

// noPerfData keeps a JVM from sharing counters through a file, which it would say on
// standard output where a dead one's file has its name.
const noPerfData = "-XX:-UsePerfData"

// against are the figures of ours against another: time, processor time, size, memory.
func against(peer string, wall, cpu float64) []report.Figure {
	return []report.Figure{
		{Name: "wall time, to that of " + peer, Measure: "wall", Of: OursParquet, To: peer, AtMost: wall},
		{Name: "processor time, to that of " + peer, Measure: "cpu", Of: OursParquet, To: peer, AtMost: cpu},
		{Name: "file, to that of " + peer, Measure: "output", Of: OursParquet, To: peer},
		{Name: "peak memory, to that of " + peer, Measure: "memory", Of: OursParquet, To: peer},
	}
}

// fileUnder is the figure of a file's size in megabytes.
func fileUnder(of string, megabytes float64) report.Figure {
	return report.Figure{Name: "file of " + of, Measure: "output", Of: of, AtMost: megabytes * 1e6}
}

// parquetCases are conversions to snappy Parquet, against all who convert there.
func (p Programs) parquetCases() []benchCase {
	table := func(name, what, quick string, figures ...report.Figure) benchCase {
		return benchCase{name: "parquet-" + name, what: what, input: name + "-snappy.avro", quick: quick, sums: true,
			figures: figures, contenders: p.parquetConverters()}
	}
	lineitem := append(against(arrowRS, 0.5, 0.5), fileUnder(OursParquet, 206), fileUnder(oursModern, 180), fileUnder(oursZstd, 155))
	nested := append(against(duckdbAvro, 0, 0), against(parquetAvro, 0, 0)...)
	return []benchCase{
		table("lineitem", "TPC-H lineitem", data.QuickInput, lineitem...),
		table("wide", "300 columns of ten types", "", append(against(arrowRS, 0.6, 0), against(duckdbAvro, 0, 0)...)...),
		table("nested", "events: arrays of records with arrays, unions of records", "", nested...),
		table("nullable", "20 nullable columns, 99% present", "", against(arrowRS, 0, 0)...),
		table("sparse", "12 nullable columns, 0% to 99% present", "", against(arrowRS, 0, 0)...),
		table("events", "a log: hashes, nanoseconds, URLs, JSON, each field nullable", "", against(arrowRS, 0.5, 0.5)...),
	}
}

// parquetMemoryCases are the sizes of row groups and tables that are hard to convert within
// a bound.
func (p Programs) parquetMemoryCases() []benchCase {
	within := func(name, input, what string, flags ...string) benchCase {
		with := func(memory string) []string { return append([]string{"--memory", memory}, flags...) }
		return benchCase{
			name: "memory-parquet-" + name, what: "to Parquet: " + what, input: input, bytes: true,
			contenders: []contender{p.toParquet("bounded", with(bound)...), p.toParquet("unbounded", with(report.Unbounded)...)},
			figures:    boundFigures(),
		}
	}
	return []benchCase{
		within("lineitem-8MiB", data.LineitemInput, "TPC-H lineitem, row groups of 8 MiB", "--row-group-size", "8MiB"),
		within("lineitem-1GiB", data.LineitemInput, "TPC-H lineitem, one row group", "--row-group-size", "1GiB"),
		within("wide", "wide-snappy.avro", "300 columns of ten types"),
		within("events", "events-snappy.avro", "a log: hashes, nanoseconds, URLs, JSON, each field nullable"),
		within("lineitem10", "lineitem10", fmt.Sprintf("%d inputs that are hard links to lineitem", data.Copies)),
	}
}

// boundFigures are what is asked of a bounded conversion against one that is not.
func boundFigures() []report.Figure {
	return []report.Figure{
		{Name: "peak memory with --memory " + bound, Measure: "memory", Of: "bounded", AtMost: mostBytes},
		{Name: "times an unbounded run's time", Measure: "wall", Of: "bounded", To: "unbounded", AtMost: 2},
		{Name: "times an unbounded run's processor time", Measure: "cpu", Of: "bounded", To: "unbounded"},
	}
}

// figureCases are the least that shows what conversion to Parquet is to reach.
func (p Programs) figureCases() []benchCase {
	with := map[string][]string{
		"parquet-lineitem": {OursParquet, arrowRS, oursModern, oursZstd}, "parquet-wide": {OursParquet, arrowRS, duckdbAvro},
		"parquet-nested": {OursParquet, duckdbAvro, parquetAvro}, "parquet-events": {OursParquet, arrowRS},
	}
	var all []benchCase
	for _, c := range p.parquetCases() {
		if names := with[c.name]; names != nil {
			c.choose(names)
			all = append(all, c)
		}
	}
	return append(all, p.parquetMemoryCases()...)
}

// bytesOf is the digest of a file, for programs that are to make the same bytes.
func bytesOf(path string) (*Answer, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	sum := sha256.New()
	n, err := io.Copy(sum, f)
	return &Answer{Columns: []columnAnswer{{Name: "the file's bytes", Raw: n, Digest: fmt.Sprintf("%x", sum.Sum(nil)[:8])}}}, err
}

// ParquetFile is what a contender has made of an input.
type ParquetFile struct{ Name, Path string }

// MakeParquet has all that convert to Parquet, or those named in only, convert an input, and
// keeps the files that hold the same: those of others in the cache, ours made anew at each
// call. It returns them, and those that are missing.
func (h *Harness) MakeParquet(ctx context.Context, input string, only []string) ([]ParquetFile, []report.Outcome, error) {
	c := benchCase{name: "files of " + input, input: input, sums: true, contenders: h.parquetConverters()}
	c.choose(only)
	kept := h.Data("parquet-" + strings.TrimSuffix(input, ".avro"))
	var files []ParquetFile
	var missing []report.Outcome
	var first *Answer
	for _, r := range h.runners(c, h.Data(input)) {
		r.Job.Output = filepath.Join(kept, filepath.Base(r.Job.Output))
		r.Job.Command = r.command(layout{input: r.input, output: r.Job.Output, temp: r.Job.Temp})
		answer, err := h.keep(ctx, r)
		switch {
		case err != nil && r.ours:
			return nil, nil, err
		case err == nil && answer != nil && first != nil:
			err = first.Same(answer)
		}
		if err != nil {
			r.miss(c.name, h.why(err, r))
		}
		if r.Missing != "" {
			missing = append(missing, report.Outcome{Name: r.Outcome.Name, Missing: r.Missing})
			continue
		}
		if first == nil {
			first = answer
		}
		files = append(files, ParquetFile{r.Outcome.Name, r.Job.Output})
	}
	return files, missing, ctx.Err()
}

// keep runs a contender, unless it is another's whose file is kept already, and tells what
// the file holds; nil if the contender is missing.
func (h *Harness) keep(ctx context.Context, r *runner) (*Answer, error) {
	if r.Missing != "" {
		return nil, nil
	}
	if r.ours || !data.Exists(r.Job.Output) {
		if err := errors.Join(r.Clean(), os.MkdirAll(filepath.Dir(r.Job.Output), 0o755)); err != nil {
			return nil, err
		}
		if _, err := Measure(ctx, r.Job); err != nil {
			return nil, errors.Join(err, os.RemoveAll(r.Job.Output))
		}
	}
	return h.sumsOf(ctx, r.Job.Output)
}

// sumsOf is what Parquet files hold, told by pyarrow: rows, and for each field the number
// of its values and the sum of their hashes.
func (h *Harness) sumsOf(ctx context.Context, path string) (*Answer, error) {
	script := filepath.Join(h.peers.Scripts, "parquet_sums.py")
	out, err := exec.CommandContext(ctx, h.Python(), script, path).Output()
	if exit, ok := err.(*exec.ExitError); ok {
		return nil, fmt.Errorf("bench: sums of %s: %w: %s", path, err, Tail(string(exit.Stderr)))
	}
	if err != nil {
		return nil, err
	}
	a := &Answer{}
	return a, json.Unmarshal(out, a)
}
