package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"
)

// chart is a plot to be drawn, of lines or of bars, by bench/draw.
type chart struct {
	Name   string   `json:"name"` // of the files, without ending
	Title  string   `json:"title"`
	X      string   `json:"x"`
	Y      string   `json:"y"`
	LogX   bool     `json:"log_x"`
	LogY   bool     `json:"log_y"`
	Series []series `json:"series,omitempty"`
	Bars   []bar    `json:"bars,omitempty"`
}

// series is a line; those of group 1 are dashed, and one that names another has its colour.
type series struct {
	Name   string       `json:"name"`
	Like   string       `json:"like,omitempty"`
	Group  int          `json:"group"`
	Points [][2]float64 `json:"points"`
}

// bar is one of several; ours stands out.
type bar struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
	Ours  bool    `json:"ours"`
	Limit bool    `json:"limit,omitempty"` // no contender but a yardstick
}

// plotVerb draws the charts of results that were saved.
func plotVerb(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("plot", flag.ContinueOnError)
	into := flags.String("into", filepath.Join("docs", "plots"), "the folder of PNG and SVG files")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() == 0 {
		return errors.New("usage: plot [-into FOLDER] FILE.json ... FILE.json")
	}
	var all []chart
	for _, path := range flags.Args() {
		r, err := loadResults(path)
		if err != nil {
			return err
		}
		all = append(all, r.charts()...)
	}
	return drawCharts(ctx, all, *into)
}

// drawCharts has the program that knows how draw the charts.
func drawCharts(ctx context.Context, all []chart, into string) error {
	data, err := json.Marshal(all)
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, "go", "run", "-C", filepath.Join("bench", "draw"), ".", mustAbs(into))
	cmd.Stdin, cmd.Stderr = bytes.NewReader(data), os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("bench: draw: %w", err)
	}
	return nil
}

// charts are those that the results have the data for.
func (r *results) charts() []chart {
	all := slices.Concat(r.columnCharts(), r.convertCharts(), r.memoryCharts(), r.blockCharts(), r.scaleCharts(), r.seekCharts())
	for i := range all {
		all[i].Series = slices.DeleteFunc(all[i].Series, func(s series) bool { return len(s.Points) == 0 })
	}
	return slices.DeleteFunc(all, func(c chart) bool { return len(c.Series) == 0 && len(c.Bars) == 0 })
}

// columnCharts show what k columns cost: row-major readers pay for the whole row
// whatever k is, column-major ones for what they read. Of bytes one program a format
// is shown: others would lie on the same line.
func (r *results) columnCharts() []chart {
	var cases []caseResult
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
	return []chart{
		{Name: "scan-time", Title: "Time to sum up columns of " + cases[0].Input, X: x, Y: "milliseconds, one core", LogX: true, LogY: true,
			Series: lines(cases, everyone, func(m sample) float64 { return m.Wall * 1e3 })},
		{Name: "scan-bytes", Title: "Bytes read to sum up columns of " + cases[0].Input, X: x, Y: "MB", LogX: true,
			Series: lines(cases, []string{"ours", "java-trevni", "parquet-go", "raw-walk"}, func(m sample) float64 { return float64(m.Read) / 1e6 })},
	}
}

