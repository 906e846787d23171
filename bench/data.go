package main

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

// Versions of what makes the data and of what is measured against.
const (
	tpchgenVersion   = "4.0.0"
	polarsVersion    = "2.1.0"
	avroToolsVersion = "1.12.1"
)

// copies is how often lineitem stands in the directory of ten times the rows.
const copies = 10

//go:embed polars_write.py
var polarsScript string

// paths are where data and tools live: all of it under one folder that git
// ignores and that may be deleted.
type paths struct{ root string }

func (p paths) data(name string) string { return filepath.Join(p.root, "bench", name) }
func (p paths) python() string          { return filepath.Join(p.root, "venv", "bin", "python") }
func (p paths) generator() string       { return filepath.Join(p.root, "venv", "bin", "tpchgen-cli") }
func (p paths) avroTools() string {
	return filepath.Join(p.root, "java", "avro-tools-"+avroToolsVersion+".jar")
}

// step makes some of the inputs or tools. A step whose products all exist is
// skipped.
type step struct {
	name     string
	products []string
	make     func(ctx context.Context) error
}

func (s *step) done() bool {
	return !slices.ContainsFunc(s.products, func(path string) bool { return !exists(path) })
}

func (p paths) steps() []step {
	write := func(t table, codecs ...string) func(context.Context) error {
		return func(context.Context) error { return writeAvro(p.data(""), t, codecs...) }
	}
	of := func(names ...string) []string {
		for i := range names {
			names[i] = p.data(names[i])
		}
		return names
	}
	lines := func(ctx context.Context) error {
		return writeAvro(p.data(""), lineitem(ctx, p.generator(), "lineitem", "1"), "snappy", "deflate")
	}
	quick := func(ctx context.Context) error {
		return writeAvro(p.data(""), lineitem(ctx, p.generator(), "lineitem01", "0.1"), "snappy")
	}
	return []step{
		{"avro-tools", []string{p.avroTools()}, p.fetchAvroTools},
		{"venv", []string{p.generator()}, p.installPython},
		{"spark", []string{p.sparkAvro(), filepath.Join(p.sparkVenv(), "bin", "spark-submit")}, p.installSpark},
		{"parquet-readers", []string{filepath.Join(p.root, "venv", "bin", "fastavro")}, p.installReaders},
		{"lineitem", of("lineitem-snappy.avro", "lineitem-deflate.avro"), lines},
		{"lineitem01", of(quickInput), quick},
		{"lineitem-tenth", of(tenth), p.tenth},
		{"lineitem01-3", of("lineitem01-3"), p.fold("lineitem01-3", quickInput, 3)},
		{"lineitem01-10", of("lineitem01-10"), p.fold("lineitem01-10", quickInput, copies)},
		{"lineitem3", of("lineitem3"), p.fold("lineitem3", lineitemInput, 3)},
		{"lineitem-trevni", of("lineitem.trv"), p.trevni},
		{"lineitem-parquet", of("lineitem.parquet"), p.parquet},
		{"lineitem-polars", of("lineitem-polars.avro"), p.polars("lineitem-polars.avro", "chunks")},
		{"lineitem-oneblock", of("lineitem-oneblock.avro"), p.polars("lineitem-oneblock.avro", "one")},
		{"lineitem10", of("lineitem10"), p.fold("lineitem10", lineitemInput, copies)},
		{"wide", of("wide-snappy.avro"), write(wide(), "snappy")},
		{"nested", of("nested-snappy.avro"), write(nested(), "snappy")},
		{"nullable", of("nullable-snappy.avro"), write(nullable(), "snappy")},
		{"sparse", of("sparse-snappy.avro"), write(sparse(), "snappy")},
	}
}

// makeData runs the steps whose products are missing, or those of them named in only.
func makeData(ctx context.Context, p paths, only []string) error {
	if err := os.MkdirAll(p.data(""), 0o755); err != nil {
		return err
	}
	var errs []error
	for _, s := range p.steps() {
		if s.done() || !wanted(only, s.name) {
			continue
		}
		fmt.Fprintf(os.Stderr, "making %s\n", s.name)
		if err := s.make(ctx); err != nil {
			errs = append(errs, fmt.Errorf("bench: make %s: %w", s.name, err))
		}
	}
	return errors.Join(errs...)
}

// wanted reports whether name is in list; an empty list wants all.
func wanted(list []string, name string) bool {
	for _, l := range list {
		if l == name {
			return true
		}
	}
	return len(list) == 0
}

func (p paths) fetchAvroTools(ctx context.Context) error {
	return run(ctx, "mvn", "-q", "dependency:copy", "-Dartifact=org.apache.avro:avro-tools:"+avroToolsVersion,
		"-DoutputDirectory="+mustAbs(filepath.Dir(p.avroTools())))
}

func (p paths) installPython(ctx context.Context) error {
	if err := run(ctx, "python3", "-m", "venv", filepath.Join(p.root, "venv")); err != nil {
		return err
	}
	return run(ctx, p.python(), "-m", "pip", "-q", "install", "tpchgen-cli=="+tpchgenVersion, "polars=="+polarsVersion)
}

// installReaders adds Python's readers of Parquet, and what makes them files.
func (p paths) installReaders(ctx context.Context) error {
	return run(ctx, p.python(), "-m", "pip", "-q", "install", "pyarrow=="+pyarrowVersion, "duckdb=="+duckdbVersion,
		"fastavro=="+fastavroVersion, "cramjam=="+cramjamVersion)
}

// parquet is what polars reads lineitem from.
func (p paths) parquet(ctx context.Context) error {
	return run(ctx, p.generator(), "parquet", "-s", "1", "-T", "lineitem", "-o", p.data(""))
}

// polars makes a product with a block a chunk, or in one block.
func (p paths) polars(name, blocks string) func(context.Context) error {
	product := p.data(name)
	return func(ctx context.Context) error {
		if err := run(ctx, p.python(), "-c", polarsScript, p.data("lineitem.parquet"), product+".tmp", blocks); err != nil {
			return err
		}
		return os.Rename(product+".tmp", product)
	}
}

// trevni makes the columns that the benchmarks of codecs run over.
func (p paths) trevni(ctx context.Context) error {
	product := p.data("lineitem.trv")
	if err := run(ctx, "java", "-jar", p.avroTools(), "totrevni", "--codec", "snappy", p.data("lineitem-snappy.avro"), product+".tmp"); err != nil {
		return err
	}
	return os.Rename(product+".tmp", product)
}

// fold makes a directory of n inputs that are hard links to one file: n times the
// rows to convert, one time the disk and page cache to hold.
func (p paths) fold(name, file string, n int) func(context.Context) error {
	return func(context.Context) error { return link(p.data(file), p.data(name), n) }
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

// run runs a command to its end; what it printed is part of the error.
func run(ctx context.Context, name string, args ...string) error {
	out, err := exec.CommandContext(ctx, name, args...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w\n%s", name, err, strings.TrimSpace(string(out)))
	}
	return nil
}

// mustAbs returns path from the root; it fails only where the working folder is gone.
func mustAbs(path string) string {
	abs, err := filepath.Abs(path)
	if err != nil {
		return path
	}
	return abs
}
