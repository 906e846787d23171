package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// measuring is what the measuring verbs have in common: their flags, the lock, and
// the file of results.
type measuring struct {
	paths
	verb  string
	args  []string
	names []string // of the cases wanted; empty for all
	input string   // a file of the user's instead of the cases; ""
	quick bool
	pairs int
	out   string
}

// newMeasuring parses the flags of a verb. Verbs that can take a file of the user's
// say so.
func newMeasuring(verb string, args []string, takesInput bool) (*measuring, error) {
	flags := flag.NewFlagSet(verb, flag.ContinueOnError)
	p := cacheFlag(flags)
	m := &measuring{verb: verb, args: args}
	flags.IntVar(&m.pairs, "pairs", 0, "rounds, after one that warms up (default 5, or 1 with -quick)")
	flags.BoolVar(&m.quick, "quick", false, "small data and one round: what it is like, in a minute")
	flags.StringVar(&m.out, "out", "", "the file of results (default bench/results/"+verb+".json, or none with -quick)")
	if takesInput {
		flags.StringVar(&m.input, "input", "", "an Avro file to measure with, instead of the made data")
	}
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	m.paths, m.names = *p, flags.Args()
	if m.pairs == 0 {
		m.pairs = 5
		if m.quick {
			m.pairs = 1
		}
	}
	if m.out == "" && !m.quick && m.input == "" {
		m.out = filepath.Join("bench", "results", verb+".json")
	}
	return m, nil
}

// measure locks out other harnesses, tells how long it will take, and lets fill do
// the work; what there is of results then is saved and printed.
func (m *measuring) measure(ctx context.Context, fill func(h *harness, all *results) error) (err error) {
	unlock, err := lock(m.paths)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	h, err := newHarness(ctx, m.paths, m.pairs)
	if err != nil {
		return err
	}
	m.announce()
	all := &results{
		Machine: thisMachine(), Versions: versions(ctx), Pairs: m.pairs,
		Command: strings.Join(append([]string{"go run ./bench", m.verb}, m.told()...), " "),
	}
	start := time.Now()
	if err := fill(h, all); err != nil {
		return err
	}
	all.Seconds = time.Since(start).Seconds()
	if m.out != "" {
		if err := errors.Join(os.MkdirAll(filepath.Dir(m.out), 0o755), all.save(m.out)); err != nil {
			return err
		}
	}
	all.print(os.Stdout)
	return all.missed()
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

// announce tells how long it took the last time, as results that were saved have it.
func (m *measuring) announce() {
	fmt.Fprintf(os.Stderr, "%s: %s\n", m.verb, m.expected())
}

func (m *measuring) expected() string {
	if m.quick {
		return "about a minute"
	}
	last, err := loadResults(filepath.Join("bench", "results", m.verb+".json"))
	if err != nil || last.Seconds == 0 || len(m.names) > 0 || m.input != "" {
		return fmt.Sprintf("%d rounds after one that warms up; what a round takes is seen then", m.pairs)
	}
	took := last.Seconds * float64(m.pairs+1) / float64(last.Pairs+1)
	return fmt.Sprintf("about %s, going by the last results", time.Duration(took*float64(time.Second)).Round(time.Minute))
}

// runVerb measures the cases of a verb.
func runVerb(ctx context.Context, verb string, args []string, cases func(programs) []benchCase) error {
	m, err := newMeasuring(verb, args, verb == "convert")
	if err != nil {
		return err
	}
	if err := m.makeInputs(ctx); err != nil {
		return err
	}
	return m.measure(ctx, func(h *harness, all *results) error {
		for _, c := range m.wanted(cases(h.programs), h.programs) {
			if !c.outside && !exists(h.data(c.input)) {
				var names []string
				for _, contender := range c.contenders {
					names = append(names, contender.name)
				}
				all.Cases = append(all.Cases, withoutInput(caseResult{Name: c.name, What: c.what, Input: c.input, Figures: c.figures}, names))
				continue
			}
			r, err := h.run(ctx, c)
			if err != nil {
				return err
			}
			all.Cases = append(all.Cases, r)
		}
		return nil
	})
}

// withoutInput is a case that was not run because its input could not be made: all
// contenders are missing.
func withoutInput(r caseResult, contenders []string) caseResult {
	for _, name := range contenders {
		r.Contenders = append(r.Contenders, outcome{Name: name, Missing: "no " + r.Input + " (run the data verb)"})
	}
	return r
}

// makeInputs makes what quick mode takes for data; all else the data verb makes. What
// cannot be made is told, and listed as missing then.
func (m *measuring) makeInputs(ctx context.Context) error {
	if !m.quick || m.input != "" {
		return nil
	}
	steps := []string{"avro-tools", "venv", "parquet-readers", "lineitem01"}
	if m.verb == "scale" { // whose smallest is a part of the whole table
		steps = append(steps, "lineitem", "lineitem-tenth")
	}
	if err := makeData(ctx, m.paths, steps); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	return ctx.Err()
}

// wanted are the cases to run: those named, in quick mode those that have an input
// for it, or that of the user's file alone.
func (m *measuring) wanted(cases []benchCase, p programs) []benchCase {
	if m.input != "" {
		return p.inputCase(m.input)
	}
	var all []benchCase
	for _, c := range cases {
		if !wanted(m.names, c.name) || m.quick && c.quick == "" {
			continue
		}
		if m.quick {
			c.input = c.quick
			for i := range c.figures { // what is asked is asked of the whole table
				c.figures[i].AtLeast, c.figures[i].AtMost = 0, 0
			}
		}
		all = append(all, c)
	}
	return all
}
