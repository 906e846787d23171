package report

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"avro2trevni/bench/internal/draw"
)

// PageVerbs are the verbs whose results the page of one screen shows.
var PageVerbs = []string{"convert", "parquet", "queries", "scan"}

// page is what the first screen shows, of several files of results.
type page struct {
	by map[string]*Results // by verb; those that there are
}

// PageVerb writes the first screen and its charts, of the results that there are.
func PageVerb(_ context.Context, args []string) error {
	flags := flag.NewFlagSet("page", flag.ContinueOnError)
	from := flags.String("from", filepath.Join("bench", "results"), "the folder of results")
	into := flags.String("into", filepath.Join("docs", "performance.md"), "the document")
	plots := flags.String("plots", filepath.Join("docs", "plots"), "the folder of PNG files")
	if err := flags.Parse(args); err != nil {
		return err
	}
	return WritePage(*from, *into, *plots)
}

// WritePage replaces what stands between <!-- page --> and <!-- end page --> in a document,
// and draws its charts.
func WritePage(from, document, plots string) error {
	p := page{by: map[string]*Results{}}
	for _, verb := range PageVerbs {
		r, err := LoadResults(filepath.Join(from, verb+".json"))
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return err
		default:
			p.by[verb] = r
		}
	}
	charts := p.charts()
	if err := draw.All(charts, plots); err != nil {
		return err
	}
	var text strings.Builder
	text.WriteString(p.circumstances() + "\n\n")
	for _, c := range charts {
		fmt.Fprintf(&text, "![%s](plots/%s.png)\n", c.Title, c.Name)
	}
	text.WriteString("\n" + p.conversions() + "\n" + p.reads())
	return replaceMarked(document, "page", text.String())
}

// replaceMarked replaces the part of a document that is marked with name.
func replaceMarked(document, name, text string) error {
	old, err := os.ReadFile(document)
	if err != nil {
		return err
	}
	start, end := "<!-- "+name+" -->\n", "<!-- end "+name+" -->\n"
	before, rest, found := strings.Cut(string(old), start)
	_, after, ended := strings.Cut(rest, end)
	if !found || !ended {
		return fmt.Errorf("bench: %s has no lines %q and %q", document, start, end)
	}
	return os.WriteFile(document, []byte(before+start+text+end+after), 0o644)
}

// circumstances are machine, date and revision, in a line, and warnings where the figures
// are not of one run on a quiet machine.
func (p *page) circumstances() string {
	var first *RunInfo
	differ, warnings := false, []string{}
	for _, verb := range PageVerbs {
		r := p.by[verb]
		if r == nil {
			warnings = append(warnings, fmt.Sprintf("**Nothing was measured by `bin/bench %s`.**", verb))
			continue
		}
		for i := range r.Runs {
			if first == nil {
				first = &r.Runs[i]
			}
			differ = differ || !first.alike(&r.Runs[i])
			if why := r.rough(i); why != "" {
				warnings = append(warnings, fmt.Sprintf("**`%s` ran on a machine that was busy: %s. Its times are rough.**", r.Runs[i].verb(), why))
			}
			if r.Runs[i].changed() {
				warnings = append(warnings, fmt.Sprintf("**`%s` measured a program with changes that its revision lacks.**", r.Runs[i].verb()))
			}
		}
	}
	if first == nil {
		return "Nothing was measured yet."
	}
	line := fmt.Sprintf("%s, %d CPUs, Linux %s; %s; revision %s.", first.Machine.Processor, first.Machine.CPUs, first.Machine.Kernel,
		first.day(), first.Versions["revision"])
	if differ {
		line = "**The tables are of different runs, revisions or machines: compare within a table row only.** The latest of each: " + p.runs() + "."
	}
	return strings.Join(append([]string{line}, slices.Compact(warnings)...), " ")
}

// runs names the last run of each verb.
func (p *page) runs() string {
	var all []string
	for _, verb := range PageVerbs {
		if r := p.by[verb]; r != nil && len(r.Runs) > 0 {
			last := &r.Runs[len(r.Runs)-1]
			all = append(all, fmt.Sprintf("%s: %s, revision %s, %s", verb, last.day(), last.Versions["revision"], last.Machine.Processor))
		}
	}
	return strings.Join(all, "; ")
}

// alike reports whether two runs are of one revision, on one machine, on one day.
func (r *RunInfo) alike(s *RunInfo) bool {
	return r.Versions["revision"] == s.Versions["revision"] && r.Machine.Processor == s.Machine.Processor &&
		r.Machine.Kernel == s.Machine.Kernel && r.Date == s.Date
}

func (r *RunInfo) day() string {
	if r.Date == "" {
		return "of a day that was not noted"
	}
	return r.Date
}

// verb is the command without flags and names.
func (r *RunInfo) verb() string {
	words := strings.Fields(r.Command)
	return strings.Join(words[:min(2, len(words))], " ")
}

// conversionTables are the tables that conversions are shown of, by the case of each verb.
var conversionTables = []string{"lineitem", "wide", "nested", "nullable", "sparse", "events"}

