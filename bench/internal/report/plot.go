package report

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"avro2trevni/bench/internal/data"
	"avro2trevni/bench/internal/draw"

	"github.com/dustin/go-humanize"
)

// PlotVerb draws the charts of results that were saved.
func PlotVerb(_ context.Context, args []string) error {
	flags := flag.NewFlagSet("plot", flag.ContinueOnError)
	into := flags.String("into", filepath.Join("docs", "plots"), "the folder of PNG files")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() == 0 {
		return errors.New("usage: plot [-into FOLDER] FILE.json ... FILE.json")
	}
	var all []draw.Chart
	for _, path := range flags.Args() {
		r, err := LoadResults(path)
		if err != nil {
			return err
		}
		all = append(all, r.Charts()...)
	}
	return draw.All(all, *into)
}

// Charts are those that the results have the data for.
func (r *Results) Charts() []draw.Chart {
	all := slices.Concat(r.columnCharts(), r.convertCharts(), r.memoryCharts(), r.blockCharts(), r.scaleCharts(), r.seekCharts())
	for i := range all {
		all[i].Series = slices.DeleteFunc(all[i].Series, func(s draw.Series) bool { return len(s.Points) == 0 })
	}
	return slices.DeleteFunc(all, func(c draw.Chart) bool { return len(c.Series) == 0 && len(c.Bars) == 0 })
}

// columnCharts show what k columns cost: row-major readers pay for the whole row
// whatever k is, column-major ones for what they read. Of bytes one program a format
// is shown: others would lie on the same line.
func (r *Results) columnCharts() []draw.Chart {
	var cases []CaseResult
	for _, c := range r.Cases {
		if c.Scan != nil && (c.Name == "double" || strings.HasPrefix(c.Name, "columns-")) {
			cases = append(cases, c)
		}
	}
	if len(cases) < 2 {
		return nil
	}
	of := cases[0].Scan.Of
	x := fmt.Sprintf("columns read, of %d", of)
	return []draw.Chart{
		{Name: "scan-time", Title: "Time to sum up columns of " + cases[0].Input, X: x, Y: "milliseconds, one core", LogX: true, LogY: true,
			Series: lines(cases, Everyone, func(m Sample) float64 { return m.Wall * 1e3 })},
		{Name: "scan-bytes", Title: "Bytes read to sum up columns of " + cases[0].Input, X: x, Y: "MB", LogX: true,
			Series: lines(cases, []string{"ours", "java-trevni", "parquet-go", "raw-walk"}, func(m Sample) float64 { return float64(m.Read) / 1e6 })},
	}
}

// lines are a measure of programs over the number of columns.
func lines(cases []CaseResult, programs []string, measure func(Sample) float64) []draw.Series {
	var all []draw.Series
	for _, name := range programs {
		s := draw.Series{Name: name}
		if slices.Contains(rowMajor, name) {
			s.Group = 1
		}
		for _, c := range cases {
			for _, o := range c.Contenders {
				if o.Name == name && len(o.Samples) > 0 {
					s.Points = append(s.Points, [2]float64{float64(len(c.Scan.Columns)), measure(o.Median)})
				}
			}
		}
		slices.SortFunc(s.Points, func(a, b [2]float64) int { return int(a[0]) - int(b[0]) })
		if len(s.Points) > 0 {
			all = append(all, s)
		}
	}
	return all
}

// convertCharts compare whole conversions of lineitem.
func (r *Results) convertCharts() []draw.Chart {
	var all []draw.Chart
	for _, c := range r.Cases {
		if c.Name != "lineitem-snappy" || c.Scan != nil {
			continue
		}
		time := draw.Chart{Name: "convert-time", Title: "Converting " + c.Input, X: "seconds, whole process"}
		memory := draw.Chart{Name: "convert-memory", Title: "Converting " + c.Input, X: "MiB of memory at the most"}
		for _, o := range c.Contenders {
			if len(o.Samples) == 0 {
				continue
			}
			limit := o.Name == "limit"
			time.Bars = append(time.Bars, draw.Bar{Name: o.Name, Value: o.Median.Wall, Ours: o.Name == "ours", Limit: limit})
			if !limit { // it keeps nothing, so its memory tells nothing
				memory.Bars = append(memory.Bars, draw.Bar{Name: o.Name, Value: float64(o.Median.Memory) / (1 << 20), Ours: o.Name == "ours"})
			}
		}
		all = append(all, time, memory)
	}
	return all
}

