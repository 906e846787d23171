package hadooptest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// launcher is the little of bin/hadoop and bin/hdfs that is needed.
func (c *Cluster) launcher() string {
	return "#!/bin/sh\n" +
		"# Stands in for Hadoop's own bin/hadoop and bin/hdfs, over the jars that the tests fetch.\n" +
		"verb=$1; shift\n" +
		"case $verb in\n" +
		"  jar) set -- org.apache.hadoop.util.RunJar \"$@\" ;;\n" +
		"  fs | dfs) set -- org.apache.hadoop.fs.FsShell \"$@\" ;;\n" +
		"  fsck) set -- org.apache.hadoop.hdfs.tools.DFSck \"$@\" ;;\n" +
		"  dfsadmin) set -- org.apache.hadoop.hdfs.tools.DFSAdmin \"$@\" ;;\n" +
		"  *) echo \"$0: $verb: not a verb of this launcher\" >&2; exit 2 ;;\n" +
		"esac\n" +
		"exec java " + opens + " -Xmx300m -Dhadoop.root.logger=${HADOOP_ROOT_LOGGER:-WARN,console} -cp \"${HADOOP_CLASSPATH:+$HADOOP_CLASSPATH:}" +
		c.ConfDir() + ":" + filepath.Join(c.lib, "*") + "\" \"$@\"\n"
}

// StreamingJar returns the jar of Hadoop Streaming.
func (c *Cluster) StreamingJar() string {
	return filepath.Join(c.lib, "hadoop-streaming-"+version(artifacts[1])+".jar")
}

// Fsck returns what `hdfs fsck PATH -files -blocks` says.
func (c *Cluster) Fsck(t testing.TB, path string) string {
	t.Helper()
	return c.Java(t, "org.apache.hadoop.hdfs.tools.DFSck", path, "-files", "-blocks")
}

// Fs runs `hadoop fs` with arguments.
func (c *Cluster) Fs(t testing.TB, args ...string) string {
	t.Helper()
	return c.Java(t, append([]string{"org.apache.hadoop.fs.FsShell"}, args...)...)
}

// Java runs a class of Hadoop's, which must succeed, and returns what it said.
func (c *Cluster) Java(t testing.TB, args ...string) string {
	t.Helper()
	out, err := output(exec.CommandContext(t.Context(), "java", c.java(args...)...))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// RunProgram compiles a Java source file and runs its class, which must succeed, with
// a cluster's configuration. It returns what the program said.
func (c *Cluster) RunProgram(t testing.TB, source string, args ...string) string {
	t.Helper()
	classes := t.TempDir()
	jar := filepath.Join(c.lib, "*")
	if _, err := output(exec.CommandContext(t.Context(), "javac", "-nowarn", "-d", classes, "-cp", jar, source)); err != nil {
		t.Fatal(err)
	}
	class := strings.TrimSuffix(filepath.Base(source), ".java")
	java := c.java(append([]string{class}, args...)...)
	for i, a := range java {
		if a == "-cp" {
			java[i+1] = classes + ":" + java[i+1]
		}
	}
	cmd := exec.CommandContext(t.Context(), "java", java...)
	cmd.Env = append(os.Environ(), "HADOOP_CONF_DIR="+c.ConfDir())
	out, err := output(cmd)
	if err != nil {
		t.Fatal(err)
	}
	return out
}
