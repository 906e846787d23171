package hadooptest

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// Options say what to start.
type Options struct {
	DataNodes    int               // default 1
	Yarn         bool              // also a ResourceManager and NodeManagers
	NodeManagers int               // how many, with Yarn; default 1
	Standby      bool              // a second NameNode, which takes over when it is told to
	Kerberos     bool              // HDFS requires Kerberos, and there is a KDC that knows [User]
	Conf         map[string]string // more of all configuration files
}

// Cluster is Hadoop on this machine.
type Cluster struct {
	NameNodeAddress string // host:port
	NameNode        *Daemon
	DataNodes       []*Daemon
	ResourceManager *Daemon // nil without Options.Yarn
	NodeManagers    []*Daemon
	History         *Daemon // MapReduce's job history server
	KDC             *Daemon // nil without Options.Kerberos
	Standby         *Daemon // nil without Options.Standby

	commands commands // their JVM

	dir, lib         string
	httpAddress      string   // the NameNode's
	standbyAddresses []string // rpc, http
	yarnAddresses    []string // the ResourceManager's five, the history server's three
	ports            *portRange
}

// patience is how long a daemon may take to start, where several clusters start on a busy
// machine.
const patience = 10 * time.Minute

// Start starts a cluster that is ready when it returns, and goes with the test.
func Start(t testing.TB, o Options) *Cluster {
	t.Helper()
	Need(t)
	c, stop, err := Run(o)
	t.Cleanup(stop)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Run is Start for callers that are no test. Stop is to be called after an error too.
func Run(o Options) (c *Cluster, stop func(), err error) {
	c = new(Cluster)
	stop = func() {
		c.commands.stop()
		for _, d := range c.daemons() {
			d.Kill()
		}
		for i := range c.NodeManagers {
			c.KillContainers(i)
		}
		if c.ports != nil {
			c.ports.close()
		}
		_ = os.RemoveAll(c.dir) // a temporary folder
	}
	if c.lib, err = jars(); err != nil {
		return c, stop, err
	}
	if c.dir, err = os.MkdirTemp("", "hadoop-"); err != nil {
		return c, stop, err
	}
	return c, stop, c.start(o)
}

func (c *Cluster) start(o Options) error {
	var err error
	if c.ports, err = takeRange(); err != nil {
		return err
	}
	first := c.ports.take(2)
	c.NameNodeAddress, c.httpAddress, c.standbyAddresses, c.yarnAddresses = first[0], first[1], c.ports.take(2), c.ports.take(8)
	if o.Standby {
		o.Conf = with(o.Conf, c.standbyConf())
	}
	if o.Kerberos {
		o.Conf = with(o.Conf, c.secureConf())
	}
	if err := c.layOut(o.Yarn, o.Conf); err != nil {
		return err
	}
	if o.Kerberos {
		if err := c.startKDC(); err != nil {
			return err
		}
	}
	if err := c.format(o.Standby); err != nil {
		return err
	}
	for i := range max(o.DataNodes, 1) {
		c.DataNodes = append(c.DataNodes, &Daemon{name: fmt.Sprintf("datanode-%d", i), c: c, args: []string{
			"-Ddfs.datanode.data.dir=" + filepath.Join(c.dir, fmt.Sprintf("data-%d", i)),
			"org.apache.hadoop.hdfs.server.datanode.DataNode", "-D",
			"dfs.datanode.data.dir=file://" + c.DataDir(i),
		}})
	}
	if o.Yarn {
		c.addYarn(max(o.NodeManagers, 1))
	}
	for _, d := range c.daemons() {
		if d.Alive() { // the KDC
			continue
		}
		if err := d.Start(); err != nil {
			return err
		}
	}
	if o.Standby {
		if err := c.startStandby(); err != nil {
			return err
		}
	}
	return c.Ready()
}

// layOut makes the folders and files that an installation has.
func (c *Cluster) layOut(yarn bool, extra map[string]string) error {
	bin := filepath.Join(c.Home(), "bin")
	for _, dir := range []string{bin, c.ConfDir()} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	if err := c.writeConfs(yarn, extra); err != nil {
		return err
	}
	for _, name := range launchers {
		if err := os.WriteFile(filepath.Join(bin, name), []byte(c.launcher()), 0o755); err != nil {
			return err
		}
	}
	tools := filepath.Join(c.Home(), "share", "hadoop", "tools", "lib")
	if err := os.MkdirAll(tools, 0o755); err != nil {
		return err
	}
	return os.Symlink(c.StreamingJar(), filepath.Join(tools, filepath.Base(c.StreamingJar())))
}

// Home returns the folder that is laid out as an installation of Hadoop.
func (c *Cluster) Home() string { return filepath.Join(c.dir, "home") }

// ConfDir returns the folder with the cluster's configuration.
func (c *Cluster) ConfDir() string { return filepath.Join(c.Home(), "etc", "hadoop") }

// DataDir returns the folder that DataNode i keeps its blocks in.
func (c *Cluster) DataDir(i int) string { return filepath.Join(c.dir, fmt.Sprintf("data-%d", i)) }

// URI returns the cluster's HDFS, without a path.
func (c *Cluster) URI() string { return "hdfs://" + c.NameNodeAddress }

func (c *Cluster) daemons() []*Daemon {
	var all []*Daemon
	if c.KDC != nil {
		all = append(all, c.KDC)
	}
	if c.NameNode != nil {
		all = append(all, c.NameNode)
	}
	if c.Standby != nil {
		all = append(all, c.Standby)
	}
	all = append(all, c.DataNodes...)
	if c.ResourceManager != nil {
		all = append(append(all, c.ResourceManager, c.History), c.NodeManagers...)
	}
	return all
}

// Ready returns when all daemons that run are in service.
func (c *Cluster) Ready() error {
	if err := c.wait(c.hdfsReady); err != nil {
		return err
	}
	if c.ResourceManager == nil {
		return nil
	}
	return c.wait(c.yarnReady)
}

// wait asks until something is so, or a daemon has ended without being killed; the error
// tells what was said last.
func (c *Cluster) wait(ask func() error) error {
	deadline := time.Now().Add(patience)
	for {
		err := ask()
		if err == nil {
			return nil
		}
		died := slices.ContainsFunc(c.daemons(), func(d *Daemon) bool { return d.died() })
		if died || time.Now().After(deadline) {
			return fmt.Errorf("hadooptest: not ready: %w%s", err, c.obituary())
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// obituary returns the last words of daemons that are gone.
func (c *Cluster) obituary() string {
	var all strings.Builder
	for _, d := range c.daemons() {
		if !d.Alive() {
			log, _ := os.ReadFile(d.Log()) // what there is
			fmt.Fprintf(&all, "\n%s is gone; it said: %s", d.name, tail(string(log)))
		}
	}
	return all.String()
}

// hdfsReady asks the NameNode whether it has left safe mode, and knows of all
// DataNodes that run.
func (c *Cluster) hdfsReady() error {
	var info struct {
		Beans []struct{ Safemode, LiveNodes string }
	}
	if err := get("http://"+c.httpAddress+"/jmx?qry=Hadoop:service=NameNode,name=NameNodeInfo", &info); err != nil {
		return err
	}
	if len(info.Beans) == 0 || info.Beans[0].Safemode != "" {
		return fmt.Errorf("the NameNode is in safe mode")
	}
	live := map[string]any{}
	if err := json.Unmarshal([]byte(info.Beans[0].LiveNodes), &live); err != nil {
		return err
	}
	want := 0
	for _, d := range c.DataNodes {
		if d.Alive() {
			want++
		}
	}
	if len(live) < want {
		return fmt.Errorf("%d of %d DataNodes are known", len(live), want)
	}
	return nil
}

func get(url string, into any) error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, into)
}
