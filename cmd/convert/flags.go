package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/spf13/pflag"

	"avro2trevni/internal/ocf"
	"avro2trevni/jobs"
)

const help = `convert turns row-major Avro data files into column-major Trevni or Parquet files.

An INPUT is a file, a folder (its *.avro, recursively) or a quoted glob. In folders and
globs, names that start with _ or . or end in .tmp or ._COPYING_ are left out. A file
that is named twice is converted once. All inputs must have the same schema, unless
--schema resolves them to one by Avro's rules. Inputs and OUTPUT may be hdfs:// URLs. The
NameNode is the one in the URL, or the default one of HADOOP_CONF_DIR.

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
  convert --dry-run /data/events out`

const usageTemplate = `Usage:
  {{.UseLine}}
  convert --compact [flags] OUTPUT

Examples:
{{.Example}}

Flags:
{{.LocalFlags.FlagUsagesWrapped 92 | trimTrailingWhitespaces}}

A SIZE is a number of bytes, or has a unit: KiB, MiB, GiB (powers of 1024), or kB, MB, GB
(powers of 1000).

Exit status:
  0  done, or nothing to do        4    reading or writing failed
  1  done, but damaged input was   75   try again later: another run writes the output,
     skipped (--on-corrupt)             an input changed while it was read, an input is
                                        not ready (--min-age, --require-success), or
                                        HDFS is unavailable
  2  the command line is wrong     130  interrupted (SIGINT)
  3  refused, nothing published:   143  terminated (SIGTERM)
     schemas differ, OUTPUT
     exists, ...
`

