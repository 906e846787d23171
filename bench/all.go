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
	"time"

	"avro2trevni/bench/internal/data"
	"avro2trevni/bench/internal/draw"
	"avro2trevni/bench/internal/report"
	"avro2trevni/bench/internal/run"
	"avro2trevni/bench/internal/scan"
)

// The measuring verbs in the order in which all of them run, and those that runs with a
// file of the user's are made of.
var (
	measured      = []string{"convert", "parquet", "queries", "scan", "options", "blocks", "scale", "spec", "memory"}
	measuredInput = []string{"convert", "scan", "blocks", "spec"}
)

// documents is the folder of the pages that the tables of full runs are put into, one for
// each verb; page is what is made of all.
var (
	documents = filepath.Join("docs", "performance")
	page      = filepath.Join("docs", "performance.md")
)

// everything is what the harness does when it is given no verb.
type everything struct {
	data.Paths
	quick  bool
	resume bool
	input  string
	pairs  int
	only   []string // verbs to run; empty for all
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
	p := data.CacheFlag(flags)
	e := &everything{}
	flags.BoolVar(&e.quick, "quick", false, "small data and one round, in under two minutes")
	flags.BoolVar(&e.resume, "resume", false, "go on with a run that was broken off: what it has measured of this revision stays")
	flags.StringVar(&e.input, "input", "", "an Avro file to convert and to scan, instead of the made data")
	flags.IntVar(&e.pairs, "pairs", 0, "rounds, after one that warms up (default 5, or 1 with -quick)")
	flags.Func("verbs", "what to measure, separated by commas, instead of all: convert,parquet,queries,scan makes the page", func(s string) error {
		e.only = strings.Split(s, ",")
		return nil
	})
	if err := flags.Parse(args); err != nil {
		return err
	}
	for _, verb := range e.only {
		if !slices.Contains(measured, verb) {
			return fmt.Errorf("bench: -verbs: there is no %q among %s", verb, strings.Join(measured, ", "))
		}
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("bench: no such verb %q\n%s", flags.Arg(0), usage)
	}
	e.Paths = *p
	return e.run(ctx)
}

func (e *everything) run(ctx context.Context) error {
	start := time.Now()
	if e.input != "" {
		if err := data.CheckAvro(e.input); err != nil {
			return fmt.Errorf("bench: -input: %w", err)
		}
	}
	if !e.quick && e.input == "" {
		if err := data.MakeData(ctx, e.Paths, nil); err != nil {
			fmt.Fprintln(os.Stderr, err) // what is missing is listed as missing
		}
	}
	e.announce()
	var errs []error
	for _, verb := range e.verbs() {
		fmt.Printf("\n## %s\n\n", verb)
		fmt.Fprintf(os.Stderr, "%s since the start\n", run.Rounded(time.Since(start)))
		if err := verbs[verb](ctx, e.args(verb)); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", verb, err))
		}
		if e.kept() {
			errs = append(errs, e.put(verb))
		}
		if e.input != "" && verb == "convert" && errs != nil {
			return errors.Join(errs...) // the file is at fault, and would be for all others
		}
		if ctx.Err() != nil {
			return errors.Join(append(errs, errors.New("bench: broken off; -resume goes on"))...)
		}
	}
	errs = append(errs, e.plot(ctx))
	fmt.Printf("\nIn %s; results in %s, plots in %s\n", time.Since(start).Round(time.Second), e.results(), e.plots())
	return errors.Join(errs...)
}

// announce tells how long all of it takes, as far as that is known.
func (e *everything) announce() {
	var all time.Duration
	for _, verb := range e.verbs() {
		took := e.expected(verb)
		all += took
		fmt.Fprintf(os.Stderr, "%s: about %s\n", verb, run.Rounded(took))
	}
	fmt.Fprintf(os.Stderr, "in all: about %s\n", run.Rounded(all))
}

// expected is what a verb takes, going by the last results or else typically.
func (e *everything) expected(verb string) time.Duration {
	m, err := run.NewMeasuring(verb, e.args(verb), true)
	if err != nil {
		return 0
	}
	var todo []string
	if verb == "scan" {
		todo = scan.ScanNames(scan.ScansOf(m))
	} else if cases := run.CasesOf[verb]; cases != nil {
		todo = run.CaseNames(m.Wanted(cases(run.Programs{}), run.Programs{}))
	}
	switch took := m.Duration(todo); {
	case took > 0:
		return took
	case e.quick || e.input != "":
		return run.TypicalQuick
	default:
		return run.Typical[verb]
	}
}

func (e *everything) verbs() []string {
	if e.input != "" {
		return measuredInput
	}
	if len(e.only) > 0 {
		return e.only
	}
	return measured
}

// args are those of a verb.
func (e *everything) args(verb string) []string {
	args := []string{"-cache", e.Root, "-out", e.result(verb)}
	if e.quick {
		args = append(args, "-quick")
	}
	if e.resume {
		args = append(args, "-resume")
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
	return e.Data("results")
}

func (e *everything) plots() string {
	if e.kept() {
		return filepath.Join("docs", "plots")
	}
	return e.Data("plots")
}

func (e *everything) result(verb string) string { return filepath.Join(e.results(), verb+".json") }

// put puts the tables of a verb into the document.
func (e *everything) put(verb string) error {
	r, err := report.LoadResults(e.result(verb))
	if err != nil {
		return err
	}
	return r.PutInto(filepath.Join(documents, verb+".md"), verb)
}

// plot draws what was measured.
func (e *everything) plot(ctx context.Context) error {
	var all []draw.Chart
	var errs []error
	for _, verb := range e.verbs() {
		r, err := report.LoadResults(e.result(verb))
		if err != nil {
			errs = append(errs, err)
			continue
		}
		all = append(all, r.Charts()...)
	}
	if len(all) > 0 {
		errs = append(errs, draw.All(all, e.plots()))
	}
	if e.kept() {
		errs = append(errs, report.WritePage(e.results(), page, e.plots()))
	}
	return errors.Join(errs...)
}
