package report

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// TableVerb prints results that were saved, or puts them into a document.
func TableVerb(_ context.Context, args []string) error {
	flags := flag.NewFlagSet("table", flag.ContinueOnError)
	into := flags.String("into", "", "a document whose lines between <!-- NAME --> and <!-- end NAME --> are replaced by NAME.json's tables")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() == 0 {
		return errors.New("usage: table [-into FILE.md] FILE.json ... FILE.json")
	}
	for _, path := range flags.Args() {
		r, err := LoadResults(path)
		if err != nil {
			return err
		}
		if *into == "" {
			r.Print(os.Stdout)
			continue
		}
		if err := r.PutInto(*into, strings.TrimSuffix(filepath.Base(path), ".json")); err != nil {
			return err
		}
	}
	return nil
}

// PutInto replaces the part of a document that is marked with name. Plots that its text
// does not show elsewhere come before the tables.
func (r *Results) PutInto(document, name string) error {
	text, err := os.ReadFile(document)
	if err != nil {
		return err
	}
	before, rest, _ := strings.Cut(string(text), "<!-- "+name+" -->\n")
	_, after, _ := strings.Cut(rest, "<!-- end "+name+" -->\n")
	var tables strings.Builder
	for _, c := range r.Charts() {
		if image := "(../plots/" + c.Name + ".png)"; !strings.Contains(before+after, image) {
			fmt.Fprintf(&tables, "![%s]%s\n\n", c.Title, image)
		}
	}
	r.Print(&tables)
	return replaceMarked(document, name, tables.String())
}

// Print writes r as Markdown: the runs that measured it, one table of what they measured,
// one of the figures to reach, and one of the columns where there are any.
func (r *Results) Print(w io.Writer) {
	for i := range r.Runs {
		fmt.Fprintln(w, r.told(i))
		fmt.Fprintln(w)
	}
	switch asked := (*CaseResult).asked; {
	case r.ofScans():
		r.printScans(w)
	case len(r.Cases) > 0:
		if slices.ContainsFunc(r.Cases, func(c CaseResult) bool { return !asked(&c) }) {
			r.printRuns(w)
		}
		if slices.ContainsFunc(r.Cases, func(c CaseResult) bool { return asked(&c) }) {
			r.printQuestions(w)
		}
	}
	if slices.ContainsFunc(r.Cases, func(c CaseResult) bool { return len(c.Figures) > 0 }) {
		r.printFigures(w)
	}
	for i := range r.Sweeps {
		r.Sweeps[i].Print(w)
	}
	if len(r.Pressure) > 0 {
		r.printPressure(w)
	}
	for _, c := range r.Cases {
		if len(c.Columns) > 0 {
			c.printColumns(w)
		}
	}
}

// told is what there is to know about a run, in sentences; where there are several, also
// what was measured in it.
func (r *Results) told(run int) string {
	i := &r.Runs[run]
	names, _ := r.of(run)
	all := []string{
		fmt.Sprintf("%s, %d CPUs, %s of memory, Linux %s; %s; %s; %srevision %s. %s`%s`, medians of %s, or of fewer where the row says so. Load average before the run: %s.",
			i.Machine.Processor, i.Machine.CPUs, i.Machine.Memory, i.Machine.Kernel, i.Versions["go"], i.Versions["java"],
			i.versionList(), i.Versions["revision"], i.on(), i.Command, Rounds(i.Pairs), i.Machine.Load),
	}
	if len(r.Runs) > 1 {
		all = append(all, "Cases of this run: "+strings.Join(names, ", ")+".")
	}
	if i.changed() {
		all = append(all, "**The program had changes that the revision lacks.**")
	}
	if why := r.rough(run); why != "" {
		all = append(all, fmt.Sprintf("**The machine was busy: %s. Times are rough.**", why))
	}
	return strings.Join(all, " ")
}

// on is the day of a run, where it was noted.
func (r *RunInfo) on() string {
	if r.Date == "" {
		return ""
	}
	return r.Date + ": "
}

// calmLoad is the load average up to which a machine is quiet: what ran before the harness
// still counts in it.
const calmLoad = 2.5

// rough is why the times of a run are not to be trusted, or "".
func (r *Results) rough(run int) string {
	var why []string
	if load, err := strconv.ParseFloat(r.Runs[run].Machine.Load, 64); err == nil && load > calmLoad {
		why = append(why, fmt.Sprintf("load average %.1f before the run", load))
	}
	if _, others := r.of(run); others >= noticed {
		why = append(why, fmt.Sprintf("other programs had up to %.0f%% of the processors", 100*others))
	}
	return strings.Join(why, ", ")
}

// Rounds counts them in words.
func Rounds(n int) string {
	if n == 1 {
		return "one round"
	}
	return fmt.Sprintf("%d rounds", n)
}

// noticed is the part of the processors' time above which others have been in the way. A
// little is always the kernel's own, writing what the programs measured have written.
const noticed = 0.15