// conversions is one table of all programs that convert, to each format.
func (p *page) conversions() string {
	var b strings.Builder
	fmt.Fprintf(&b, "| snappy Avro to | program | lineitem, s | CPU s | peak MiB | file MB | %s |\n", strings.Join(conversionTables[1:], ", s | ")+", s")
	fmt.Fprintf(&b, "| --- | --- |%s\n", strings.Repeat(" ---: |", 4+len(conversionTables)-1))
	for _, format := range []struct{ name, verb, prefix, suffix string }{
		{"Trevni", "convert", "", "-snappy"}, {"Parquet", "parquet", "parquet-", ""},
	} {
		r := p.by[format.verb]
		if r == nil {
			continue
		}
		cases := make([]*CaseResult, len(conversionTables))
		for i, table := range conversionTables {
			cases[i] = r.named(format.prefix + table + format.suffix)
		}
		for _, program := range programsOf(cases) {
			fmt.Fprintf(&b, "| %s | %s |%s\n", format.name, title(program), conversionCells(cases, program))
		}
	}
	return b.String()
}

func conversionCells(cases []*CaseResult, program string) string {
	var b strings.Builder
	for i, c := range cases {
		of, ours := c.outcome(program), c.outcome(oursName)
		fmt.Fprintf(&b, " %s |", bolder(of, ours, func(s Sample) float64 { return s.Wall }, func(s Sample) string { return ThreeDigits(s.Wall) }))
		if i > 0 {
			continue
		}
		for _, m := range []struct {
			value func(Sample) float64
			told  func(Sample) string
		}{
			{Sample.CPU, func(s Sample) string { return ThreeDigits(s.CPU()) }},
			{func(s Sample) float64 { return float64(s.Memory) }, func(s Sample) string { return fmt.Sprint(s.Memory >> 20) }},
			{func(s Sample) float64 { return float64(s.Output) }, func(s Sample) string { return fmt.Sprintf("%.1f", float64(s.Output)/1e6) }},
		} {
			fmt.Fprintf(&b, " %s |", bolder(of, ours, m.value, m.told))
		}
	}
	return b.String()
}

// oursName is our program with its defaults, in all cases.
const oursName = "ours"

// bolder prints a measure, and in bold where it is less than ours: there we lose.
func bolder(of, ours *Outcome, value func(Sample) float64, told func(Sample) string) string {
	if of == nil || len(of.Samples) == 0 {
		return "–"
	}
	text := told(of.Median)
	if value(of.Median) == 0 { // it has none: the limit writes no file
		return "–"
	}
	if ours != nil && len(ours.Samples) > 0 && !strings.HasPrefix(of.Name, oursName) && of.Name != "limit" && value(of.Median) < value(ours.Median) {
		return "**" + text + "**"
	}
	return text
}

// programsOf are the contenders of cases, in the order of the first that has them.
func programsOf(cases []*CaseResult) []string {
	var all []string
	for _, c := range cases {
		if c == nil {
			continue
		}
		for _, o := range c.Contenders {
			if !slices.Contains(all, o.Name) {
				all = append(all, o.Name)
			}
		}
	}
	return all
}

// title is what tables of the page call a contender.
func title(program string) string {
	switch program {
	case "limit":
		return "codec only: blocks decoded and encoded, nothing else"
	case oursName:
		return "**convert**"
	}
	return strings.Replace(program, oursName+"-", "convert, ", 1)
}

// named is the case of a name, or nil.
func (r *Results) named(name string) *CaseResult {
	i := slices.IndexFunc(r.Cases, func(c CaseResult) bool { return c.Name == name })
	if i < 0 {
		return nil
	}
	return &r.Cases[i]
}

// outcome is that of a contender, or nil.
func (c *CaseResult) outcome(name string) *Outcome {
	if c == nil {
		return nil
	}
	i := slices.IndexFunc(c.Contenders, func(o Outcome) bool { return o.Name == name })
	if i < 0 {
		return nil
	}
	return &c.Contenders[i]
}

// scansShown are the questions to Trevni that the page shows, and how it puts them.
var scansShown = [][2]string{
	{"double", "one double column, summed"}, {"string", "one string column, measured"}, {"columns-4", "four columns"},
	{"columns-16", "all columns"}, {"row-middle", "one row in the middle"},
}

// reads are two tables: Parquet files by who made them, and columns of Trevni by who reads.
func (p *page) reads() string {
	var b strings.Builder
	if r := p.by["queries"]; r != nil && len(r.Cases) > 0 {
		readTable(&b, "lineitem in Parquet, ms, the file of", r.Cases)
	}
	if r := p.by["scan"]; r != nil {
		var cases []CaseResult
		for _, shown := range scansShown {
			if c := r.named(shown[0]); c != nil {
				short := *c
				short.What = shown[1]
				cases = append(cases, short)
			}
		}
		readTable(&b, "lineitem on one core, ms, read by", cases)
	}
	return b.String()
}

func readTable(b *strings.Builder, head string, cases []CaseResult) {
	var pointers []*CaseResult
	for i := range cases {
		pointers = append(pointers, &cases[i])
	}
	programs := programsOf(pointers)
	titles := make([]string, len(programs))
	for i, program := range programs {
		titles[i] = title(program)
	}
	fmt.Fprintf(b, "| %s | %s |\n| --- |%s\n", head, strings.Join(titles, " | "), strings.Repeat(" ---: |", len(programs)))
	for _, c := range pointers {
		fmt.Fprintf(b, "| %s |", c.question())
		for _, program := range programs {
			fmt.Fprintf(b, " %s |", bolder(c.outcome(program), c.outcome(oursName), func(s Sample) float64 { return s.Wall }, func(s Sample) string { return ThreeDigits(s.Wall * 1e3) }))
		}
		fmt.Fprintln(b)
	}
	fmt.Fprintln(b)
}

// question is what a case of reading asks.
func (c *CaseResult) question() string {
	engine, _, found := strings.Cut(c.Name, "-")
	if c.Scan != nil || !found {
		return c.What
	}
	return engine + ": " + c.What
}
