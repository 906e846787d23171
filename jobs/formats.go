package jobs

import (
	"path/filepath"
	"slices"
	"strings"

	"avro2trevni/internal/exit"
	"avro2trevni/internal/format"
	"avro2trevni/internal/format/parquet"
	"avro2trevni/internal/format/trevni"
	"avro2trevni/internal/units"
	"avro2trevni/jobs/report"
)

// formats are the formats of files: by name, what answers for them with a job's options. The
// first is the default.
var formats = []struct {
	name string
	ext  string
	of   func(o *Options) format.Format
}{
	{FormatTrevni, ".trv", func(*Options) format.Format { return trevni.Format{} }},
	{FormatParquet, ".parquet", (*Options).parquet},
}

// Formats of files.
const (
	FormatTrevni  = report.DefaultFormat
	FormatParquet = "parquet"
)

// formatName returns the name of the format of the job's files: the requested one, else the
// one whose extension the output has, else the default.
func (o *Options) formatName() string {
	if o.Format != "" {
		return o.Format
	}
	for _, f := range formats {
		if filepath.Ext(o.Output) == f.ext {
			return f.name
		}
	}
	return formats[0].name
}

// format returns the format of the job's files.
func (o *Options) format() format.Format {
	name := o.formatName()
	for _, f := range formats {
		if f.name == name {
			return f.of(o)
		}
	}
	panic("jobs: no format " + name) // validateFormat refuses it
}

// knownFormat returns the format of a name that a report has, nil if there is none.
func knownFormat(name string) format.Format {
	for _, f := range formats {
		if f.name == orDefault(name, report.DefaultFormat) {
			return f.of(new(Options))
		}
	}
	return nil
}

// formatAsIn sets the options of the format, and of what only one has, to those of a report.
func (o *Options) formatAsIn(made *report.Options) {
	o.Format, o.BlockSize = made.Format, made.BlockSize
	o.RowGroupSize, o.PageSize, o.PageVersion = made.RowGroup, made.PageSize, made.PageVersion
	o.Encodings, o.LogicalTypes, o.InvalidUTF8 = made.Encodings, made.Logical, made.Invalid
	o.Bloom, o.Summary, o.FooterEvery = made.Bloom, made.Summary, made.FooterEvery
}

// parquet returns Parquet as the options want it.
func (o *Options) parquet() format.Format {
	f := parquet.Format{
		PageVersion: o.PageVersion, Modern: o.Encodings == EncodingsModern,
		Bloom: o.Bloom, Summary: o.Summary, FooterEvery: o.FooterEvery,
	}
	f.Binary = o.InvalidUTF8 == InvalidBinary
	if o.LogicalTypes == LogicalAll {
		f.Logical = parquet.All
	}
	return f
}

// What Parquet's encodings, logical types and strings may be.
const (
	EncodingsCompatible = "compatible" // plain and dictionary
	EncodingsModern     = "modern"     // others too, where they are smaller

	LogicalPortable = "portable" // those that all readers in wide use take
	LogicalAll      = "all"

	InvalidFail   = "fail"   // a string that is not UTF-8 ends the job
	InvalidBinary = "binary" // strings are bytes
)

// reportedFormat returns the format's name as a report has it: the default is left out.
func (o *Options) reportedFormat() string {
	if name := o.formatName(); name != formats[0].name {
		return name
	}
	return ""
}

// words returns the options whose meaning is the format's.
func (o *Options) words() *format.Words {
	return &format.Words{
		Codec: o.Codec, Checksum: o.Checksum, Index: o.Index, BlockSize: o.BlockSize, FileSize: o.fileLimit(), Digests: o.Verify,
	}
}

// reserved reports whether a key of metadata is the format's own.
func (o *Options) reserved(key string) bool { return format.Reserved(o.format(), key) }

// validateFormat checks the options that are about formats.
func (o *Options) validateFormat() error {
	var names, exts []string
	known := o.Format == ""
	for _, f := range formats {
		known = known || f.name == o.Format
		names, exts = append(names, f.name), append(exts, f.ext)
	}
	if !known {
		return exit.Usage("format %q: must be %s", o.Format, strings.Join(names, " or "))
	}
	for i, ext := range exts {
		if filepath.Ext(o.Output) == ext && o.formatName() != names[i] {
			return exit.Usage("output %s: a name that ends in %s is one %s file, and --format is %s", o.Output, ext, names[i], o.Format)
		}
	}
	if o.formatName() == FormatParquet {
		return o.validateParquet()
	}
	return o.validateNoParquet()
}

// validateNoParquet refuses the options that only Parquet has a use for.
func (o *Options) validateNoParquet() error {
	for _, no := range []struct {
		given bool
		what  string
	}{
		{o.RowGroupSize != 0, "row group size"},
		{o.PageSize != 0, "page size"},
		{o.PageVersion != 0, "page version"},
		{o.Encodings != "", "encodings"},
		{o.LogicalTypes != "", "logical types"},
		{o.InvalidUTF8 != "", "invalid utf8"},
		{len(o.Bloom) > 0, "bloom"},
		{o.Summary, "summary"},
		{o.FooterEvery != 0, "footer every"},
	} {
		if no.given {
			return exit.Usage("%s: works only with --format parquet", no.what)
		}
	}
	return nil
}

// validateParquet checks the options of Parquet's.
func (o *Options) validateParquet() error {
	oneOf := func(option, word string, words ...string) error {
		for _, w := range append(words, "") {
			if word == w {
				return nil
			}
		}
		return exit.Usage("%s %q: must be %s", option, word, strings.Join(words, " or "))
	}
	switch {
	case o.PageVersion < 0 || o.PageVersion > 2:
		return exit.Usage("page version %d: must be 1 or 2", o.PageVersion)
	case o.BlockSize != 0 && o.BlockSize != DefaultBlockSize:
		return exit.Usage("block size: Parquet files have pages, and --page-size")
	case o.Summary && o.Single():
		return exit.Usage("summary: %s is one file; only a folder has files that describe all others", o.Output)
	case slices.Contains(o.Bloom, ""):
		return exit.Usage("bloom: the name is empty")
	}
	if err := oneOf("encodings", o.Encodings, EncodingsCompatible, EncodingsModern); err != nil {
		return err
	}
	if err := oneOf("logical types", o.LogicalTypes, LogicalPortable, LogicalAll); err != nil {
		return err
	}
	return oneOf("invalid utf8", o.InvalidUTF8, InvalidFail, InvalidBinary)
}

// Bounds of the default row group of Parquet, in bytes of input. Readers divide work by row
// groups, and each has a cost.
const (
	leastRowGroup  = 8 * units.MiB
	mostRowGroup   = 64 * units.MiB
	rowGroupColumn = 128 * units.KiB // for each column: a chunk is not to be tiny
	rowGroupShare  = 64              // of the inputs
)

// rowGroupSize returns the bytes of input that become a row group.
func rowGroupSize(inputs int64, columns int) int64 {
	return max(min(max(inputs/rowGroupShare, leastRowGroup), mostRowGroup), rowGroupColumn*int64(columns))
}
