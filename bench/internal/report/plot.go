package report

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"avro2trevni/bench/internal/draw"
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
	all := slices.Concat(r.columnCharts(), r.blockCharts(), r.scaleCharts())
	for i := range all {
		all[i].Note = r.note()
		all[i].Series = slices.DeleteFunc(all[i].Series, func(s draw.Series) bool { return len(s.Points) == 0 })
	}
	return slices.DeleteFunc(all, func(c draw.Chart) bool { return len(c.Series) == 0 && len(c.Bars) == 0 })
}

// note is what a picture says of the runs that it shows: of several, that they are.
func (r *Results) note() string {
	if len(r.Runs) != 1 {
		return fmt.Sprintf("of %d runs", len(r.Runs))
	}
	i := &r.Runs[0]
	return fmt.Sprintf("%s, %d CPUs; %s; revision %s; medians of %s, lines from least to most", i.Machine.Processor, i.Machine.CPUs, i.day(), i.Versions["revision"], Rounds(i.Pairs))
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
		{Name: "scan-time", Title: "Time to sum up columns of " + strings.TrimSuffix(cases[0].Input, "-snappy.avro"), X: x, Y: "milliseconds, one core", LogX: true, LogY: true,
			Series: lines(cases, Everyone, func(m Sample) float64 { return m.Wall * 1e3 })},
		{Name: "scan-bytes", Title: "Bytes read to sum up columns of " + strings.TrimSuffix(cases[0].Input, "-snappy.avro"), X: x, Y: "MB", LogX: true, LogY: true,
			Series: lines(cases, []string{"ours", "parquet-go", "raw-walk"}, func(m Sample) float64 { return float64(m.Read) / 1e6 })},
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

// scaleCharts show what a row costs when there are more of them: lines that are flat if
// cost is in proportion.
func (r *Results) scaleCharts() []draw.Chart {
	const setting = "times lineitem's rows"
	time := draw.Chart{Name: "scale-time", Title: "Time of a row, converting", X: setting, Y: "nanoseconds a row", LogX: true}
	for _, s := range r.Sweeps {
		bound, found := strings.CutPrefix(s.Name, "scale-")
		if !found {
			continue
		}
		name := "--memory " + bound
		cpu := s.line("CPU, "+bound, "CPU ns a row")
		cpu.Group, cpu.Like = 1, name
		time.Series = append(time.Series, s.line(name, "ns a row"), cpu)
	}
	return []draw.Chart{time}
}

// blockCharts show what the size of blocks changes, to what it is by default.
func (r *Results) blockCharts() []draw.Chart {
	for _, s := range r.Sweeps {
		if s.Name != "block-size" {
			continue
		}
		c := draw.Chart{Name: "block-size", Title: "Costs of a size of blocks, relative to those of 64 KiB", X: "--block-size, KiB", Y: "times what 64 KiB takes", LogX: true, LogY: true}
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