// of are the names of what was measured in a run, and the most that others had of the
// processors while one of them was.
func (r *Results) of(run int) (names []string, others float64) {
	add := func(name string, e Effort) {
		if e.Run == run {
			names, others = append(names, name), max(others, e.Others)
		}
	}
	for i := range r.Cases {
		add(r.Cases[i].Name, r.Cases[i].Effort)
	}
	for i := range r.Sweeps {
		add(r.Sweeps[i].Name, r.Sweeps[i].Effort)
	}
	return names, others
}

func (r *Results) printRuns(w io.Writer) {
	fmt.Fprintln(w, "| case | contender | wall s (least–most) | CPU s | peak MiB | output MB | temp MB | rounds |")
	fmt.Fprintln(w, "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |")
	for _, c := range r.Cases {
		if c.asked() {
			continue
		}
		for _, o := range c.Contenders {
			if len(o.Samples) == 0 {
				fmt.Fprintf(w, "| %s | %s | missing: %s | | | | | |\n", c.Name, o.Name, o.Missing)
				continue
			}
			least, most := spread(o.Samples)
			fmt.Fprintf(w, "| %s | %s | %.2f (%.2f–%.2f) | %.2f | %.0f | %.1f | %.1f | %d |\n", c.Name, o.Name,
				o.Median.Wall, least, most, o.Median.User+o.Median.System,
				float64(o.Median.Memory)/(1<<20), float64(o.Median.Output)/1e6, float64(o.Median.Temp)/1e6, len(o.Samples))
		}
	}
	fmt.Fprintln(w)
}

// asked reports whether a case is a question to an engine: there is nothing but time to
// tell, as it is one process for all files.
func (c *CaseResult) asked() bool {
	for _, o := range c.Contenders {
		if len(o.Samples) > 0 {
			return o.Median.Memory == 0 && o.Median.Wall > 0
		}
	}
	return false
}

func (r *Results) printQuestions(w io.Writer) {
	fmt.Fprintln(w, "| question | the file of | ms (least–most) | CPU ms | rounds |")
	fmt.Fprintln(w, "| --- | --- | ---: | ---: | ---: |")
	for _, c := range r.Cases {
		if !c.asked() {
			continue
		}
		for _, o := range c.Contenders {
			if len(o.Samples) == 0 {
				fmt.Fprintf(w, "| %s | %s | missing: %s | | |\n", c.Name, o.Name, o.Missing)
				continue
			}
			least, most := spread(o.Samples)
			fmt.Fprintf(w, "| %s | %s | %s (%s–%s) | %s | %d |\n", c.Name, o.Name, millis(o.Median.Wall), millis(least), millis(most), millis(o.Median.CPU()), len(o.Samples))
		}
	}
	fmt.Fprintln(w)
}

func (r *Results) printFigures(w io.Writer) {
	fmt.Fprintln(w, "| case | figure | median (least–most) | target | |")
	fmt.Fprintln(w, "| --- | --- | ---: | ---: | --- |")
	for _, c := range r.Cases {
		for _, f := range c.Figures {
			fmt.Fprintf(w, "| %s | %s | %s | %s | %s |\n", c.Name, f.Name, f.values(), f.asked(), f.Verdict)
		}
	}
	fmt.Fprintln(w)
}

func (c *CaseResult) printColumns(w io.Writer) {
	fmt.Fprintf(w, "Columns of %s, bytes before compression:\n\n", c.Name)
	fmt.Fprintln(w, "| column | rows | ours | totrevni | bytes a row smaller |")
	fmt.Fprintln(w, "| --- | ---: | ---: | ---: | ---: |")
	for _, col := range c.Columns {
		fmt.Fprintf(w, "| %s | %d | %d | %d | %.3f |\n", col.Name, col.Rows, col.Ours, col.Theirs, col.saved())
	}
	fmt.Fprintln(w)
}

// number prints v in the unit of f's measure.
func (f *Figure) number(v float64) string {
	switch {
	case f.Measure == "memory" && f.To == "":
		return fmt.Sprintf("%.0f MiB", v/(1<<20))
	case f.Measure == "output" && f.To == "":
		return fmt.Sprintf("%.1f MB", v/1e6)
	}
	return fmt.Sprintf("%.2f", v)
}

func (f *Figure) values() string {
	if f.Median == 0 {
		return "not measured"
	}
	return fmt.Sprintf("%s (%s–%s)", f.number(f.Median), f.number(f.Least), f.number(f.Most))
}

func (f *Figure) asked() string {
	switch {
	case f.AtLeast != 0:
		return "≥ " + f.number(f.AtLeast)
	case f.AtMost != 0:
		return "≤ " + f.number(f.AtMost)
	default:
		return ""
	}
}

func spread(samples []Sample) (least, most float64) {
	wall := make([]float64, len(samples))
	for i, s := range samples {
		wall[i] = s.Wall
	}
	return slices.Min(wall), slices.Max(wall)
}
