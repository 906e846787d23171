package hadooptest_test

import (
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"avro2trevni/internal/exit"
	"avro2trevni/internal/hadooptest"
	"avro2trevni/jobs"
)

// TestConvertOnHDFS converts from HDFS and to it: the bytes are those of the local
// engine, each file is one block, and Java's MapReduce job on YARN reads every record once.
func TestConvertOnHDFS(t *testing.T) {
	t.Parallel()
	c := hadooptest.Shared(t)
	f := router(t)
	in, local := original(t)
	dir, back := c.URI()+"/convert", filepath.Join(t.TempDir(), "back")
	remote := dir + "/out"
	c.Fs(t, "-mkdir", "/convert")
	c.Fs(t, "-put", in, dir+"/in.avro")
	r := convert(t, options(dir+"/in.avro", remote))
	equal(t, f, remote, local)
	convert(t, options(dir+"/*.avro", back))
	equal(t, f, back, local)
	if n := blocks(t, c, "/convert/out"); n != len(r.Outputs)+1 { // and _SUCCESS
		t.Errorf("%d blocks of %d files", n, len(r.Outputs)+1)
	}
	for i, out := range r.Outputs[:len(r.Outputs)-1] {
		if out.Bytes > fileSize || out.Bytes < fileSize*95/100 {
			t.Errorf("file %d has %d bytes", i, out.Bytes)
		}
	}
	again := options(in, remote)
	if _, err := jobs.Convert(t.Context(), again); exit.Code(err) != exit.StatusRefused {
		t.Errorf("over an output: %v", err)
	}
	again.IfExists = jobs.IfExistsReplace
	convert(t, again)
	equal(t, f, remote, local)
	const splits = "20" // more than there are files: the input format is asked not to split them
	c.RunProgram(t, "java/ReadTrevni.java", schema, remote, dir+"/ids", splits)
	checkIDs(t, c.Fs(t, "-cat", dir+"/ids/part-*"))
}

// checkIDs checks that each id is there once.
func checkIDs(t *testing.T, text string) {
	t.Helper()
	seen := make([]int, rows)
	for line := range strings.Lines(text) {
		id, err := strconv.Atoi(strings.TrimSpace(line))
		if err != nil || id < 0 || id >= rows {
			t.Fatalf("Java wrote %q", line)
		}
		seen[id]++
	}
	for id, n := range seen {
		if n != 1 {
			t.Fatalf("id %d came %d times", id, n)
		}
	}
}

// TestFailover has a second NameNode take over while a conversion writes: names of the
// nameservice go on.
func TestFailover(t *testing.T) {
	t.Parallel()
	c := hadooptest.Start(t, hadooptest.Options{Standby: true})
	in, local := original(t)
	c.Fs(t, "-put", in, "/in.avro")
	j := &job{Input: "hdfs:///in.avro", Output: "hdfs://" + hadooptest.Nameservice + "/out", Op: "write", Name: "part-00001.trv"}
	h := j.start(t, "HADOOP_CONF_DIR="+c.ConfDir()) // a process of its own also has an environment of its own
	c.NameNode.Kill()
	go c.TakeOver(t)
	if err := h.goOn(); err != nil {
		t.Fatal(err)
	}
	back := filepath.Join(t.TempDir(), "back")
	c.Fs(t, "-get", "/out", back)
	equal(t, router(t), back, local)
}
