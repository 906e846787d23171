package hadooptest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// addYarn adds a ResourceManager, NodeManagers, and the server that answers for jobs that
// have ended, to the daemons that are to be started. A NodeManager keeps its port when it is
// started again, and so is the same node.
func (c *Cluster) addYarn(nodes int) {
	c.ResourceManager = &Daemon{name: "resourcemanager", c: c, args: []string{"org.apache.hadoop.yarn.server.resourcemanager.ResourceManager"}}
	c.History = &Daemon{name: "history", c: c, args: []string{"org.apache.hadoop.mapreduce.v2.hs.JobHistoryServer"}}
	for i, port := range c.ports.take(nodes) {
		name := fmt.Sprintf("nodemanager-%d", i)
		c.NodeManagers = append(c.NodeManagers, &Daemon{name: name, c: c, args: []string{
			"org.apache.hadoop.yarn.server.nodemanager.NodeManager",
			"-D", "yarn.nodemanager.address=" + port,
			"-D", "yarn.nodemanager.local-dirs=" + filepath.Join(c.dir, name, "local"),
			"-D", "yarn.nodemanager.log-dirs=" + filepath.Join(c.dir, name, "logs"),
		}})
	}
}

// yarnConf is YARN's. A node, or the master of an application, that says nothing for half a
// minute, or two, is taken for lost, where YARN's defaults wait for ten minutes.
func (c *Cluster) yarnConf() map[string]string {
	return map[string]string{
		"yarn.resourcemanager.address":                                                  c.yarnAddresses[0],
		"yarn.resourcemanager.scheduler.address":                                        c.yarnAddresses[1],
		"yarn.resourcemanager.resource-tracker.address":                                 c.yarnAddresses[2],
		"yarn.resourcemanager.admin.address":                                            c.yarnAddresses[3],
		"yarn.resourcemanager.webapp.address":                                           c.yarnAddresses[4],
		"yarn.nm.liveness-monitor.expiry-interval-ms":                                   "30000",
		"yarn.am.liveness-monitor.expiry-interval-ms":                                   "120000",
		"yarn.client.nodemanager-connect.max-wait-ms":                                   "10000",
		"yarn.resourcemanager.connect.max-wait.ms":                                      "60000",
		"yarn.node-attribute.fs-store.root-dir":                                         "file://" + filepath.Join(c.dir, "attributes"), // else all clusters of a user share one
		"yarn.node-labels.fs-store.root-dir":                                            "file://" + filepath.Join(c.dir, "labels"),
		"yarn.nodemanager.localizer.address":                                            "127.0.0.1:0",
		"yarn.nodemanager.webapp.address":                                               "127.0.0.1:0",
		"yarn.nodemanager.aux-services":                                                 "mapreduce_shuffle",
		"yarn.nodemanager.vmem-check-enabled":                                           "false",
		"yarn.nodemanager.resource.memory-mb":                                           "4096",
		"yarn.nodemanager.resource.cpu-vcores":                                          "4",
		"yarn.scheduler.minimum-allocation-mb":                                          "128",
		"yarn.application.classpath":                                                    filepath.Join(c.lib, "*"),
		"yarn.nodemanager.disk-health-checker.max-disk-utilization-per-disk-percentage": "99.9",
	}
}

// mapredConf is MapReduce's, on a framework, "local" or "yarn". Java 17 is told of opens in
// tasks too.
func (c *Cluster) mapredConf(framework string) map[string]string {
	const quick = " -XX:+UseSerialGC -XX:TieredStopAtLevel=1 "
	return map[string]string{
		"mapreduce.framework.name":                     framework,
		"mapreduce.shuffle.port":                       "0",
		"mapreduce.application.classpath":              filepath.Join(c.lib, "*"),
		"yarn.app.mapreduce.am.resource.mb":            "512",
		"yarn.app.mapreduce.am.command-opts":           "-Xmx350m" + quick + opens,
		"mapreduce.map.memory.mb":                      "512",
		"mapreduce.reduce.memory.mb":                   "512",
		"mapred.child.java.opts":                       "-Xmx250m" + quick + opens,
		"yarn.app.mapreduce.am.staging-dir":            "/tmp/staging",
		"mapreduce.jobhistory.address":                 c.yarnAddresses[5],
		"mapreduce.jobhistory.webapp.address":          c.yarnAddresses[6],
		"mapreduce.jobhistory.admin.address":           c.yarnAddresses[7],
		"mapreduce.job.reduce.slowstart.completedmaps": "1.0",
		"mapreduce.reduce.shuffle.connect.timeout":     "10000", // 3 minutes otherwise, that a dead node is asked
	}
}

