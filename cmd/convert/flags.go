package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/spf13/pflag"

	"avro2trevni/jobs"
	"avro2trevni/trevni"
)

const help = `convert turns row-major Avro data files into column-major Trevni files.

An INPUT is a file, a folder (its *.avro, recursively) or a quoted glob. Names that
start with _ or . and those that end in .tmp or ._COPYING_ are left out of folders
and globs. A file that is named twice is converted once. All inputs must have one
schema; with --schema they are resolved to one by Avro's rules. Names that begin with
hdfs:// work for inputs and outputs. The NameNode is the one that the name gives, or the
default one of HADOOP_CONF_DIR.

If OUTPUT ends in .trv it is one file. Otherwise it is a folder and gets
part-00000.trv, part-00001.trv, ... with the rows in the inputs' order, and, when all
is done, _SUCCESS: a report as JSON. Nothing appears under these names before it is
whole; a run that was killed is cleaned up by the next one on the same output.

The same inputs and options give the same bytes, whatever the workers and the memory.`

const examples = `  convert events.avro events.trv
  convert --file-size 256MiB --codec deflate:6 /data/events /data/events.trevni
  convert --if-exists replace --memory 2GiB --report run.json '/data/2024-*/*.avro' out
  convert --if-exists append --min-age 5m /data/events /data/events.trevni   # from cron
  convert --compact /data/events.trevni
  convert hdfs:///data/events hdfs://namenode:8020/data/events.trevni
  convert --dry-run /data/events out`

const usageTemplate = `Usage:
  {{.UseLine}}
  convert --compact [flags] OUTPUT

Examples:
{{.Example}}

Flags:
{{.LocalFlags.FlagUsagesWrapped 92 | trimTrailingWhitespaces}}

Sizes are bytes, or have a unit: KiB, MiB, GiB (powers of 1024), kB, MB, GB (of 1000).

Exit status:
  0  done, or nothing to do        4    reading or writing failed
  1  done, but damaged input was   75   try again later: another run has the output,
     skipped, as --on-corrupt says      an input changed while it was read, or is not
                                        ready, as --min-age or --require-success say,
                                        or HDFS stayed away
  2  the command line is wrong     130  interrupted (SIGINT)
  3  refused, nothing published:   143  terminated (SIGTERM)
     schemas differ, the output
     exists, ...
`

