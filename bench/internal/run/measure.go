package run

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"avro2trevni/bench/internal/data"
	"avro2trevni/bench/internal/report"
)

// Measuring is what the measuring verbs have in common: their flags, the lock, and
// the file of results.
type Measuring struct {
	data.Paths
	verb    string
	args    []string
	Names   []string // of the cases wanted; empty for all
	Input   string   // a file of the user's instead of the cases; ""
	Quick   bool
	pairs   int
	out     string
	resume  bool
	only    []string // contenders to measure; empty for all
	against string   // another build of convert, to measure beside ours; ""
}

// defaultPairs are the rounds of those that are not slow.
const defaultPairs = 5

// NewMeasuring parses the flags of a verb. Verbs that can take a file of the user's
// say so.
func NewMeasuring(verb string, args []string, takesInput bool) (*Measuring, error) {
	flags := flag.NewFlagSet(verb, flag.ContinueOnError)
	p := data.CacheFlag(flags)
	m := &Measuring{verb: verb, args: args}
	flags.IntVar(&m.pairs, "pairs", 0, "rounds, after one that warms up (default 5, or 1 with -quick)")
	flags.BoolVar(&m.Quick, "quick", false, "small data and one round: what it is like, in seconds")
	flags.BoolVar(&m.resume, "resume", false, "pass over what the file of results has of this revision, machine and number of rounds")
	flags.StringVar(&m.out, "out", "", "the file of results (default bench/results/"+verb+".json; none with -quick, -input, -only or -against)")
	if takesInput {
		flags.StringVar(&m.Input, "input", "", "an Avro file to measure with, instead of the made data")
	}
	if verb == "convert" || verb == "parquet" || verb == "queries" {
		flags.Func("only", "contenders to measure, separated by commas, as in ours,limit", func(s string) error {
			m.only = strings.Split(s, ",")
			return nil
		})
		flags.StringVar(&m.against, "against", "", "another build of convert, measured beside ours as \"other\"")
	}
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	m.Paths, m.Names = *p, flags.Args()
	if m.pairs == 0 {
		m.pairs = defaultPairs
		if m.Quick {
			m.pairs = 1
		}
	}
	if m.out == "" && m.whole() {
		m.out = filepath.Join("bench", "results", verb+".json")
	}
	return m, nil
}

// whole reports whether what is measured is what the repository's results are of.
func (m *Measuring) whole() bool {
	return !m.Quick && m.Input == "" && len(m.only) == 0 && m.against == ""
}

// Kept reports whether the results are put where the repository has them.
func (m *Measuring) Kept() bool { return m.out == filepath.Join("bench", "results", m.verb+".json") }

// Only are the contenders to measure; none for all.
func (m *Measuring) Only() []string { return m.only }

// checkInput demands that the user's file is one of Avro, as far as its header tells.
func (m *Measuring) checkInput() error {
	if m.Input == "" {
		return nil
	}
	err := data.CheckAvro(m.Input)
	if err != nil {
		return fmt.Errorf("bench: -input: %w", err)
	}
	return nil
}

// Measure locks out other harnesses, tells how long it will take, and lets fill do
// the work; what it puts into the journal is kept at once, and printed in the end.
//
// order are all cases of the verb, todo those to be measured; of sweeps both are empty.
func (m *Measuring) Measure(ctx context.Context, order, todo []string, fill func(h *Harness, j *report.Journal) error) (err error) {
	if err := m.checkInput(); err != nil {
		return err
	}
	unlock, err := Lock(m.Paths)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	h, err := NewHarness(ctx, m.Paths, m.pairs)
	if err != nil {
		return err
	}
	h.brief = m.Quick
	fmt.Fprintf(os.Stderr, "%s: %s\n", m.verb, m.expected(todo))
	now := m.info()
	now.Machine, now.Versions, now.Date = report.ThisMachine(), report.Versions(ctx), time.Now().Format(time.DateOnly)
	j, err := report.OpenJournal(m.out, now, !m.whole() && !m.resume, m.resume, order)
	if err != nil {
		return err
	}
	err = fill(h, j)
	if err == nil && len(m.Names) == 0 {
		err = j.Prune()
	}
	seen := j.Results.Named(j.Seen).Used()
	seen.Print(os.Stdout)
	return errors.Join(err, seen.Missed())
}

// Cases measures cases one after another and keeps each at once. One that fails doesn't
// keep the others from being measured.
func (m *Measuring) Cases(ctx context.Context, j *report.Journal, names []string, one func(i int) (report.CaseResult, error)) error {
	var errs []error
	for i, name := range names {
		if ctx.Err() != nil || j.Measured(name) {
			continue
		}
		fmt.Fprintf(os.Stderr, "%s: %s, %d of %d\n", m.verb, name, i+1, len(names))
		clock := report.StartMeter()
		r, err := one(i)
		if errors.Is(err, ErrNoColumn) {
			fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
			continue
		}
		if err == nil {
			r.Effort = clock.Effort()
			err = j.PutCase(r)
		}
		errs = append(errs, err)
	}
	return errors.Join(append(errs, ctx.Err())...)
}

// told are the arguments without folders of this machine.
func (m *Measuring) told() []string {
	told := make([]string, len(m.args))
	for i, arg := range m.args {
		flag, value, found := strings.Cut(arg, "=")
		if !found {
			flag, value = "", arg
		} else {
			flag += "="
		}
		if filepath.IsAbs(value) {
			value = filepath.Base(value)
		}
		told[i] = flag + value
	}
	return told
}

