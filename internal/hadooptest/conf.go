package hadooptest

import (
	"encoding/xml"
	"fmt"
	"net"
	"os"
	"path/filepath"
)

// property is one of a configuration file.
type property struct {
	Name  string `xml:"name"`
	Value string `xml:"value"`
}

// writeConf writes a Hadoop configuration file.
func writeConf(name string, conf ...map[string]string) error {
	doc := struct {
		XMLName    xml.Name   `xml:"configuration"`
		Properties []property `xml:"property"`
	}{}
	for _, m := range conf {
		for k, v := range m {
			doc.Properties = append(doc.Properties, property{k, v})
		}
	}
	data, err := xml.MarshalIndent(&doc, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(name, data, 0o644)
}

// log4j sends all logs to standard error, which is each daemon's log file.
const log4j = `log4j.rootLogger=${hadoop.root.logger}
hadoop.root.logger=INFO,console
log4j.appender.console=org.apache.log4j.ConsoleAppender
log4j.appender.console.target=System.err
log4j.appender.console.layout=org.apache.log4j.PatternLayout
log4j.appender.console.layout.ConversionPattern=%d{ISO8601} %p %c{1}: %m%n
log4j.logger.org.apache.hadoop.util.NativeCodeLoader=ERROR
`

// hdfsConf is what all daemons of HDFS share. A DataNode is taken for dead after 14
// seconds, where HDFS's defaults wait for ten minutes.
func (c *Cluster) hdfsConf() map[string]string {
	return map[string]string{
		"dfs.namenode.rpc-address":                                  c.NameNodeAddress,
		"dfs.namenode.http-address":                                 c.httpAddress,
		"dfs.namenode.name.dir":                                     "file://" + filepath.Join(c.dir, "name"),
		"dfs.namenode.secondary.http-address":                       "127.0.0.1:0",
		"dfs.namenode.safemode.extension":                           "0",
		"dfs.namenode.heartbeat.recheck-interval":                   "2000",
		"dfs.heartbeat.interval":                                    "1",
		"dfs.namenode.stale.datanode.interval":                      "3000",
		"dfs.namenode.avoid.write.stale.datanode":                   "true",
		"dfs.namenode.write.stale.datanode.ratio":                   "1.0",
		"dfs.namenode.datanode.registration.ip-hostname-check":      "false",
		"dfs.replication":                                           "1",
		"dfs.permissions.enabled":                                   "false",
		"dfs.datanode.du.reserved":                                  "0",
		"dfs.datanode.address":                                      "127.0.0.1:0",
		"dfs.datanode.http.address":                                 "127.0.0.1:0",
		"dfs.datanode.ipc.address":                                  "127.0.0.1:0",
		"dfs.client.block.write.replace-datanode-on-failure.policy": "NEVER",
	}
}

// yarnConf is YARN's, for one NodeManager.
func (c *Cluster) yarnConf() map[string]string {
	return map[string]string{
		"yarn.resourcemanager.address":                                                  c.ports[0],
		"yarn.resourcemanager.scheduler.address":                                        c.ports[1],
		"yarn.resourcemanager.resource-tracker.address":                                 c.ports[2],
		"yarn.resourcemanager.admin.address":                                            c.ports[3],
		"yarn.resourcemanager.webapp.address":                                           c.ports[4],
		"yarn.nodemanager.address":                                                      "127.0.0.1:0",
		"yarn.nodemanager.localizer.address":                                            "127.0.0.1:0",
		"yarn.nodemanager.webapp.address":                                               "127.0.0.1:0",
		"yarn.nodemanager.aux-services":                                                 "mapreduce_shuffle",
		"yarn.nodemanager.local-dirs":                                                   filepath.Join(c.dir, "nm-local"),
		"yarn.nodemanager.log-dirs":                                                     filepath.Join(c.dir, "nm-logs"),
		"yarn.nodemanager.vmem-check-enabled":                                           "false",
		"yarn.nodemanager.resource.memory-mb":                                           "4096",
		"yarn.nodemanager.resource.cpu-vcores":                                          "4",
		"yarn.scheduler.minimum-allocation-mb":                                          "128",
		"yarn.application.classpath":                                                    filepath.Join(c.lib, "*"),
		"yarn.nodemanager.disk-health-checker.max-disk-utilization-per-disk-percentage": "99.9",
	}
}

func (c *Cluster) mapredConf() map[string]string {
	return map[string]string{
		"mapreduce.framework.name":                     "yarn",
		"mapreduce.shuffle.port":                       "0",
		"mapreduce.application.classpath":              filepath.Join(c.lib, "*"),
		"yarn.app.mapreduce.am.resource.mb":            "512",
		"yarn.app.mapreduce.am.command-opts":           "-Xmx400m " + opens,
		"mapreduce.map.memory.mb":                      "512",
		"mapreduce.reduce.memory.mb":                   "512",
		"mapred.child.java.opts":                       "-Xmx300m " + opens,
		"yarn.app.mapreduce.am.staging-dir":            "/tmp/staging",
		"mapreduce.job.reduce.slowstart.completedmaps": "1.0",
	}
}

// writeConfs writes the configuration that daemons and clients read.
func (c *Cluster) writeConfs(extra map[string]string) error {
	core := map[string]string{
		"fs.defaultFS":   c.URI(),
		"hadoop.tmp.dir": filepath.Join(c.dir, "tmp"),
	}
	for name, conf := range map[string][]map[string]string{
		"core-site.xml":   {core, extra},
		"hdfs-site.xml":   {c.hdfsConf(), extra},
		"yarn-site.xml":   {c.yarnConf()},
		"mapred-site.xml": {c.mapredConf()},
	} {
		if err := writeConf(filepath.Join(c.ConfDir(), name), conf...); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(c.ConfDir(), "log4j.properties"), []byte(log4j), 0o644)
}

// freePorts returns addresses on the loopback interface that nobody listens on just
// now.
func freePorts(n int) ([]string, error) {
	addrs := make([]string, n)
	for i := range addrs {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, fmt.Errorf("hadooptest: find a port: %w", err)
		}
		defer l.Close()
		addrs[i] = l.Addr().String()
	}
	return addrs, nil
}
