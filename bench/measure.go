package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// measuring is what the measuring verbs have in common: their flags, the lock, and
// the file of results.
type measuring struct {
	paths
	verb    string
	args    []string
	names   []string // of the cases wanted; empty for all
	input   string   // a file of the user's instead of the cases; ""
	quick   bool
	pairs   int
	out     string
	resume  bool
	only    []string // contenders to measure; empty for all
	against string   // another build of convert, to measure beside ours; ""
}

// defaultPairs are the rounds of those that are not slow.
const defaultPairs = 5

// newMeasuring parses the flags of a verb. Verbs that can take a file of the user's
// say so.
func newMeasuring(verb string, args []string, takesInput bool) (*measuring, error) {
	flags := flag.NewFlagSet(verb, flag.ContinueOnError)
	p := cacheFlag(flags)
	m := &measuring{verb: verb, args: args}
	flags.IntVar(&m.pairs, "pairs", 0, "rounds, after one that warms up (default 5, or 1 with -quick)")
	flags.BoolVar(&m.quick, "quick", false, "small data and one round: what it is like, in seconds")
	flags.BoolVar(&m.resume, "resume", false, "pass over what the file of results has of this revision, machine and number of rounds")
	flags.StringVar(&m.out, "out", "", "the file of results (default bench/results/"+verb+".json; none with -quick, -input, -only or -against)")
	if takesInput {
		flags.StringVar(&m.input, "input", "", "an Avro file to measure with, instead of the made data")
	}
	if verb == "convert" {
		flags.Func("only", "contenders to measure, separated by commas, as in ours,limit", func(s string) error {
			m.only = strings.Split(s, ",")
			return nil
		})
		flags.StringVar(&m.against, "against", "", "another build of convert, measured beside ours as \"other\"")
	}
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	m.paths, m.names = *p, flags.Args()
	if m.pairs == 0 {
		m.pairs = defaultPairs
		if m.quick {
			m.pairs = 1
		}
	}
	if m.out == "" && m.whole() {
		m.out = filepath.Join("bench", "results", verb+".json")
	}
	return m, nil
}

// whole reports whether what is measured is what the repository's results are of.
func (m *measuring) whole() bool {
	return !m.quick && m.input == "" && len(m.only) == 0 && m.against == ""
}

// checkInput demands that the user's file is one of Avro, as far as its header tells.
func (m *measuring) checkInput() error {
	if m.input == "" {
		return nil
	}
	err := checkAvro(m.input)
	if err != nil {
		return fmt.Errorf("bench: -input: %w", err)
	}
	return nil
}

// measure locks out other harnesses, tells how long it will take, and lets fill do
// the work; what it puts into the journal is kept at once, and printed in the end.
//
// order are all cases of the verb, todo those to be measured; of sweeps both are empty.
func (m *measuring) measure(ctx context.Context, order, todo []string, fill func(h *harness, j *journal) error) (err error) {
	if err := m.checkInput(); err != nil {
		return err
	}
	unlock, err := lock(m.paths)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	h, err := newHarness(ctx, m.paths, m.pairs)
	if err != nil {
		return err
	}
	h.brief = m.quick
	fmt.Fprintf(os.Stderr, "%s: %s\n", m.verb, m.expected(todo))
	now := m.info()
	now.Machine, now.Versions = thisMachine(), versions(ctx)
	j, err := openJournal(m.out, now, !m.whole() && !m.resume, m.resume, order)
	if err != nil {
		return err
	}
	err = fill(h, j)
	if err == nil && len(m.names) == 0 {
		err = j.prune()
	}
	seen := j.results.named(j.seen).used()
	seen.print(os.Stdout)
	return errors.Join(err, seen.missed())
}

// cases measures cases one after another and keeps each at once. One that fails doesn't
// keep the others from being measured.
func (m *measuring) cases(ctx context.Context, j *journal, names []string, one func(i int) (caseResult, error)) error {
	var errs []error
	for i, name := range names {
		if ctx.Err() != nil || j.measured(name) {
			continue
		}
		fmt.Fprintf(os.Stderr, "%s: %s, %d of %d\n", m.verb, name, i+1, len(names))
		clock := startMeter()
		r, err := one(i)
		if errors.Is(err, errNoColumn) {
			fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
			continue
		}
		if err == nil {
			r.effort = clock.effort()
			err = j.putCase(r)
		}
		errs = append(errs, err)
	}
	return errors.Join(append(errs, ctx.Err())...)
}