// flags declares the flags, in the order that --help shows them.
func (c *command) flags(f *pflag.FlagSet) {
	o := &c.opts
	f.SortFlags = false
	f.StringVar(&o.Format, "format", "", "`FORMAT` of the files: trevni, parquet (default by the name of OUTPUT if it is one file, else trevni)")
	f.StringVar(&o.Codec, "codec", jobs.DefaultCodec, "`CODEC` to compress with: null, snappy, snappy:better, deflate, deflate:1 to deflate:9; for a column of its own: deflate,payload=null; Parquet: null, snappy, snappy:better, gzip, gzip:1 to gzip:9, zstd, zstd:1 to zstd:22")
	f.StringVar(&o.Checksum, "checksum", jobs.DefaultChecksum, "Trevni: checksum `SUM` of each block: crc32, crc-32, null; for a column of its own: crc32,payload=null")
	f.Var(newSize(&o.FileSize, jobs.DefaultFileSize), "file-size", "largest size of a file, so that it fits one HDFS block; no limit if OUTPUT is one file")
	f.Var(newIntSize(&o.BlockSize, jobs.DefaultBlockSize), "block-size", "Trevni: uncompressed size at which a block ends; it always ends between rows")
	parquetFlags(o, f)
	f.StringVar(&o.Schema, "schema", "", "resolve the inputs to the schema in `FILE`; or to latest, the newest input's schema; or to merge, the union of all schemas")
	f.StringSliceVar(&o.Columns, "columns", nil, "convert only these `FIELDS`, separated by commas; a dot leads to an inner field: user.name; * stands for any part of a name")
	f.StringSliceVar(&o.Exclude, "exclude", nil, "leave out these `FIELDS`")
	f.StringSliceVar(&o.Index, "index", nil, "Trevni: index these `COLUMNS`, separated by commas, so that trevni cat --where can seek; the rows must be sorted by each of them")
	f.StringSliceVar(&o.SortBy, "sort-by", nil, "sort the rows by `FIELDS`, separated by commas; name:asc or name:desc overrides the schema's order; in Trevni files the first field is indexed if its type allows")
	f.StringVar(&o.PartitionBy, "partition-by", "", "write a folder FIELD=value of part files for each value of `FIELD`, as Hive and Spark do; the field stays in the files")
	f.Var(countFlag[int]{&o.MaxPartitions}, "max-partitions", "refuse to write more than N partitions (default 10000)")
	f.StringVar(&o.IfExists, "if-exists", jobs.IfExistsFail, "`ACTION` if OUTPUT exists: fail, replace, or append: convert the inputs that its _SUCCESS does not list, to additional part files")
	f.StringVar(&o.Changed, "changed", jobs.ChangedFail, "`ACTION`, when appending, for inputs that changed after they were converted: fail, ignore, or convert: add their rows again; the old rows stay")
	f.BoolVar(&c.compact, "compact", false, "do not convert, but merge adjacent Trevni part files of OUTPUT that are less than half full")
	f.StringVar(&c.filesFrom, "files-from", "", "read the names of inputs from `FILE`, one per line; - is standard input")
	f.StringArrayVar(&o.IncludeFiles, "include-files", nil, "in folders and globs, take only the files that match `GLOB`; in folders it replaces *.avro; repeatable")
	f.StringArrayVar(&o.ExcludeFiles, "exclude-files", nil, "in folders and globs, leave out files and whole folders that match `GLOB`; repeatable")
	f.DurationVar(&o.MinAge, "min-age", 0, "require inputs to be at least `AGE` old, e.g. 5m; when appending, younger ones wait for the next run")
	f.BoolVar(&o.RequireSuccess, "require-success", false, "require a _SUCCESS in the folders of the inputs; when appending, inputs without one wait for the next run")
	f.Var(countFlag[int]{&o.MaxInputs}, "max-inputs", "refuse to convert more than N input files")
	f.Var(countFlag[int64]{&o.ExpectRecords}, "expect-records", "publish only if the inputs have exactly N records")
	f.StringVar(&o.OnCorrupt, "on-corrupt", jobs.CorruptFail, "`ACTION` for damaged inputs: fail, skip-block, skip-file; a run that skips reports how much, and exits with 1")
	f.StringVar(&o.MaxSkipped, "max-skipped", "", "fail if more than `N` blocks are skipped (files, with skip-file), or more than P% of the inputs' bytes")
	f.Var((*metaFlag)(&o.Meta), "meta", "add metadata to the files; it overrides that of the inputs; repeatable, for other keys")
	f.Var(newSize(&o.Memory, 0), "memory", "largest memory of the whole process (default a quarter of that of the machine or cgroup)")
	f.Var(countFlag[int]{&o.Workers}, "workers", "number of concurrent mappers and of reducers (default the number of available CPUs)")
	f.StringArrayVar(&o.TempDirs, "temp-dir", nil, "`DIR` for temporary files; repeatable (default in or next to a local OUTPUT, else the system's)")
	f.Var(newSize(&o.TempLimit, 0), "temp-limit", "fail if temporary files together exceed SIZE (default no limit)")
	f.Var(newSize(&o.MaxBlock, jobs.DefaultMaxBlock), "max-block-bytes", "treat an Avro block as damaged if it decompresses to more than SIZE")
	f.Var(newSize(&o.MaxHeader, jobs.DefaultMaxHeader), "max-header-bytes", "treat an Avro file as damaged if its header exceeds SIZE")
	f.StringVar(&o.Engine, "engine", jobs.EngineLocal, "`WHERE` to run: local, or hadoop: a Hadoop Streaming job on YARN, from HDFS to HDFS, which makes Trevni files; --memory is then the memory of each task (default 512MiB)")
	f.StringVar(&o.Hadoop.Command, "hadoop", "", "the `PROGRAM` hadoop (default HADOOP_HOME/bin/hadoop, else the one on PATH)")
	f.StringVar(&o.Hadoop.Jar, "streaming-jar", "", "the jar `FILE` of Hadoop Streaming (default the one below HADOOP_HOME, or near the program)")
	f.StringArrayVar(&o.Hadoop.Conf, "hadoop-conf", nil, "set a property `KEY=VALUE` of the Hadoop job; repeatable")
	f.Var(countFlag[int]{&o.Hadoop.Partitions}, "partitions", "number of reduce tasks on Hadoop; the last file of each may not be full (default by size)")
	f.StringVar(&c.task, "hadoop-task", "", "")
	_ = f.MarkHidden("hadoop-task") // it is there
	f.StringVar(&o.Keytab, "keytab", "", "`FILE` with the key of --principal, for HDFS with Kerberos (default the ticket cache of kinit)")
	f.StringVar(&o.Principal, "principal", "", "the Kerberos principal `NAME@REALM` of --keytab")
	f.BoolVar(&o.Verify, "verify", false, "Trevni: before publishing, read the files back and compare them with what was read from the inputs")
	f.BoolVar(&c.dryRun, "dry-run", false, "print the plan and do nothing else: inputs, schema, columns, splits; with --compact, the files to be merged")
	f.StringVar(&c.report, "report", "", "write a report of the run to `FILE`, as JSON like _SUCCESS, also if the run fails; - is standard output")
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

// parquetFlags declares the flags of Parquet alone.
func parquetFlags(o *jobs.Options, f *pflag.FlagSet) {
	f.Var(newSize(&o.RowGroupSize, 0), "row-group-size", "Parquet: size of the input that becomes a row group (default 1/64 of the inputs, 8MiB to 64MiB)")
	f.Var(newIntSize(&o.PageSize, 0), "page-size", "Parquet: uncompressed size at which a page ends (default 1MiB)")
	f.Var(countFlag[int]{&o.PageVersion}, "page-version", "Parquet: version of data pages, 1 or 2 (default 1)")
	f.StringVar(&o.Encodings, "encodings", "", "Parquet: `ENCODINGS` of values: compatible (plain, dictionary), or modern (also delta and byte stream split, if smaller) (default compatible)")
	f.StringVar(&o.LogicalTypes, "logical-types", "", "Parquet: logical `TYPES` to write: portable (those that all readers accept), or all (default portable)")
	f.StringVar(&o.InvalidUTF8, "invalid-utf8", "", "Parquet: `ACTION` for strings that are not UTF-8: fail, or binary: write all strings as bytes (default fail)")
}

// neverEmpty maps each flag whose value must not be empty to what the value is. If a script
// passes an unset variable, the run would otherwise convert, leave out, or report something
// else than intended. For other flags an empty value is the default: --codec, --on-corrupt.
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

// newSize returns a flag that stores in p, with the default def.
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

// Set parses a size. It refuses zero, which would mean the default.
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
type metaFlag []ocf.Meta

// Set takes one key and value.
func (m *metaFlag) Set(text string) error {
	key, value, ok := strings.Cut(text, "=")
	if !ok {
		return fmt.Errorf("not KEY=VALUE")
	}
	*m = append(*m, ocf.Meta{Key: key, Value: []byte(value)})
	return nil
}

// String returns nothing: there is no default.
func (m *metaFlag) String() string { return "" }

// Type names the value in --help.
func (m *metaFlag) Type() string { return "KEY=VALUE" }