// info is what the flags tell of a run.
func (m *Measuring) info() report.RunInfo {
	now := report.RunInfo{Pairs: m.pairs, Quick: m.Quick, Command: strings.Join(append([]string{"bin/bench", m.verb}, m.told()...), " ")}
	if m.Input != "" {
		now.Input = filepath.Base(m.Input)
	}
	return now
}

// CasesOf are the cases of the verbs that compare conversions.
var CasesOf = map[string]func(Programs) []benchCase{
	"convert": Programs.convertCases, "options": Programs.optionCases, "memory": Programs.memoryCases, "parquet": Programs.parquetCases,
}

// RunVerb measures the cases of a verb.
func RunVerb(ctx context.Context, verb string, args []string) error {
	cases := CasesOf[verb]
	m, err := NewMeasuring(verb, args, true)
	if err != nil {
		return err
	}
	if err := m.MakeInputs(ctx); err != nil {
		return err
	}
	order := CaseNames(cases(Programs{}))
	if err := m.Known(order); err != nil {
		return err
	}
	chosen := m.Wanted(cases(Programs{}), Programs{})
	for _, c := range chosen {
		if len(c.contenders) == 0 {
			return fmt.Errorf("bench: %s has none of the contenders %s", c.name, strings.Join(m.only, ", "))
		}
	}
	todo := CaseNames(chosen)
	return m.Measure(ctx, order, todo, func(h *Harness, j *report.Journal) error {
		return m.compare(ctx, h, j, todo, m.Wanted(cases(h.Programs), h.Programs))
	})
}

// compare measures cases with the programs that there are.
func (m *Measuring) compare(ctx context.Context, h *Harness, j *report.Journal, todo []string, all []benchCase) error {
	return m.Cases(ctx, j, todo, func(i int) (report.CaseResult, error) {
		c := all[i]
		if !c.outside && !data.Exists(h.Data(c.input)) {
			var names []string
			for _, contender := range c.contenders {
				names = append(names, contender.name)
			}
			return WithoutInput(report.CaseResult{Name: c.name, What: c.what, Input: c.input, Figures: c.figures}, names), nil
		}
		return h.run(ctx, c)
	})
}

// FigureNames are the conversions that [Measuring.Figures] measures.
func FigureNames() []string { return CaseNames(Programs{}.figureCases()) }

// Figures measures those of the conversions named that show what is to be reached.
func (m *Measuring) Figures(ctx context.Context, h *Harness, j *report.Journal, names []string) error {
	all := h.figureCases()
	all = slices.DeleteFunc(all, func(c benchCase) bool { return !slices.Contains(names, c.name) })
	return m.compare(ctx, h, j, CaseNames(all), all)
}

// Known demands that the names are those of cases.
func (m *Measuring) Known(cases []string) error {
	for _, name := range m.Names {
		if m.Input == "" && !slices.Contains(cases, name) {
			return fmt.Errorf("bench: %s has no case %q: there are %s", m.verb, name, strings.Join(cases, ", "))
		}
	}
	return nil
}

func CaseNames(cases []benchCase) []string {
	names := make([]string, len(cases))
	for i, c := range cases {
		names[i] = c.name
	}
	return names
}

// WithoutInput is a case that was not run because its input could not be made: all
// contenders are missing.
func WithoutInput(r report.CaseResult, contenders []string) report.CaseResult {
	for _, name := range contenders {
		r.Contenders = append(r.Contenders, report.Outcome{Name: name, Missing: "no " + r.Input + " (run the data verb)"})
	}
	return r
}

// quickSteps make what quick runs need.
var quickSteps = []string{"avro-tools", "venv", "parquet-readers", "lineitem01", "lineitem01-3", "lineitem01-10"}

// MakeInputs makes what quick mode takes for data; all else the data verb makes. What
// cannot be made is told, and listed as missing then.
func (m *Measuring) MakeInputs(ctx context.Context) error {
	if !m.Quick || m.Input != "" {
		return nil
	}
	if err := data.MakeData(ctx, m.Paths, quickSteps); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	return ctx.Err()
}

// Wanted are the cases to run: those named, in quick mode those that have an input for it,
// or those for a file of the user's; with the contenders wanted of them.
func (m *Measuring) Wanted(cases []benchCase, p Programs) []benchCase {
	if m.Input != "" && m.verb == "convert" {
		cases = p.inputCase(m.Input)
	}
	var all []benchCase
	for _, c := range cases {
		if !data.Wanted(m.Names, c.name) || (m.Quick || m.Input != "") && !c.outside && c.quick == "" {
			continue
		}
		if m.Quick || m.Input != "" { // what is asked is asked of the whole table
			c.input = c.quick
			c.figures = Unasked(c.figures)
		}
		if m.Input != "" {
			c.input, c.outside = m.Input, true
		}
		if m.Quick {
			c.choose(c.brief)
		}
		c.choose(m.only)
		c.beside(m.against)
		all = append(all, c)
	}
	return all
}

// Unasked are figures that nothing is asked of.
func Unasked(figures []report.Figure) []report.Figure {
	figures = slices.Clone(figures)
	for i := range figures {
		figures[i].AtLeast, figures[i].AtMost = 0, 0
	}
	return figures
}
