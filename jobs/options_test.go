package jobs

import (
	"math"
	"testing"

	"avro2trevni/internal/exit"
	"avro2trevni/internal/ocf"
	"avro2trevni/internal/units"
)

func TestValidate(t *testing.T) {
	meta := func(keys ...string) (m []ocf.Meta) {
		for _, k := range keys {
			m = append(m, ocf.Meta{Key: k})
		}
		return m
	}
	tests := []struct {
		name   string
		change func(o *Options)
		says   string // empty: legal
	}{
		{"defaults", func(o *Options) {}, ""},
		{"all", func(o *Options) {
			o.Codec, o.Checksum, o.FileSize, o.BlockSize = "deflate:9", "crc-32", 1024, 1024
			o.Memory, o.Workers, o.TempDirs, o.Meta, o.IfExists = 16*units.MiB, 4096, []string{"/tmp"}, meta("a", "b"), "replace"
		}, ""},
		{"no input", func(o *Options) { o.Inputs = nil }, "no input given"},
		{"empty input", func(o *Options) { o.Inputs = []string{"a", ""} }, "name is empty"},
		{"empty output", func(o *Options) { o.Output = "" }, "name is empty"},
		{"zero byte", func(o *Options) { o.Output = "a\x00b" }, "zero byte"},
		{"scheme", func(o *Options) { o.Inputs = []string{"ftp://x/y"} }, "only local paths, hdfs:// and s3:// names"},
		{"remote temp", func(o *Options) { o.TempDirs = []string{"hdfs://x/y"} }, "must be a local folder"},
		{"keytab alone", func(o *Options) { o.Keytab = "k" }, "one needs the other"},
		{"codec", func(o *Options) { o.Codec = "lzo" }, `codec "lzo": must be null, snappy, snappy:better, deflate or deflate:1 to deflate:9`},
		{"codec level", func(o *Options) { o.Codec = "deflate:10" }, `codec "deflate:10"`},
		{"checksum", func(o *Options) { o.Checksum = "md5" }, `checksum "md5": must be crc32`},
		{"if exists", func(o *Options) { o.IfExists = "add" }, `if-exists "add": must be fail, replace or append`},
		{"append to a file", func(o *Options) { o.IfExists, o.Output = "append", "x.trv" }, "x.trv is one file; only a folder"},
		{"changed", func(o *Options) { o.IfExists, o.Changed = "append", "keep" }, `changed "keep": must be fail, convert or ignore`},
		{"changed without append", func(o *Options) { o.Changed = "ignore" }, "only with --if-exists append"},
		{"pattern", func(o *Options) { o.ExcludeFiles = []string{"[a"} }, `"[a": a malformed pattern`},
		{"empty pattern", func(o *Options) { o.IncludeFiles = []string{""} }, "malformed pattern"},
		{"min age", func(o *Options) { o.MinAge = -1 }, "min age -1ns: must not be negative"},
		{"max inputs", func(o *Options) { o.MaxInputs = -1 }, "max inputs -1"},
		{"records", func(o *Options) { o.ExpectRecords = -1 }, "expect records -1"},
		{"file size", func(o *Options) { o.FileSize = 1023 }, "file size 1023 bytes: must be at least 1 KiB"},
		{"negative file size", func(o *Options) { o.FileSize = -1 }, "file size -1 bytes: must be"},
		{"block size", func(o *Options) { o.BlockSize = 256*units.MiB + 1 }, "block size 268435457 bytes: must be at most 256 MiB"},
		{"memory", func(o *Options) { o.Memory = units.MiB }, "memory 1 MiB: must be at least 16 MiB"},
		{"workers", func(o *Options) { o.Workers = -1 }, "workers -1: must be at least 1"},
		{"many workers", func(o *Options) { o.Workers = 5000 }, "workers 5000: must be at most 4096"},
		{"max block", func(o *Options) { o.MaxBlock = math.MaxInt64 }, "max block bytes"},
		{"max header", func(o *Options) { o.MaxHeader = 1 }, "max header bytes 1"},
		{"split size", func(o *Options) { o.SplitSize = 1 }, "split size 1"},
		{"temp dir", func(o *Options) { o.TempDirs = []string{""} }, "temp dir: the name is empty"},
		{"meta trevni", func(o *Options) { o.Meta = meta("trevni.codec") }, `meta "trevni.codec"`},
		{"meta avro", func(o *Options) { o.Meta = meta("avro.schema") }, `meta "avro.schema"`},
		{"meta twice", func(o *Options) { o.Meta = meta("a", "a") }, `meta "a": given twice`},
		{"meta empty", func(o *Options) { o.Meta = meta("") }, "meta: a key is empty"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			o := &Options{Inputs: []string{"in"}, Output: "out"}
			test.change(o)
			status := exit.StatusUsage
			if test.says == "" {
				status = exit.StatusDone
			}
			wantExit(t, o.Validate(), status, test.says)
		})
	}
}

func TestDefaultsAreLegal(t *testing.T) {
	o := (&Options{Inputs: []string{"in"}, Output: "out"}).withDefaults()
	if err := o.Validate(); err != nil {
		t.Error(err)
	}
	if o.Workers < 1 || o.Memory < 64*units.MiB || o.fileLimit() != units.GiB {
		t.Errorf("workers %d, memory %d, file limit %d", o.Workers, o.Memory, o.fileLimit())
	}
	o.Output = "x.trv"
	if o.fileLimit() != 0 {
		t.Errorf("an output of one file is limited to %d bytes", o.fileLimit())
	}
}
