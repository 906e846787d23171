package main

import (
	"strings"

	"avro2trevni/internal/cmdline"
	"avro2trevni/internal/version"
)

const help = `convert turns row-major Avro data files into column-major Trevni or Parquet files.

An INPUT is a file, a folder (its *.avro, recursively) or a quoted glob. In folders and
globs, names that start with _ or . or end in .tmp or ._COPYING_ are left out. A file
that is named twice is converted once. All inputs must have the same schema, unless
--schema resolves them to one by Avro's rules. Inputs and OUTPUT may be hdfs:// URLs. The
NameNode is the one in the URL, or the default one of HADOOP_CONF_DIR. Inputs may be
s3://bucket/key; credentials are those that the AWS tools find.

If OUTPUT ends in .trv or .parquet it is one file. Otherwise it is a folder that gets
part-00000.trv, part-00001.trv, ... (or .parquet, with --format parquet) with the rows in
the order of the inputs, and at the end _SUCCESS, a report as JSON. No file appears under
its final name before it is complete. If a run is killed, the next run on the same output
cleans up after it.

The same inputs and options give the same bytes, with any number of workers and any memory.`

const examples = `  convert events.avro events.trv
  convert events.avro events.parquet
  convert --file-size 256MiB --codec deflate:6 /data/events /data/events.trevni
  convert --if-exists replace --memory 2GiB --report run.json '/data/2024-*/*.avro' out
  convert --if-exists append --min-age 5m /data/events /data/events.trevni   # from cron
  convert --compact /data/events.trevni
  convert hdfs:///data/events hdfs://namenode:8020/data/events.trevni
  convert s3://bucket/events /data/events.trevni
  convert --dry-run /data/events out`

const afterFlags = `A SIZE is a number of bytes, or has a unit: KiB, MiB, GiB (powers of 1024), or kB, MB, GB
(powers of 1000). An AGE has a unit: s, m, h, d.`

const exitStatus = `  0  done, or nothing to do        4    reading or writing failed
  1  done, but damaged input was   75   try again later: another run writes the output,
     skipped (--on-corrupt)             an input changed while it was read, an input is
                                        not ready (--min-age, --require-success), or
                                        HDFS or S3 is unavailable
  2  the command line is wrong     130  interrupted (SIGINT)
  3  refused, nothing published:   143  terminated (SIGTERM)
     schemas differ, OUTPUT
     exists, ...`

// synopsis has the forms of a command line.
var synopsis = []string{
	"convert [flags] INPUT... OUTPUT",
	"convert --compact [flags] OUTPUT",
	"convert completion bash|zsh|fish|powershell",
}

const completing = `convert completion SHELL prints a script that completes flags and their values in a shell; for
bash, for example: source <(convert completion bash). An input whose name is completion is
./completion.`

// usage returns what --help shows after the text.
func usage(flags cmdline.Groups) string {
	return "Usage:\n  " + strings.Join(synopsis, "\n  ") + "\n\nExamples:\n" + examples + "\n\n" +
		flags.Usages(92) + "\n" + afterFlags + "\n\n" + completing + "\n\nExit status:\n" + exitStatus + "\n"
}

// manual returns the manual page.
func manual(flags cmdline.Groups) *cmdline.Manual {
	all := []cmdline.Section{{Title: "Description", Text: help}}
	all = append(all, flags.Sections("Options")...)
	all = append(all,
		cmdline.Section{Title: "Units", Text: afterFlags},
		cmdline.Section{Title: "Completion", Text: completing},
		cmdline.Section{Title: "Exit status", Text: exitStatus},
		cmdline.Section{Title: "Examples", Text: examples},
		cmdline.Section{Title: "See also", Text: "trevni(1)"})
	return &cmdline.Manual{
		Name: "convert", Version: version.Program(), Synopsis: synopsis, Sections: all,
		Summary: "convert Avro data files to Trevni or Parquet files",
	}
}
