package jobs

import (
	"fmt"
	"io"
	"log/slog"
	"math"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"avro2trevni/internal/exit"
	"avro2trevni/internal/format"
	"avro2trevni/internal/ocf"
	"avro2trevni/internal/storage"
	"avro2trevni/internal/storage/s3"
	"avro2trevni/internal/units"
	"avro2trevni/jobs/damage"
	"avro2trevni/jobs/hadoop"
	"avro2trevni/jobs/history"
	"avro2trevni/jobs/listing"
	"avro2trevni/jobs/memory"
	"avro2trevni/jobs/publish"
	"avro2trevni/jobs/watch"
	"avro2trevni/reducer"
	"avro2trevni/shuffle"
)

// Defaults of [Options].
const (
	DefaultCodec     = format.DefaultCodec
	DefaultChecksum  = format.DefaultChecksum
	DefaultFileSize  = 1 << 30
	DefaultBlockSize = 64 << 10
	DefaultPageSize  = 1 << 20
	DefaultSplitSize = 8 << 20
	DefaultMaxBlock  = 200 << 20
	DefaultMaxHeader = 16 << 20
	DefaultS3Lease   = publish.DefaultLease
	// DefaultPartitions is the default limit of the number of partitions.
	DefaultPartitions = 10_000
)

// What an output may do about what is there.
const (
	IfExistsFail    = "fail"
	IfExistsReplace = "replace"
	IfExistsAppend  = "append"
)

// What a run that appends may do about inputs that changed since they were converted.
const (
	ChangedFail    = history.Fail
	ChangedConvert = history.Convert
	ChangedIgnore  = history.Ignore
)

// What may be done about an input that is damaged.
const (
	CorruptFail      = damage.Fail      // the job fails
	CorruptSkipBlock = damage.SkipBlock // blocks that are not whole are left out
	CorruptSkipFile  = damage.SkipFile  // files that are not whole are left out
)

// Options are a job's. The zero value of a field is its default; Inputs and Output
// have none. A job never writes to the caller's.
type Options struct {
	Inputs []string // files, folders (their *.avro, recursively), globs; at least one, or Files
	Files  []string // files and folders, never globs, that come before Inputs; if not nil there need be none

	FilesFrom string // a file that lists more such names, one a line
	Output    string // a folder, or one file if it ends in .trv or .parquet
	Format    string // trevni or parquet; default what Output ends in, else trevni

	Codec     string // null, snappy, snappy:better, deflate, deflate:1 to deflate:9; of columns too, as "deflate,payload=null"; default snappy
	Checksum  string // crc32, crc-32, null, also for single columns; default crc32
	FileSize  int64  // most bytes of an output file, from 1 KiB; default 1 GiB; no limit if Output is one file
	BlockSize int    // uncompressed bytes at which a block is cut, 1 KiB to 256 MiB; default 64 KiB

	// Of Parquet alone.
	RowGroupSize int64    // bytes of input that become a row group, from 64 KiB; default a 64th of the inputs, 8 to 64 MiB
	PageSize     int      // uncompressed bytes at which a page is cut, 1 KiB to 256 MiB; default 1 MiB
	PageVersion  int      // of data pages, 1 or 2; default 1
	Encodings    string   // compatible or modern; default compatible
	LogicalTypes string   // portable or all; default portable
	InvalidUTF8  string   // fail or binary; default fail
	Bloom        []string // columns that get bloom filters, by name or field; default none
	Summary      bool     // write _metadata and _common_metadata, which describe all files of the folder
	FooterEvery  int      // row groups after which a footer is written, from 1; default only at the end

	Memory    int64    // bytes, the bound of the process, from 16 MiB; default a quarter of the machine's or cgroup's
	Workers   int      // mappers at a time, and reducers, 1 to 4096; default the CPUs allowed
	TempDirs  []string // where the shuffle spills, those that fail excepted; default beside the output
	TempLimit int64    // most bytes in temporary files at a time, from 1 MiB; default no limit

	Index         []string // columns that get first values, by name or field; the rows must be sorted by each
	SortBy        []string // fields that the rows are sorted by, by path; with :asc or :desc after it if the schema is not to say; default the inputs' order
	PartitionBy   string   // a field, by path: a folder of files for each of its values; default none
	MaxPartitions int      // most such folders that a run writes; default 10,000

	Meta     []ocf.Meta // file metadata; keys unique, not empty, not trevni.* or avro.*
	IfExists string     // fail, replace or append; default fail
	Changed  string     // fail, convert or ignore, with append; default fail

	IncludeFiles   []string      // patterns, see path.Match, of the files to take of folders and globs; default *.avro of folders
	ExcludeFiles   []string      // and of files and folders to leave out; a pattern with a slash is of the path below the input
	MinAge         time.Duration // how long ago an input must have been written; default any time
	RequireSuccess bool          // whether an input's folder must have a _SUCCESS
	MaxInputs      int           // refuse more; default no bound
	ExpectRecords  int64         // refuse another number of rows; default any

	Schema  string   // a file with the schema of the rows, or latest, or merge; default the inputs', which must be one
	Columns []string // paths of the fields to convert, see [schema.Text.Select]; default all
	Exclude []string // paths of fields to leave out

	OnCorrupt  string // fail, skip-block or skip-file: what to do about damaged inputs; default fail
	MaxSkipped string // most blocks (files, with skip-file) to skip, or of the inputs' bytes, as "3%"; default no bound

	Verify bool // read the files back before they are published, and compare with what the mappers made

	MaxBlock  int64 // most bytes of an Avro block, decompressed, from 1 KiB; default 200 MiB
	MaxHeader int64 // most bytes of an Avro file's header, from 1 KiB; default 16 MiB
	SplitSize int64 // bytes of input that one mapper takes at a time, from 1 KiB; default 8 MiB; shapes the outputs' bytes

	Report string // a local file that the caller replaces by the report when the job has ended; an input that it is, is refused; see CheckReport

	Progress *watch.Progress // where to count; default nowhere
	Log      *slog.Logger    // default none; record values never go there
	FS       storage.FS      // default the local file system, HDFS for hdfs:// names, and S3 for s3:// names

	Engine string        // local or hadoop; default local
	Hadoop HadoopOptions // of engine hadoop

	Keytab    string // file with Principal's key, for HDFS with Kerberos; default the ticket cache
	Principal string // name@REALM; with Keytab

	S3      s3.Options    // how to reach S3; Log is the job's
	S3Lock  string        // what keeps two runs from writing an output on S3 at the same time: lease or external; default lease
	S3Lease time.Duration // how long the lock of a run that died stays there, 1 s to 1 h; default 1 min

	merges bool // of a compaction

	hooks
}