// flags declares the flags, in the order that --help shows them.
func (c *command) flags(f *pflag.FlagSet) {
	o := &c.opts
	f.SortFlags = false
	f.StringVar(&o.Codec, "codec", jobs.DefaultCodec, "`CODEC` to compress with: null, snappy, snappy:better, deflate, deflate:1 to deflate:9; of columns too: deflate,payload=null")
	f.StringVar(&o.Checksum, "checksum", jobs.DefaultChecksum, "`SUM` of each block: crc32, crc-32, null; of columns too: crc32,payload=null")
	f.Var(newSize(&o.FileSize, jobs.DefaultFileSize), "file-size", "most bytes of a file: the HDFS block that it must fit; no limit if OUTPUT is one .trv file")
	f.Var(newIntSize(&o.BlockSize, jobs.DefaultBlockSize), "block-size", "uncompressed bytes at which a block is cut, at a row's start")
	f.StringVar(&o.Schema, "schema", "", "resolve the inputs to the schema in a `FILE`; or latest, the newest input's; or merge, a union of all inputs'")
	f.StringSliceVar(&o.Columns, "columns", nil, "the `FIELDS` to convert, with commas between; inner ones with dots: user.name; * stands for any part of a name")
	f.StringSliceVar(&o.Exclude, "exclude", nil, "the `FIELDS` to leave out")
	f.StringSliceVar(&o.Index, "index", nil, "index these `COLUMNS`, with commas between, so that trevni cat --where can seek; the rows must be sorted by each")
	f.StringSliceVar(&o.SortBy, "sort-by", nil, "sort the rows by `FIELDS`, with commas between; name:asc or name:desc instead of the schema's order; the first is indexed, if its type allows")
	f.StringVar(&o.PartitionBy, "partition-by", "", "write a folder FIELD=value of part files for each value of a `FIELD`, as Hive and Spark do; the field stays in the files")
	f.Var(countFlag[int]{&o.MaxPartitions}, "max-partitions", "refuse more folders of partitions (default 10000)")
	f.StringVar(&o.IfExists, "if-exists", jobs.IfExistsFail, "`WHAT` to do if OUTPUT exists: fail, replace, append (convert inputs that its _SUCCESS does not list, to more part files)")
	f.StringVar(&o.Changed, "changed", jobs.ChangedFail, "`WHAT` to do, when appending, about inputs that changed since: fail, convert (their rows of before stay), ignore")
	f.BoolVar(&c.compact, "compact", false, "convert nothing; merge neighbouring part files of OUTPUT that are under half full into full ones")
	f.StringVar(&c.filesFrom, "files-from", "", "read names of inputs from a `FILE`, one a line; - is standard input")
	f.StringArrayVar(&o.IncludeFiles, "include-files", nil, "in folders and globs, take the files that match a `GLOB`, in folders instead of *.avro; may be given again")
	f.StringArrayVar(&o.ExcludeFiles, "exclude-files", nil, "in folders and globs, leave out what matches a `GLOB`, folders with all in them; may be given again")
	f.DurationVar(&o.MinAge, "min-age", 0, "inputs must be at least `AGE` old, as 5m; when appending, younger ones wait for the next run")
	f.BoolVar(&o.RequireSuccess, "require-success", false, "the folders of the inputs must have a _SUCCESS; when appending, others wait for the next run")
	f.Var(countFlag[int]{&o.MaxInputs}, "max-inputs", "refuse more input files")
	f.Var(countFlag[int64]{&o.ExpectRecords}, "expect-records", "publish only if the inputs have exactly N records")
	f.StringVar(&o.OnCorrupt, "on-corrupt", jobs.CorruptFail, "`WHAT` to do about damaged inputs: fail, skip-block, skip-file; what is skipped is counted, and the exit status 1")
	f.StringVar(&o.MaxSkipped, "max-skipped", "", "fail if more is damaged: `N` blocks (files, with skip-file), or P% of the inputs' bytes")
	f.Var((*metaFlag)(&o.Meta), "meta", "metadata of the files, before that of the inputs; may be given again for other keys")
	f.Var(newSize(&o.Memory, 0), "memory", "bound of the whole process (default a quarter of the machine's or cgroup's)")
	f.Var(countFlag[int]{&o.Workers}, "workers", "mappers at a time, and reducers (default the CPUs allowed)")
	f.StringArrayVar(&o.TempDirs, "temp-dir", nil, "`DIR` to spill to; may be given more than once (default in or beside a local OUTPUT, else the system's)")
	f.Var(newSize(&o.TempLimit, 0), "temp-limit", "fail if temporary files take more at a time (default no limit)")
	f.Var(newSize(&o.MaxBlock, jobs.DefaultMaxBlock), "max-block-bytes", "refuse Avro blocks that are larger when decompressed")
	f.Var(newSize(&o.MaxHeader, jobs.DefaultMaxHeader), "max-header-bytes", "refuse Avro files with a larger header")
	f.StringVar(&o.Engine, "engine", jobs.EngineLocal, "`WHERE` to run: local, or hadoop: as a Hadoop Streaming job on YARN, from HDFS to HDFS, --memory being each task's (512MiB)")
	f.StringVar(&o.Hadoop.Command, "hadoop", "", "the `PROGRAM` hadoop (default HADOOP_HOME/bin/hadoop, or on PATH)")
	f.StringVar(&o.Hadoop.Jar, "streaming-jar", "", "the jar `FILE` of Hadoop Streaming (default below HADOOP_HOME, or beside the program)")
	f.StringArrayVar(&o.Hadoop.Conf, "hadoop-conf", nil, "a property of the job on Hadoop, as `KEY=VALUE`; may be given again")
	f.Var(countFlag[int]{&o.Hadoop.Partitions}, "partitions", "reduce tasks on Hadoop, each of a range of rows, whose last file may not be full (default by size)")
	f.StringVar(&c.task, "hadoop-task", "", "")
	_ = f.MarkHidden("hadoop-task") // it is there
	f.StringVar(&o.Keytab, "keytab", "", "`FILE` with the principal's key, for HDFS with Kerberos (default the ticket cache of kinit)")
	f.StringVar(&o.Principal, "principal", "", "`NAME@REALM` that the keytab is of")
	f.BoolVar(&o.Verify, "verify", false, "read the files back before they are published, and compare with what was read")
	f.BoolVar(&c.dryRun, "dry-run", false, "print the plan and do nothing: inputs, schema, columns, splits; with --compact what would be merged")
	f.StringVar(&c.report, "report", "", "write a report of the run as JSON to `FILE`, as in _SUCCESS, also if the run fails; - is standard output")
	f.StringVar(&c.progress, "progress", "auto", "`WHEN` to show bars on standard error: auto (on a terminal), always, never")
	f.StringVar(&c.format, "log-format", "text", "`FORMAT` of errors and logs on standard error: text, json")
	f.BoolVarP(&c.verbose, "verbose", "v", false, "log what is being done")
	f.BoolP("help", "h", false, "show this help")
	f.Bool("version", false, "show the version")
	for name, what := range neverEmpty {
		flag := f.Lookup(name)
		flag.Value, flag.DefValue = given{flag.Value, what}, ""
	}
}

