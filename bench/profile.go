package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"runtime/pprof"

	"avro2trevni/jobs"
)

// profileVerb converts an input again and again in this process, and writes where
// the processor's time went, for go tool pprof.
func profileVerb(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("profile", flag.ContinueOnError)
	p := cacheFlag(flags)
	cpu := flags.String("cpu", "cpu.prof", "the file to write the profile to")
	runs := flags.Int("runs", 5, "conversions")
	codec := flags.String("codec", "snappy", "compression of the output")
	memory := flags.Int64("memory", 0, "bound in bytes; 0 is the default")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() == 0 {
		return errors.New("usage: profile [flags] INPUT ... INPUT")
	}
	f, err := os.Create(*cpu)
	if err != nil {
		return err
	}
	if err := pprof.StartCPUProfile(f); err != nil {
		return errors.Join(err, f.Close())
	}
	err = convertTimes(ctx, *runs, jobs.Options{
		Inputs: flags.Args(), Output: p.data("profile-out"), Codec: *codec, Memory: *memory, IfExists: "replace",
	})
	pprof.StopCPUProfile()
	return errors.Join(err, f.Close(), os.RemoveAll(p.data("profile-out")))
}

func convertTimes(ctx context.Context, times int, o jobs.Options) error {
	for range times {
		report, err := jobs.Convert(ctx, &o)
		if err != nil {
			return err
		}
		fmt.Fprintf(os.Stderr, "%.2f s\n", report.Run.Seconds)
	}
	return nil
}
