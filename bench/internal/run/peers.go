package run

import (
	"os"
	"path/filepath"
	"runtime"
	"strconv"
)

// javaHeap is the most that a Java contender's heap may take, so that its peak
// memory does not follow from the machine's alone.
const javaHeap = "4g"

// addOpens lets Hadoop reach into Java 17 as it could into Java 8.
var addOpens = []string{
	"--add-opens=java.base/java.lang=ALL-UNNAMED", "--add-opens=java.base/java.util=ALL-UNNAMED",
	"--add-opens=java.base/java.io=ALL-UNNAMED", "--add-opens=java.base/java.net=ALL-UNNAMED",
}

func (p Programs) totrevni(codec string) contender {
	return contender{name: "totrevni", output: "totrevni.trv", needs: []string{p.avroTools}, command: func(l layout) []string {
		return []string{p.java, "-Xmx" + javaHeap, "-jar", p.avroTools, "totrevni", "--codec", codec, l.input, l.output}
	}}
}

// mapReduce is a job of maps alone: the shuffle that a job with reducers has would
// only slow it down.
func (p Programs) mapReduce(codec string) contender {
	class := filepath.Join(p.peers.Scripts, "TrevniJob.class")
	return contender{name: "mapreduce", output: "mapreduce", needs: []string{p.avroTools, class}, command: func(l layout) []string {
		args := append([]string{p.java, "-Xmx" + javaHeap}, addOpens...)
		return append(args, "-cp", p.peers.Scripts+string(os.PathListSeparator)+p.avroTools,
			"TrevniJob", l.input, l.output, codec, strconv.Itoa(runtime.NumCPU()), l.temp)
	}}
}

// sparkParquet runs the driver as spark-submit does, a Python below Java: the kernel
// counts the processor time of a child that is waited for, which Java below Python
// isn't.
func (p Programs) sparkParquet(codec string) contender {
	script := filepath.Join(p.peers.Scripts, "spark_convert.py")
	needs := []string{p.peers.SparkSubmit, p.peers.SparkAvro, script}
	return contender{name: "spark", output: "spark", parquet: true, needs: needs, command: func(l layout) []string {
		return []string{
			"/usr/bin/env", "PYSPARK_PYTHON=" + p.peers.SparkPython, p.peers.SparkSubmit,
			"--driver-memory", javaHeap, "--master", "local[" + strconv.Itoa(runtime.NumCPU()) + "]",
			"--conf", "spark.ui.enabled=false", "--conf", "spark.local.dir=" + l.temp, "--jars", p.peers.SparkAvro,
			script, l.input, l.output, codec,
		}
	}}
}
