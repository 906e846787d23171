package data

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Copies is how often lineitem stands in the directory of ten times the rows.
const Copies = 10

//go:embed polars_write.py
var polarsScript string

// Paths are where data and tools live: all of it under one folder that git
// ignores and that may be deleted.
type Paths struct{ Root string }

func (p Paths) Data(name string) string { return filepath.Join(p.Root, "bench", name) }
func (p Paths) Python() string          { return filepath.Join(p.Root, "venv", "bin", "python") }
func (p Paths) generator() string       { return filepath.Join(p.Root, "venv", "bin", "tpchgen-cli") }
func (p Paths) AvroTools() string {
	return filepath.Join(p.Root, "java", "avro-tools-"+AvroToolsVersion+".jar")
}

// step makes some of the inputs or tools. A step whose products all exist is
// skipped.
type step struct {
	name     string
	products []string
	make     func(ctx context.Context) error
}

func (s *step) done() bool {
	return !slices.ContainsFunc(s.products, func(path string) bool { return !Exists(path) })
}

func (p Paths) steps() []step {
	write := func(t Table, codecs ...string) func(context.Context) error {
		return func(context.Context) error { return WriteAvro(p.Data(""), t, codecs...) }
	}
	of := func(names ...string) []string {
		for i := range names {
			names[i] = p.Data(names[i])
		}
		return names
	}
	lines := func(ctx context.Context) error {
		return WriteAvro(p.Data(""), lineitem(ctx, p.generator(), "lineitem", "1"), "snappy", "deflate")
	}
	quick := func(ctx context.Context) error {
		return WriteAvro(p.Data(""), lineitem(ctx, p.generator(), "lineitem01", "0.1"), "snappy")
	}
	return append(p.parquetSteps(), []step{
		{"avro-tools", []string{p.AvroTools()}, p.fetchAvroTools},
		{"venv", []string{p.generator()}, p.installPython},
		{"spark", []string{p.sparkAvro(), filepath.Join(p.sparkVenv(), "bin", "spark-submit")}, p.installSpark},
		{"parquet-readers", []string{filepath.Join(p.Root, "venv", "bin", "fastavro"), filepath.Join(p.Root, "venv", "bin", "numpy-config")}, p.installReaders},
		{"lineitem", of("lineitem-snappy.avro", "lineitem-deflate.avro"), lines},
		{"lineitem01", of(QuickInput), quick},
		{"lineitem-tenth", of(Tenth), p.tenth},
		{"lineitem01-3", of("lineitem01-3"), p.fold("lineitem01-3", QuickInput, 3)},
		{"lineitem01-10", of("lineitem01-10"), p.fold("lineitem01-10", QuickInput, Copies)},
		{"lineitem3", of("lineitem3"), p.fold("lineitem3", LineitemInput, 3)},
		{"lineitem-trevni", of("lineitem.trv"), p.trevni},
		{"lineitem-parquet", of("lineitem.parquet"), p.parquet},
		{"lineitem-polars", of("lineitem-polars.avro"), p.polars("lineitem-polars.avro", "chunks")},
		{"lineitem-oneblock", of("lineitem-oneblock.avro"), p.polars("lineitem-oneblock.avro", "one")},
		{"lineitem10", of("lineitem10"), p.fold("lineitem10", LineitemInput, Copies)},
		{"wide", of("wide-snappy.avro"), write(Wide(), "snappy")},
		{"nested", of("nested-snappy.avro"), write(Nested(), "snappy")},
		{"nullable", of("nullable-snappy.avro"), write(Nullable(), "snappy")},
		{"sparse", of("sparse-snappy.avro"), write(Sparse(), "snappy")},
		{"events", of("events-snappy.avro"), write(Events(), "snappy")},
	}...)
}

