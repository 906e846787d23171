package hadooptest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// launchers are the commands of an installation that [Cluster.launcher] stands in for.
var launchers = []string{"hadoop", "hdfs", "mapred", "yarn"}

// launcher is the little of those commands that is needed.
func (c *Cluster) launcher() string {
	return "#!/bin/sh\n" +
		"# Stands in for Hadoop's own bin/hadoop, hdfs, mapred and yarn, over the jars that the tests fetch.\n" +
		"verb=$1; shift\n" +
		"case $verb in\n" +
		"  jar) set -- org.apache.hadoop.util.RunJar \"$@\" ;;\n" +
		"  fs | dfs) set -- org.apache.hadoop.fs.FsShell \"$@\" ;;\n" +
		"  fsck) set -- org.apache.hadoop.hdfs.tools.DFSck \"$@\" ;;\n" +
		"  dfsadmin) set -- org.apache.hadoop.hdfs.tools.DFSAdmin \"$@\" ;;\n" +
		"  job) set -- org.apache.hadoop.mapred.JobClient \"$@\" ;;\n" +
		"  application) set -- org.apache.hadoop.yarn.client.cli.ApplicationCLI application \"$@\" ;;\n" +
		"  version) set -- org.apache.hadoop.util.VersionInfo ;;\n" +
		"  *.*) set -- \"$verb\" \"$@\" ;;\n" +
		"  *) echo \"$0: $verb: not a verb of this launcher\" >&2; exit 2 ;;\n" +
		"esac\n" +
		"exec java " + opens + " -Xmx300m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 ${HADOOP_CLIENT_OPTS} -Djava.security.krb5.conf=" + c.Krb5Conf() + " -Dhadoop.root.logger=${HADOOP_ROOT_LOGGER:-WARN,console} -cp \"${HADOOP_CLASSPATH:+$HADOOP_CLASSPATH:}" +
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

// Java runs a class of Hadoop's that is a Tool, such as a client's command. It must succeed;
// what it wrote is returned.
func (c *Cluster) Java(t testing.TB, args ...string) string {
	t.Helper()
	out, err := c.command(args...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// RunProgram compiles a Java source file and runs its class, which must succeed, with
// a cluster's configuration. It returns what the program said. The class is in a jar,
// so that a program which submits a job can send itself along.
func (c *Cluster) RunProgram(t testing.TB, source string, args ...string) string {
	t.Helper()
	dir := t.TempDir()
	class, jar := strings.TrimSuffix(filepath.Base(source), ".java"), filepath.Join(dir, "program.jar")
	classes := filepath.Join(dir, "classes")
	for _, args := range [][]string{
		{"javac", "-nowarn", "-d", classes, "-cp", filepath.Join(c.lib, "*"), source},
		{"jar", "--create", "--file", jar, "-C", classes, "."},
	} {
		if _, err := output(exec.CommandContext(t.Context(), args[0], args[1:]...)); err != nil {
			t.Fatal(err)
		}
	}
	java := c.java(append([]string{class}, args...)...)
	for i, a := range java {
		if a == "-cp" {
			java[i+1] = jar + ":" + java[i+1]
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