// scaleCharts show what a row costs when there are more of them: lines that are flat if
// cost is in proportion, and memory below its bound.
func (r *Results) scaleCharts() []draw.Chart {
	const setting = "times lineitem's rows"
	time := draw.Chart{Name: "scale-time", Title: "Time of a row, converting", X: setting, Y: "nanoseconds a row", LogX: true}
	memory := draw.Chart{Name: "scale-memory", Title: "Memory, converting", X: setting, Y: "MiB at the most", LogX: true}
	for _, s := range r.Sweeps {
		bound, found := strings.CutPrefix(s.Name, "scale-")
		if !found {
			continue
		}
		name := "--memory " + bound
		cpu := s.line("CPU, "+bound, "CPU ns a row")
		cpu.Group, cpu.Like = 1, name
		time.Series = append(time.Series, s.line(name, "ns a row"), cpu)
		if bound == ScaleBound { // without a bound it takes what there is
			memory.Series = append(memory.Series, s.line("peak", "peak MiB"), s.level("--memory "+bound, data.MustBytes(bound)/(1<<20)))
		}
	}
	return []draw.Chart{time, memory}
}

// memoryCharts show what less memory costs.
func (r *Results) memoryCharts() []draw.Chart {
	for _, c := range r.Cases {
		if c.Name != "memory" || c.Scan != nil {
			continue
		}
		wall, cpu := draw.Series{Name: "whole time"}, draw.Series{Name: "CPU", Group: 1, Like: "whole time"}
		for _, o := range c.Contenders {
			bytes, err := humanize.ParseBytes(o.Name)
			if err != nil || len(o.Samples) == 0 {
				continue
			}
			x := float64(bytes) / (1 << 20)
			wall.Points = append(wall.Points, [2]float64{x, o.Median.Wall})
			cpu.Points = append(cpu.Points, [2]float64{x, o.Median.CPU()})
		}
		return []draw.Chart{{Name: "options-memory", Title: "Converting " + c.Input + " in less memory", X: "--memory, MiB", Y: "seconds", LogX: true,
			Series: []draw.Series{wall, cpu}}}
	}
	return nil
}

// blockCharts show what the size of blocks changes, to what it is by default.
func (r *Results) blockCharts() []draw.Chart {
	for _, s := range r.Sweeps {
		if s.Name != "block-size" {
			continue
		}
		c := draw.Chart{Name: "block-size", Title: "Sizes of blocks, to the default", X: "--block-size, KiB", Y: "times what 64 KiB takes", LogX: true, LogY: true}
		for _, l := range []struct{ name, measure string }{
			{"converting, CPU", "convert CPU s"}, {"file", "file MB"}, {"all columns read", "all columns s"},
			{"one column read", "one column s"}, {"one row read", "one row µs"}, {"one row's bytes", "one row kB read"},
		} {
			c.Series = append(c.Series, s.relative(l.name, l.measure, 64<<10, 1<<10))
		}
		return []draw.Chart{c}
	}
	return nil
}

// seekCharts show what one column costs a disk that has to seek, by the size of row groups,
// beside the arithmetic of the specification.
func (r *Results) seekCharts() []draw.Chart {
	c := draw.Chart{Name: "row-groups", Title: "Reading one column, a disk of 10 ms a seek and 100 MB/s", X: "--file-size, MiB", Y: "milliseconds a MB", LogX: true, LogY: true}
	for _, s := range r.Sweeps {
		if column, found := strings.CutPrefix(s.Name, "row-groups"); found {
			l := s.line(strings.TrimPrefix(column, "-"), "ms a MB")
			for i := range l.Points {
				l.Points[i][0] /= 1 << 20
			}
			c.Series = append(c.Series, l)
		}
	}
	return []draw.Chart{c}
}