// hooks are replacements for tests; the zero value replaces nothing.
type hooks struct {
	runTasks hadoop.Runner                                     // runs the tasks of engine hadoop
	reach    func(name string) bool                            // whether those can read an input
	stall    time.Duration                                     // after which a job that gets nowhere says so
	divide   func(*memory.Share)                               // changes the division of memory
	spills   shuffle.Files                                     // where the shuffle spills
	stage    func(dir string) func() (reducer.TempFile, error) // makes the reducers' temporary files
}

// bounds is a numeric option's legal range.
type bounds struct {
	name     string
	value    int64
	min, max int64
	show     func(int64) string
}

// check refuses a value outside of the range; zero means the default.
func (b *bounds) check() error {
	switch {
	case b.value != 0 && b.value < b.min:
		return exit.Usage("%s %s: must be at least %s", b.name, b.show(b.value), b.show(b.min))
	case b.value > b.max:
		return exit.Usage("%s %s: must be at most %s", b.name, b.show(b.value), b.show(b.max))
	}
	return nil
}

// exactSize returns bytes in the largest unit that divides them.
func exactSize(n int64) string {
	for _, unit := range []struct {
		bytes int64
		name  string
	}{{units.GiB, "GiB"}, {units.MiB, "MiB"}, {units.KiB, "KiB"}} {
		if n >= unit.bytes && n%unit.bytes == 0 {
			return fmt.Sprintf("%d %s", n/unit.bytes, unit.name)
		}
	}
	return fmt.Sprintf("%d bytes", n)
}

func (o *Options) bounds() []bounds {
	count := func(n int64) string { return strconv.FormatInt(n, 10) }
	return []bounds{
		{"file size", o.FileSize, units.KiB, math.MaxInt64, exactSize},
		{"block size", int64(o.BlockSize), units.KiB, 256 * units.MiB, exactSize},
		{"row group size", o.RowGroupSize, 64 * units.KiB, math.MaxInt64 / 2, exactSize},
		{"page size", int64(o.PageSize), units.KiB, 256 * units.MiB, exactSize},
		{"memory", o.Memory, 16 * units.MiB, math.MaxInt64, exactSize},
		{"workers", int64(o.Workers), 1, 4096, count},
		{"temp limit", o.TempLimit, units.MiB, math.MaxInt64, exactSize},
		{"max block bytes", o.MaxBlock, units.KiB, math.MaxInt32, exactSize},
		{"max header bytes", o.MaxHeader, units.KiB, math.MaxInt32, exactSize},
		{"footer every", int64(o.FooterEvery), 1, 1e6, count},
		{"max partitions", int64(o.MaxPartitions), 1, 1e6, count},
		{"split size", o.SplitSize, units.KiB, math.MaxInt64 / 2, exactSize},
	}
}

