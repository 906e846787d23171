package main

import (
	"github.com/spf13/pflag"

	"avro2trevni/internal/cmdline"
	"avro2trevni/jobs"
)

// groups are the groups of flags in the order of --help, and what declares those of each.
var groups = []struct {
	title   string
	declare func(c *command, f *pflag.FlagSet)
}{
	{"Output files", (*command).outputFlags},
	{"Trevni files", (*command).trevniFlags},
	{"Parquet files", (*command).parquetFlags},
	{"Rows and fields", (*command).rowFlags},
	{"Input files", (*command).inputFlags},
	{"Existing output", (*command).existingFlags},
	{"Damage and checks", (*command).checkFlags},
	{"Resources", (*command).resourceFlags},
	{"S3", (*command).s3Flags},
	{"Hadoop", (*command).hadoopFlags},
	{"Reports", (*command).reportFlags},
	{"Help", (*command).helpFlags},
}

// flags declares all flags, and returns them in their groups.
func (c *command) flags(f *pflag.FlagSet) (all cmdline.Groups) {
	for _, g := range groups {
		all.Add(g.title, func(f *pflag.FlagSet) { g.declare(c, f) })
	}
	f.SortFlags = false
	all.AddTo(f)
	for name, what := range neverEmpty {
		flag := f.Lookup(name)
		flag.Value, flag.DefValue = given{flag.Value, what}, ""
	}
	return all
}

func (c *command) outputFlags(f *pflag.FlagSet) {
	o := &c.opts
	f.StringVar(&o.Format, "format", "", "`FORMAT` of the files: trevni, parquet (default by the name of OUTPUT if it is one file, else trevni)")
	f.StringVar(&o.Codec, "codec", jobs.DefaultCodec, "`CODEC` to compress with: null, snappy, snappy:better, deflate, deflate:1 to deflate:9; Parquet: null, snappy, snappy:better, gzip, gzip:1 to gzip:9, zstd, zstd:1 to zstd:22; for a column of its own: zstd,payload=null")
	f.Var(newSize(&o.FileSize, jobs.DefaultFileSize), "file-size", "largest size of a file, so that it fits one HDFS block; no limit if OUTPUT is one file")
	f.Var((*metaFlag)(&o.Meta), "meta", "add metadata to the files; it overrides that of the inputs; repeatable, for other keys")
}

func (c *command) trevniFlags(f *pflag.FlagSet) {
	o := &c.opts
	f.StringVar(&o.Checksum, "checksum", jobs.DefaultChecksum, "checksum `SUM` of each block: crc32, crc-32, null; for a column of its own: crc32,payload=null")
	f.Var(newIntSize(&o.BlockSize, jobs.DefaultBlockSize), "block-size", "uncompressed size at which a block ends; it always ends between rows")
	f.StringSliceVar(&o.Index, "index", nil, "index these `COLUMNS`, separated by commas, so that trevni cat --where can seek; the rows must be sorted by each of them")
}

func (c *command) parquetFlags(f *pflag.FlagSet) {
	o := &c.opts
	f.Var(newSize(&o.RowGroupSize, 0), "row-group-size", "size of the input that becomes a row group (default 1/64 of the inputs, 8MiB to 64MiB)")
	f.Var(newIntSize(&o.PageSize, 0), "page-size", "uncompressed size at which a page ends (default 1MiB)")
	f.Var(countFlag[int]{&o.PageVersion}, "page-version", "version of data pages, 1 or 2 (default 1)")
	f.StringVar(&o.Encodings, "encodings", "", "`ENCODINGS` of values: compatible (plain, dictionary), or modern (also delta and byte stream split, if smaller) (default compatible)")
	f.StringVar(&o.LogicalTypes, "logical-types", "", "logical `TYPES` to write: portable (those that all readers accept), or all (default portable)")
	f.StringSliceVar(&o.Bloom, "bloom", nil, "write bloom filters of these `COLUMNS`, separated by commas, by which readers skip row groups that lack a value")
	f.BoolVar(&o.Summary, "summary", false, "write _metadata and _common_metadata, which describe all files of OUTPUT, for readers that plan by them")
	f.Var(countFlag[int]{&o.FooterEvery}, "footer-every", "write a footer after every N row groups too, so that a file that is cut short can be recovered up to there")
	f.StringVar(&o.InvalidUTF8, "invalid-utf8", "", "`ACTION` for strings that are not UTF-8: fail, or binary: write all strings as bytes (default fail)")
}

