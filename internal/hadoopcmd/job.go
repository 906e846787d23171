package hadoopcmd

import (
	"fmt"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
)

// Job is a Streaming job of records of raw bytes. A map task has one line of Tasks for
// its input; keys are partitioned by their first four bytes.
type Job struct {
	Name     string
	Conf     []string // key=value; those of Needs count more, those of Defaults less
	Files    []File   // that are put into each task's folder
	Mapper   string   // command lines
	Reducer  string
	Tasks    string // name of a file
	Output   string // name of a folder that is not there yet
	Reducers int

	MapMemory, ReduceMemory int64 // bytes of a task's container
	Heap                    int64 // of those, for the JVM's heap
}

// File is a local file that goes along.
type File struct {
	Path string
	As   string // its name in a task's folder
}

// defaults are properties that a user may set otherwise.
func (j *Job) defaults() []string {
	heap := fmt.Sprintf("-Xmx%dm", j.Heap>>20)
	return []string{
		"mapreduce.job.name=" + j.Name,
		"mapreduce.map.memory.mb=" + strconv.FormatInt(j.MapMemory>>20, 10),
		"mapreduce.reduce.memory.mb=" + strconv.FormatInt(j.ReduceMemory>>20, 10),
		"mapreduce.map.java.opts=" + heap,
		"mapreduce.reduce.java.opts=" + heap,
		"mapreduce.map.output.compress=false", // blocks are compressed
	}
}

// needs are properties that the tasks count on.
func (j *Job) needs() []string {
	return []string{
		"mapreduce.job.reduces=" + strconv.Itoa(j.Reducers),
		"stream.map.output=rawbytes",
		"stream.reduce.input=rawbytes",
		"stream.map.input.ignoreKey=true",
		"mapreduce.partition.binarypartitioner.left.offset=0",
		"mapreduce.partition.binarypartitioner.right.offset=3",
		"mapreduce.input.lineinputformat.linespermap=1",
		"mapreduce.fileoutputcommitter.algorithm.version=1", // the other publishes attempts piecemeal
	}
}

// args returns the arguments of hadoop.
func (j *Job) args(jar string) []string {
	args := []string{"jar", jar}
	conf := append(j.defaults(), j.Conf...)
	for _, kv := range append(conf, j.needs()...) { // of a property given twice the last counts
		args = append(args, "-D", kv)
	}
	var files []string
	for _, f := range j.Files {
		u := url.URL{Scheme: "file", Path: f.Path, Fragment: f.As}
		files = append(files, u.String())
	}
	return append(args,
		"-files", strings.Join(files, ","),
		"-inputformat", "org.apache.hadoop.mapred.lib.NLineInputFormat",
		"-lazyOutput", // no empty files of Hadoop's beside those of the tasks
		"-partitioner", "org.apache.hadoop.mapred.lib.BinaryPartitioner",
		"-mapper", j.Mapper, "-reducer", j.Reducer, "-input", j.Tasks, "-output", j.Output)
}

// absolute makes the files' paths absolute.
func (j *Job) absolute() error {
	for i := range j.Files {
		path, err := filepath.Abs(j.Files[i].Path)
		if err != nil {
			return err
		}
		if strings.Contains(path, ",") {
			return fmt.Errorf("hadoopcmd: %s: Hadoop treats a comma in a name as a separator", path)
		}
		j.Files[i].Path = path
	}
	return nil
}
