package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// The measuring verbs in the order in which all of them run, and those that quick runs
// and runs with a file of the user's are made of.
var (
	measured      = []string{"convert", "options", "memory", "blocks", "scan", "scale", "spec"}
	measuredQuick = []string{"convert", "scan"}
	measuredInput = []string{"convert", "scan"}
)

// document is where the tables of full runs are put.
var document = filepath.Join("docs", "performance.md")

// everything is what the harness does when it is given no verb.
type everything struct {
	paths
	quick bool
	input string
	pairs int
}

// allVerb makes the data, measures all there is to measure, prints tables and draws
// plots. Full runs replace the results, the tables and the plots of the repository;
// quick ones and those of a user's file leave theirs in the cache.
func allVerb(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.Usage = func() {
		fmt.Fprint(flags.Output(), usage+"\nWithout a verb all is made, measured, printed and plotted:\n")
		flags.PrintDefaults()
	}
	p := cacheFlag(flags)
	e := &everything{}
	flags.BoolVar(&e.quick, "quick", false, "small data and one round, in under two minutes")
	flags.StringVar(&e.input, "input", "", "an Avro file to convert and to scan, instead of the made data")
	flags.IntVar(&e.pairs, "pairs", 0, "rounds, after one that warms up (default 5, or 1 with -quick)")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("bench: no such verb %q\n%s", flags.Arg(0), usage)
	}
	e.paths = *p
	return e.run(ctx)
}

func (e *everything) run(ctx context.Context) error {
	start := time.Now()
	if !e.quick && e.input == "" {
		if err := makeData(ctx, e.paths, nil); err != nil {
			fmt.Fprintln(os.Stderr, err) // what is missing is listed as missing
		}
	}
	var errs []error
	for _, verb := range e.verbs() {
		fmt.Printf("\n## %s\n\n", verb)
		if err := verbs[verb](ctx, e.args(verb)); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", verb, err))
		}
		if ctx.Err() != nil {
			return errors.Join(errs...)
		}
	}
	errs = append(errs, e.publish(ctx))
	fmt.Printf("\nIn %s; results in %s, plots in %s\n", time.Since(start).Round(time.Second), e.results(), e.plots())
	return errors.Join(errs...)
}

func (e *everything) verbs() []string {
	switch {
	case e.input != "":
		return measuredInput
	case e.quick:
		return measuredQuick
	default:
		return measured
	}
}

// args are those of a verb.
func (e *everything) args(verb string) []string {
	args := []string{"-cache", e.root, "-out", e.result(verb)}
	if e.quick {
		args = append(args, "-quick")
	}
	if e.input != "" {
		args = append(args, "-input", e.input)
	}
	if e.pairs > 0 {
		args = append(args, "-pairs", fmt.Sprint(e.pairs))
	}
	return args
}

// kept reports whether what is measured belongs into the repository.
func (e *everything) kept() bool { return !e.quick && e.input == "" }

// results and plots are the folders for them.
func (e *everything) results() string {
	if e.kept() {
		return filepath.Join("bench", "results")
	}
	return e.data("results")
}

func (e *everything) plots() string {
	if e.kept() {
		return filepath.Join("docs", "plots")
	}
	return e.data("plots")
}

func (e *everything) result(verb string) string { return filepath.Join(e.results(), verb+".json") }

// publish draws the plots of what was measured, and puts the tables into the document.
func (e *everything) publish(ctx context.Context) error {
	var all []chart
	var errs []error
	for _, verb := range e.verbs() {
		r, err := loadResults(e.result(verb))
		if err != nil {
			errs = append(errs, err)
			continue
		}
		all = append(all, r.charts()...)
		if e.kept() {
			errs = append(errs, r.putInto(document, verb))
		}
	}
	if len(all) > 0 {
		errs = append(errs, drawCharts(ctx, all, e.plots()))
	}
	return errors.Join(slices.DeleteFunc(errs, func(err error) bool { return err == nil })...)
}
