package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// tableVerb prints results that were saved, or puts them into a document.
func tableVerb(_ context.Context, args []string) error {
	flags := flag.NewFlagSet("table", flag.ContinueOnError)
	into := flags.String("into", "", "a document whose lines between <!-- NAME --> and <!-- end NAME --> are replaced by NAME.json's tables")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() == 0 {
		return errors.New("usage: table [-into FILE.md] FILE.json ... FILE.json")
	}
	for _, path := range flags.Args() {
		r, err := loadResults(path)
		if err != nil {
			return err
		}
		if *into == "" {
			r.print(os.Stdout)
			continue
		}
		if err := r.putInto(*into, strings.TrimSuffix(filepath.Base(path), ".json")); err != nil {
			return err
		}
	}
	return nil
}

// putInto replaces the part of a document that is marked with name.
func (r *results) putInto(document, name string) error {
	text, err := os.ReadFile(document)
	if err != nil {
		return err
	}
	start, end := "<!-- "+name+" -->\n", "<!-- end "+name+" -->\n"
	before, rest, found := strings.Cut(string(text), start)
	_, after, ended := strings.Cut(rest, end)
	if !found || !ended {
		return fmt.Errorf("bench: %s has no lines %q and %q", document, start, end)
	}
	var tables strings.Builder
	r.print(&tables)
	return os.WriteFile(document, []byte(before+start+tables.String()+end+after), 0o644)
}

// print writes r as Markdown: one table of the runs, one of the figures to reach,
// and one of the columns where there are any.
func (r *results) print(w io.Writer) {
	fmt.Fprintf(w, "%s, %d CPUs, %s of memory, Linux %s; %s; %s; %s; revision %s. Load before: %s. Medians of %d rounds.\n\n",
		r.Machine.Processor, r.Machine.CPUs, r.Machine.Memory, r.Machine.Kernel,
		r.Versions["go"], r.Versions["java"], r.versionList(), r.Versions["revision"], r.Machine.Load, r.Pairs)
	switch {
	case r.ofScans():
		r.printScans(w)
	case len(r.Cases) > 0:
		r.printRuns(w)
	}
	if slices.ContainsFunc(r.Cases, func(c caseResult) bool { return len(c.Figures) > 0 }) {
		r.printFigures(w)
	}
	for i := range r.Sweeps {
		r.Sweeps[i].print(w)
	}
	if r.Model != nil {
		r.Model.print(w, 1e12, defaultMachines, modelNetwork)
	}
	for _, c := range r.Cases {
		if len(c.Columns) > 0 {
			c.printColumns(w)
		}
	}
}

func (r *results) printRuns(w io.Writer) {
	fmt.Fprintln(w, "| case | contender | wall s (least–most) | CPU s | peak MiB | output MB | temp MB |")
	fmt.Fprintln(w, "| --- | --- | ---: | ---: | ---: | ---: | ---: |")
	for _, c := range r.Cases {
		for _, o := range c.Contenders {
			if len(o.Samples) == 0 {
				fmt.Fprintf(w, "| %s | %s | missing: %s | | | | |\n", c.Name, o.Name, o.Missing)
				continue
			}
			least, most := spread(o.Samples)
			fmt.Fprintf(w, "| %s | %s | %.2f (%.2f–%.2f) | %.2f | %.0f | %.1f | %.1f |\n", c.Name, o.Name,
				o.Median.Wall, least, most, o.Median.User+o.Median.System,
				float64(o.Median.Memory)/(1<<20), float64(o.Median.Output)/1e6, float64(o.Median.Temp)/1e6)
		}
	}
	fmt.Fprintln(w)
}

func (r *results) printFigures(w io.Writer) {
	fmt.Fprintln(w, "| case | figure | median (least–most) | asked | |")
	fmt.Fprintln(w, "| --- | --- | ---: | ---: | --- |")
	for _, c := range r.Cases {
		for _, f := range c.Figures {
			fmt.Fprintf(w, "| %s | %s | %s | %s | %s |\n", c.Name, f.Name, f.values(), f.asked(), f.Verdict)
		}
	}
	fmt.Fprintln(w)
}

func (c *caseResult) printColumns(w io.Writer) {
	fmt.Fprintf(w, "Columns of %s, bytes before compression:\n\n", c.Name)
	fmt.Fprintln(w, "| column | rows | ours | totrevni | bytes a row smaller |")
	fmt.Fprintln(w, "| --- | ---: | ---: | ---: | ---: |")
	for _, col := range c.Columns {
		fmt.Fprintf(w, "| %s | %d | %d | %d | %.3f |\n", col.Name, col.Rows, col.Ours, col.Theirs, col.saved())
	}
	fmt.Fprintln(w)
}

// number prints v in the unit of f's measure.
func (f *figure) number(v float64) string {
	if f.Measure == "memory" && f.To == "" {
		return fmt.Sprintf("%.0f MiB", v/(1<<20))
	}
	return fmt.Sprintf("%.2f", v)
}

func (f *figure) values() string {
	if f.Median == 0 {
		return "not measured"
	}
	return fmt.Sprintf("%s (%s–%s)", f.number(f.Median), f.number(f.Least), f.number(f.Most))
}

func (f *figure) asked() string {
	switch {
	case f.AtLeast != 0:
		return "≥ " + f.number(f.AtLeast)
	case f.AtMost != 0:
		return "≤ " + f.number(f.AtMost)
	default:
		return ""
	}
}

func spread(samples []sample) (least, most float64) {
	wall := make([]float64, len(samples))
	for i, s := range samples {
		wall[i] = s.Wall
	}
	return slices.Min(wall), slices.Max(wall)
}
