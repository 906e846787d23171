package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"avro2trevni/bench/internal/data"
	"avro2trevni/bench/internal/press"
	"avro2trevni/bench/internal/query"
	"avro2trevni/bench/internal/report"
	"avro2trevni/bench/internal/run"
	"avro2trevni/bench/internal/scan"
	"avro2trevni/bench/internal/scanner"
	"avro2trevni/bench/internal/sweep"
)

const usage = `usage: bin/bench [VERB] [flags]

  data      make the inputs and fetch the tools, whatever of them is missing
  convert   measure conversions to Trevni against each other
  parquet   measure conversions to Parquet against each other
  figures   measure what conversion to Parquet is to reach, in minutes
  queries   measure reading Parquet files, ours against those of others
  options   measure what codecs, memory, workers and file sizes cost
  blocks    measure what the size of blocks costs, and saves
  scale     measure what a row costs at 0.1 to 10 times the rows
  spec      check the specification's own figures
  memory    measure peak memory, and what the bound costs
  pressure  convert what is hard on memory, in all sizes of --memory
  scan      measure reading columns and rows, against Avro's and Parquet's readers
  hdfs      measure conversions on HDFS, whose daemons it starts, against local ones
  limit     decode and encode an Avro file's blocks, nothing else
  probe     read Trevni files whole, a column and a row, and print what that took
  answer    print what Trevni files hold, as digests
  plot      draw results into docs/plots
  page      write docs/performance.md of the results that there are
  table     print results as Markdown

bin/bench VERB -h tells the flags of each.
`

// verbs are the commands; each parses its own flags.
var verbs = map[string]func(ctx context.Context, args []string) error{
	"data":     dataVerb,
	"hdfs":     run.HDFSVerb,
	"limit":    run.LimitVerb,
	"scan":     scan.Verb,
	"press":    press.PressVerb,
	"pressure": press.PressureVerb,
	"scanner":  scanner.Verb,
	"answer":   run.AnswerVerb,
	"plot":     report.PlotVerb,
	"table":    report.TableVerb,
	"page":     report.PageVerb,
	"convert":  func(ctx context.Context, args []string) error { return run.RunVerb(ctx, "convert", args) },
	"parquet":  func(ctx context.Context, args []string) error { return run.RunVerb(ctx, "parquet", args) },
	"queries":  query.Verb,
	"figures":  figuresVerb,
	"options":  func(ctx context.Context, args []string) error { return run.RunVerb(ctx, "options", args) },
	"memory":   func(ctx context.Context, args []string) error { return run.RunVerb(ctx, "memory", args) },
	"blocks": func(ctx context.Context, args []string) error {
		return sweep.Verb(ctx, "blocks", args, sweep.BlockSweep)
	},
	"scale": func(ctx context.Context, args []string) error {
		return sweep.Verb(ctx, "scale", args, sweep.ScaleSweeps)
	},
	"spec": func(ctx context.Context, args []string) error {
		return sweep.Verb(ctx, "spec", args, sweep.SpecSweeps)
	},
	"probe": sweep.ProbeVerb,
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := dispatch(ctx, os.Args[1:])
	switch {
	case errors.Is(err, flag.ErrHelp):
	case err != nil:
		fmt.Fprintln(os.Stderr, err)
		stop()
		os.Exit(1)
	}
}

func dispatch(ctx context.Context, args []string) error {
	if len(args) == 0 || verbs[args[0]] == nil {
		return allVerb(ctx, args)
	}
	return verbs[args[0]](ctx, args[1:])
}

func dataVerb(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("data", flag.ContinueOnError)
	p := data.CacheFlag(flags)
	if err := flags.Parse(args); err != nil {
		return err
	}
	return data.MakeData(ctx, *p, flags.Args())
}

// figuresVerb measures, and puts the tables into their page if the results are kept.
func figuresVerb(ctx context.Context, args []string) error {
	kept, err := query.FiguresVerb(ctx, args)
	if !kept {
		return err
	}
	r, loadErr := report.LoadResults(filepath.Join("bench", "results", "figures.json"))
	if loadErr != nil {
		return errors.Join(err, loadErr)
	}
	return errors.Join(err, r.PutInto(filepath.Join(documents, "figures.md"), "figures"))
}
