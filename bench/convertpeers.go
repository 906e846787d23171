package main

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
)

// Versions of the other converters.
const (
	sparkVersion     = "4.0.1"
	sparkAvroVersion = "2.13-" + sparkVersion // Scala's version, and Spark's
)

// javaHeap is the most that a Java contender's heap may take, so that its peak
// memory does not follow from the machine's alone.
const javaHeap = "4g"

// peerFiles are the sources of contenders that need a program of ours to drive them.
//
//go:embed peers/TrevniJob.java peers/spark_convert.py peers/polars_convert.py
var peerFiles embed.FS

// peerTools are the parts of the other converters; see peers.
type peerTools struct {
	python, sparkPython, sparkSubmit, sparkAvro string
	scripts                                     string // the folder of peerFiles, and of TrevniJob.class
}

func (p paths) sparkVenv() string { return filepath.Join(p.root, "venv-spark") }
func (p paths) sparkAvro() string {
	return filepath.Join(p.root, "java", "spark-avro_"+sparkAvroVersion+".jar")
}

func (p paths) peers() peerTools {
	bin := filepath.Join(p.sparkVenv(), "bin")
	return peerTools{
		python: p.python(), sparkPython: filepath.Join(bin, "python"), sparkSubmit: filepath.Join(bin, "spark-submit"),
		sparkAvro: p.sparkAvro(), scripts: p.data("peers"),
	}
}

// installPeers writes the drivers beside the data and compiles what is Java. Where
// there is no compiler the job of MapReduce is a contender that is missing.
func (p paths) installPeers(ctx context.Context) error {
	to := p.data("peers")
	files, err := peerFiles.ReadDir("peers")
	if err != nil {
		return err
	}
	for _, f := range files {
		text, err := peerFiles.ReadFile("peers/" + f.Name())
		if err != nil {
			return err
		}
		if filepath.Ext(f.Name()) == ".java" {
			err = p.compile(ctx, to, f.Name(), text)
		} else {
			err = writeInto(to, f.Name(), text)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// compile compiles a Java source into a folder, with the source beside it, unless just
// that has been done before.
func (p paths) compile(ctx context.Context, to, name string, text []byte) error {
	source := filepath.Join(to, name)
	class := strings.TrimSuffix(source, ".java") + ".class"
	if old, err := os.ReadFile(source); err == nil && bytes.Equal(old, text) && newer(class, source) {
		return nil
	}
	return errors.Join(os.RemoveAll(class), writeInto(to, name, text),
		run(ctx, "javac", "-nowarn", "-d", to, "-cp", p.avroTools(), source))
}

func writeInto(dir, name string, text []byte) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, name), text, 0o644)
}

// installSpark has an environment of its own: it is half a gigabyte.
func (p paths) installSpark(ctx context.Context) error {
	if err := run(ctx, "python3", "-m", "venv", p.sparkVenv()); err != nil {
		return err
	}
	python := filepath.Join(p.sparkVenv(), "bin", "python")
	return errors.Join(
		run(ctx, python, "-m", "pip", "-q", "install", "pyspark=="+sparkVersion),
		run(ctx, "mvn", "-q", "dependency:copy", "-Dartifact=org.apache.spark:spark-avro_2.13:"+sparkVersion,
			"-DoutputDirectory="+mustAbs(filepath.Dir(p.sparkAvro()))),
	)
}

// addOpens lets Hadoop reach into Java 17 as it could into Java 8.
var addOpens = []string{
	"--add-opens=java.base/java.lang=ALL-UNNAMED", "--add-opens=java.base/java.util=ALL-UNNAMED",
	"--add-opens=java.base/java.io=ALL-UNNAMED", "--add-opens=java.base/java.net=ALL-UNNAMED",
}

func (p programs) totrevni(codec string) contender {
	return contender{name: "totrevni", output: "totrevni.trv", needs: []string{p.avroTools}, command: func(l layout) []string {
		return []string{p.java, "-Xmx" + javaHeap, "-jar", p.avroTools, "totrevni", "--codec", codec, l.input, l.output}
	}}
}

// mapReduce is a job of maps alone: the shuffle that a job with reducers has would
// only slow it down.
func (p programs) mapReduce(codec string) contender {
	class := filepath.Join(p.peers.scripts, "TrevniJob.class")
	return contender{name: "mapreduce", output: "mapreduce", needs: []string{p.avroTools, class}, command: func(l layout) []string {
		args := append([]string{p.java, "-Xmx" + javaHeap}, addOpens...)
		return append(args, "-cp", p.peers.scripts+string(os.PathListSeparator)+p.avroTools,
			"TrevniJob", l.input, l.output, codec, strconv.Itoa(runtime.NumCPU()), l.temp)
	}}
}

// parquetCodecs are Parquet's codecs that compress as Trevni's do, as polars and as
// Spark call them.
var parquetCodecs = map[string]struct{ polars, spark string }{
	"null":    {"uncompressed", "uncompressed"},
	"snappy":  {"snappy", "snappy"},
	"deflate": {"gzip", "gzip"},
}

func (p programs) polarsParquet(codec string) contender {
	script := filepath.Join(p.peers.scripts, "polars_convert.py")
	return contender{name: "polars to Parquet", output: "polars.parquet", parquet: true, needs: []string{script}, command: func(l layout) []string {
		return []string{p.peers.python, script, l.input, l.output, parquetCodecs[codec].polars}
	}}
}

// sparkParquet runs the driver as spark-submit does, a Python below Java: the kernel
// counts the processor time of a child that is waited for, which Java below Python
// isn't.
func (p programs) sparkParquet(codec string) contender {
	script := filepath.Join(p.peers.scripts, "spark_convert.py")
	needs := []string{p.peers.sparkSubmit, p.peers.sparkAvro, script}
	return contender{name: "spark to Parquet", output: "spark", parquet: true, needs: needs, command: func(l layout) []string {
		return []string{
			"/usr/bin/env", "PYSPARK_PYTHON=" + p.peers.sparkPython, p.peers.sparkSubmit,
			"--driver-memory", javaHeap, "--master", "local[" + strconv.Itoa(runtime.NumCPU()) + "]",
			"--conf", "spark.ui.enabled=false", "--conf", "spark.local.dir=" + l.temp, "--jars", p.peers.sparkAvro,
			script, l.input, l.output, parquetCodecs[codec].spark,
		}
	}}
}