// MakeData runs the steps whose products are missing, or those of them named in only.
func MakeData(ctx context.Context, p Paths, only []string) error {
	if err := os.MkdirAll(p.Data(""), 0o755); err != nil {
		return err
	}
	var errs []error
	for _, s := range p.steps() {
		if s.done() || !Wanted(only, s.name) {
			continue
		}
		fmt.Fprintf(os.Stderr, "making %s\n", s.name)
		if err := s.make(ctx); err != nil {
			errs = append(errs, fmt.Errorf("bench: make %s: %w", s.name, err))
		}
	}
	return errors.Join(errs...)
}

// Wanted reports whether name is in list; an empty list wants all.
func Wanted(list []string, name string) bool {
	for _, l := range list {
		if l == name {
			return true
		}
	}
	return len(list) == 0
}

func (p Paths) fetchAvroTools(ctx context.Context) error {
	return Run(ctx, "mvn", "-q", "dependency:copy", "-Dartifact=org.apache.avro:avro-tools:"+AvroToolsVersion,
		"-DoutputDirectory="+MustAbs(filepath.Dir(p.AvroTools())))
}

func (p Paths) installPython(ctx context.Context) error {
	if err := Run(ctx, "python3", "-m", "venv", filepath.Join(p.Root, "venv")); err != nil {
		return err
	}
	return Run(ctx, p.Python(), "-m", "pip", "-q", "install", "tpchgen-cli=="+tpchgenVersion, "polars=="+PolarsVersion)
}

// installReaders adds Python's readers of Parquet, and what makes them files.
func (p Paths) installReaders(ctx context.Context) error {
	return Run(ctx, p.Python(), "-m", "pip", "-q", "install", "pyarrow=="+PyarrowVersion, "duckdb=="+DuckdbVersion,
		"fastavro=="+fastavroVersion, "cramjam=="+cramjamVersion, "numpy=="+numpyVersion)
}

// parquet is what polars reads lineitem from.
func (p Paths) parquet(ctx context.Context) error {
	return Run(ctx, p.generator(), "parquet", "-s", "1", "-T", "lineitem", "-o", p.Data(""))
}

// polars makes a product with a block a chunk, or in one block.
func (p Paths) polars(name, blocks string) func(context.Context) error {
	product := p.Data(name)
	return func(ctx context.Context) error {
		if err := Run(ctx, p.Python(), "-c", polarsScript, p.Data("lineitem.parquet"), product+".tmp", blocks); err != nil {
			return err
		}
		return os.Rename(product+".tmp", product)
	}
}

// trevni makes the columns that the benchmarks of codecs run over.
func (p Paths) trevni(ctx context.Context) error {
	product := p.Data("lineitem.trv")
	if err := Run(ctx, "java", "-jar", p.AvroTools(), "totrevni", "--codec", "snappy", p.Data("lineitem-snappy.avro"), product+".tmp"); err != nil {
		return err
	}
	return os.Rename(product+".tmp", product)
}

// fold makes a directory of n inputs that are hard links to one file: n times the
// rows to convert, one time the disk and page cache to hold.
func (p Paths) fold(name, file string, n int) func(context.Context) error {
	return func(context.Context) error { return link(p.Data(file), p.Data(name), n) }
}

func link(file, dir string, n int) error {
	if err := os.MkdirAll(dir+".tmp", 0o755); err != nil {
		return err
	}
	for i := range n {
		to := filepath.Join(dir+".tmp", fmt.Sprintf("lineitem-%02d.avro", i))
		if err := os.Link(file, to); err != nil && !errors.Is(err, os.ErrExist) {
			return err
		}
	}
	return os.Rename(dir+".tmp", dir)
}

// Run runs a command to its end; what it printed is part of the error.
func Run(ctx context.Context, name string, args ...string) error {
	out, err := exec.CommandContext(ctx, name, args...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w\n%s", name, err, strings.TrimSpace(string(out)))
	}
	return nil
}

// MustAbs returns path from the root; it fails only where the working folder is gone.
func MustAbs(path string) string {
	abs, err := filepath.Abs(path)
	if err != nil {
		return path
	}
	return abs
}
