package hadooptest

import (
	"os/exec"
	"path/filepath"
	"testing"
)

const nameNodeClass = "org.apache.hadoop.hdfs.server.namenode.NameNode"

// Nameservice is the name that both NameNodes of a cluster with a standby serve.
const Nameservice = "pair"

// format makes the NameNode and its empty file system.
func (c *Cluster) format(pair bool) error {
	args := []string{nameNodeClass}
	if pair {
		args = c.nameNode("first")
	}
	if _, err := output(exec.Command("java", c.java(append(args, "-format", "-nonInteractive")...)...)); err != nil {
		return err
	}
	c.NameNode = &Daemon{name: "namenode", c: c, args: args}
	return nil
}

// nameNode returns the arguments of one NameNode of two.
func (c *Cluster) nameNode(id string) []string {
	return []string{nameNodeClass, "-D", "dfs.ha.namenode.id=" + id,
		"-D", "dfs.namenode.name.dir=file://" + filepath.Join(c.dir, "name-"+id)}
}

// startStandby makes the first NameNode the active one, and starts a second from a copy
// of it.
func (c *Cluster) startStandby() error {
	if err := c.wait(func() error { return c.admin("-transitionToActive", "--forceactive", "first") }); err != nil {
		return err
	}
	args := c.nameNode("second")
	if _, err := output(exec.Command("java", c.java(append(args, "-bootstrapStandby", "-nonInteractive")...)...)); err != nil {
		return err
	}
	c.Standby = &Daemon{name: "standby", c: c, args: args}
	return c.Standby.Start()
}

// admin runs `hdfs haadmin`.
func (c *Cluster) admin(args ...string) error {
	_, err := c.command(append([]string{"org.apache.hadoop.hdfs.tools.DFSHAAdmin"}, args...)...)
	return err
}

// TakeOver makes the standby the active NameNode.
func (c *Cluster) TakeOver(t testing.TB) {
	t.Helper()
	if err := c.wait(func() error { return c.admin("-transitionToActive", "--forceactive", "second") }); err != nil {
		t.Error(err)
	}
}

// standbyConf is what HDFS with two NameNodes adds. They share the log of changes in a
// folder, as they may on one machine.
func (c *Cluster) standbyConf() map[string]string {
	const rpc, http = "dfs.namenode.rpc-address." + Nameservice, "dfs.namenode.http-address." + Nameservice
	return map[string]string{
		"dfs.nameservices":                Nameservice,
		"dfs.ha.namenodes." + Nameservice: "first,second",
		rpc + ".first":                    c.NameNodeAddress,
		rpc + ".second":                   c.standbyAddresses[0],
		http + ".first":                   c.httpAddress,
		http + ".second":                  c.standbyAddresses[1],
		"dfs.namenode.shared.edits.dir":   "file://" + filepath.Join(c.dir, "shared"),
		"dfs.ha.fencing.methods":          "shell(true)",
		"dfs.ha.tail-edits.period":        "1",
		"fs.defaultFS":                    "hdfs://" + Nameservice,
		"dfs.client.failover.proxy.provider." + Nameservice: "org.apache.hadoop.hdfs.server.namenode.ha.ConfiguredFailoverProxyProvider",
	}
}