func (c *command) rowFlags(f *pflag.FlagSet) {
	o := &c.opts
	f.StringVar(&o.Schema, "schema", "", "resolve the inputs to the schema in `FILE`; or to latest, the newest input's schema; or to merge, the union of all schemas")
	f.StringSliceVar(&o.Columns, "columns", nil, "convert only these `FIELDS`, separated by commas; a dot leads to an inner field: user.name; * stands for any part of a name")
	f.StringSliceVar(&o.Exclude, "exclude", nil, "leave out these `FIELDS`")
	f.StringSliceVar(&o.SortBy, "sort-by", nil, "sort the rows by `FIELDS`, separated by commas; name:asc or name:desc overrides the schema's order; in Trevni files the first field is indexed if its type allows")
	f.StringVar(&o.PartitionBy, "partition-by", "", "write a folder FIELD=value of part files for each value of `FIELD`, as Hive and Spark do; the field stays in the files")
	f.Var(countFlag[int]{&o.MaxPartitions}, "max-partitions", "refuse to write more than N partitions (default 10000)")
}

func (c *command) inputFlags(f *pflag.FlagSet) {
	o := &c.opts
	f.StringVar(&c.filesFrom, "files-from", "", "read the names of inputs from `FILE`, one per line; - is standard input")
	f.StringArrayVar(&o.IncludeFiles, "include-files", nil, "in folders and globs, take only the files that match `GLOB`; in folders it replaces *.avro; repeatable")
	f.StringArrayVar(&o.ExcludeFiles, "exclude-files", nil, "in folders and globs, leave out files and whole folders that match `GLOB`; repeatable")
	f.Var((*ageFlag)(&o.MinAge), "min-age", "require inputs to be at least AGE old, e.g. 5m, 12h or 2d; when appending, younger ones wait for the next run")
	f.BoolVar(&o.RequireSuccess, "require-success", false, "require a _SUCCESS in the folders of the inputs; when appending, inputs without one wait for the next run")
	f.Var(countFlag[int]{&o.MaxInputs}, "max-inputs", "refuse to convert more than N input files")
}

func (c *command) existingFlags(f *pflag.FlagSet) {
	o := &c.opts
	f.StringVar(&o.IfExists, "if-exists", jobs.IfExistsFail, "`ACTION` if OUTPUT exists: fail, replace, or append: convert the inputs that its _SUCCESS does not list, to additional part files")
	f.StringVar(&o.Changed, "changed", jobs.ChangedFail, "`ACTION`, when appending, for inputs that changed after they were converted: fail, ignore, or convert: add their rows again; the old rows stay")
	f.BoolVar(&c.compact, "compact", false, "do not convert, but merge adjacent part files of OUTPUT that are less than half full")
}

func (c *command) checkFlags(f *pflag.FlagSet) {
	o := &c.opts
	f.StringVar(&o.OnCorrupt, "on-corrupt", jobs.CorruptFail, "`ACTION` for damaged inputs: fail, skip-block, skip-file; a run that skips reports how much, and exits with 1")
	f.StringVar(&o.MaxSkipped, "max-skipped", "", "fail if more than `N` blocks are skipped (files, with skip-file), or more than P% of the inputs' bytes")
	f.Var(newSize(&o.MaxBlock, jobs.DefaultMaxBlock), "max-block-bytes", "treat an Avro block as damaged if it decompresses to more than SIZE")
	f.Var(newSize(&o.MaxHeader, jobs.DefaultMaxHeader), "max-header-bytes", "treat an Avro file as damaged if its header exceeds SIZE")
	f.Var(countFlag[int64]{&o.ExpectRecords}, "expect-records", "publish only if the inputs have exactly N records")
	f.BoolVar(&o.Verify, "verify", false, "before publishing, read the files back, Parquet files with another library, and compare them with what was read from the inputs")
}

func (c *command) resourceFlags(f *pflag.FlagSet) {
	o := &c.opts
	f.Var(newSize(&o.Memory, 0), "memory", "largest memory of the whole process (default a quarter of that of the machine or cgroup)")
	f.Var(countFlag[int]{&o.Workers}, "workers", "number of concurrent mappers and of reducers (default the number of available CPUs)")
	f.StringArrayVar(&o.TempDirs, "temp-dir", nil, "`DIR` for temporary files; repeatable (default in or next to a local OUTPUT, else the system's)")
	f.Var(newSize(&o.TempLimit, 0), "temp-limit", "fail if temporary files together exceed SIZE (default no limit)")
}

func (c *command) s3Flags(f *pflag.FlagSet) {
	o := &c.opts.S3
	f.StringVar(&o.Endpoint, "s3-endpoint", "", "`URL` of the service, for s3:// names (default AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL, the profile's, else AWS)")
	f.StringVar(&o.Region, "s3-region", "", "`REGION` of the service (default AWS_REGION, the profile's, else us-east-1; a bucket of another region is found)")
	f.StringVar(&o.PathStyle, "s3-path-style", "", "`BOOL`: whether URLs have the bucket in the path (true) or in the host (false) (default AWS_S3_FORCE_PATH_STYLE, else true if there is an endpoint)")
	f.StringVar(&c.opts.S3Lock, "s3-lock", jobs.S3LockLease, "`WHAT` keeps two runs from writing an output on S3 at the same time: lease, a lock in the bucket; or external, whatever starts them")
	f.DurationVar(&c.opts.S3Lease, "s3-lease", jobs.DefaultS3Lease, "`TIME` after which the lock of a run that died may be taken, 1s to 1h")
}

