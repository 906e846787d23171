package data

import (
	"context"
	"os"
	"path/filepath"
	"strings"
)

// Versions of the programs that convert Avro to Parquet. That of the crates is in
// peers/arrow-rs, those of Java's libraries in peers/parquet-avro.
const (
	ArrowRSVersion     = "60.1.0"
	ParquetAvroVersion = "1.15.2"
	DuckdbAvroVersion  = "1.5.5" // of duckdb-extension-avro, and the DuckDB that it is for
	DatafusionVersion  = "55.0.0"
	ChdbVersion        = "4.4.0"
)

// parquetPackages are what pip installs for them.
var parquetPackages = []string{
	"duckdb==" + DuckdbAvroVersion, "duckdb-extension-avro==" + DuckdbAvroVersion, "datafusion==" + DatafusionVersion, "chdb==" + ChdbVersion,
}

// sourceOf is the folder of a contender's sources, from the repository's root.
func sourceOf(peer string) string { return filepath.Join("bench", "peers", peer) }

func (p Paths) parquetVenv() string { return filepath.Join(p.Root, "venv-parquet") }

// installed is written when all packages of an environment are there: its name has their
// versions, so that other versions are installed again.
func (p Paths) installed() string {
	return filepath.Join(p.parquetVenv(), strings.Join(parquetPackages, ",")+".installed")
}

// ArrowRS is a program of arrow-rs, built of peers/arrow-rs.
func (p Paths) ArrowRS() string {
	return filepath.Join(p.Root, "arrow-rs", "release", "avro-to-parquet")
}

func (p Paths) parquetJars() string {
	return filepath.Join(p.Root, "java", "parquet-avro-"+ParquetAvroVersion)
}

// parquetSteps fetch and build what converts to Parquet.
func (p Paths) parquetSteps() []step {
	return []step{
		{"parquet-peers", []string{p.installed()}, p.installParquet},
		{"arrow-rs", []string{p.ArrowRS()}, p.buildArrowRS},
		{"parquet-avro", []string{p.parquetJars()}, p.fetchParquetAvro},
	}
}

// installParquet has an environment of its own: the DuckDB that its extension is for is
// not the one that reads.
func (p Paths) installParquet(ctx context.Context) error {
	if err := Run(ctx, "python3", "-m", "venv", p.parquetVenv()); err != nil {
		return err
	}
	pip := append([]string{"-m", "pip", "-q", "install"}, parquetPackages...)
	if err := Run(ctx, filepath.Join(p.parquetVenv(), "bin", "python"), pip...); err != nil {
		return err
	}
	return os.WriteFile(p.installed(), nil, 0o644)
}

// buildArrowRS takes minutes.
func (p Paths) buildArrowRS(ctx context.Context) error {
	return Run(ctx, "cargo", "build", "--quiet", "--release", "--locked",
		"--manifest-path", filepath.Join(sourceOf("arrow-rs"), "Cargo.toml"), "--target-dir", MustAbs(filepath.Join(p.Root, "arrow-rs")))
}

func (p Paths) fetchParquetAvro(ctx context.Context) error {
	part := p.parquetJars() + ".tmp"
	err := Run(ctx, "mvn", "-q", "-B", "-f", filepath.Join(sourceOf("parquet-avro"), "pom.xml"),
		"dependency:copy-dependencies", "-DoutputDirectory="+MustAbs(part))
	if err != nil {
		return err
	}
	return os.Rename(part, p.parquetJars())
}