// lines are a measure of programs over the number of columns.
func lines(cases []caseResult, programs []string, measure func(sample) float64) []series {
	var all []series
	for _, name := range programs {
		s := series{Name: name}
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
func (r *results) convertCharts() []chart {
	var all []chart
	for _, c := range r.Cases {
		if c.Name != "lineitem-snappy" || c.Scan != nil {
			continue
		}
		time := chart{Name: "convert-time", Title: "Converting " + c.Input, X: "seconds, whole process"}
		memory := chart{Name: "convert-memory", Title: "Converting " + c.Input, X: "MiB of memory at the most"}
		for _, o := range c.Contenders {
			if len(o.Samples) == 0 {
				continue
			}
			limit := o.Name == "limit"
			time.Bars = append(time.Bars, bar{Name: o.Name, Value: o.Median.Wall, Ours: o.Name == "ours", Limit: limit})
			if !limit { // it keeps nothing, so its memory tells nothing
				memory.Bars = append(memory.Bars, bar{Name: o.Name, Value: float64(o.Median.Memory) / (1 << 20), Ours: o.Name == "ours"})
			}
		}
		all = append(all, time, memory)
	}
	return all
}

// scaleCharts show what a row costs when there are more of them: lines that are flat if
// cost is in proportion, and memory below its bound.
func (r *results) scaleCharts() []chart {
	const setting = "times lineitem's rows"
	time := chart{Name: "scale-time", Title: "Time of a row, converting", X: setting, Y: "nanoseconds a row", LogX: true}
	memory := chart{Name: "scale-memory", Title: "Memory, converting", X: setting, Y: "MiB at the most", LogX: true}
	for _, s := range r.Sweeps {
		bound, found := strings.CutPrefix(s.Name, "scale-")
		if !found {
			continue
		}
		name := "--memory " + bound
		cpu := s.line("CPU, "+bound, "CPU ns a row")
		cpu.Group, cpu.Like = 1, name
		time.Series = append(time.Series, s.line(name, "ns a row"), cpu)
		if bound == scaleBound { // without a bound it takes what there is
			memory.Series = append(memory.Series, s.line("peak", "peak MiB"), s.level("--memory "+bound, mustBytes(bound)/(1<<20)))
		}
	}
	return []chart{time, memory}
}

// memoryCharts show what less memory costs.
func (r *results) memoryCharts() []chart {
	for _, c := range r.Cases {
		if c.Name != "memory" || c.Scan != nil {
			continue
		}
		wall, cpu := series{Name: "whole time"}, series{Name: "CPU", Group: 1, Like: "whole time"}
		for _, o := range c.Contenders {
			bytes, err := humanize.ParseBytes(o.Name)
			if err != nil || len(o.Samples) == 0 {
				continue
			}
			x := float64(bytes) / (1 << 20)
			wall.Points = append(wall.Points, [2]float64{x, o.Median.Wall})
			cpu.Points = append(cpu.Points, [2]float64{x, o.Median.cpu()})
		}
		return []chart{{Name: "options-memory", Title: "Converting " + c.Input + " in less memory", X: "--memory, MiB", Y: "seconds", LogX: true,
			Series: []series{wall, cpu}}}
	}
	return nil
}

// blockCharts show what the size of blocks changes, to what it is by default.
func (r *results) blockCharts() []chart {
	for _, s := range r.Sweeps {
		if s.Name != "block-size" {
			continue
		}
		c := chart{Name: "block-size", Title: "Sizes of blocks, to the default", X: "--block-size, KiB", Y: "times what 64 KiB takes", LogX: true, LogY: true}
		for _, l := range []struct{ name, measure string }{
			{"converting, CPU", "convert CPU s"}, {"file", "file MB"}, {"all columns read", "all columns s"},
			{"one column read", "one column s"}, {"one row read", "one row µs"}, {"one row's bytes", "one row kB read"},
		} {
			c.Series = append(c.Series, s.relative(l.name, l.measure, 64<<10, 1<<10))
		}
		return []chart{c}
	}
	return nil
}

// relative is a measure over the setting, in units of it, to what it is at base; empty if
// that was not measured.
func (s *sweep) relative(name, measure string, base, unit float64) series {
	l := s.line(name, measure)
	i := slices.IndexFunc(l.Points, func(p [2]float64) bool { return p[0] == base })
	if i < 0 || l.Points[i][1] == 0 {
		return series{}
	}
	by := l.Points[i][1]
	for i, p := range l.Points {
		l.Points[i] = [2]float64{p[0] / unit, p[1] / by}
	}
	return l
}

// seekCharts show what one column costs a disk that has to seek, by the size of row groups,
// beside the arithmetic of the specification.
func (r *results) seekCharts() []chart {
	c := chart{Name: "row-groups", Title: "Reading one column, a disk of 10 ms a seek and 100 MB/s", X: "--file-size, MiB", Y: "milliseconds a MB", LogX: true, LogY: true}
	for _, s := range r.Sweeps {
		if column, found := strings.CutPrefix(s.Name, "row-groups"); found {
			l := s.line(strings.TrimPrefix(column, "-"), "ms a MB")
			for i := range l.Points {
				l.Points[i][0] /= 1 << 20
			}
			c.Series = append(c.Series, l)
		}
	}
	return []chart{c}
}

// level is the same value at all settings of a sweep.
func (s *sweep) level(name string, value float64) series {
	l := series{Name: name, Group: 1}
	for _, p := range s.Points {
		l.Points = append(l.Points, [2]float64{p.X, value})
	}
	return l
}

// line is a measure of a sweep.
func (s *sweep) line(name, measure string) series {
	l := series{Name: name}
	for _, p := range s.Points {
		if v, found := p.Values[measure]; found {
			l.Points = append(l.Points, [2]float64{p.X, v.Median})
		}
	}
	return l
}
