package data

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"

	"github.com/dustin/go-humanize"
)

func (p Paths) sparkVenv() string { return filepath.Join(p.Root, "venv-spark") }

func (p Paths) sparkAvro() string {
	return filepath.Join(p.Root, "java", "spark-avro_"+sparkAvroVersion+".jar")
}

func (p Paths) Peers() PeerTools {
	bin := filepath.Join(p.sparkVenv(), "bin")
	return PeerTools{
		Python: p.Python(), SparkPython: filepath.Join(bin, "python"), SparkSubmit: filepath.Join(bin, "spark-submit"),
		SparkAvro: p.sparkAvro(), Scripts: p.Data("peers"),
		ParquetPython: filepath.Join(p.parquetVenv(), "bin", "python"), ArrowRS: p.ArrowRS(), ParquetJars: p.parquetJars(),
	}
}

// InstallPeers writes the drivers beside the data and compiles those in Java whose libraries
// are there. Where there is no compiler they are contenders that are missing.
func (p Paths) InstallPeers(ctx context.Context) error {
	to := p.Data("peers")
	var errs []error
	files, err := peerFiles.ReadDir("peers")
	if err != nil {
		return err
	}
	for _, f := range files {
		text, err := peerFiles.ReadFile("peers/" + f.Name())
		if err != nil {
			return err
		}
		switch classPath := p.classPaths()[f.Name()]; {
		case filepath.Ext(f.Name()) != ".java":
			err = writeInto(to, f.Name(), text)
		case Exists(strings.TrimSuffix(classPath, "/*")):
			err = p.Compile(ctx, to, f.Name(), text, classPath)
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// classPaths are what the drivers in Java are compiled against.
func (p Paths) classPaths() map[string]string {
	return map[string]string{"TrevniJob.java": p.AvroTools(), "ParquetAvro.java": p.parquetJars() + "/*"}
}

// Compile compiles a Java source into a folder, with the source beside it, unless just
// that has been done before.
func (p Paths) Compile(ctx context.Context, to, name string, text []byte, classPath string) error {
	source := filepath.Join(to, name)
	class := strings.TrimSuffix(source, ".java") + ".class"
	if old, err := os.ReadFile(source); err == nil && bytes.Equal(old, text) && Newer(class, source) {
		return nil
	}
	return errors.Join(os.RemoveAll(class), writeInto(to, name, text),
		Run(ctx, "javac", "-nowarn", "-d", to, "-cp", classPath, source))
}

// installSpark has an environment of its own: it is half a gigabyte.
func (p Paths) installSpark(ctx context.Context) error {
	if err := Run(ctx, "python3", "-m", "venv", p.sparkVenv()); err != nil {
		return err
	}
	python := filepath.Join(p.sparkVenv(), "bin", "python")
	return errors.Join(
		Run(ctx, python, "-m", "pip", "-q", "install", "pyspark=="+SparkVersion),
		Run(ctx, "mvn", "-q", "dependency:copy", "-Dartifact=org.apache.spark:spark-avro_2.13:"+SparkVersion,
			"-DoutputDirectory="+MustAbs(filepath.Dir(p.sparkAvro()))),
	)
}

// CacheFlag adds the flag for where data and tools are.
func CacheFlag(flags *flag.FlagSet) *Paths {
	p := &Paths{Root: ".cache"}
	flags.StringVar(&p.Root, "cache", p.Root, "the folder of data and tools")
	return p
}

func Newer(path, source string) bool {
	made, errMade := os.Stat(path)
	from, errFrom := os.Stat(source)
	return errMade == nil && errFrom == nil && made.ModTime().After(from.ModTime())
}

// MustBytes parses a size that this program's source states.
func MustBytes(size string) float64 {
	n, err := humanize.ParseBytes(size)
	if err != nil {
		panic(err)
	}
	return float64(n)
}

// peerFiles are the sources of contenders that need a program of ours to drive them.
//
//go:embed peers/*.java peers/*.py
var peerFiles embed.FS

// PeerTools are the parts of the other converters; see peers.
type PeerTools struct {
	Python, SparkPython, SparkSubmit, SparkAvro string
	Scripts                                     string // the folder of peerFiles, and of their classes
	ParquetPython, ArrowRS, ParquetJars         string // what converts to Parquet; see parquetSteps
}

func writeInto(dir, name string, text []byte) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, name), text, 0o644)
}