// told are the arguments without folders of this machine.
func (m *measuring) told() []string {
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
func (m *measuring) info() runInfo {
	now := runInfo{Pairs: m.pairs, Quick: m.quick, Command: strings.Join(append([]string{"go run ./bench", m.verb}, m.told()...), " ")}
	if m.input != "" {
		now.Input = filepath.Base(m.input)
	}
	return now
}

// casesOf are the cases of the verbs that compare conversions.
var casesOf = map[string]func(programs) []benchCase{
	"convert": programs.convertCases, "options": programs.optionCases, "memory": programs.memoryCases,
}

// runVerb measures the cases of a verb.
func runVerb(ctx context.Context, verb string, args []string) error {
	cases := casesOf[verb]
	m, err := newMeasuring(verb, args, true)
	if err != nil {
		return err
	}
	if err := m.makeInputs(ctx); err != nil {
		return err
	}
	order := caseNames(cases(programs{}))
	if err := m.known(order); err != nil {
		return err
	}
	chosen := m.wanted(cases(programs{}), programs{})
	for _, c := range chosen {
		if len(c.contenders) == 0 {
			return fmt.Errorf("bench: %s has none of the contenders %s", c.name, strings.Join(m.only, ", "))
		}
	}
	todo := caseNames(chosen)
	return m.measure(ctx, order, todo, func(h *harness, j *journal) error {
		all := m.wanted(cases(h.programs), h.programs) // todo, with the programs that there are
		return m.cases(ctx, j, todo, func(i int) (caseResult, error) {
			c := all[i]
			if !c.outside && !exists(h.data(c.input)) {
				var names []string
				for _, contender := range c.contenders {
					names = append(names, contender.name)
				}
				return withoutInput(caseResult{Name: c.name, What: c.what, Input: c.input, Figures: c.figures}, names), nil
			}
			return h.run(ctx, c)
		})
	})
}

// known demands that the names are those of cases.
func (m *measuring) known(cases []string) error {
	for _, name := range m.names {
		if m.input == "" && !slices.Contains(cases, name) {
			return fmt.Errorf("bench: %s has no case %q: there are %s", m.verb, name, strings.Join(cases, ", "))
		}
	}
	return nil
}

func caseNames(cases []benchCase) []string {
	names := make([]string, len(cases))
	for i, c := range cases {
		names[i] = c.name
	}
	return names
}

// withoutInput is a case that was not run because its input could not be made: all
// contenders are missing.
func withoutInput(r caseResult, contenders []string) caseResult {
	for _, name := range contenders {
		r.Contenders = append(r.Contenders, outcome{Name: name, Missing: "no " + r.Input + " (run the data verb)"})
	}
	return r
}

// quickSteps make what quick runs need.
var quickSteps = []string{"avro-tools", "venv", "parquet-readers", "lineitem01", "lineitem01-3", "lineitem01-10"}

// makeInputs makes what quick mode takes for data; all else the data verb makes. What
// cannot be made is told, and listed as missing then.
func (m *measuring) makeInputs(ctx context.Context) error {
	if !m.quick || m.input != "" {
		return nil
	}
	if err := makeData(ctx, m.paths, quickSteps); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	return ctx.Err()
}

// wanted are the cases to run: those named, in quick mode those that have an input for it,
// or those for a file of the user's; with the contenders wanted of them.
func (m *measuring) wanted(cases []benchCase, p programs) []benchCase {
	if m.input != "" && m.verb == "convert" {
		cases = p.inputCase(m.input)
	}
	var all []benchCase
	for _, c := range cases {
		if !wanted(m.names, c.name) || (m.quick || m.input != "") && !c.outside && c.quick == "" {
			continue
		}
		if m.quick || m.input != "" { // what is asked is asked of the whole table
			c.input = c.quick
			c.figures = unasked(c.figures)
		}
		if m.input != "" {
			c.input, c.outside = m.input, true
		}
		if m.quick {
			c.choose(c.brief)
		}
		c.choose(m.only)
		c.beside(m.against)
		all = append(all, c)
	}
	return all
}

// unasked are figures that nothing is asked of.
func unasked(figures []figure) []figure {
	figures = slices.Clone(figures)
	for i := range figures {
		figures[i].AtLeast, figures[i].AtMost = 0, 0
	}
	return figures
}