// yarnReady asks the ResourceManager whether it has its nodes.
func (c *Cluster) yarnReady() error {
	var info struct {
		ClusterMetrics struct{ ActiveNodes int }
	}
	if err := c.AskYarn("/ws/v1/cluster/metrics", &info); err != nil {
		return err
	}
	want := 0
	for _, d := range c.NodeManagers {
		if d.Alive() {
			want++
		}
	}
	if n := info.ClusterMetrics.ActiveNodes; n < want {
		return fmt.Errorf("%d of %d nodes are active", n, want)
	}
	return nil
}

// AskYarn gets what the ResourceManager's REST interface says at a path.
func (c *Cluster) AskYarn(path string, into any) error {
	return get("http://"+c.yarnAddresses[4]+path, into)
}

// AskHistory gets what the history server's REST interface says at a path.
func (c *Cluster) AskHistory(path string, into any) error {
	return get("http://"+c.yarnAddresses[6]+path, into)
}

// AskNameNode gets what the NameNode says at a path.
func (c *Cluster) AskNameNode(path string, into any) error {
	return get("http://"+c.httpAddress+path, into)
}

// Processes returns the ids of the processes in containers of NodeManager i whose command
// line holds a text.
func (c *Cluster) Processes(i int, with string) []int {
	var all []int
	local := filepath.Join(c.dir, c.NodeManagers[i].name) + "/"
	dirs, _ := filepath.Glob("/proc/[0-9]*") // the pattern is right
	for _, dir := range dirs {
		cwd, err := os.Readlink(filepath.Join(dir, "cwd")) // " (deleted)" may stand after it
		if err != nil || !strings.HasPrefix(cwd, local) {
			continue // gone, or not one of ours
		}
		line, _ := os.ReadFile(filepath.Join(dir, "cmdline")) // as above
		if !strings.Contains(string(line), with) {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(dir)); err == nil {
			all = append(all, pid)
		}
	}
	slices.Sort(all)
	return all
}

// ContainerLogs returns the ends of what the containers of all NodeManagers wrote, with
// the names of their logs: what a job tells of a task that failed is often less.
func (c *Cluster) ContainerLogs() string {
	var all strings.Builder
	for _, d := range c.NodeManagers {
		names, _ := filepath.Glob(filepath.Join(c.dir, d.name, "logs", "*", "*", "*")) // the pattern is right
		for _, name := range names {
			if data, err := os.ReadFile(name); err == nil && len(data) > 0 { // some come and go
				fmt.Fprintf(&all, "%s:\n%s\n", name, tail(string(data)))
			}
		}
	}
	return all.String()
}

// KillContainers kills all processes in containers of NodeManager i. They outlive a
// NodeManager that is killed, but not its machine.
func (c *Cluster) KillContainers(i int) {
	for _, pid := range c.Processes(i, "") {
		_ = syscall.Kill(pid, syscall.SIGKILL) // gone already is well too
	}
}

// javaHome returns the folder that YARN is to find bin/java in.
func javaHome() string {
	if home := os.Getenv("JAVA_HOME"); home != "" {
		return home
	}
	name, err := exec.LookPath("java")
	if err == nil {
		name, err = filepath.EvalSymlinks(name)
	}
	if err != nil {
		return ""
	}
	return filepath.Dir(filepath.Dir(name))
}