// Validate returns nil if a job can be tried with these options, else an error of
// [exit.StatusUsage] that names field, value and legal range. It does not use the
// storage.
func (o *Options) Validate() error {
	if len(o.Inputs) == 0 && o.Files == nil && o.FilesFrom == "" {
		return exit.Usage("no input given")
	}
	for _, in := range slices.Concat([]string{o.Output}, o.Files, o.Inputs) {
		if err := listing.ValidName(in); err != nil {
			return err
		}
	}
	for _, b := range o.bounds() {
		if err := b.check(); err != nil {
			return err
		}
	}
	return o.validateWords()
}

// validateWords checks the options that are words.
func (o *Options) validateWords() error {
	if err := o.validateFormat(); err != nil {
		return err
	}
	if err := o.format().Check(o.words()); err != nil {
		return err
	}
	switch o.IfExists {
	case "", IfExistsFail, IfExistsReplace, IfExistsAppend:
	default:
		return exit.Usage("if-exists %q: must be fail, replace or append", o.IfExists)
	}
	if err := o.validateGuards(); err != nil {
		return err
	}
	if slices.Contains(o.Index, "") {
		return exit.Usage("index: the name is empty")
	}
	if err := o.validateSort(); err != nil {
		return err
	}
	for _, dir := range o.TempDirs {
		if dir == "" {
			return exit.Usage("temp dir: the name is empty")
		}
		if storage.Remote(dir) {
			return exit.Usage("temp dir %s: must be a local folder", dir)
		}
	}
	if err := o.damage().Validate(); err != nil {
		return err
	}
	if err := o.validateEngine(); err != nil {
		return err
	}
	if err := o.validateSchema(); err != nil {
		return err
	}
	if err := o.validateS3(); err != nil {
		return err
	}
	if (o.Keytab == "") != (o.Principal == "") {
		return exit.Usage("keytab and principal: one needs the other")
	}
	return o.validateMeta()
}

func (o *Options) validateMeta() error {
	seen := map[string]bool{}
	for _, p := range o.Meta {
		switch {
		case p.Key == "":
			return exit.Usage("meta: a key is empty")
		case o.reserved(p.Key):
			return exit.Usage("meta %q: keys that start with %s are the format's own", p.Key, strings.Join(o.format().Reserved(), " or "))
		case seen[p.Key]:
			return exit.Usage("meta %q: given twice", p.Key)
		}
		seen[p.Key] = true
	}
	return nil
}

// cpus is the number of CPUs that the program may use: affinity and cgroup are heeded.
var cpus = runtime.GOMAXPROCS(0)

// withDefaults returns a copy with every default filled in.
func (o *Options) withDefaults() *Options {
	c := *o
	c.Codec = orDefault(c.Codec, DefaultCodec)
	c.Checksum = orDefault(c.Checksum, DefaultChecksum)
	c.FileSize = orDefault(c.FileSize, DefaultFileSize)
	c.BlockSize = orDefault(c.BlockSize, DefaultBlockSize)
	parquet := c.formatName() == FormatParquet
	if parquet {
		c.BlockSize, c.SplitSize = orDefault(c.PageSize, DefaultPageSize), orDefault(c.SplitSize, c.RowGroupSize)
	}
	if c.Engine = orDefault(c.Engine, EngineLocal); c.Engine == EngineHadoop {
		c.hadoopDefaults()
	}
	if !parquet {
		c.SplitSize = orDefault(c.SplitSize, DefaultSplitSize)
	}
	c.MaxBlock = orDefault(c.MaxBlock, DefaultMaxBlock)
	c.MaxHeader = orDefault(c.MaxHeader, DefaultMaxHeader)
	c.IfExists = orDefault(c.IfExists, IfExistsFail)
	c.MaxPartitions = orDefault(c.MaxPartitions, DefaultPartitions)
	c.Changed = orDefault(c.Changed, ChangedFail)
	c.OnCorrupt = orDefault(c.OnCorrupt, CorruptFail)
	c.Workers = orDefault(c.Workers, cpus)
	if c.Memory == 0 {
		c.Memory = memory.DefaultMemory()
	}
	if c.Progress == nil {
		c.Progress = new(watch.Progress)
	}
	if c.Log == nil {
		c.Log = slog.New(slog.NewTextHandler(io.Discard, nil))
	}
	if c.stage == nil {
		c.stage = reducer.TempDir
	}
	if c.FS == nil {
		c.FS = storage.Local{}
	}
	return &c
}

func orDefault[T comparable](v, d T) T {
	var zero T
	if v == zero {
		return d
	}
	return v
}

// Single reports whether the output is one file.
func (o *Options) Single() bool { return filepath.Ext(o.Output) == o.format().Ext() }

// fileLimit returns the largest size of an output file, 0 for no limit.
func (o *Options) fileLimit() int64 {
	if o.Single() {
		return 0
	}
	return o.FileSize
}

func (o *Options) metaMap() map[string]string {
	if len(o.Meta) == 0 {
		return nil
	}
	m := make(map[string]string, len(o.Meta))
	for _, p := range o.Meta {
		m[p.Key] = string(p.Value)
	}
	return m
}