func (c *command) hadoopFlags(f *pflag.FlagSet) {
	o := &c.opts
	f.StringVar(&o.Engine, "engine", jobs.EngineLocal, "`WHERE` to run: local, or hadoop: a Hadoop Streaming job on YARN, from HDFS to HDFS; --memory is then the memory of each task (default 512MiB)")
	f.StringVar(&o.Hadoop.Command, "hadoop", "", "the `PROGRAM` hadoop (default HADOOP_HOME/bin/hadoop, else the one on PATH)")
	f.StringVar(&o.Hadoop.Jar, "streaming-jar", "", "the jar `FILE` of Hadoop Streaming (default the one below HADOOP_HOME, or near the program)")
	f.StringArrayVar(&o.Hadoop.Conf, "hadoop-conf", nil, "set a property `KEY=VALUE` of the Hadoop job; repeatable")
	f.Var(countFlag[int]{&o.Hadoop.Partitions}, "partitions", "number of reduce tasks on Hadoop; the last file of each may not be full (default by size)")
	f.StringVar(&c.task, "hadoop-task", "", "")
	_ = f.MarkHidden("hadoop-task") // it is there
	f.StringVar(&o.Keytab, "keytab", "", "`FILE` with the key of --principal, for HDFS with Kerberos (default the ticket cache of kinit)")
	f.StringVar(&o.Principal, "principal", "", "the Kerberos principal `NAME@REALM` of --keytab")
}

func (c *command) reportFlags(f *pflag.FlagSet) {
	f.BoolVar(&c.dryRun, "dry-run", false, "print the plan and do nothing else: inputs, schema, columns, splits; with --compact, the files to be merged")
	f.StringVar(&c.report, "report", "", "write a report of the run to `FILE`, as JSON like _SUCCESS, also if the run fails; - is standard output")
	f.StringVar(&c.progress, "progress", "auto", "`WHEN` to show bars on standard error: auto (on a terminal), always, never")
	f.StringVar(&c.format, "log-format", "text", "`FORMAT` of errors and logs on standard error: text, json")
	f.BoolVarP(&c.verbose, "verbose", "v", false, "log what is being done")
}

func (c *command) helpFlags(f *pflag.FlagSet) {
	f.BoolP("help", "h", false, "show this help")
	f.BoolVar(&c.man, "man", false, "print this help as a manual page: convert --man | man -l -")
	f.Bool("version", false, "show the version")
}

// words are the flags whose values are words, and those words: for completion, and to guess
// which one was meant.
var words = map[string][]string{
	"format":        {jobs.FormatTrevni, jobs.FormatParquet},
	"codec":         {"null", "snappy", "snappy:better", "deflate", "gzip", "zstd"},
	"checksum":      {"crc32", "crc-32", "null"},
	"encodings":     {jobs.EncodingsCompatible, jobs.EncodingsModern},
	"logical-types": {jobs.LogicalPortable, jobs.LogicalAll},
	"invalid-utf8":  {jobs.InvalidFail, jobs.InvalidBinary},
	"if-exists":     {jobs.IfExistsFail, jobs.IfExistsReplace, jobs.IfExistsAppend},
	"changed":       {jobs.ChangedFail, jobs.ChangedIgnore, jobs.ChangedConvert},
	"on-corrupt":    {jobs.CorruptFail, jobs.CorruptSkipBlock, jobs.CorruptSkipFile},
	"s3-path-style": {"true", "false"},
	"s3-lock":       {jobs.S3LockLease, jobs.S3LockExternal},
	"engine":        {jobs.EngineLocal, jobs.EngineHadoop},
	"progress":      {"auto", "always", "never"},
	"log-format":    {"text", "json"},
}

// neverEmpty maps each flag whose value must not be empty to what the value is. If a script
// passes an unset variable, the run would otherwise convert, leave out, or report something
// else than intended. For other flags an empty value is the default: --codec, --on-corrupt.
var neverEmpty = map[string]string{
	"columns": "field", "exclude": "field", "index": "column", "sort-by": "field", "partition-by": "field", "bloom": "column",
	"schema": "file", "files-from": "file", "report": "file", "temp-dir": "folder",
	"include-files": "pattern", "exclude-files": "pattern", "max-skipped": "number",
}