// neverEmpty are the flags whose value must not be empty, and what it is: with an unset
// variable of a script for it, the run would convert, leave out, or report something else
// than it was asked to. An empty word stands for its default: --codec, --on-corrupt, ...
var neverEmpty = map[string]string{
	"columns": "field", "exclude": "field", "index": "column", "sort-by": "field", "partition-by": "field",
	"schema": "file", "files-from": "file", "report": "file", "temp-dir": "folder",
	"include-files": "pattern", "exclude-files": "pattern", "max-skipped": "number",
}

// given is a flag that refuses an empty value.
type given struct {
	pflag.Value
	what string
}

// Set sets the value.
func (g given) Set(text string) error {
	if text == "" {
		return fmt.Errorf("no %s given", g.what)
	}
	return g.Value.Set(text)
}

// sizeFlag is a flag of bytes, kept where set stores it.
type sizeFlag struct {
	value int64
	set   func(int64) error
}

// newSize returns a flag that stores in p, and stands at def.
func newSize(p *int64, def int64) *sizeFlag {
	return &sizeFlag{value: def, set: func(n int64) error { *p = n; return nil }}
}

// newIntSize is newSize for an int.
func newIntSize(p *int, def int) *sizeFlag {
	return &sizeFlag{value: int64(def), set: func(n int64) error {
		if n > math.MaxInt32 {
			return fmt.Errorf("is too large")
		}
		*p = int(n)
		return nil
	}}
}

// Set parses a size. Zero, which would stand for the default, is refused.
func (s *sizeFlag) Set(text string) error {
	n, err := humanize.ParseBytes(text)
	if err != nil {
		return fmt.Errorf("not a size such as 64KiB, 128MB or 1GiB")
	}
	if n == 0 || n > math.MaxInt64 {
		return fmt.Errorf("out of range")
	}
	s.value = int64(n)
	return s.set(s.value)
}

// String returns the size as people write it, empty if there is none.
func (s *sizeFlag) String() string {
	if s.value == 0 {
		return ""
	}
	return strings.NewReplacer(" ", "", ".0", "").Replace(humanize.IBytes(uint64(s.value)))
}

// Type names the value in --help.
func (s *sizeFlag) Type() string { return "SIZE" }

// countFlag is a number from 1; unset, it shows no default.
type countFlag[T int | int64] struct{ n *T }

// Set parses a number from 1.
func (c countFlag[T]) Set(text string) error {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 1 || int64(T(n)) != n {
		return fmt.Errorf("not a number from 1")
	}
	*c.n = T(n)
	return nil
}

// String returns the number, empty if there is none.
func (c countFlag[T]) String() string {
	if c.n == nil || *c.n == 0 {
		return ""
	}
	return fmt.Sprint(*c.n)
}

// Type names the value in --help.
func (c countFlag[T]) Type() string { return "N" }

// metaFlag collects key=value.
type metaFlag []trevni.Property

// Set takes one key and value.
func (m *metaFlag) Set(text string) error {
	key, value, ok := strings.Cut(text, "=")
	if !ok {
		return fmt.Errorf("not KEY=VALUE")
	}
	*m = append(*m, trevni.Property{Key: key, Value: []byte(value)})
	return nil
}

// String returns nothing: there is no default.
func (m *metaFlag) String() string { return "" }

// Type names the value in --help.
func (m *metaFlag) Type() string { return "KEY=VALUE" }
